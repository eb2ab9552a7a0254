"""Upstream's own pages at a commit, checked for names that the code there does not have."""

from collections.abc import Iterable

from annotator.model.failures import UserMistake
from annotator.model.mention import PageFinding
from annotator.outline.text import decode
from annotator.tasks.lint.tree_words import WordCache
from annotator.tasks.lint.vocabulary import Vocabulary
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


def pages_below(workspace: Workspace, revision: Revision, given: Iterable[str]) -> list[str]:
    """The pages of a commit that paths mean, which may be pages or folders of pages.

    Raises:
        UserMistake: if there is no page at a path.
    """
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    pages = [path for path in sorted(snapshot.files) if path.lower().endswith(PAGES)]
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
