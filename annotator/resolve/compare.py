"""Compares the texts of a place at the baseline and at the target, whatever its language."""

from annotator.model.resolution import Change
from annotator.model.words import SymbolKind
from annotator.resolve.prose import compare_prose
from annotator.resolve.tokens import compare_tokens

_PROSE_LANGUAGES = frozenset({"markdown", "rst", ""})


def compare_texts(
    old_text: str,
    new_text: str,
    language: str,
    kind: SymbolKind | None,
    names: tuple[str, str] = ("", ""),
) -> list[Change]:
    """Every difference in content between two texts of one kind of place.

    Args:
        old_text: dedented text at the baseline.
        new_text: dedented text at the target.
        language: language of the outlines they come from.
        kind: kind of symbol, none for a whole file.
        names: the place's own name on both sides, without its scope.
    """
    if old_text == new_text:
        return []
    if language in _PROSE_LANGUAGES:
        return compare_prose(old_text, new_text, language, section=kind is SymbolKind.HEADING)
    if language == "python" and kind is not None:
        from annotator.resolve.definitions import (  # noqa: PLC0415 - loads libcst, see there
            Unparsable,
            compare_definitions,
        )

        try:
            return compare_definitions(old_text, new_text)
        except Unparsable:
            pass  # newer syntax than libcst knows: tokens still tell code from layout
    return compare_tokens(old_text, new_text, language, kind, names)
