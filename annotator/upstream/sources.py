"""The repositories at hand for an upstream, and which of them has a commit."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from annotator.model.failures import AnnotError, Incomplete, UserMistake
from annotator.upstream.in_place import SourceKind, synced_folders
from annotator.upstream.refs import check_ref, close_names, is_full_id
from annotator.upstream.repository import Repository, open_repository


class Source(NamedTuple):
    """One repository at hand.

    Attributes:
        kind: `given` by the user, a `clone` of the git host, a `local` repository that is read in place,
            or `releases` from a package index.
        repository: the open repository.
        head: full id of its HEAD.
    """

    kind: SourceKind
    repository: Repository
    head: str


class Sources:
    """The repositories of one upstream, in the order in which they are asked.

    Use it as a context manager, or call `close`.
    """

    def __init__(self, upstream: str, sources: Sequence[Source]) -> None:
        self.upstream = upstream
        self._sources = tuple(sources)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes all repositories."""
        for source in self._sources:
            source.repository.close()

    def describe(self) -> tuple[Source, ...]:
        """The repositories, in the order in which they are asked."""
        return self._sources

    def is_given(self, repository: Repository) -> bool:
        """Whether it is the repository that the user gave."""
        return any(s.kind == "given" and s.repository is repository for s in self._sources)

    def find(self, ref: str) -> tuple[Repository, str]:
        """The first repository that has `ref`, and the full id of the commit it names.

        HEAD is the HEAD of the first repository, never of another. Steps back from a ref (`v1.0~2`) are
        taken where the ref itself was found.

        Raises:
            UserMistake: if no repository knows the ref; close names are listed.
            Incomplete: if there is no repository, or `ref` is a full commit id that none of them has.
        """
        check_ref(ref)
        if not self._sources:
            raise Incomplete(
                f"there is no source of {self.upstream} on this machine",
                hint=f"run `annot sync {self.upstream}`, or give a clone with --repo",
            )
        signs = [ref.index(sign) for sign in "~^@" if sign in ref]
        start = ref[: min(signs, default=len(ref))] or "HEAD"
        for source in self._sources:
            try:
                commit = source.repository.resolve(start)
            except AnnotError:
                continue
            return source.repository, commit if start == ref else source.repository.resolve(ref)
        raise self._not_found(start)

    def _not_found(self, ref: str) -> AnnotError:
        paths = ", ".join(str(source.repository.path) for source in self._sources)
        hint = f"run `annot sync {self.upstream}`, or give a clone that has it with --repo"
        if is_full_id(ref):
            return Incomplete(f"commit {ref} of {self.upstream} is not in {paths}", hint=hint)
        names = {name for source in self._sources for name in source.repository.names()}
        if close := close_names(ref, sorted(names)):
            hint = f"close names: {', '.join(close)}; {hint}"
        return UserMistake(
            f"{ref!r} is no commit, tag or branch of {self.upstream} in {paths}", hint=hint
        )


def open_sources(upstream: str, given: Path | None = None) -> Sources:
    """Opens what is at hand: the repository that the user gave, the clone, the imported releases.

    Args:
        upstream: name of the upstream.
        given: a repository that is asked before the synced ones.

    Raises:
        UserMistake: if `given` is no git repository.
        Incomplete: if a synced repository is damaged.
    """
    with ExitStack() as opened:
        sources: list[Source] = []
        if given is not None:
            repository = opened.enter_context(open_repository(given))
            sources.append(Source("given", repository, repository.head))
        for kind, folder in synced_folders(upstream):
            if not (folder / "HEAD").is_file():
                continue
            repository = opened.enter_context(_open_synced(kind, folder, upstream))
            try:
                sources.append(Source(kind, repository, repository.head))
            except AnnotError:
                continue  # a first sync that has not come to its end yet
        opened.pop_all()
        return Sources(upstream, sources)


def _open_synced(kind: SourceKind, folder: Path, upstream: str) -> Repository:
    try:
        return open_repository(folder, search_upward=False)
    except UserMistake as error:
        if kind == "local":
            raise
        raise Incomplete(
            str(error), hint=f"delete {folder} and run `annot sync {upstream}`"
        ) from error
