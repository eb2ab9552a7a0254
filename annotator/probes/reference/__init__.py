"""Reference models: what a note claims, in executable form and plain Python."""
