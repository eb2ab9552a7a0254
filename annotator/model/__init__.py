"""Plain data shared by all layers: no input, no output, no import of another layer."""
