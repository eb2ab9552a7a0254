"""The files of a study one by one: which there are, and what each says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeAlias

from annotator.model.anchor import Anchor
from annotator.model.handbook import Glossary, Handbook
from annotator.model.review import ReviewFile
from annotator.model.study import Exercise, Question, ResourceFile
from annotator.model.upstream import UpstreamsFile
from annotator.store.problems import Problem, ProblemsFound, shown
from annotator.store.study_folder import leaves_study
from annotator.store.validation import Model, validate
from annotator.store.yaml_source import Loc, YamlSource, read_yaml


class StudyFile(NamedTuple, Generic[Model]):
    """A valid file.

    Attributes:
        name: path below the study's folder, with forward slashes.
        source: its text, and where everything stands in it.
        content: what it says.
    """

    name: str
    source: YamlSource
    content: Model


AnchorFile: TypeAlias = StudyFile[Question] | StudyFile[ResourceFile]


class StudyFiles(NamedTuple):
    """The valid files of a study.

    Attributes:
        upstreams: upstreams.yaml.
        handbook: handbook.yaml, if there is one.
        glossary: glossary.yaml, if there is one.
        questions: route/*.yaml, in route order.
        resources: resources/*.yaml, by name.
        reviews: reviews/*/*.yaml, by name.
        broken: names of the files that are not here since they are not valid.
        problems: what is wrong with them.
    """

    upstreams: StudyFile[UpstreamsFile] | None
    handbook: StudyFile[Handbook] | None
    glossary: StudyFile[Glossary] | None
    questions: list[StudyFile[Question]]
    resources: list[StudyFile[ResourceFile]]
    reviews: list[StudyFile[ReviewFile]]
    broken: frozenset[str]
    problems: list[Problem]

    @property
    def with_anchors(self) -> tuple[AnchorFile, ...]:
        """The questions, then the resources."""
        return (*self.questions, *self.resources)


def read_files(folder: Path) -> StudyFiles:
    """Reads every file of the study in `folder`, also behind a broken one."""
    problems: list[Problem] = []
    broken = set()
    top = {path.name: path for path in _yaml_files(folder, folder, problems)}

    def read(path: Path, model: type[Model]) -> Iterator[StudyFile[Model]]:
        name = path.relative_to(folder).as_posix()
        try:
            source = read_yaml(path)
            content = validate(model, source)
        except ProblemsFound as found:
            broken.add(name)
            problems.extend(found.problems)
        else:
            yield StudyFile(name, source, content)

    def read_top(name: str, model: type[Model]) -> StudyFile[Model] | None:
        return next(read(top[name], model), None) if name in top else None

    def read_reviews() -> list[StudyFile[ReviewFile]]:
        top = folder / "reviews"
        for path in _yaml_files(top, folder, problems):
            hint = "each anchor has its own file, reviews/UPSTREAM/ANCHOR.yaml"
            problems.append(Problem(shown(path), 1, 1, "files here are not read", hint))
        upstreams = sorted(path.name for path in top.iterdir()) if top.is_dir() else []
        return [file for name in upstreams for file in read_all(f"reviews/{name}", ReviewFile)]

    def read_all(name: str, model: type[Model]) -> list[StudyFile[Model]]:
        paths = _yaml_files(folder / name, folder, problems)
        return [file for path in paths for file in read(path, model)]

    if "upstreams.yaml" not in top:
        file = shown(folder / "upstreams.yaml")
        hint = "it names the annotated projects and their pins"
        problems.append(Problem(file, 1, 1, "the file is missing", hint))
    return StudyFiles(
        upstreams=read_top("upstreams.yaml", UpstreamsFile),
        handbook=read_top("handbook.yaml", Handbook),
        glossary=read_top("glossary.yaml", Glossary),
        questions=sorted(read_all("route", Question), key=lambda file: file.content.number),
        resources=read_all("resources", ResourceFile),
        reviews=read_reviews(),
        broken=frozenset(broken),
        problems=problems,
    )


def anchors_in(content: Question | ResourceFile) -> Iterator[tuple[str, Loc, Anchor]]:
    """The anchors of a file, each behind its owner's id and its way from the file's root."""
    if isinstance(content, Question):
        for index, anchor in enumerate(content.anchors):
            yield content.id, ("anchors", index), anchor
    else:
        for outer, resource in enumerate(content.resources):
            for index, anchor in enumerate(resource.anchors):
                yield resource.id, ("resources", outer, "anchors", index), anchor


def exercises_in(content: Question | ResourceFile) -> Iterator[tuple[Loc, Exercise]]:
    """The exercises of a file, each behind its way from the file's root."""
    if isinstance(content, Question):
        for index, exercise in enumerate(content.exercises):
            yield ("exercises", index), exercise
    else:
        for outer, resource in enumerate(content.resources):
            for index, exercise in enumerate(resource.exercises):
                yield ("resources", outer, "exercises", index), exercise


def _yaml_files(folder: Path, study: Path, problems: list[Problem]) -> list[Path]:
    """The files in `folder` that can be read; hidden ones belong to editors."""
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.iterdir()):
        suffix = path.suffix
        if path.name.startswith(".") or suffix.lower() not in {".yaml", ".yml"}:
            continue
        if suffix != ".yaml":
            hint = f"rename it to {path.stem}.yaml"
            problems.append(Problem(shown(path), 1, 1, f"files in {suffix} are not read", hint))
        elif leaves_study(path, study):
            hint = "put the file itself there"
            message = "this is a link to a place outside the study"
            problems.append(Problem(shown(path), 1, 1, message, hint))
        else:
            found.append(path)
    return found
