"""The program's version; here, so that no layer has to import the package's root."""

__version__ = "0.1.0"
