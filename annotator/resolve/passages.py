"""What became of a quoted statement inside a place that was found again."""

from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.model.resolution import Change
from annotator.model.words import ChangeKind, Outcome
from annotator.resolve.quotes import Spot, edited_form, line_range, occurrences


class Passage(NamedTuple):
    """What became of a quote.

    Attributes:
        old: its lines at the baseline.
        new: its lines at the target, none if it is not there.
        outcome: changed, gone or ambiguous; none if it reads as before.
        changes: the difference, if any.
        confidence: how sure that is, 0 to 1.
        evidence: how it was found.
        reason: why it could not be looked for, else empty.
    """

    old: tuple[int, int] = (0, 0)
    new: tuple[int, int] | None = None
    outcome: Outcome | None = None
    changes: tuple[Change, ...] = ()
    confidence: float = 1.0
    evidence: tuple[str, ...] = ()
    reason: str = ""


def find_passage(
    language: str, old_text: str, old_line: int, new_text: str, new_line: int, quote: Quote
) -> Passage:
    """Finds a quote again.

    Args:
        language: language of both texts.
        old_text: the place at the baseline.
        old_line: number of its first line.
        new_text: the place at the target.
        new_line: number of its first line.
        quote: the statement.
    """
    before = occurrences(old_text, language, quote.exact, quote.prefix, quote.suffix)
    if len(before) != 1:
        how = "is not in" if not before else f"occurs {len(before)} times in"
        hint = "" if not before else "; add prefix or suffix"
        return Passage(reason=f"the quote {_short(quote.exact)!r} {how} its target{hint}")
    old = line_range(old_text, before[0], old_line)
    after = occurrences(new_text, language, quote.exact, quote.prefix, quote.suffix)
    if len(after) > 1:
        after = _nearest_context(old_text, before[0], new_text, after)
    if len(after) == 1:
        return Passage(
            old, line_range(new_text, after[0], new_line), evidence=("the quote stands",)
        )
    if after:
        change = Change(kind=ChangeKind.QUOTE, detail=f"now there {len(after)} times")
        new = line_range(new_text, after[0], new_line)
        return Passage(old, new, Outcome.AMBIGUOUS, (change,), 0.5)
    edited = edited_form(new_text, language, quote.exact, old_text)
    if edited is None:
        change = Change(kind=ChangeKind.QUOTE, detail=f"{_short(quote.exact)} → –")
        return Passage(
            old, None, Outcome.GONE, (change,), 0.85, ("nothing like the quote is left",)
        )
    change = Change(
        kind=ChangeKind.QUOTE,
        detail=f"{_short(quote.exact)} → {_short(edited.text)}",
        similarity=edited.similarity,
    )
    evidence = (f"a passage {edited.similarity:.0%} like the quote is left",)
    new = line_range(new_text, edited, new_line)
    return Passage(old, new, Outcome.CHANGED, (change,), edited.similarity, evidence)


def _nearest_context(old_text: str, old: Spot, new_text: str, spots: list[Spot]) -> list[Spot]:
    """Of several equal statements, the one between the lines that the quoted one stood between."""

    def around(text: str, spot: Spot) -> tuple[list[str], list[str]]:
        above = [line.strip() for line in text[: spot.start].split("\n") if line.strip()]
        below = [line.strip() for line in text[spot.end :].split("\n") if line.strip()]
        return above[::-1][:4], below[:4]

    def likeness(spot: Spot) -> int:
        wanted, found = around(old_text, old), around(new_text, spot)
        return sum(
            line in found_side
            for side, found_side in zip(wanted, found, strict=True)
            for line in side
        )

    ranked = sorted(spots, key=likeness, reverse=True)
    if likeness(ranked[0]) > likeness(ranked[1]):
        return ranked[:1]
    return spots


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:79] + "…"
