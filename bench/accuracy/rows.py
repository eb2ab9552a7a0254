"""Rows of known truth, and what they amount to in the words of an answer."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

REARRANGED = frozenset({"signature-changed", "body-changed", "split", "merged/inlined"})
PLACED_ANEW = frozenset({"moved-file", "renamed", "moved-into-class-or-out"})
SAME_CODE = PLACED_ANEW | {"unchanged", "moved-lines", "format-or-comment-only"}
SAME_TEXT = frozenset({"unchanged", "moved-lines"})

_WORDS = {
    "lines-shifted": "moved-lines",
    "formatting": "format-or-comment-only",
    "comments": "format-or-comment-only",
    "docstring": "format-or-comment-only",
    "decorators": "signature-changed",
    "bases": "signature-changed",
    "signature": "signature-changed",
    "return-annotation": "signature-changed",
    "body": "body-changed",
    "value": "body-changed",
    "renamed": "renamed",
    "moved-file": "moved-file",
    "moved-scope": "moved-into-class-or-out",
    "split": "split",
    "merged": "merged/inlined",
    "deleted": "deleted",
}
"""annot's kinds of change in the words of the rows; `re-exported` and `quote` have no counterpart."""


class Row(BaseModel):
    """Where one symbol was and where it went.

    Attributes:
        id: the row.
        from_ref: release or commit that it was at.
        from_path: its file there.
        from_symbol: its qualified name there.
        to_ref: release or commit to find it at.
        to_path: its file there, none if it is gone.
        to_symbol: its name there.
        kind: what happened to it.
        primary_kind: the one that rows are grouped by.
        successors: the parts of a split, as `path::symbol`.
        confidence: how sure this truth is.
        lang: language of its file.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    from_ref: str
    from_path: str
    from_symbol: str
    to_ref: str
    to_path: str | None
    to_symbol: str | None
    kind: frozenset[str]
    primary_kind: str
    successors: tuple[str, ...] = ()
    confidence: Literal["high", "medium"]
    lang: str

    @property
    def weight(self) -> float:
        """What the row counts."""
        return 0.5 if self.confidence == "medium" else 1.0

    @property
    def changes(self) -> frozenset[str]:
        """Its kinds of change, `moved-and-renamed` taken apart and `unchanged` left out."""
        both = {"moved-file", "renamed"} if "moved-and-renamed" in self.kind else set()
        return frozenset(self.kind | both) - {"moved-and-renamed", "unchanged"}

    @property
    def outcome(self) -> str:
        """What a reader has to do about it."""
        if "deleted" in self.changes:
            return "gone"
        if self.changes & REARRANGED:
            return "changed"
        return "moved" if self.changes & PLACED_ANEW else "ok"

    @property
    def places(self) -> frozenset[str]:
        """Every right answer, as `path::symbol`; empty if it is gone."""
        if self.to_path is None:
            return frozenset()
        return frozenset({f"{self.to_path}::{self.to_symbol}", *self.successors})

    def comparable(self, changes: Iterable[str]) -> frozenset[str]:
        """Answered kinds of change in the rows' words, without those of which this row says nothing.

        Rows call something moved-lines only where nothing else happened, and format-or-comment-only
        only where the code stayed the same; and what is gone is deleted, whatever else.
        """
        words = frozenset(_WORDS[change] for change in changes if change in _WORDS)
        if "deleted" in self.changes:
            return words & {"deleted"}
        if not self.changes <= SAME_TEXT:
            words -= {"moved-lines"}
        if not self.changes <= SAME_CODE:
            words -= {"format-or-comment-only"}
        return words


def read_rows(file: Path) -> list[Row]:
    """Reads rows, one JSON object a line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [Row.model_validate_json(line) for line in lines if line.strip()]
