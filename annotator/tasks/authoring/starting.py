"""`annot init`: a study of any git repository, with a first question about its own source."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from annotator.model.failures import Incomplete, UserMistake
from annotator.model.target import Target
from annotator.model.upstream import Pin, Upstream
from annotator.model.written import Slug
from annotator.outline.names import leaf_name
from annotator.store.new_study import NewQuestion, refuse_study, write_study
from annotator.store.yaml_source import Loc
from annotator.tasks.authoring.adding import anchor_data
from annotator.tasks.authoring.central import central_definitions
from annotator.tasks.authoring.licence import UNKNOWN, licence_of
from annotator.tasks.authoring.naming import anchor_id, slug
from annotator.tasks.authoring.pointing import point_at
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.folders import cache_folder, clone_folder
from annotator.upstream.git_program import try_git
from annotator.upstream.in_place import place_of
from annotator.upstream.origin import Origin
from annotator.upstream.progress import ProgressCallback, silent
from annotator.upstream.sync import sync_upstream

_DEFINITIONS = 3
"""Definitions in the first question."""

_PAGES = ("readme.md", "readme.rst", "readme.markdown", "readme", "readme.txt")
_SOMEDAY = "1970-01-01"
"""Stands for the date of the pin until its commit is at hand."""

Questions = Callable[[Workspace, Revision, str, Upstream], list[NewQuestion]]
"""Makes the first questions from the open workspace, the pin, and the upstream's name and entry."""


class Begun(NamedTuple):
    """A new study.

    Attributes:
        name: name of its upstream.
        upstream: what it says of it.
        files: the new files.
        source: where the upstream's source lies now.
    """

    name: str
    upstream: Upstream
    files: tuple[Path, ...]
    source: Path


def begin_study(
    project: Path,
    origin: Origin,
    name: str | None,
    questions: Questions,
    progress: ProgressCallback = silent,
) -> Begun:
    """Gets the source of a study's upstream and writes the study.

    Args:
        project: the folder that `anchors/` comes into.
        origin: where the source comes from.
        name: what the study calls the upstream; by default its title.
        questions: makes the first questions.
        progress: told how far the source is.

    Raises:
        UserMistake: if there is a study already, or the name is taken or no id.
        Incomplete: if the source cannot be had.
    """
    refuse_study(project)
    name = name or slug(origin.title) or "upstream"
    try:
        TypeAdapter(Slug).validate_python(name)
    except ValidationError as error:
        raise UserMistake(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    _refuse_taken(name, origin)
    upstream = Upstream(
        title=origin.title,
        git=origin.address,
        branch=origin.branch,
        licence=UNKNOWN,
        pin=_pin(origin, _SOMEDAY),
    )
    if origin.web:
        upstream = upstream.model_copy(update={"web": origin.web})
    report = sync_upstream(name, upstream, origin="git", progress=progress)
    with Workspace(cache_folder()) as workspace:
        try:
            base = workspace.revision(name, upstream.pin.refs[0])
        except UserMistake as error:
            raise Incomplete(
                f"{origin.address} did not give {upstream.pin.refs[0]}: {error}",
                hint="pin a commit of its default branch, or a tag",
            ) from error
        snapshot = workspace.snapshot(base.repository, base.commit)
        if not any(map(str.isprintable, snapshot.files)):
            raise UserMistake(
                f"{base.label} of {origin.address} has no files that notes could name"
            )
        date = base.repository.commit(base.commit).date[:10]
        upstream = upstream.model_copy(
            update={
                "git": origin.git,
                "licence": licence_of(snapshot),
                "pin": _pin(origin, date),
            }
        )
        first = questions(workspace, base, name, upstream)
    data, above, beside = _upstreams_file(name, upstream)
    files = write_study(project, data, first, above=above, beside=beside)
    return Begun(name, upstream, tuple(files), report.folder)


def first_question(
    workspace: Workspace, base: Revision, name: str, upstream: Upstream
) -> list[NewQuestion]:
    """A question about the definitions that a project speaks of most; all that it says is measured."""
    snapshot = workspace.snapshot(base.repository, base.commit)
    anchors: list[dict[str, Any]] = []
    taken: set[str] = set()
    for one in central_definitions(snapshot, _DEFINITIONS):
        pointed = point_at(snapshot, Target(one.path, start=one.symbol.start, end=one.symbol.end))
        id_ = anchor_id("q01", pointed.target, None, taken)
        taken.add(id_)
        leaf = leaf_name(one.symbol.name, snapshot.language(one.path))
        anchors.append(
            {**anchor_data(id_, pointed, _central_note(leaf, one.files)), "reason": _CHOSEN}
        )
    page = _page(list(snapshot.files))
    if page or not anchors:
        path = page or min(filter(str.isprintable, snapshot.files))
        anchors.insert(
            0,
            {
                "id": anchor_id("q01", Target(path), None, taken),
                "target": path,
                "watch": "existence",
                "note": {
                    "zh": "先读这里：项目自己的介绍。",
                    "en": "Read this first: what the project says of itself.",
                },
                "reason": {"zh": "阅读的起点。", "en": "Where reading begins."},
            },
        )
    data = {
        "schema": 1,
        "id": "q01",
        "number": 1,
        "upstream": name,
        "title": {"zh": "初读", "en": "First look"},
        "question": {
            "zh": "这个项目最常被引用的定义是什么，谁依赖它们？",
            "en": "Which definitions does this project lean on most, and who depends on them?",
        },
        "anchors": anchors,
    }
    example = "An example, to change or to delete; `annot add PATH:LINE` adds an anchor."
    return [NewQuestion("first-look", data, {("anchors",): example})]


_CHOSEN = {
    "zh": "`annot init` 选出的示例，可以改写或删除。",
    "en": "An example that `annot init` chose, to change or to delete.",
}


def _central_note(name: str, files: int) -> dict[str, str]:
    if not files:
        return {
            "zh": f"`{name}` 有文档说明。它做什么，从哪里开始？",
            "en": f"`{name}` is documented. What does it do, and where does it begin?",
        }
    return {
        "zh": f"另有 {files} 个代码文件提到 `{name}`。谁在用它，它向他们保证了什么？",
        "en": f"`{name}` is named in {files} other code file{'s' * (files > 1)}."
        " Who uses it, and what does it promise them?",
    }


def _page(paths: list[str]) -> str:
    found = {path.lower(): path for path in paths}
    return next((found[name] for name in _PAGES if name in found), "")


def _pin(origin: Origin, date: str) -> Pin:
    if origin.release:
        return Pin(release=origin.release, date=date)
    return Pin(commit=origin.commit, date=date)


def _refuse_taken(name: str, origin: Origin) -> None:
    """Refuses a name under which the cache has the source of another project."""
    known = set()
    if (clone := clone_folder(name)).is_dir():
        done = try_git([f"--git-dir={clone}", "config", "--get", "remote.origin.url"])
        known.add(done.stdout.decode("utf-8", "surrogateescape").strip())
    if place := place_of(name):
        known.add(str(place))
    known -= {"", origin.address, origin.git, str(origin.git_dir)}
    if known:
        raise UserMistake(
            f"the source of {' and '.join(sorted(known))} is kept under the name {name!r} already",
            hint=f"give another name, such as {name}-2: `annot init --name`, `annot import --upstream`",
        )


def _upstreams_file(name: str, upstream: Upstream) -> tuple[Any, dict[Loc, str], dict[Loc, str]]:
    """What upstreams.yaml says, and the comments in it."""
    data = upstream.model_dump(exclude_none=True, exclude_defaults=True)
    here: Loc = ("upstreams", name)
    above: dict[Loc, str] = {
        (*here, "pin"): "What the notes are written against. `annot lock` records it."
    }
    beside: dict[Loc, str] = {}
    if not upstream.web:
        above[*here, "git"] = "`web: https://…` above this line would make links to the source."
    if upstream.licence == UNKNOWN:
        beside[*here, "licence"] = "not recognized: write its SPDX id"
    return {"schema": 1, "upstreams": {name: data}}, above, beside
