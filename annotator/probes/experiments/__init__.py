"""Experiments: each drives one part of upstream and its reference model through the same operations and compares.

A probe of the catalogue is made of one or more of them.
"""
