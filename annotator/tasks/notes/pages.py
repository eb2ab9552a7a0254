"""Upstream's own pages at a commit, checked for names that the code there does not have."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from annotator.model.failures import UserMistake
from annotator.model.mention import NotesReport, PageFinding
from annotator.model.upstream import Upstream
from annotator.outline.text import decode
from annotator.tasks.lint.tree_words import WordCache
from annotator.tasks.lint.vocabulary import Vocabulary
from annotator.tasks.notes.check import check_notes
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.page_names import PAGES, code_of, page_findings
from annotator.tasks.workspace import Revision, Workspace


class PageChecks:
    """Checks of pages; the words of a commit's code are collected once.

    Args:
        workspace: open sources.
        pedantic: whether to tell what is often something else than a name of the code.
    """

    def __init__(self, workspace: Workspace, *, pedantic: bool = False) -> None:
        self._workspace = workspace
        self._pedantic = pedantic
        self._code: dict[Revision, Vocabulary] = {}

    def of(self, revision: Revision, page: str) -> tuple[PageFinding, ...]:
        """The names on a page that the code of its commit does not have; nothing for what is no page there.

        Raises:
            Incomplete: if a file of the commit is not at hand.
        """
        snapshot = self._workspace.snapshot(revision.repository, revision.commit)
        if page not in snapshot.files or not page.lower().endswith(PAGES):
            return ()
        text = decode(snapshot.data(page)).replace("\r\n", "\n")
        code = self._code_of(revision)
        return tuple(page_findings(page, text, code, pedantic=self._pedantic))

    def _code_of(self, revision: Revision) -> Vocabulary:
        if revision not in self._code:
            repository, commit = revision.repository, revision.commit
            snapshot = self._workspace.snapshot(repository, commit)
            pages = code_of(commit, snapshot.files)
            words = WordCache(self._workspace.cache_folder).words(repository, commit, pages)
            self._code[revision] = Vocabulary(revision.label, words, snapshot.data)
        return self._code[revision]


def check_pages(
    workspace: Workspace,
    name: str,
    upstreams: Mapping[str, Upstream],
    given: Iterable[str],
    *,
    ref: str,
    pedantic: bool = False,
    **options: Any,
) -> tuple[NotesReport, list[NoteFile]]:
    """Checks upstream's own pages: the links on them as those of any notes, and the names of code that they use.

    Args:
        workspace: open sources.
        name: the upstream whose pages are checked.
        upstreams: by name; links into them are checked.
        given: pages, or folders of pages, from the root of the tree.
        ref: the commit.
        pedantic: whether to tell what is often something else than a name of the code.
        options: further options of `check_notes`.

    Returns:
        The report, and the pages.

    Raises:
        UserMistake: if the ref is unknown, or there is no page at a path.
        Incomplete: if there is no source.
    """
    revision = workspace.revision(name, ref)
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    pages = _pages_below(revision, snapshot.files, given)
    checks = PageChecks(workspace, pedantic=pedantic)
    names = tuple(finding for page in pages for finding in checks.of(revision, page))
    notes = [NoteFile(page, Path(page), snapshot.data(page)) for page in pages]
    report = check_notes(workspace, upstreams, notes, ref=ref, only_links=True, **options)
    return replace(report, names=names), notes


def _pages_below(revision: Revision, files: Iterable[str], given: Iterable[str]) -> list[str]:
    pages = [path for path in sorted(files) if path.lower().endswith(PAGES)]
    found: dict[str, None] = {}
    for path in given:
        plain = path.strip("/")
        below = [page for page in pages if page == plain or page.startswith(f"{plain}/")]
        if not below:
            raise UserMistake(
                f"{revision.label} has no page at {path}",
                hint=f"pages end in {', '.join(PAGES)}; give paths from the root of the source tree",
            )
        found.update(dict.fromkeys(below))
    return list(found)
