"""Experiment records: filled with what the machine can tell, checked, compared."""
