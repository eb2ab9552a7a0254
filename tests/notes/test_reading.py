"""What is found in each format, with its exact place in the bytes of the file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.mention import Mention, MentionKind
from annotator.notes.reading import SIZE_LIMIT, read_note

ADDRESS = "https://github.com/acme/demo/blob/v1.0/a_b/c_d.py#L10-L12"


def only(path: str, data: bytes) -> Mention:
    (mention,) = read_note(path, data).mentions
    return mention


NOTEBOOK = {
    "cells": [
        {
            "cell_type": "markdown",
            "metadata": {"source": ADDRESS},
            "source": ['中文 "quoted" \U0001f600\n', f"[x]({ADDRESS})\n"],
        },
        {"cell_type": "code", "outputs": [{"text": [ADDRESS]}], "source": "pass"},
    ],
    "metadata": {"source": ADDRESS},
}

FORMATS = {
    # name: file, its content, the bytes of the route there
    "Markdown": ("a.md", f"中文 [x]({ADDRESS})", "v1.0/a_b/c_d.py"),
    "Markdown with escapes": (
        "a.md",
        f"中文 [x]({ADDRESS.replace('_', chr(92) + '_')})",
        r"v1.0/a\_b/c\_d.py",
    ),
    "reStructuredText": ("a.rst", f"中文 `x <{ADDRESS}>`_", "v1.0/a_b/c_d.py"),
    "HTML with references": (
        "a.html",
        f'<p>中文<a href="{ADDRESS.replace("_", "&#95;")}">',
        "v1.0/a&#95;b/c&#95;d.py",
    ),
    "plain text": ("a.txt", f"中文{ADDRESS}", "v1.0/a_b/c_d.py"),
    "notebook": ("a.ipynb", json.dumps(NOTEBOOK, indent=1), "v1.0/a_b/c_d.py"),
    "notebook, not ASCII": (
        "a.ipynb",
        json.dumps(NOTEBOOK, ensure_ascii=False),
        "v1.0/a_b/c_d.py",
    ),
    "notebook with escaped slashes": (
        "a.ipynb",
        json.dumps(NOTEBOOK).replace("/", r"\/"),
        r"v1.0\/a_b\/c_d.py",
    ),
    "Windows lines": ("a.md", f"one\r\n中文 {ADDRESS}\r\n", "v1.0/a_b/c_d.py"),
}


@pytest.mark.parametrize(("path", "text", "route"), FORMATS.values(), ids=FORMATS.keys())
def test_spans_are_those_of_the_file(path: str, text: str, route: str) -> None:
    data = text.encode()
    mention = only(path, data)
    assert mention.words == "v1.0/a_b/c_d.py"
    assert mention.first is not None
    assert mention.last is not None
    assert data[mention.route.start : mention.route.end] == route.encode()
    assert data[mention.first.start : mention.first.end] == b"10"
    assert data[mention.last.start : mention.last.end] == b"12"


def test_lines_and_columns_count_characters() -> None:
    mention = only("a.md", f"one\n中文 {ADDRESS}".encode())
    assert (mention.line, mention.column, mention.end_column) == (2, 4, 4 + len(ADDRESS))


def test_bytes_that_are_no_utf8_stay_where_they_are() -> None:
    data = "源码：".encode("gbk") + f" {ADDRESS}".encode()
    mention = only("a.txt", data)
    assert data[mention.route.start : mention.route.end] == b"v1.0/a_b/c_d.py"


NAMES = {
    # name: text, (kind, words, lines, symbol)
    "path and line": ("`src/a.py:12`", ("lines", "src/a.py", (12, 12), "")),
    "path and lines": ("src/a.py:12-15.", ("lines", "src/a.py", (12, 15), "")),
    "path and lines with L": ("src/a.py L12-L15", ("lines", "src/a.py", (12, 15), "")),
    "relative link": ("[a](../src/a.py#L12-L15)", ("lines", "../src/a.py", (12, 15), "")),
    "file address": ("[a](file://src/a.py#L12)", ("lines", "src/a.py", (12, 12), "")),
    "definition": ("src/a.py::Box.put", ("lines", "src/a.py", None, "Box.put")),
    "path alone": ("in src/a.py, all", ("lines", "src/a.py", None, "")),
    "number that is no line": ("src/a.py 12 times", ("lines", "src/a.py", None, "")),
    "dotted name": ("`pkg.mod.Box.put`", ("symbol", "pkg.mod.Box.put", None, "")),
}


@pytest.mark.parametrize(("text", "wanted"), NAMES.values(), ids=NAMES.keys())
def test_names_without_an_address(text: str, wanted: tuple[object, ...]) -> None:
    mention = only("a.md", text.encode())
    assert (mention.kind.value, mention.words, mention.lines, mention.symbol) == wanted


def test_a_path_inside_an_address_is_no_mention_of_its_own() -> None:
    assert [m.kind for m in read_note("a.md", f"[a]({ADDRESS})".encode()).mentions] == [
        MentionKind.LINK
    ]


UNREADABLE = {
    "binary": ("a.md", b"\0\1", "binary"),
    "UTF-16": ("a.md", "abc".encode("utf-16"), "UTF-16"),
    "no JSON": ("a.ipynb", b"{", "not a notebook"),
    "too large": ("a.md", b"a" * (SIZE_LIMIT + 1), "larger"),
}


@pytest.mark.parametrize(("path", "data", "why"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_cannot_be_read_says_why(path: str, data: bytes, why: str) -> None:
    reading = read_note(path, data)
    assert not reading.mentions
    assert why in reading.problem


@given(
    before=st.text(max_size=60).filter(lambda text: "http" not in text),
    path=st.sampled_from(["a.md", "a.rst", "a.html", "a.txt"]),
)
def test_whatever_stands_before_a_link_its_span_is_exact(before: str, path: str) -> None:
    data = f"{before}\n{ADDRESS}\n".encode("utf-8", "surrogatepass")
    links = [m for m in read_note(path, data).mentions if m.kind is MentionKind.LINK]
    for link in links:
        assert data[link.route.start : link.route.end] == b"v1.0/a_b/c_d.py"
    assert links or b"\0" in data


@given(st.lists(st.text(max_size=40), max_size=5))
def test_notebooks_of_any_text_are_read_back_exactly(lines: list[str]) -> None:
    cells = [{"cell_type": "markdown", "source": [*lines, f"\n{ADDRESS}\n"]}]
    data = json.dumps({"cells": cells}).encode()
    links = [m for m in read_note("a.ipynb", data).mentions if m.words == "v1.0/a_b/c_d.py"]
    assert links
    for link in links:
        assert json.loads(b'"%b"' % data[link.route.start : link.route.end]) == link.route.text
