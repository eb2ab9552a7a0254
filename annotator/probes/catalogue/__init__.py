"""The probes, one file each; each file has a `PROBE`."""
