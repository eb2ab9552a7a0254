"""Scores `annot where`, and what else can be asked where a symbol went, on rows of known truth."""
