"""Compares two passages of documentation: words count, wrapping and markup layout do not."""

from annotator.model.resolution import Change
from annotator.model.words import ChangeKind
from annotator.resolve.lexing import lex
from annotator.resolve.wording import changed_lines, likeness_of


def compare_prose(old_text: str, new_text: str, language: str, *, section: bool) -> list[Change]:
    """Differences between two sections or pages.

    Args:
        old_text: text at the baseline.
        new_text: text at the target.
        language: `markdown`, `rst` or empty for plain text.
        section: whether the first line is a heading, whose own words are compared as a name elsewhere.
    """
    if section:
        old_text, new_text = _below_heading(old_text, language), _below_heading(new_text, language)
    if old_text.strip() == new_text.strip():
        return []
    old, new = lex(old_text, language), lex(new_text, language)
    if old.code != new.code:
        detail = changed_lines(old_text, new_text, language)
        return [
            Change(kind=ChangeKind.BODY, detail=detail, similarity=likeness_of(old.code, new.code))
        ]
    kind = ChangeKind.COMMENTS if old.comments != new.comments else ChangeKind.FORMATTING
    return [Change(kind=kind)]


def _below_heading(text: str, language: str) -> str:
    lines = text.splitlines()
    if language != "rst":
        setext = (
            len(lines) > 1 and not lines[0].startswith("#") and set(lines[1].strip()) <= {*"=-"}
        )
        return "\n".join(lines[2 if setext else 1 :])
    overlined = len(lines) > 2 and bool(lines[0]) and len(set(lines[0].strip())) == 1
    return "\n".join(lines[3 if overlined else 2 :])
