"""The study against its handbook: what nothing covers, what is not in it, what is worded otherwise."""

from collections.abc import Iterator

from annotator.model.study import Kind, Study
from annotator.model.written import Bilingual
from annotator.tasks.lint.findings import Finding, Level, finding_at


def open_numbers(study: Study) -> list[int]:
    """Numbers of the handbook's route without a question."""
    rows = study.handbook.route if study.handbook else ()
    return [row.number for row in rows if study.question(row.number) is None]


def open_entries(study: Study) -> list[str]:
    """Ids of the handbook's resources without an anchor."""
    anchored = {resource.id for _, resource in study.resources if resource.anchors}
    rows = study.handbook.resources if study.handbook else ()
    return [row.id for row in rows if row.id not in anchored]


def handbook_findings(study: Study) -> Iterator[Finding]:
    """Where study and handbook differ; nothing without a handbook."""
    if study.handbook is None:
        return
    yield from _uncovered(study)
    yield from _unlisted(study)
    yield from _other_words(study)


def _uncovered(study: Study) -> Iterator[Finding]:
    for number in open_numbers(study):
        message = f"no question answers row {number} of the route"
        yield finding_at(study, ("route row", str(number)), Level.WARNING, "coverage", message)
    for name in open_entries(study):
        if ("resource", name) in study.where:
            message = f"the resource {name} has no anchors"
            yield finding_at(study, ("resource", name), Level.WARNING, "coverage", message)
        else:
            message = f"no file of resources/ describes {name}"
            yield finding_at(study, ("resource row", name), Level.WARNING, "coverage", message)


def _unlisted(study: Study) -> Iterator[Finding]:
    handbook = study.handbook
    numbers = {row.number for row in handbook.route} if handbook else set()
    entries = {row.id for row in handbook.resources} if handbook else set()
    for question in study.questions:
        if question.number not in numbers:
            message = f"the handbook's route has no row {question.number}"
            yield finding_at(study, ("question", question.id), Level.WARNING, "coverage", message)
    for _, resource in study.resources:
        if resource.id not in entries:
            message = f"the handbook has no resource {resource.id}"
            yield finding_at(study, ("resource", resource.id), Level.WARNING, "coverage", message)


def _other_words(study: Study) -> Iterator[Finding]:
    """Texts that the handbook gives and the study words otherwise.

    The handbook's Chinese is its own; its English is a translation, of which there may be two.
    """
    handbook = study.handbook
    rows = {row.number: row for row in handbook.route} if handbook else {}
    entries = {row.id: row for row in handbook.resources} if handbook else {}
    pairs: list[tuple[tuple[Kind, str], str, Bilingual, Bilingual]] = []
    for question in study.questions:
        if row := rows.get(question.number):
            where: tuple[Kind, str] = ("question", question.id)
            pairs.append((where, "title", question.title, row.documents))
            pairs.append((where, "question", question.question, row.question))
    for _, resource in study.resources:
        if entry := entries.get(resource.id):
            where = ("resource", resource.id)
            pairs.append((where, "title", resource.title, entry.title))
            pairs.append((where, "focus", resource.focus, entry.focus))
    for where, key, ours, theirs in pairs:
        for language, level in (("zh", Level.ERROR), ("en", Level.INFO)):
            written, wanted = getattr(ours, language), getattr(theirs, language)
            if written and wanted and written.strip() != wanted.strip():
                message = f"{key}.{language} is {written!r}, in the handbook {wanted!r}"
                yield finding_at(study, where, level, "wording", message)
