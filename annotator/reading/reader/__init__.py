"""The terminal reader: the route, the code with its anchor marked, and the notes."""
