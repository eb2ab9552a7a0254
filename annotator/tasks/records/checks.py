"""Is a record complete, is everything in it pinned, and do its versions go together?"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from annotator.model.experiment import Compatibility, ExperimentFile
from annotator.model.record import NOT_USED, TO_FILL, Record
from annotator.store.problems import did_you_mean

_FULL_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_MOVING = frozenset(
    ("stable", "latest", "nightly", "main", "master", "head", "dev", "develop", "trunk", "edge")
)
_MOVING_TAG = re.compile(rf"[:@](?:{'|'.join(sorted(_MOVING))})\b", re.IGNORECASE)

ReleaseCommit = Callable[[str, str], str]
"""Called with an upstream and a release: as much of its commit's id as is known, maybe nothing."""


class RecordFinding(NamedTuple):
    """What is wrong in a record.

    Attributes:
        fact: path of the fact.
        level: `error`, or `warning` for what is worth a look.
        rule: `complete`, `pinned` or `consistent`.
        message: what is wrong.
        hint: what to do, may be empty.
    """

    fact: str
    level: Literal["error", "warning"]
    rule: Literal["complete", "pinned", "consistent"]
    message: str
    hint: str = ""


def check_record(
    record: Record,
    experiments: ExperimentFile,
    language: Literal["zh", "en"] = "en",
    release_commit: ReleaseCommit = lambda upstream, release: "",
) -> list[RecordFinding]:
    """Everything that is wrong in a record: what is missing first, then what moves, then what does not fit.

    Args:
        record: the record.
        experiments: what the study knows about its experiments.
        language: language of the study's own notes.
        release_commit: what is known of releases' commits.
    """
    facts = dict(record.facts())
    return [
        *_incomplete(record, facts, experiments),
        *(finding for path, value in facts.items() for finding in _unpinned(path, value)),
        *_inconsistent(record, experiments, release_commit),
        *(f for rule in experiments.compatibility for f in _misfits(rule, facts, language)),
    ]


def _incomplete(
    record: Record, facts: Mapping[str, str], experiments: ExperimentFile
) -> Iterator[RecordFinding]:
    for path, value in facts.items():
        if value == TO_FILL:
            yield RecordFinding(path, "error", "complete", "is still to be filled")
    for program, one in experiments.software.items():
        if program not in record.software:
            hint = f"write release: {NOT_USED} if {one.title} took no part"
            yield RecordFinding(f"software.{program}", "error", "complete", "is missing", hint)
        elif one.modes and record.software[program].mode is None:
            hint = f"write {' or '.join(one.modes)}"
            yield RecordFinding(f"software.{program}.mode", "error", "complete", "is missing", hint)


def _unpinned(path: str, value: str) -> Iterator[RecordFinding]:
    if value in {TO_FILL, NOT_USED}:
        return
    section, _, key = path.rpartition(".")
    if value.lower() in _MOVING or _MOVING_TAG.search(value):
        yield _moving(path, value)
    elif section.startswith("software.") and key == "release":
        if not _is_version(value):
            yield _moving(path, value)
    elif key in {"commit", "revision", "tokenizer_revision"}:
        if not _COMMIT.fullmatch(value) and not _HASH.fullmatch(value):
            yield _moving(path, value)
        elif not _FULL_COMMIT.fullmatch(value) and not _HASH.fullmatch(value):
            message = f"{value!r} is only the beginning of a commit id"
            yield RecordFinding(path, "warning", "pinned", message, "write all 40 digits")
    elif path == "model.chat_template" and not _HASH.fullmatch(value):
        hint = "write sha256:… of the template's text"
        yield RecordFinding(path, "error", "pinned", f"{value!r} does not say which template", hint)
    elif section == "attention" and value.lower() == "auto":
        message = "'auto' says what was asked for, not what was used"
        yield RecordFinding(path, "warning", "pinned", message, "the log of the run tells")
    elif section == "system" and key != "os" and not _is_version(value):
        yield _moving(path, value)


def _moving(path: str, value: str) -> RecordFinding:
    hint = (
        "write the commit id"
        if path.endswith(("commit", "revision"))
        else "write the exact version, tag or digest that was used"
    )
    return RecordFinding(
        path, "error", "pinned", f"{value!r} is not pinned: it moves, or can mean several", hint
    )


def _inconsistent(
    record: Record, experiments: ExperimentFile, release_commit: ReleaseCommit
) -> Iterator[RecordFinding]:
    for program, facts in record.software.items():
        path = f"software.{program}"
        known = experiments.software.get(program)
        if facts.release == NOT_USED and facts.commit not in {NOT_USED, TO_FILL}:
            message = f"names a commit, but the release is {NOT_USED!r}"
            yield RecordFinding(f"{path}.commit", "error", "consistent", message)
        if known is None:
            continue
        if known.modes and facts.mode not in {*known.modes, TO_FILL, NOT_USED, None}:
            near = did_you_mean(str(facts.mode), known.modes)
            message = f"{facts.mode!r} is no way in which {known.title} runs{near}"
            hint = f"write {' or '.join(known.modes)}"
            yield RecordFinding(f"{path}.mode", "error", "consistent", message, hint)
        if known.upstream and _COMMIT.fullmatch(facts.commit) and _is_version(facts.release):
            commit = release_commit(known.upstream, facts.release)
            if commit and not (commit.startswith(facts.commit) or facts.commit.startswith(commit)):
                message = f"{facts.commit} is not the commit of release {facts.release}, {commit}"
                hint = "for a build between releases, write its whole version (X.Y.Z.devN+g…)"
                yield RecordFinding(f"{path}.commit", "error", "consistent", message, hint)
    yield from _connector(record)


def _connector(record: Record) -> Iterator[RecordFinding]:
    name, config = record.connector.name, record.connector.config
    if config in {TO_FILL, NOT_USED}:
        return
    try:
        read = json.loads(config)
    except ValueError as error:
        message = f"is not JSON: {error}"
        yield RecordFinding("connector.config", "error", "consistent", message)
        return
    said = read.get("kv_connector") if isinstance(read, dict) else None
    if said and name not in {TO_FILL, said}:
        message = f"is {name!r}, but its configuration says {said!r}"
        yield RecordFinding("connector.name", "error", "consistent", message)


def _misfits(
    rule: Compatibility, facts: Mapping[str, str], language: Literal["zh", "en"]
) -> Iterator[RecordFinding]:
    if not all(_fits(facts, subject, wanted) for subject, wanted in rule.when.items()):
        return
    because = ", ".join(f"{subject} {wanted}" for subject, wanted in rule.when.items())
    for subject, wanted in rule.needs.items():
        if _fits(facts, subject, wanted) is False:
            path = _path(facts, subject)
            message = f"is {facts[path]}; {because} needs {wanted}"
            hint = f"{rule.note.in_language(language)} ({rule.source})"
            yield RecordFinding(path, rule.level, "consistent", message, hint)


def _fits(facts: Mapping[str, str], subject: str, wanted: str) -> bool | None:
    """Whether a version lies in a range; None where there is no version to ask about."""
    version = _version(facts.get(_path(facts, subject), ""))
    if version is None:
        return None
    # A local part (2.14.0+cu130) names a build of the same release; ranges speak of releases.
    return SpecifierSet(wanted).contains(version.public, prereleases=True)


def _path(facts: Mapping[str, str], subject: str) -> str:
    release = f"software.{subject}.release"
    return release if release in facts else subject


def _is_version(value: str) -> bool:
    return _version(value) is not None or bool(re.fullmatch(r"\d+(?:\.\d+)+", value))


def _version(value: str) -> Version | None:
    try:
        return Version(value)
    except InvalidVersion:
        return None
