"""Which refs may be asked for, and what to say about one that is unknown. Pure functions."""

import re
from collections.abc import Iterable

from annotator.model.failures import UserMistake

SUGGESTIONS = 3
"""Close names that are shown for an unknown ref."""

_FULL_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ABBREVIATED_ID = re.compile(r"[0-9a-f]{7,64}")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+[0-9A-Za-z.+-]*")
_LONGEST = 250


def is_full_id(text: str) -> bool:
    """Whether `text` is a full object id, SHA-1 or SHA-256."""
    return _FULL_ID.fullmatch(text) is not None


def is_id_or_prefix(text: str) -> bool:
    """Whether `text` can be an object id or the beginning of one (7 digits at least)."""
    return _ABBREVIATED_ID.fullmatch(text) is not None


def is_version(text: str) -> bool:
    """Whether `text` looks like a version, with or without a `v` in front."""
    return _VERSION.fullmatch(text) is not None


def check_ref(ref: str) -> str:
    """Returns `ref` if it can name one commit and cannot be taken for anything else.

    Raises:
        UserMistake: for options, ranges, searches, control characters, an empty or an overlong text.
    """
    shown = repr(ref if len(ref) <= _LONGEST else ref[:_LONGEST] + "…")
    if not ref or ref != ref.strip():
        raise UserMistake(
            f"{shown} is no ref", hint="write a commit id, a tag, a branch or HEAD, without spaces"
        )
    if len(ref) > _LONGEST or any(ord(char) < 32 or ord(char) == 127 for char in ref):
        raise UserMistake(f"{shown} is no ref", hint="write a commit id, a tag or a branch")
    if ref.startswith(("-", "^")):
        raise UserMistake(f"{shown} is no ref: it begins with {ref[0]!r}")
    if ".." in ref:
        raise UserMistake(f"{shown} is a range", hint="name a single commit")
    if ":" in ref:
        raise UserMistake(f"{shown} is no commit: it has a ':'", hint="name a single commit")
    return ref


def spellings(ref: str) -> tuple[str, ...]:
    """The refs to try for `ref`, in order: itself, then a version with or without its `v`."""
    if not _VERSION.fullmatch(ref):
        return (ref,)
    return (ref, ref[1:] if ref.startswith("v") else f"v{ref}")


def close_names(ref: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `ref`, the closest first."""
    # Imported here: only a mistyped ref needs it, and every check would pay for it.
    from rapidfuzz import fuzz, process  # noqa: PLC0415

    found = process.extract(ref, list(names), scorer=fuzz.ratio, limit=SUGGESTIONS, score_cutoff=60)
    return [name for name, _, _ in found]
