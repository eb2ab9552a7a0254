"""Notes in every format: any bytes are read or refused, and a rewritten link changes nothing around it."""

import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from annotator.model.mention import Mention, Piece
from annotator.notes.reading import FORMATS, read_note
from annotator.notes.statements import stated_ref
from annotator.tasks.notes.fix import with_pieces
from tests.fuzz.damage import at_most, damaged_bytes

TEXT = """\
# Notes based on demo v1.0 <!-- annot: demo@v1.0 -->

See [free](https://github.com/team/demo/blob/v1.0/pkg/pool.py#L10-L12), `pkg/pool.py:20-22` and
pkg/pool.py::Pool.free; <a href="https://github.com/team/demo/blob/main/a%20b.py?x=1&amp;y=2#L3">it</a>,
https://gitlab.com/team/demo/-/blob/v1.0/pkg/pool.py#L1-2, pkg.pool.Pool.free, \\_escaped\\_ 中文https://raw.githubusercontent.com/team/demo/v1.0/a.py
"""
NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "markdown", "source": TEXT.splitlines(keepends=True), "metadata": {}},
            {
                "cell_type": "code",
                "source": "x = 1  # pkg/pool.py:7\n",
                "outputs": [{"text": TEXT}],
            },
        ],
        "nbformat": 4,
    }
)
FORMS = [*FORMATS, ".unknown"]


def source_of(suffix: str) -> list[str]:
    return [NOTEBOOK] if suffix == ".ipynb" else [TEXT, TEXT.replace("\n", "\r\n")]


def pieces_of(mention: Mention) -> list[Piece]:
    return [piece for piece in (mention.route, mention.first, mention.last) if piece is not None]


@pytest.mark.parametrize("suffix", FORMS)
def test_any_note_is_read_or_refused(suffix: str) -> None:
    @settings(deadline=None)
    @given(data=damaged_bytes(source_of(suffix)))
    def read(data: bytes) -> None:
        with at_most(10):
            reading = read_note(f"note{suffix}", data)
        lines = data.count(b"\n") + 1
        for mention in reading.mentions:
            assert 1 <= mention.line <= mention.end_line <= lines
            assert mention.column >= 1
            for piece in pieces_of(mention):
                assert 0 <= piece.start <= piece.end <= len(data)
        stated_ref(reading.text, ["demo", "a+b("])

    read()


@pytest.mark.parametrize("suffix", FORMS)
def test_a_rewritten_line_number_changes_nothing_else(suffix: str) -> None:
    @settings(deadline=None)
    @given(data=damaged_bytes(source_of(suffix)))
    def rewrite(data: bytes) -> None:
        name = f"note{suffix}"
        before = read_note(name, data).mentions
        numbers = [
            (index, mention.first)
            for index, mention in enumerate(before)
            if mention.first is not None
        ]
        for index, number in numbers[:3]:
            new = with_pieces(data, [replace(number, text="77")])
            assert new[: number.start] == data[: number.start]
            assert new[number.start + 2 :] == data[number.end :]
            after = read_note(name, new).mentions
            assert len(after) == len(before)
            assert after[index].first is not None
            assert after[index].first.text == "77"
            others = [(m.kind, m.route and m.route.text) for m in before]
            assert [(m.kind, m.route and m.route.text) for m in after] == others
            if PurePosixPath(name).suffix == ".ipynb":
                json.loads(new.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))

    rewrite()
