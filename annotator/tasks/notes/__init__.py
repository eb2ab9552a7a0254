"""Notes kept elsewhere: whether the source that they point to still stands, and how to mend their links.

`places` finds out what a mention points at, `check` what became of it, `fix` rewrites links whose answer is sure.
`page_names` does the like for the names of files, symbols and options on upstream's own pages.
"""
