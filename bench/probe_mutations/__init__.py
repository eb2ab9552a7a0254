"""Mistakes planted in upstream's code, to show that the probes notice each of them."""
