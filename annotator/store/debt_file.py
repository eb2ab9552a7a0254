"""The file of known drift on disk: a line an entry, sorted, so that a change of one is a difference of one line."""

import json
from pathlib import Path

from annotator.model.debt import DebtFile, Known
from annotator.model.failures import UserMistake
from annotator.store.atomic_file import replace_file
from annotator.store.problems import ProblemsFound
from annotator.store.validation import validate
from annotator.store.yaml_source import read_yaml

_HEAD = """\
# Drift that is known and passes until it changes again; written by `annot check --update-debt`.
# An entry may be given a reason. What is not there any more is dropped at the next update.
schema: 1
"""


def read_debt(path: Path) -> DebtFile:
    """The known drift in the file at `path`.

    Raises:
        UserMistake: if there is no such file, or it is wrong: every mistake with its place.
    """
    if not path.is_file():
        raise UserMistake(
            f"there is no file of known drift at {path}",
            hint="make it of what drifts now with --update-debt",
        )
    source = read_yaml(path)
    debt = validate(DebtFile, source)
    seen: set[str] = set()
    problems = []
    for index, known in enumerate(debt.known):
        if known.subject in seen:
            span = source.value_span(("known", index, "subject"))
            problems.append(source.problem(span, f"{known.subject!r} is there twice", "drop one"))
        seen.add(known.subject)
    if problems:
        raise ProblemsFound(problems)
    return debt


def write_debt(path: Path, debt: DebtFile) -> None:
    """Writes the known drift; nothing happens if nothing changes.

    Raises:
        UserMistake: if it cannot be written there.
    """
    known = sorted(debt.known, key=lambda each: each.subject)
    lines = [f"  - {_line(each)}\n" for each in known]
    text = f"known:\n{''.join(lines)}" if lines else "known: []\n"
    try:
        replace_file(path, _HEAD + text)
    except OSError as error:
        raise UserMistake(f"{path} cannot be written: {error.strerror or error}") from error


def _line(known: Known) -> str:
    """An entry as a flow mapping, every value in double quotes: subjects and reasons may hold anything."""
    values = known.model_dump(mode="json", exclude_none=True)
    pairs = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "{" + ", ".join(pairs) + "}"
