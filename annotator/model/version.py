"""The program's version; here, so that no layer has to import the package's root."""

__version__ = "0.1.0"

ANSWERS = f"{__version__}/9"
"""Part of every key under which an answer is remembered: raise the number when the resolver answers differently."""
