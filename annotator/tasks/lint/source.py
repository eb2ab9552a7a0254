"""A study against the source that it is about: names that are nowhere, defaults that are others."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from annotator.model.failures import AnnotError
from annotator.model.study import Study
from annotator.model.upstream import Upstream
from annotator.tasks.lint.code_names import CodeName, NameKind, code_names
from annotator.tasks.lint.defaults import default_findings
from annotator.tasks.lint.findings import Finding, Level, finding_at
from annotator.tasks.lint.sentences import says_absent, sentences, versions_in
from annotator.tasks.lint.texts import StudyText, texts_of
from annotator.tasks.lint.tree_words import WordCache
from annotator.tasks.lint.vocabulary import Vocabulary, missing_part
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.repository import Tree

_CHECKED = frozenset({"note", "reason", "text", "answer", "caution", "meaning"})
"""Texts that speak of the source as it is; tasks and answers of exercises make names up."""


class Unchecked(NamedTuple):
    """An upstream whose source is not at hand.

    Attributes:
        upstream: its name.
        reason: why, in a sentence.
        hint: how to get the source.
    """

    upstream: str
    reason: str
    hint: str


class SourceLint(NamedTuple):
    """What the source says about a study.

    Attributes:
        findings: in the order of the files.
        unchecked: upstreams that nothing was compared with.
    """

    findings: list[Finding]
    unchecked: list[Unchecked]


def lint_source(workspace: Workspace, study: Study) -> SourceLint:
    """Compares what texts say of the source with the source itself, where it is at hand.

    Nothing is fetched from elsewhere, except what a partial clone left out of a baseline.
    """
    trees = _Trees(workspace, study)
    found = set[Finding]()
    for text in texts_of(study):
        is_checked = text.key in _CHECKED and text.kind != "exercise"
        if is_checked and text.upstreams and text.upstreams <= trees.at_hand:
            found.update(_unknown_names(study, text, trees))
    for name in trees.at_hand:
        base = trees.baselines[name]
        snapshot = workspace.snapshot(base.repository, base.commit)
        found.update(default_findings(study, name, snapshot))
    return SourceLint(sorted(found), trees.unchecked)


class _Trees:
    """The baseline of each upstream, and its other releases where a text asks for one."""

    def __init__(self, workspace: Workspace, study: Study) -> None:
        self._workspace = workspace
        self._cache = WordCache(workspace.cache_folder)
        self._made: dict[Revision, Vocabulary] = {}
        self._upstreams = study.upstreams
        self._releases: dict[str, dict[Version, Revision]] = {}
        self.baselines: dict[str, Revision] = {}
        self.unchecked: list[Unchecked] = []
        for name, upstream in study.upstreams.items():
            if not any(study.of_upstream(name)):
                continue
            try:
                base = workspace.baseline(name, upstream)
                self._vocabulary(name, base)
            except AnnotError as error:
                self.unchecked.append(Unchecked(name, str(error), error.hint))
            else:
                self.baselines[name] = base
                self._releases[name] = self._releases_of(name)
        self.at_hand = frozenset(self.baselines)

    def baselines_of(self, first: frozenset[str]) -> list[Vocabulary]:
        """The baselines of all upstreams at hand, the given ones first."""
        names = sorted(self.baselines, key=lambda name: name not in first)
        return [self._vocabulary(name, self.baselines[name]) for name in names]

    def named_in(self, text: str) -> Iterator[Vocabulary]:
        """What the releases at hand that a text names have more than their baselines, newest first."""
        mentions = versions_in(text)
        for name, base in self.baselines.items():
            for version, revision in sorted(self._releases[name].items(), reverse=True):
                if any(mention.fits(version) for mention in mentions):
                    yield self._vocabulary(name, revision, base.repository.tree(base.commit))

    def names_another_version(self, text: str) -> bool:
        """Whether a text names a version that is not at hand, so that nothing can be said."""
        at_hand = [version for releases in self._releases.values() for version in releases]
        known = [*at_hand, *self._written_versions()]
        return any(
            not any(mention.fits(version) for version in at_hand)
            and (mention.is_certain or any(mention.fits(version) for version in known))
            for mention in versions_in(text)
        )

    def speaks_of_unchecked(self, text: str) -> bool:
        """Whether a text names an upstream whose source is not at hand."""
        return any(
            word.lower() in text.lower()
            for one in self.unchecked
            for word in (one.upstream, self._upstreams[one.upstream].title)
        )

    def _written_versions(self) -> Iterator[Version]:
        for upstream in self._upstreams.values():
            for ref in _refs(upstream):
                if version := _version(ref):
                    yield version

    def _releases_of(self, name: str) -> dict[Version, Revision]:
        releases: dict[Version, Revision] = {}
        for source in self._workspace.sources(name).describe():
            # A tag of a partial clone may have none of its files here.
            if not source.repository.is_partial:
                for tag, commit in source.repository.tags().items():
                    if version := _version(tag):
                        releases.setdefault(version, Revision(source.repository, commit, tag))
        return releases

    def _vocabulary(self, name: str, revision: Revision, besides: Tree | None = None) -> Vocabulary:
        if revision not in self._made:
            snapshot = self._workspace.snapshot(revision.repository, revision.commit)
            words = self._cache.words(revision.repository, revision.commit, besides)
            self._made[revision] = Vocabulary(f"{name} at {revision.label}", words, snapshot.data)
        return self._made[revision]


def _refs(upstream: Upstream) -> tuple[str, ...]:
    return (*upstream.releases, *upstream.pin.refs, *(upstream.pin.bracket or ()))


def _version(ref: str) -> Version | None:
    try:
        return Version(ref)
    except InvalidVersion:
        return None


def _unknown_names(study: Study, text: StudyText, trees: _Trees) -> Iterator[Finding]:
    """Names that neither the baselines nor the releases that the text names have.

    A name passes too if its sentence says that it is not there, or names a version that is not at hand, and
    if the text speaks of an upstream that is not.
    """
    baselines = trees.baselines_of(text.upstreams)
    spellings = [spelling for spelling in (text.text.zh, text.text.en) if spelling]
    for name in dict.fromkeys(name for spelling in spellings for name in code_names(spelling)):
        part = missing_part(name, baselines)
        if not part or _is_excused(name, spellings, trees):
            continue
        looked_in = [tree.label for tree in baselines[: len(text.upstreams)]]
        for tree in trees.named_in(" ".join(spellings)):
            if not missing_part(name, [tree, *baselines]):
                break
            looked_in.append(tree.label)
        else:
            close = baselines[0].close_to(part) if name.kind is NameKind.NAME else ""
            message = _complaint(name, part, looked_in, close)
            where = (text.kind, text.name)
            yield finding_at(study, where, Level.ERROR, "unknown-name", message)


def _is_excused(name: CodeName, spellings: Sequence[str], trees: _Trees) -> bool:
    around = [
        sentence
        for spelling in spellings
        for sentence in sentences(spelling)
        if name in code_names(sentence)
    ]
    return trees.speaks_of_unchecked(" ".join(spellings)) or any(
        says_absent(sentence) or trees.names_another_version(sentence) for sentence in around
    )


def _complaint(name: CodeName, part: str, looked_in: Sequence[str], close: str) -> str:
    told = f"`{part}`" + (f" of `{name.text}`" if part != name.text else "")
    nowhere = f"{told} is nowhere in the source of {', nor of '.join(looked_in)}"
    return nowhere + (f"; close to it is `{close}`" if close else "")
