"""Compares definitions of languages without a concrete syntax tree at hand, token by token."""

from collections.abc import Sequence

from annotator.model.resolution import Change
from annotator.model.words import ChangeKind, SymbolKind
from annotator.resolve.lexing import lex
from annotator.resolve.wording import changed_lines, changed_tokens, likeness_of

_ONE_LINERS = frozenset({SymbolKind.CONSTANT, SymbolKind.ATTRIBUTE, SymbolKind.MACRO})


def split_head(tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Splits a definition into its head and the rest, at the first brace outside parentheses."""
    depth = 0
    for index, word in enumerate(tokens):
        if word in {"(", "["}:
            depth += 1
        elif word in {")", "]"}:
            depth -= 1
        elif word == "{" and depth <= 0:
            return tuple(tokens[:index]), tuple(tokens[index:])
        elif word == ";" and depth <= 0:
            break
    return tuple(tokens), ()


def compare_tokens(
    old_text: str, new_text: str, language: str, kind: SymbolKind | None, names: tuple[str, str]
) -> list[Change]:
    """Differences between two definitions but their names.

    Args:
        old_text: text at the baseline.
        new_text: text at the target.
        language: name of the lexer.
        kind: what is defined, none for a whole file.
        names: own name at the baseline and at the target; they count as equal.
    """
    if old_text == new_text:
        return []
    old, new = lex(old_text, language), lex(new_text, language)
    old_code = tuple("\0" if token == names[0] else token for token in old.code)
    new_code = tuple("\0" if token == names[1] else token for token in new.code)
    changes: list[Change] = []
    if old_code != new_code:
        texts = old_text, new_text
        if kind is not None:
            texts = _from_brace(old_text), _from_brace(new_text)
        changes += _code_changes(old_code, new_code, kind, changed_lines(*texts, language))
    if sorted(old.comments) != sorted(new.comments):
        changes.append(Change(kind=ChangeKind.COMMENTS))
    if not changes and names[0] == names[1]:
        changes.append(Change(kind=ChangeKind.FORMATTING))
    return changes


def _from_brace(text: str) -> str:
    return text[max(0, text.find("{")) :]


def _code_changes(
    old: tuple[str, ...], new: tuple[str, ...], kind: SymbolKind | None, lines: str
) -> list[Change]:
    if kind in _ONE_LINERS:
        return [Change(kind=ChangeKind.VALUE, detail=changed_tokens(old, new))]
    if kind is None:
        return [_body_change(old, new, lines)]
    (old_head, old_body), (new_head, new_body) = split_head(old), split_head(new)
    changes = []
    if old_head != new_head:
        detail = changed_tokens(old_head, new_head)
        changes.append(Change(kind=ChangeKind.SIGNATURE, detail=detail))
    if old_body != new_body:
        changes.append(_body_change(old_body, new_body, lines))
    return changes


def _body_change(old: tuple[str, ...], new: tuple[str, ...], lines: str) -> Change:
    return Change(kind=ChangeKind.BODY, detail=lines, similarity=likeness_of(old, new))
