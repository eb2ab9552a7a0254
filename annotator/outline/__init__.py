"""Source text to symbols with ranges, one small module a language, and the cache of the results.

`engine` chooses the language by path and runs it, `lookup` finds a symbol by what a person wrote,
`text` decodes source, `cache` remembers outlines by blob id.

A language is one module and one row of `engine.LANGUAGES`. The module has one function,
`read(source: Source) -> Reading`, that lists the definitions of one text under their plain qualified
names; numbering of repeated names (`name#2`), order, size limits and caching are done for it. The row
names the module, the package of its grammar and the file suffixes.

The modules for code walk the tree-sitter tree statement by statement and never enter an expression.
That costs a tenth of the parse; a tree-sitter query visits every node and costs a third or more.
"""
