"""Material for reading together: the terminal reader, handouts, tours, annotations."""
