"""Keeps source-reading notes true: finds every annotated place again and says what drifted."""

__version__ = "0.1.0"
