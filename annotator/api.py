"""What programs use: load a study, check it, follow a place, ask about any place.

The command line is made of these functions. `import annotator` gives them; nothing else of the package
is promised to stay as it is. Examples are run by the tests, in a folder with a study `notes` of a git
repository `project`.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from annotator.model.failures import UserMistake
from annotator.model.target import Target, TargetError, parse_target
from annotator.model.words import DEFAULT_FAIL_ON, FailOn, Watch
from annotator.store.study_folder import find_study
from annotator.upstream.folders import cache_folder

# Each function loads what it needs: a check whose report still stands needs next to nothing.
if TYPE_CHECKING:
    from annotator.model.history import History
    from annotator.model.report import CheckReport, WhereAnswer
    from annotator.model.resolution import Resolution
    from annotator.model.study import Study
    from annotator.probes.runner import Runner
    from annotator.tasks.probe import Engine
    from annotator.tasks.workspace import Anchored, Workspace

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done and how much there is."""

_A_REPOSITORY = "repository"
"""Name of what is asked about without a study."""


class LoadedStudy(NamedTuple):
    """A valid study and where it is.

    Attributes:
        folder: the folder with upstreams.yaml in it.
        study: its questions, resources, anchors and upstreams.
    """

    folder: Path
    study: "Study"


StudyLike: TypeAlias = LoadedStudy | Path | str | None
"""A loaded study, or what `load` takes."""


def load(folder: Path | str | None = None) -> LoadedStudy:
    """Reads a study from its files.

    Args:
        folder: the study's folder, or the project's folder with `anchors` in it. By default it is looked for
            upward from the working folder, as git looks for a repository; where there is none, it is the
            study that comes with the program.

    Raises:
        UserMistake: if there is no study, or with everything that is wrong in any of its files.

    Examples:
        >>> notes = annotator.load("notes")
        >>> [question.title.en for question in notes.study.questions]
        ['Areas']
        >>> [placed.anchor.target for placed in notes.study.anchors]
        ['shapes.py::area', 'shapes.py::Shape.scale']

        >>> annotator.load("nowhere")
        Traceback (most recent call last):
        ...
        annotator.model.failures.UserMistake: nowhere holds no study: there is no anchors/upstreams.yaml and no upstreams.yaml
    """
    from annotator.probes.known import probe_names
    from annotator.store.study_loader import load_study

    found = find_study(Path(folder) if folder is not None else None).path
    return LoadedStudy(found, load_study(found, probe_names()))


def check(
    study: StudyLike = None,
    *,
    commit: str = "HEAD",
    upstreams: Iterable[str] = (),
    repo: Path | str | None = None,
    question: int | None = None,
    baseline: Literal["pin", "reviewed"] = "reviewed",
    blame: bool = False,
    fail_on: tuple[FailOn, ...] = DEFAULT_FAIL_ON,
    runner: "Runner | None" = None,
    engine: "Engine" = "auto",
    progress: Progress = lambda what, done, total: None,
) -> "CheckReport":
    """Finds every anchor again on a commit and says what became of it.

    Args:
        study: the study, or its folder. For a folder, a report made earlier is given back while neither the study
            nor the upstreams' refs have changed.
        commit: commit, tag, branch or version to check against, in each upstream.
        upstreams: names of the upstreams to check; by default all that anchors point into.
        repo: a git repository to read before the synced source.
        question: number of the only question to check.
        baseline: compare with what was last accepted in a review, else the pin; or always with the pin.
        blame: whether to name the upstream commits behind each drift.
        fail_on: what makes `exit_code` of the report 1.
        runner: runs the probes that claims name, if that is wanted.
        engine: whether probes that want compiled code are run.
        progress: told after each anchor.

    Returns:
        The report, with one result an anchor, in reading order.

    Raises:
        UserMistake: if the study is wrong, or it has no such upstream, question or ref.
        Incomplete: if the only upstream to check has no source at hand.

    Examples:
        >>> report = annotator.check("notes", repo="project", commit="v2")
        >>> [(one.id, one.resolution.outcome.value) for one in report.anchors]
        [('q01-area', 'changed'), ('q01-scale', 'ok')]
        >>> [change.kind.value for change in report.anchors[0].resolution.changes]
        ['signature', 'body']
        >>> report.exit_code
        1

        Nothing drifts from the pin to itself:

        >>> annotator.check("notes", repo="project", commit="v1").exit_code
        0
    """
    from annotator.tasks.standing import Standing

    upstreams = tuple(upstreams)
    standing = None
    # What `main@{yesterday}` means changes with time and with the reflog.
    if runner is None and "@{" not in commit and not isinstance(study, LoadedStudy):
        folder = find_study(Path(study) if study is not None else None).path
        settings = (commit, upstreams, question, baseline, blame, fail_on)
        given = Path(repo) if repo is not None else None
        standing = Standing(cache_folder(), folder, given, settings)
        if (report := standing.get()) is not None:
            return report
    from annotator.store.lock_file import read_lock
    from annotator.tasks.check import check as check_anchors
    from annotator.tasks.workspace import chosen_upstreams

    folder, content = loaded(study)
    if question is not None and content.question(question) is None:
        raise UserMistake(f"the route has no question {question}")
    chosen = chosen_upstreams(content, upstreams)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    if standing is not None:
        standing.begin(chosen)
    with _workspace(repo, content) as workspace:
        report = check_anchors(
            workspace,
            content,
            chosen,
            locks,
            ref=commit,
            question=question,
            reviewed=baseline == "reviewed",
            blame=blame,
            fail_on=fail_on,
            runner=runner,
            engine=engine,
            progress=progress,
        )
    if standing is not None and not (blame and report.warnings):  # history may be at hand later
        standing.put(report)
    return report


def trace(
    what: str,
    *,
    study: StudyLike = None,
    upstream: str | None = None,
    start: str | None = None,
    end: str = "HEAD",
    repo: Path | str | None = None,
) -> "History":
    """Follows one place commit by commit: who changed it, when, and how.

    On a repository with history commit by commit along first parents, on imported releases release by release.

    Args:
        what: id of an anchor, or a target such as `path::Qual.name` as it is called at `start`.
        study: the study, or its folder. For a folder, a history found earlier is given back while neither what
            the study says of the place nor the upstream's refs have changed.
        upstream: name of the upstream of a target; by default the study's first.
        start: where to begin; by default the pin, or its stand-in.
        end: where to end.
        repo: a git repository to read before the synced source.

    Raises:
        UserMistake: if the place or a ref is unknown, or `end` comes before `start`.
        Incomplete: if the source, or the commits between the two, are not at hand.

    Examples:
        >>> history = annotator.trace("q01-area", study="notes", repo="project", end="v3")
        >>> for step in history.steps:
        ...     print(step.label, step.subject, [change.kind.value for change in step.changes])
        v2 Areas can be scaled ['signature', 'body']
        v3 Move geometry ['moved-file']
        >>> history.end.path
        'geometry.py'
    """
    from annotator.store.study_index import index_of, read_index
    from annotator.tasks.asked import asked_for
    from annotator.tasks.standing_history import StandingHistory

    if isinstance(study, LoadedStudy):
        index = index_of(study.study)
    else:
        folder = find_study(Path(study) if study is not None else None).path
        index = read_index(folder, cache_folder(), lambda: load(folder).study)
    asked = asked_for(index, what, upstream)
    standing = None
    if not isinstance(study, LoadedStudy) and "@{" not in f"{start} {end}":
        given = Path(repo) if repo is not None else None
        standing = StandingHistory(cache_folder(), index, asked, given, start, end)
        if (history := standing.get()) is not None:
            return history
        standing.begin([asked.upstream])
    from annotator.tasks.tracing import trace_place

    with _workspace(repo, index) as workspace:
        history = trace_place(workspace, index, asked, start, end)
    if standing is not None:
        standing.put(history)
    return history


def where(
    target: Target | str,
    *,
    study: StudyLike = None,
    upstream: str | None = None,
    start: str | None = None,
    end: str = "HEAD",
    repo: Path | str | None = None,
    watch: Watch = Watch.BODY,
) -> "Resolution":
    """Says what became of any place, anchored or not.

    With `repo` and `start` given and neither study nor upstream, the repository need not have to do with a study.

    Args:
        target: `path::Qual.name`, `path:LINE`, `path:START-END`, `path#heading` or a path.
        study: the study, or its folder.
        upstream: name of the upstream; by default the study's first.
        start: where the target is read; by default the pin, or its stand-in.
        end: where to find it.
        repo: a git repository to read before the synced source.
        watch: what counts as a change.

    Raises:
        UserMistake: if the target cannot be read, or the upstream or a ref is unknown.
        Incomplete: if a source is not at hand.

    Examples:
        >>> found = annotator.where("shapes.py::area", repo="project", start="v1", end="v3")
        >>> found.outcome.value, found.new.path, found.new.symbol
        ('changed', 'geometry.py', 'area')
        >>> found.confidence > 0.5
        True
        >>> annotator.where("shapes.py:5", repo="project", start="v1", end="v2").new.start
        8
    """
    from annotator.tasks.where import where as find_again

    place = _parsed(target) if isinstance(target, str) else target
    with _workspace(repo) as workspace:
        name, first = _asked_about(workspace, study, upstream, start, repo)
        return find_again(workspace, name, place, first, end, watch)


def where_batch(
    lines: Iterable[str],
    *,
    study: StudyLike = None,
    upstream: str | None = None,
    repo: Path | str | None = None,
    watch: Watch = Watch.BODY,
) -> "list[WhereAnswer]":
    """Answers many places, in the order of the lines.

    Args:
        lines: JSON objects with `id`, `from_ref`, `from_path`, `to_ref`, and `from_symbol` or `from_start`
            and `from_end`.
        study: the study, or its folder; not needed with `repo`.
        upstream: name of the upstream; by default the study's first.
        repo: a git repository to read before the synced source.
        watch: what counts as a change.

    Raises:
        UserMistake: if the study or its upstream is unknown.

    Examples:
        >>> line = '{"id": "a", "from_ref": "v1", "from_path": "shapes.py", "from_symbol": "area", "to_ref": "v3"}'
        >>> [answer] = annotator.where_batch([line], repo="project")
        >>> answer.id, answer.path, answer.start
        ('a', 'geometry.py', 4)
    """
    from annotator.tasks.where import where_batch as find_all

    with _workspace(repo) as workspace:
        name, _ = _asked_about(workspace, study, upstream, "HEAD", repo)
        return list(find_all(workspace, name, lines, watch))


def loaded(study: StudyLike) -> LoadedStudy:
    """The study itself, read unless it is already."""
    return study if isinstance(study, LoadedStudy) else load(study)


def _workspace(repo: Path | str | None, study: "Anchored | None" = None) -> "Workspace":
    from annotator.tasks.workspace import Workspace

    return Workspace(cache_folder(), Path(repo) if repo is not None else None, study)


def _asked_about(
    workspace: "Workspace",
    study: StudyLike,
    upstream: str | None,
    start: str | None,
    repo: Path | str | None,
) -> tuple[str, str]:
    """The upstream that a question is about, and the ref that its place is read at."""
    from annotator.tasks.workspace import chosen_upstreams

    if repo is not None and study is None and upstream is None and start is not None:
        return _A_REPOSITORY, start
    content = loaded(study).study
    wanted = upstream or next(iter(content.upstreams))
    ((name, described),) = chosen_upstreams(content, [wanted]).items()
    return name, start or workspace.baseline(name, described).ref


def _parsed(target: str) -> Target:
    try:
        return parse_target(target)
    except TargetError as error:
        raise UserMistake(str(error)) from error


__all__ = [
    "LoadedStudy",
    "Progress",
    "StudyLike",
    "check",
    "load",
    "trace",
    "where",
    "where_batch",
]
