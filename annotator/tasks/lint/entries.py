"""Sessions, records and experiments.yaml against the study and against each other: names that lead nowhere."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pydantic import BaseModel

from annotator.model.record import Record, SoftwareFacts
from annotator.model.session import Session
from annotator.model.study import Study
from annotator.store.entry_files import EntryFiles
from annotator.store.problems import did_you_mean
from annotator.store.study_files import StudyFile
from annotator.store.yaml_source import Loc
from annotator.tasks.lint.findings import Finding, Level


class _Use(NamedTuple):
    kind: str
    name: str
    loc: Loc


def entry_findings(study: Study, files: EntryFiles) -> Iterator[Finding]:
    """What in the group's own files names something that is not there, or is named twice."""
    known = _known(study, files)
    for session in files.sessions:
        # What a closed session spoke of may be gone by now: it happened all the same.
        level = Level.WARNING if session.content.outcome else Level.ERROR
        yield from _dangling(session, _uses_of_session(session.content), known, level)
    for record in files.records:
        uses = [_Use("program", name, ("software", name)) for name in record.content.software]
        yield from _dangling(record, uses if files.experiments else [], known, Level.ERROR)
    if files.experiments:
        uses = list(_uses_of_experiments(files.experiments))
        yield from _dangling(files.experiments, uses, known, Level.ERROR)
    yield from _repeated("session", [(file, ("id",), file.content.id) for file in files.sessions])
    yield from _repeated("record", [(file, ("name",), file.content.name) for file in files.records])


def _known(study: Study, files: EntryFiles) -> dict[str, set[str]]:
    known: dict[str, set[str]] = {"upstream": set(study.upstreams)}
    for kind, name in study.where:
        known.setdefault(kind, set()).add(name)
    programs = set(files.experiments.content.software) if files.experiments else set()
    return {**known, "program": programs, "fact": set(_fact_paths(programs))}


def _fact_paths(programs: set[str]) -> Iterator[str]:
    """Paths of everything that a record of these programs holds."""
    yield "date"
    yield from (f"software.{each}.{key}" for each in programs for key in SoftwareFacts.model_fields)
    for section, field in Record.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from (f"{section}.{key}" for key in field.annotation.model_fields)


def _uses_of_session(session: Session) -> Iterator[_Use]:
    for index, number in enumerate(session.questions):
        yield _Use("question number", str(number), ("questions", index))
    for upstream in session.at:
        yield _Use("upstream", upstream, ("at", upstream))
    for index, planned in enumerate(session.plan):
        yield _Use("anchor", planned.anchor, ("plan", index, "anchor"))
    if session.outcome:
        for index, anchor in enumerate(session.outcome.read):
            yield _Use("anchor", anchor, ("outcome", "read", index))
        for index, dispute in enumerate(session.outcome.disputed):
            yield _Use("claim", dispute.claim, ("outcome", "disputed", index, "claim"))


def _uses_of_experiments(file: StudyFile[Any]) -> Iterator[_Use]:
    experiments = file.content
    for name, software in experiments.software.items():
        if software.upstream:
            yield _Use("upstream", software.upstream, ("software", name, "upstream"))
    for key, facts in (("flags", experiments.flags), ("logs", experiments.logs)):
        for index, one in enumerate(facts):
            yield _Use("fact", one.fact, (key, index, "fact"))
    for index, rule in enumerate(experiments.compatibility):
        for key, ranges in (("when", rule.when), ("needs", rule.needs)):
            for subject in ranges:
                kind = "fact" if "." in subject else "program"
                yield _Use(kind, subject, ("compatibility", index, key, subject))


def _dangling(
    file: StudyFile[Any], uses: Iterable[_Use], known: dict[str, set[str]], level: Level
) -> Iterator[Finding]:
    for kind, name, loc in uses:
        names = known.get(kind, set())
        if name not in names:
            near = "" if name.isdigit() else did_you_mean(name, names)
            message = f"there is no {kind} {name!r}{near}"
            line = file.source.value_span(loc).line
            yield Finding(file.name, line, level, "names", message)


def _repeated(kind: str, named: list[tuple[StudyFile[Any], Loc, str]]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for file, loc, name in named:
        if name in first:
            message = f"the {kind} {name!r} is in {first[name]} already"
            line = file.source.value_span(loc).line
            yield Finding(file.name, line, Level.ERROR, "names", message)
        first.setdefault(name, file.name)
