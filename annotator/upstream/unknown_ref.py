"""What to say about a ref that a repository does not have."""

from collections.abc import Callable, Iterable
from pathlib import Path

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.refs import close_names, is_full_id


def unknown_ref(
    ref: str,
    reasons: bytes,
    path: Path,
    *,
    is_shallow: bool,
    names: Callable[[], Iterable[str]],
) -> UserMistake | Incomplete:
    """The error for a ref that was not found.

    Args:
        ref: as it was asked for.
        reasons: what git printed about its spellings.
        path: of the repository.
        is_shallow: whether its history is cut off.
        names: gives its tags and branches.
    """
    if b"ambiguous" in reasons:
        return UserMistake(
            f"{ref!r} begins several object ids of {path}", hint="write more of its digits"
        )
    if b"dereferences to" in reasons:
        return UserMistake(f"{ref!r} is no commit in {path} but another kind of object")
    if is_full_id(ref):
        if is_shallow:
            return Incomplete(
                f"commit {ref} is not in the shallow clone {path}",
                hint=f"run `annot sync`, or: git -C {path} fetch --depth 1 origin {ref}",
            )
        return Incomplete(
            f"commit {ref} is not in {path}", hint=f"run `annot sync`, or: git -C {path} fetch"
        )
    if is_shallow and set(ref) & set("~^"):
        return Incomplete(
            f"the history of the shallow clone {path} does not reach back to {ref}",
            hint=f"fetch more of it with: git -C {path} fetch --deepen 100",
        )
    close = close_names(ref, names())
    hint = f"close names: {', '.join(close)}" if close else f"see: git -C {path} tag"
    return UserMistake(f"{ref!r} is no commit, tag or branch of {path}", hint=hint)
