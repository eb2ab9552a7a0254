"""What has to be right between the files of a study: names given once, and only known names used."""

from collections.abc import Collection, Iterator
from typing import Any

from annotator.model.study import FileLine, Kind
from annotator.store.problems import Problem, did_you_mean
from annotator.store.study_files import StudyFile, StudyFiles, anchors_in, exercises_in
from annotator.store.yaml_source import Loc, Span

Where = dict[tuple[Kind, str], FileLine]


def register(files: StudyFiles) -> tuple[Where, list[Problem]]:
    """Where every name of the study is given, and a problem for each that is given again."""
    where: Where = {}
    problems = []
    for kind, name, file, span in _names(files):
        first = where.get((kind, name))
        if first is None:
            where[kind, name] = FileLine(file.name, span.line)
        else:
            hint = f"first in {first.file}:{first.line}"
            problems.append(file.source.problem(span, f"the {kind} {name!r} is there twice", hint))
    return where, problems


def dangling_names(files: StudyFiles, where: Where, probes: Collection[str]) -> list[Problem]:
    """A problem for each upstream, resource, anchor and probe that is used and not there.

    A name that a broken file may give is not missed: the file's own problems come first.
    """
    known = {"probe": set(probes)}
    if files.upstreams:
        known["upstream"] = {name for kind, name in where if kind == "upstream"}
    if not any(name.startswith("resources/") for name in files.broken):
        # An entry of the handbook may be named before it has anchors; `annot lint` lists those.
        known["resource"] = {name for kind, name in where if kind in {"resource", "resource row"}}
    if not any(name.startswith(("route/", "resources/")) for name in files.broken):
        known["anchor"] = {name for kind, name in where if kind == "anchor"}
    problems = []
    for kind, name, file, loc in _uses(files):
        if name in known.get(kind, {name}):
            continue
        message = f"there is no {kind} {name!r}{did_you_mean(name, known[kind])}"
        hint = "`annot list` shows them"
        if kind != "anchor":
            hint = f"there are: {', '.join(sorted(known[kind])) or 'none'}"
        problems.append(file.source.problem(file.source.values[loc], message, hint))
    return problems


def _names(files: StudyFiles) -> Iterator[tuple[Kind, str, StudyFile[Any], Span]]:
    if upstreams := files.upstreams:
        for name in upstreams.content.upstreams:
            yield "upstream", name, upstreams, upstreams.source.keys["upstreams", name]
    if handbook := files.handbook:
        places = handbook.source.values
        for index, row in enumerate(handbook.content.route):
            yield "route row", str(row.number), handbook, places["route", index, "number"]
        for index, entry in enumerate(handbook.content.resources):
            yield "resource row", entry.id, handbook, places["resources", index, "id"]
    for question in files.questions:
        places = question.source.values
        yield "question", question.content.id, question, places["id",]
        yield "question number", str(question.content.number), question, places["number",]
    for resources in files.resources:
        for index, resource in enumerate(resources.content.resources):
            span = resources.source.values["resources", index, "id"]
            yield "resource", resource.id, resources, span
    if glossary := files.glossary:
        for index, term in enumerate(glossary.content.terms):
            yield "term", term.id, glossary, glossary.source.values["terms", index, "id"]
    for review in files.reviews:
        yield "review", review.content.anchor, review, review.source.values["anchor",]
    yield from _names_beside_anchors(files)


def _names_beside_anchors(files: StudyFiles) -> Iterator[tuple[Kind, str, StudyFile[Any], Span]]:
    for file in files.with_anchors:
        places = file.source.values
        for loc, exercise in exercises_in(file.content):
            yield "exercise", exercise.id, file, places[*loc, "id"]
        for _, loc, anchor in anchors_in(file.content):
            yield "anchor", anchor.id, file, places[*loc, "id"]
            for index, claim in enumerate(anchor.claims):
                yield "claim", claim.id, file, places[*loc, "claims", index, "id"]


def _uses(files: StudyFiles) -> Iterator[tuple[str, str, StudyFile[Any], Loc]]:
    for question in files.questions:
        for index, entry in enumerate(question.content.resources):
            yield "resource", entry, question, ("resources", index)
    if glossary := files.glossary:
        for index, term in enumerate(glossary.content.terms):
            for position, anchor_id in enumerate(term.anchors):
                yield "anchor", anchor_id, glossary, ("terms", index, "anchors", position)
    for review in files.reviews:
        yield "upstream", review.content.upstream, review, ("upstream",)
        if review.content.retired is None:
            yield "anchor", review.content.anchor, review, ("anchor",)
    for file in files.with_anchors:
        yield "upstream", file.content.upstream, file, ("upstream",)
        for _, loc, anchor in anchors_in(file.content):
            for index, claim in enumerate(anchor.claims):
                if claim.probe is not None:
                    yield "probe", claim.probe, file, (*loc, "claims", index, "probe")
