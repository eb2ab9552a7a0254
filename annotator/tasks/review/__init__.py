"""Looking at drift, deciding about it, and moving the pin once everything is decided."""
