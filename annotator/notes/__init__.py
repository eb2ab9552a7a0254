"""Notes that people keep elsewhere, read for the places of source that they point to.

`reading` is the entry: bytes of a note become mentions, each with its exact place in those bytes. A format is one module
with one function, `passages(note)`, that gives the parts of a note where mentions can stand, without the format's
own escapes; `links` and `names` find the mentions in them. `statements` finds which version a note says it is about.
Nothing here knows an upstream or reads a file.
"""
