"""Times annot next to what it cannot do without and to its peers, and how its cost grows."""
