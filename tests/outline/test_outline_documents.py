"""What the outlines of Markdown and reStructuredText contain."""

import pytest

from annotator.outline.engine import outline_text

Row = tuple[str, int, int]

MARKDOWN: dict[str, tuple[str, list[Row]]] = {
    "sections end before the next heading of the same or a higher level, without blank lines": (
        """\
intro

# Title
text

## A
### Deep
last


## B
# Other
""",
        [
            ("Title", 3, 11),
            ("Title > A", 6, 8),
            ("Title > A > Deep", 7, 8),
            ("Title > B", 11, 11),
            ("Other", 12, 12),
        ],
    ),
    "a level that is skipped": (
        "# T\n### Deep\n## B\n",
        [("T", 1, 3), ("T > Deep", 2, 2), ("T > B", 3, 3)],
    ),
    "Setext headings": (
        "Title\n=====\n\nSection *one*\n---\ntext\n",
        [("Title", 1, 6), ("Title > Section *one*", 4, 6)],
    ),
    "repeated headings": (
        "# T\n## Example\na\n## Example\nb\n",
        [("T", 1, 5), ("T > Example", 2, 3), ("T > Example#2", 4, 5)],
    ),
    "a number that the text has itself stays unique": (
        "# C\n# C#2\n# C\n",
        [("C", 1, 1), ("C#2", 2, 2), ("C#3", 3, 3)],
    ),
    "raw text without closing marks and attributes": (
        "# `code` and **bold** ##\n## [Link](x.md) {#own-id}\n## C# { .cls #b }\n## Set {a, b}\n",
        [
            ("`code` and **bold**", 1, 4),
            ("`code` and **bold** > [Link](x.md)", 2, 2),
            ("`code` and **bold** > C#", 3, 3),
            ("`code` and **bold** > Set {a, b}", 4, 4),
        ],
    ),
    "not in fences, comments, front matter, quotes, lists, indented text": (
        """\
---
title: x
# front
---
# T
```bash
# fenced
```
~~~
# fenced
~~~
<!--
# comment
-->
    # indented
> # quoted

- item
  # in a list

#no space
####### seven
""",
        [("T", 5, 22)],
    ),
    "MkDocs snippets, admonitions and tabs": (
        """\
# T
--8<-- "other.md:part"
# --8<-- [start:part]
!!! note "N"
    # inside

=== "Tab"

    ## inside

## Real
# --8<-- [end:part]
""",
        [("T", 1, 12), ("T > Real", 11, 12)],
    ),
    "headings without text have no name": ("# T\n##\n## A\n", [("T", 1, 3), ("T > A", 3, 3)]),
    "Windows line ends, no line end at the end": (
        "# T\r\n\r\n## A\r\nx",
        [("T", 1, 4), ("T > A", 3, 4)],
    ),
}

RST: dict[str, tuple[str, list[Row]]] = {
    "levels by order of appearance, overlined titles from their overline": (
        """\
=====
Title
=====

Section
-------
text

Sub
~~~

Other
-----

=======
 Inset
=======
""",
        [
            ("Title", 1, 13),
            ("Title > Section", 5, 10),
            ("Title > Section > Sub", 9, 10),
            ("Title > Other", 12, 13),
            ("Inset", 15, 17),
        ],
    ),
    "the same mark with and without overline is two levels": (
        "====\nBook\n====\n\nPart\n====\n\nNext\n====\n",
        [("Book", 1, 9), ("Book > Part", 5, 6), ("Book > Next", 8, 9)],
    ),
    "a title may follow a title, an indented block or a directive, but not running text": (
        "Title\n=====\nSub\n---\n.. note::\n   x\nMore\n----\nrunning\nNot a title\n-----------\n",
        [("Title", 1, 11), ("Title > Sub", 3, 6), ("Title > More", 7, 11)],
    ),
    "transitions, tables, literal blocks and short adornments are no titles": (
        "T\n=\n\n----\n\n==== ====\na    b\n==== ====\n\n::\n\n   Code\n   ----\n\nlong title\n---\n",
        [("T", 1, 16)],
    ),
    "an adornment may be shorter than its title from four marks on": (
        "A title\n----\n",
        [("A title", 1, 2)],
    ),
}


def sections(path: str, source: str) -> list[Row]:
    outline = outline_text(path, source.encode())
    assert {symbol.kind.value for symbol in outline.symbols} <= {"heading"}
    return [(symbol.name, symbol.start, symbol.end) for symbol in outline.symbols]


@pytest.mark.parametrize(("source", "expected"), MARKDOWN.values(), ids=MARKDOWN.keys())
def test_markdown(source: str, expected: list[Row]) -> None:
    assert sections("docs/a.md", source) == expected


@pytest.mark.parametrize(("source", "expected"), RST.values(), ids=RST.keys())
def test_rst(source: str, expected: list[Row]) -> None:
    assert sections("docs/a.rst", source) == expected


def test_the_id_of_a_heading_is_its_detail() -> None:
    outline = outline_text("a.md", b"# Own { #own .cls }\n# None\n")
    assert [symbol.detail for symbol in outline.symbols] == ["own", ""]
