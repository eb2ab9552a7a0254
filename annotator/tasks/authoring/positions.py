"""What an editor calls a position, and where that is in a commit: also in an edited working tree."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.target import Target, TargetError, check_path, parse_target
from annotator.model.upstream import Upstream
from annotator.outline.text import decode, split_lines
from annotator.tasks.opening import line_now, work_tree
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.repository import open_repository

_LINES = re.compile(r":(?P<start>[1-9]\d*)(?:-(?P<end>[1-9]\d*))?(?::\d+)?$")


class Position(NamedTuple):
    """A position as somebody wrote it.

    Attributes:
        target: the place, its path from the root of the source tree.
        tree: the working tree that its file lies in, if it was given by a file of a clone.
    """

    target: Target
    tree: Path | None


def read_position(text: str, working: Path, is_source: Callable[[Path], bool]) -> Position:
    """Reads `PATH:LINE`, `PATH:LINE-LINE`, `PATH:LINE:COLUMN`, `PATH::SYMBOL`, `PATH#HEADING` or `PATH`.

    PATH is absolute or relative to `working`, if there is such a file in a clone; else it is a path from
    the root of the upstream's tree.

    Args:
        text: the position.
        working: the working folder.
        is_source: whether a working tree is a clone of an upstream; the notes' own repository is none.

    Raises:
        UserMistake: if it cannot be read, or an absolute path is no file of a clone.
    """
    path, rest = _split(text)
    file = working / path
    is_absolute = Path(path).is_absolute()
    if is_absolute and not file.is_file():
        raise UserMistake(f"there is no file {path}")
    try:
        tree = _tree_around(file) if file.is_file() else None
        if is_absolute and tree is None:
            raise UserMistake(f"{path} is in no git working tree", hint="give a path in your clone")
        if tree is None or not (is_absolute or is_source(tree)):
            return Position(parse_target(path + rest), None)
        real = Path(os.path.realpath(file))
        if not real.is_relative_to(os.path.realpath(tree)):
            raise UserMistake(f"{path} is a link out of its working tree")
        inside = real.relative_to(os.path.realpath(tree)).as_posix()
        return Position(parse_target(check_path(inside) + rest), tree)
    except TargetError as error:
        raise UserMistake(str(error)) from error


def is_clone_of(tree: Path, upstream: Upstream) -> bool:
    """Whether the repository at `tree` has the pin of an upstream, or what stands in for it."""
    with open_repository(tree) as repository:
        for ref in upstream.pin.refs:
            try:
                repository.resolve(ref)
            except AnnotError:
                continue
            return True
    return False


def committed_position(
    workspace: Workspace, head: Revision, position: Position
) -> tuple[Target, str]:
    """A position of an edited working tree as one of the commit that is checked out, with a remark.

    Raises:
        UserMistake: if the file is not committed yet.
    """
    target = position.target
    snapshot = workspace.snapshot(head.repository, head.commit)
    if target.path not in snapshot.files:
        raise UserMistake(
            f"{target.path} is not in the commit that is checked out",
            hint="commit it first: anchors point at commits",
        )
    if not target.start or position.tree is None:
        return target, ""
    committed = split_lines(decode(snapshot.data(target.path)))
    edited = split_lines(decode((position.tree / target.path).read_bytes()))
    if target.start > len(edited):
        raise UserMistake(f"{target.path} has {len(edited)} lines, not {target.start}")
    start = line_now(edited, committed, target.start)
    end = max(start, line_now(edited, committed, min(target.end, len(edited))))
    same = edited[target.start - 1 : target.end] == committed[start - 1 : end]
    remark = (
        "" if same else f"what stands there is not committed yet; line {start} of the commit is"
    )
    return target._replace(start=start, end=end), remark and f"{remark} anchored"


def _split(text: str) -> tuple[str, str]:
    """A path and what stands behind it."""
    for mark in ("::", "#"):
        path, sep, rest = text.partition(mark)
        if sep:
            return path, sep + rest
    found = _LINES.search(text)
    if found is None:
        return text, ""
    end = found["end"] or found["start"]
    lines = found["start"] if end == found["start"] else f"{found['start']}-{end}"
    return text[: found.start()], f":{lines}"


def _tree_around(file: Path) -> Path | None:
    try:
        return work_tree(file.parent)
    except UserMistake:
        return None
