"""How source bytes become text and lines."""

import pytest

from annotator.outline.engine import outline_text
from annotator.outline.lookup import find_symbol
from annotator.outline.text import (
    count_lines,
    decode,
    encoding_of,
    is_binary,
    parseable,
    split_lines,
    symbol_text,
)

COOKIE = "# -*- coding: {} -*-\nname = 'é'\n"


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        (b"a\n", "utf-8", "a\n"),
        ("é".encode(), "utf-8", "é"),
        (b"\xef\xbb\xbfa", "utf-8-sig", "a"),
        ("é".encode("utf-16"), "utf-16", "é"),
        (COOKIE.format("latin-1").encode("latin-1"), "iso8859-1", COOKIE.format("latin-1")),
        (b"#!/bin/sh\n# vim: set fileencoding=cp1252 :\n\x80", "cp1252", None),
        (b"x = 1\n# coding: cp1252\n\x80", "latin-1", None),
        (COOKIE.format("rot13").encode("latin-1"), "latin-1", COOKIE.format("rot13")),
        (COOKIE.format("no-such").encode("latin-1"), "latin-1", COOKIE.format("no-such")),
        (b"caf\xe9", "latin-1", "café"),
        ("多字节".encode() + b"\xff", "utf-8", "多字节\ufffd"),
        (b"", "utf-8", ""),
    ],
)
def test_decoding(data: bytes, encoding: str, text: str | None) -> None:
    assert encoding_of(data) == encoding
    if text is not None:
        assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\rc\x0cd\u2028e\x85f\r\n", ["a", "b\rc\x0cd\u2028e\x85f"]),
    ],
)
def test_lines(data: str, lines: list[str]) -> None:
    assert split_lines(data) == lines
    assert count_lines(data.encode()) == len(lines)


def test_parseable_keeps_length_and_lines() -> None:
    assert parseable(b"caf\xe9 = 1\r\n\0") == b"caf_ = 1\r\n "
    assert parseable("é\0".encode()) == "é ".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\0", True),
        (b"a" * 9000 + b"\0", False),
        ("a".encode("utf-16"), False),
        (b"\xff\xff", False),
    ],
)
def test_binary(data: bytes, expected: bool) -> None:
    assert is_binary(data) is expected


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        (b"class A:\n    def f(self):\n        return 1\n", "A.f", "def f(self):\n    return 1"),
        (b"class A:\r\n\tdef f(self):\r\n\t\treturn 1\r\n", "A.f", "def f(self):\n\treturn 1"),
        (
            b'class A:\n    def f(self):\n        """\nleft\n        """\n',
            "A.f",
            'def f(self):\n    """\nleft\n    """',
        ),
        (b"A = 1; B = 2\n", "B", "B = 2"),
        ("# coding: latin-1\nx = 'é'\n".encode("latin-1"), "x", "x = 'é'"),
        (b"\xef\xbb\xbfx = 1\n", "x", "x = 1"),
    ],
    ids=["dedent", "tabs and CRLF", "string to the left", "middle of a line", "latin-1", "BOM"],
)
def test_text_of_a_symbol(source: bytes, name: str, expected: str) -> None:
    symbol = find_symbol(outline_text("m.py", source), name)
    assert symbol is not None
    assert symbol_text(source, symbol) == expected


def test_names_in_a_source_that_is_not_utf_8() -> None:
    source = "# coding: latin-1\ndef café(): ...\n".encode("latin-1")
    assert [symbol.name for symbol in outline_text("m.py", source).symbols] == ["café"]
