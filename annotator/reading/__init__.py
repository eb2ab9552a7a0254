"""Material for reading together: the terminal reader, sessions, tours, annotations, experiment records."""
