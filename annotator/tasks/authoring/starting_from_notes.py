"""A study begun from notes: which repository they are about, and which commit of it is the pin."""

from collections import Counter
from pathlib import Path

from annotator.model.failures import AnnotError, UserMistake
from annotator.model.upstream import Upstream
from annotator.store.new_study import NewQuestion
from annotator.tasks.authoring.importing import Imported, Taken, import_notes
from annotator.tasks.authoring.reading_notes import Notes, repository_address
from annotator.tasks.authoring.starting import Begun, begin_study
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.origin import Origin, find_origin
from annotator.upstream.progress import ProgressCallback, silent
from annotator.upstream.refs import is_id_or_prefix


def begin_imported(
    project: Path,
    notes: Notes,
    repo: str | None,
    name: str | None,
    ref: str | None,
    progress: ProgressCallback = silent,
) -> tuple[Begun, Imported]:
    """Begins a study with the questions that notes make.

    Args:
        project: the folder that `anchors/` comes into.
        notes: the notes.
        repo: path or address of the repository; by default the one that most links name.
        name: what the study calls it.
        ref: the commit to pin; by default the one that most links name, else the newest.
        progress: told how far the source is.

    Raises:
        UserMistake: if there is a study already, no repository is named, or nothing could be placed.
        Incomplete: if the source cannot be had.
    """
    linked = _linked_repository(notes, repo)
    if repo is None and not linked:
        raise UserMistake("no link says which repository the notes are about", hint="give --repo")
    origin = _pinned_origin(
        repo or repository_address(linked), ref, notes.refs.get(linked, Counter())
    )
    if not origin.web and linked:  # a clone that does not know where it is from; its notes do
        address = repository_address(linked)
        origin = origin._replace(
            web=address, git=f"{address}.git", title=address.rpartition("/")[2]
        )
    done: list[Imported] = []

    def questions(
        workspace: Workspace, base: Revision, name: str, upstream: Upstream
    ) -> list[NewQuestion]:
        done.append(import_notes(workspace, {name: upstream}, notes, Taken(), ref))
        return done[0].questions

    return begin_study(project, origin, name, questions, progress), done[0]


def _linked_repository(notes: Notes, repo: str | None) -> str:
    """The repository that most links name; of a given one, the one that has its name, if any has."""
    ranked = [repository for repository, _ in notes.repositories.most_common()]
    if repo is None or not ranked:
        return ranked[0] if ranked else ""
    called = repo.rstrip("/").removesuffix(".git").rpartition("/")[2].lower()
    named = [one for one in ranked if one.rpartition("/")[2].lower() == called]
    return (named or ranked)[0]


def _pinned_origin(repo: str, ref: str | None, cited: Counter[str]) -> Origin:
    """The repository at the given ref, else at the first that it has of those that links name most."""
    for candidate, _ in cited.most_common() if ref is None else ():
        try:
            origin = find_origin(repo, candidate)
        except AnnotError:
            continue
        if origin.release or is_id_or_prefix(candidate):  # a branch is no pin
            return origin
    return find_origin(repo, ref)
