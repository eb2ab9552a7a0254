"""Where source text comes from: git objects, never a checkout; and how it gets onto this machine."""
