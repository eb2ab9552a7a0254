"""How results are shown: tables for people, JSON for programs. Everything is made from plain data."""
