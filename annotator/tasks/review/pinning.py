"""Moving the pin of an upstream as a whole: every change of every file, tried before it is made."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from annotator.model.anchor import Anchor
from annotator.model.failures import UserMistake
from annotator.model.lock import Behaviour, Lock
from annotator.model.report import AnchorResult
from annotator.model.study import PlacedAnchor, Study
from annotator.model.upstream import Upstream
from annotator.model.words import Outcome, Watch
from annotator.probes.known import probe_names
from annotator.probes.runner import Runner
from annotator.resolve.locating import NotLocated, locate
from annotator.store.edit import anchor_loc, with_value
from annotator.store.lock_file import lock_path, lock_text
from annotator.store.rehearsal import rehearsed
from annotator.store.reshape import lines_of_value, with_key, with_mapping
from annotator.store.review_files import read_reviews
from annotator.store.study_loader import load_study
from annotator.store.whole_change import FileChange, file_change
from annotator.store.yaml_source import Loc, YamlSource, read_yaml
from annotator.tasks.check import check
from annotator.tasks.claims import record_behaviour
from annotator.tasks.lint import Level, lint
from annotator.tasks.lock import make_lock
from annotator.tasks.progress import Progress
from annotator.tasks.review import changelog
from annotator.tasks.review.accepting import place_text
from annotator.tasks.review.changelog import Changelog
from annotator.tasks.review.queue import Pending, anchor_at_baseline, lasting_ref, short_ref
from annotator.tasks.review.quotes import quote_now
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.refs import is_full_id

_UPSTREAMS = "upstreams.yaml"


class Repin(NamedTuple):
    """Everything that moves a pin, tried and not yet made.

    Attributes:
        changes: of the study's files, the changelog's own excepted.
        changelog: what to tell the reader.
        lock: the new lock.
        moved: number of targets that are rewritten.
        requoted: number of quotes that are rewritten.
        notes: what somebody should look after, as sentences.
    """

    changes: tuple[FileChange, ...]
    changelog: Changelog
    lock: Lock
    moved: int
    requoted: int
    notes: tuple[str, ...]


def repin(
    workspace: Workspace,
    folder: Path,
    study: Study,
    name: str,
    locks: Mapping[str, Lock],
    results: Mapping[str, AnchorResult],
    ref: str,
    date: str,
    runner: Runner | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Repin:
    """Works out the move of a pin to a commit at which nothing is left to review.

    The changed study is rehearsed: loaded, locked and checked against the new pin, where every anchor has to be ok.

    Args:
        workspace: open sources.
        folder: the study's folder.
        study: the study in it.
        name: the upstream.
        locks: what anchors were at the old pin, by upstream.
        results: what became of each anchor at the new pin since its baseline; all of them ok.
        ref: the new pin.
        date: today, as YYYY-MM-DD.
        runner: runs the probes whose observations the old lock has, if an interpreter is at hand.
        progress: told while anchors are locked.

    Raises:
        UserMistake: if `ref` is unknown or already the pin, a quote is not to be found at it, or the changed
            study would not be sound; names every reason.
        Incomplete: if source is missing.
    """
    upstream = study.upstreams[name]
    now, old = workspace.revision(name, ref), workspace.baseline(name, upstream)
    lasting = lasting_ref(now)
    if lasting in {upstream.pin.commit, upstream.pin.release}:
        raise UserMistake(f"{name} is pinned to {lasting} already")
    anchors = _anchors_now(workspace, study, name, now, results)
    sources = _rewritten(folder, study, anchors)
    pins = read_yaml(folder / _UPSTREAMS)
    old_pin = lines_of_value(pins, ("upstreams", name, "pin"))
    sources[_UPSTREAMS] = _with_pin(pins, ("upstreams", name, "pin"), lasting, now)
    reviews = read_reviews(folder, name)
    changes = [file_change(folder, file, source.text) for file, source in sources.items()]
    changes += [file_change(folder, file, None) for file in reviews]
    earlier = locks.get(name)
    lock = _rehearse(workspace, folder, study, name, earlier, changes, ref, progress)
    lock, told = _with_behaviour(workspace, name, lock, earlier, _pinned(upstream, lasting), runner)
    lock_name = lock_path(folder, name).relative_to(folder).as_posix()
    changes.append(file_change(folder, lock_name, lock_text(lock)))
    targets = {id_: anchor.target for id_, anchor in anchors.items()}
    found = changelog.entries(
        workspace, study, name, upstream, locks, reviews.values(), now, targets
    )
    told_of = {entry.owner for entry in found}
    before = {placed.anchor.id: placed.anchor for placed in study.of_upstream(name)}
    return Repin(
        changes=tuple(changes),
        changelog=Changelog(
            title=upstream.title,
            date=date,
            old=old.label,
            new=short_ref(lasting),
            compare_link=changelog.compare_link(upstream.web, old, now),
            anchors=len(anchors),
            owners=tuple(owner for owner in changelog.owners(study) if owner.id in told_of),
            entries=found,
            behaviour=tuple(
                changelog.behaviour_changes(earlier.behaviour if earlier else {}, lock.behaviour)
            ),
            behaviour_note=told,
            has_commits=changelog.has_commits(workspace, name, upstream, now),
            old_pin=old_pin,
        ),
        lock=lock,
        moved=sum(anchor.target != before[id_].target for id_, anchor in anchors.items()),
        requoted=sum(anchor.quote != before[id_].quote for id_, anchor in anchors.items()),
        notes=tuple(_notes(old_pin, sources[_UPSTREAMS], name, told)),
    )


def _anchors_now(
    workspace: Workspace,
    study: Study,
    name: str,
    now: Revision,
    results: Mapping[str, AnchorResult],
) -> dict[str, Anchor]:
    """Every anchor of the upstream as it is at the new pin."""
    snapshot = workspace.snapshot(now.repository, now.commit)
    anchors: dict[str, Anchor] = {}
    problems: list[str] = []
    for placed in study.of_upstream(name):
        pending = Pending(placed, results[placed.anchor.id])
        anchor = anchor_at_baseline(study, pending)
        try:
            located = locate(snapshot, anchor.place)
        except NotLocated as error:
            problems.append(f"{_where(placed)}: {error}")
            continue
        if anchor.quote is not None:
            place = pending.result.resolution.new
            quote = quote_now(
                place_text(snapshot, located),
                snapshot.language(located.path),
                anchor.quote,
                first_line=located.symbol.start if located.symbol else 1,
                wanted_line=place.start if place else 0,
            )
            is_other = quote is None or quote.exact != anchor.quote.exact
            if quote is None or (is_other and anchor.watches is Watch.QUOTE):
                problems.append(
                    f"{_where(placed)}: its quote {anchor.quote.exact!r} is not found at {now.label}"
                )
                continue
            anchor = anchor.model_copy(update={"quote": quote})
        anchors[anchor.id] = anchor
    if problems:
        raise UserMistake(
            "\n".join(problems),
            hint="`annot accept ID --quote TEXT` or --target says what it is now",
        )
    return anchors


def _where(placed: PlacedAnchor) -> str:
    return f"{placed.file}:{placed.line}: {placed.anchor.id}"


def _rewritten(folder: Path, study: Study, anchors: Mapping[str, Anchor]) -> dict[str, YamlSource]:
    """The files in which a target or a quote is another, by name."""
    sources: dict[str, YamlSource] = {}
    for placed in study.anchors:
        old, new = placed.anchor, anchors.get(placed.anchor.id)
        if new is None or (old.target, old.quote) == (new.target, new.quote):
            continue
        source = sources.get(placed.file) or read_yaml(folder / placed.file)
        loc = anchor_loc(source, old.id)
        if new.target != old.target:
            source = with_value(source, (*loc, "target"), new.target)
        if new.quote is not None and new.quote != old.quote:
            source = _with_quote(source, (*loc, "quote"), new.quote.model_dump())
        sources[placed.file] = source
    return sources


def _with_quote(source: YamlSource, loc: Loc, quote: Mapping[str, str]) -> YamlSource:
    for key, text in quote.items():
        if (*loc, key) in source.values:
            source = with_value(source, (*loc, key), text)
        elif text:
            source = with_key(source, loc, key, text)
    return source


def _pinned(upstream: Upstream, lasting: str) -> Upstream:
    """The upstream under its new pin."""
    kind = "commit" if is_full_id(lasting) else "release"
    pin = type(upstream.pin).model_validate({kind: lasting, "date": upstream.pin.date})
    return upstream.model_copy(update={"pin": pin})


def _with_pin(source: YamlSource, loc: Loc, lasting: str, now: Revision) -> YamlSource:
    """upstreams.yaml with the new pin; where the old one had other keys, it is written anew."""
    kind = "commit" if is_full_id(lasting) else "release"
    pin = {kind: lasting, "date": now.repository.commit(now.commit).date[:10]}
    old = source.value_at(loc)
    if not isinstance(old, dict) or old.keys() != pin.keys():
        return with_mapping(source, loc, pin)
    for key, text in pin.items():
        source = with_value(source, (*loc, key), text)
    return source


def _rehearse(
    workspace: Workspace,
    folder: Path,
    study: Study,
    name: str,
    earlier: Lock | None,
    changes: Sequence[FileChange],
    ref: str,
    progress: Progress,
) -> Lock:
    """Loads, lints, locks and checks the study as it will be; returns its lock."""
    with rehearsed(folder, changes) as copy:
        changed = load_study(copy, probe_names())
    upstream = changed.upstreams[name]
    report = make_lock(workspace, changed, name, upstream, earlier, progress=progress)
    problems = list(report.problems)
    if not problems:
        checked = check(workspace, changed, {name: upstream}, {name: report.lock}, ref=ref)
        problems = [
            f"{result.file}:{result.line}: {result.id} would be {result.resolution.outcome.value}"
            for result in checked.anchors
            if result.resolution.outcome is not Outcome.OK
        ]
    known = {finding.message for finding in lint(study) if finding.level is Level.ERROR}
    problems += [
        f"{finding.file}:{finding.line}: {finding.message}"
        for finding in lint(changed)
        if finding.level is Level.ERROR and finding.message not in known
    ]
    if problems:
        raise UserMistake("\n".join(problems), hint="nothing was changed")
    return report.lock


def _with_behaviour(
    workspace: Workspace,
    name: str,
    lock: Lock,
    earlier: Lock | None,
    upstream: Upstream,
    runner: Runner | None,
) -> tuple[Lock, str]:
    """The lock with what probes see at the new pin, if the old one had that; and what is to be said of it."""
    if earlier is None or not earlier.behaviour:
        return lock, ""
    seen: dict[str, Behaviour] = {}
    problems: list[str] = []
    if runner is not None:
        seen, problems = record_behaviour(workspace, name, upstream, runner)
    missing = sorted(earlier.behaviour.keys() - seen.keys())
    told = ""
    if missing:
        reason = f" ({problems[0]})" if problems else ""
        told = (
            f"what probes saw at {earlier.recorded_from} says nothing about the new pin and was dropped:"
            f" {', '.join(missing)}{reason}; `annot lock --upstream {name} --probes` records it anew"
        )
    return lock.model_copy(update={"behaviour": seen}), told


def _notes(old_pin: str, pins: YamlSource, name: str, told: str) -> list[str]:
    """What somebody should look after."""
    notes = [told] if told else []
    remarks = [
        line
        for line in lines_of_value(pins, ("upstreams", name, "pin")).splitlines()
        if "#" in line
    ]
    if remarks:
        notes.append(
            "comments beside the pin in upstreams.yaml speak of the old one; look them over"
        )
    elif "#" in old_pin:
        notes.append("comments about the old pin went from upstreams.yaml into the changelog")
    return notes


def changelog_name(name: str, log: Changelog) -> str:
    """Path, below the study's folder, of the changelog of a move."""
    ref = re.sub(r"[^A-Za-z0-9._-]", "-", log.new)
    return f"changelogs/{name}-{ref}.md"
