"""How right and how fast annot is, side by side with what else can answer the same question."""
