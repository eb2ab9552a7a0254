"""`annot lock`: records what every anchor is at the pin, and how sure that record is."""

from collections.abc import Callable
from typing import NamedTuple

from annotator.model.failures import AnnotError
from annotator.model.lock import Lock, LockEntry
from annotator.model.study import PlacedAnchor, Study
from annotator.model.upstream import Upstream
from annotator.model.words import Outcome, Sureness
from annotator.outline.text import count_lines, decode
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.quotes import line_range, occurrences
from annotator.resolve.resolver import Resolver
from annotator.resolve.signatures import fingerprint, signature_line
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.workspace import Revision, Workspace


class LockReport(NamedTuple):
    """A new lock and what is to be said about it.

    Attributes:
        lock: the lock.
        problems: anchors that could not be recorded, as sentences.
        corrected: anchors whose earlier record was wrong, as sentences.
        warnings: what limits the record.
    """

    lock: Lock
    problems: tuple[str, ...]
    corrected: tuple[str, ...]
    warnings: tuple[str, ...]


def make_lock(
    workspace: Workspace,
    study: Study,
    name: str,
    upstream: Upstream,
    earlier: Lock | None,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> LockReport:
    """Records the anchors of one upstream from its pin, or from the stand-in.

    Args:
        workspace: open sources.
        study: the study.
        name: the upstream.
        upstream: its entry in the study.
        earlier: the lock so far, if any.
        progress: told after each anchor.

    Raises:
        Incomplete: if neither the pin nor its stand-in is at hand.
    """
    base = workspace.baseline(name, upstream)
    pinned = upstream.pin.commit or upstream.pin.release or ""
    exact = base.ref == pinned
    brackets, warnings = ([], []) if exact else _brackets(workspace, name, upstream, base)
    snapshot = workspace.snapshot(base.repository, base.commit)
    entries: dict[str, LockEntry] = {}
    problems: list[str] = []
    placed = list(study.of_upstream(name))
    for done, item in enumerate(placed):
        progress(name, done, len(placed))
        try:
            sureness = Sureness.EXACT if exact else _sureness(item, brackets)
            entries[item.anchor.id] = _entry(snapshot, item, sureness)
        except (NotLocated, AnnotError) as error:
            problems.append(f"{item.file}:{item.line}: {item.anchor.id}: {error}")
    progress(name, len(placed), len(placed))
    commit = base.repository.upstream_commit(base.commit)
    same_ref = earlier is not None and earlier.recorded_from == base.ref
    lock = Lock(
        upstream=name,
        pin=pinned,
        recorded_from=base.ref,
        commit=commit,
        entries=entries,
        behaviour=earlier.behaviour if earlier and same_ref else {},
    )
    corrected = _corrections(earlier, lock) if earlier else []
    return LockReport(lock, tuple(problems), tuple(corrected), tuple(warnings))


def _brackets(
    workspace: Workspace, name: str, upstream: Upstream, base: Revision
) -> tuple[list[Resolver], list[str]]:
    """Resolvers from the stand-in to the releases on both sides of the pin."""
    resolvers: list[Resolver] = []
    for ref in upstream.pin.bracket or ():
        try:
            side = workspace.revision(name, ref)
        except AnnotError as error:
            return [], [f"{ref} is not at hand, so nothing counts as bracketed: {error}"]
        resolvers.append(workspace.resolver(base, side))
    return resolvers, []


def _sureness(item: PlacedAnchor, brackets: list[Resolver]) -> Sureness:
    """Bracketed if what the anchor watches is the same, in the same place, on both sides."""
    anchor = item.anchor
    if brackets and all(
        resolver.resolve(anchor.place, anchor.watches, anchor.quote).outcome is Outcome.OK
        for resolver in brackets
    ):
        return Sureness.BRACKETED
    return Sureness.STAND_IN


def _entry(snapshot: Snapshot, item: PlacedAnchor, sureness: Sureness) -> LockEntry:
    anchor = item.anchor
    located = locate(snapshot, anchor.place)
    path, symbol = located
    language = snapshot.language(path)
    if symbol is not None:
        text, start, end = snapshot.text(path, symbol), symbol.start, symbol.end
    else:
        data = snapshot.data(path)
        text, start, end = decode(data), 1, max(1, count_lines(data))
    quote = None
    if anchor.quote is not None:
        spots = occurrences(
            text, language, anchor.quote.exact, anchor.quote.prefix, anchor.quote.suffix
        )
        if len(spots) != 1:
            times = "not at all" if not spots else f"{len(spots)} times"
            raise NotLocated(f"its quote stands {times} in {anchor.target}")
        quote = line_range(text, spots[0], start)
    return LockEntry(
        target=anchor.target,
        blob=snapshot.files[path],
        symbol=symbol.name if symbol else "",
        kind=symbol.kind.value if symbol else "",
        start=start,
        end=end,
        signature=signature_line(text, language, symbol),
        fingerprint=fingerprint(text, language, symbol),
        quote=quote,
        sureness=sureness,
    )


def _corrections(earlier: Lock, lock: Lock) -> list[str]:
    """Anchors whose record changed although their target did not."""
    sentences = []
    for id_, new in lock.entries.items():
        old = earlier.entries.get(id_)
        if old is None or old.target != new.target or old.fingerprint == new.fingerprint:
            continue
        sentences.append(
            f"{id_}: {new.target} at {lock.recorded_from} is not what it was at"
            f" {earlier.recorded_from} ({old.sureness})"
        )
    return sentences
