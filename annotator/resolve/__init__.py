"""A place at the baseline becomes a place at the target, with what happened in between.

The way of a question through the package: `resolver` (the entry) asks `ladder` for the successor of a
symbol, which climbs from the same path and name over the same file to the whole tree (`candidates`,
scored by `similarity`); `hops` asks the same over the commits in between when one leap is unsure;
`forwarders` follows a name whose logic went elsewhere (`passing_on`); `quotes` finds the statement inside;
`definitions`, `tokens` and `prose` compare old and new text; `verdict` turns the differences and what the
anchor watches into an outcome. `snapshot` is the view of one commit that all of them read.
"""
