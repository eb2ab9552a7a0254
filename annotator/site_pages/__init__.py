"""Markdown pages of the study, for MkDocs: made from anchors, locks, checks and probe results."""
