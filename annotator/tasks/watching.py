"""What `annot check --watch` saw at one moment, and what is different at the next."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from annotator.model.report import CheckReport
from annotator.model.words import Outcome
from annotator.store.problems import Problem
from annotator.tasks.lint import Finding, Level


class Trouble(NamedTuple):
    """Something wrong in a file.

    Attributes:
        file: the file.
        line: 1-based.
        text: what is wrong, with its level.
    """

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        """In one line that editors and terminals can jump from."""
        return f"{self.file}:{self.line}: {self.text}"


class Seen(NamedTuple):
    """A study and what its check said.

    Attributes:
        outcomes: by anchor id, in reading order; none where the files are too broken to be checked.
        troubles: what is wrong in the files.
    """

    outcomes: Mapping[str, Outcome] | None
    troubles: tuple[Trouble, ...] = ()


def seen(report: CheckReport, findings: list[Finding], folder: str) -> Seen:
    """What a check and a lint of the study in `folder` (as it is shown) say; hints do not count."""
    return Seen(
        {result.id: result.resolution.outcome for result in report.anchors},
        tuple(
            Trouble(f"{folder}/{one.file}", one.line, f"{one.level}: {one.message}")
            for one in findings
            if one.level is not Level.INFO
        ),
    )


def broken(problems: tuple[Problem, ...]) -> Seen:
    """A study whose files are not valid."""
    return Seen(
        None,
        tuple(Trouble(one.file, one.line, _with_hint(one.message, one.hint)) for one in problems),
    )


def differences(before: Seen, after: Seen, known: Mapping[str, Outcome]) -> Iterator[str]:
    """What changed, a sentence each: outcomes first, then troubles that went and came.

    A trouble that only moved to another line is none that came.

    Args:
        before: the last moment.
        after: this one.
        known: the last outcome of each anchor, which a broken file in between does not change.
    """
    for id_, outcome in (after.outcomes or {}).items():
        if id_ not in known:
            yield f"{id_}: new → {outcome}"
        elif known[id_] is not outcome:
            yield f"{id_}: {known[id_]} → {outcome}"
    if after.outcomes is not None:
        yield from (f"{id_}: {known[id_]} → removed" for id_ in known if id_ not in after.outcomes)
    was = Counter((one.file, one.text) for one in before.troubles)
    now = Counter((one.file, one.text) for one in after.troubles)
    for one in _only(before.troubles, was - now):
        yield f"mended  {one}"
    for one in _only(after.troubles, now - was):
        yield str(one)


def _only(troubles: tuple[Trouble, ...], wanted: Counter[tuple[str, str]]) -> Iterator[Trouble]:
    left = Counter(wanted)
    for one in troubles:
        if left[one.file, one.text] > 0:
            left[one.file, one.text] -= 1
            yield one


def _with_hint(message: str, hint: str) -> str:
    return f"error: {message}" + (f" ({hint})" if hint else "")
