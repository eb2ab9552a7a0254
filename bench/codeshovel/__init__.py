"""Compares `annot trace` with hand-made histories of Python functions: the oracles of CodeShovel.

The oracles (ataraxie/codeshovel, src/test/resources/oracles/python) and the histories they are about are given by path.
"""
