"""Anchors as pages show them: the note, the code, what became of it and who did that."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from annotator.model.anchor import Claim
from annotator.model.history import Step
from annotator.model.mention import PageFinding
from annotator.model.probe import ClaimResult, ProbeRun
from annotator.model.report import AnchorResult
from annotator.model.resolution import Candidate, Resolution
from annotator.model.study import PlacedAnchor
from annotator.model.target import Target
from annotator.model.words import SILENT_CHANGES, ChangeKind, Outcome
from annotator.model.written import Bilingual
from annotator.site_pages.code_view import code_view
from annotator.site_pages.difference_view import Difference, difference_view
from annotator.tasks.claims import claim_result
from annotator.tasks.site import AnchorSource, Excerpt

_CHANGE_TEXT = 300


class ChangeLine(NamedTuple):
    """One change in words.

    Attributes:
        name: its kind in the reader's language.
        detail: what exactly, may be empty.
        quiet: whether it never makes an anchor drift.
    """

    name: str
    detail: str
    quiet: bool


class ClaimLine(NamedTuple):
    """A claim and what running the code said of it.

    Attributes:
        id: the claim.
        text: the sentence.
        result: what probes say, none if the claim names no probe.
        label: the commit on which they say it, empty if they do not.
    """

    id: str
    text: str
    result: ClaimResult | None
    label: str


class Card(NamedTuple):
    """One anchor, ready for a template. See the classes of `annotator.tasks.site` for what the parts mean.

    Attributes:
        id: the anchor.
        owner: its question or resource.
        number: its question's place in the route.
        page: address of the page it is on, without suffix.
        heading: short name of the place.
        target: the target as written.
        upstream: name of the upstream.
        upstream_title: its name for people.
        outcome: what became of it.
        confidence: how sure that is, 0 to 1.
        sureness: how sure the baseline speaks for the pin, may be empty.
        watch: what counts as drift.
        note: what to notice there.
        reason: why it is in the study, may be empty.
        claims: its checkable sentences.
        old: its text at the baseline.
        new: its text at the target.
        code: the text at the baseline as HTML.
        difference: what differs at the target, if the text does.
        changes: every change.
        place_now: where it is now, if that is another path or name.
        candidates: for ambiguous and gone, what was considered.
        blame: the commits that made it drift.
        explanation: why it could not be checked, may be empty.
        summary: what changed in a few words, may be empty.
        names: of a page, what it names and the code at the target does not have.
    """

    id: str
    owner: str
    number: int | None
    page: str
    heading: str
    target: str
    upstream: str
    upstream_title: str
    outcome: Outcome
    confidence: float
    sureness: str
    watch: str
    note: str
    reason: str
    claims: tuple[ClaimLine, ...]
    old: Excerpt | None
    new: Excerpt | None
    code: Markup | None
    difference: Difference | None
    changes: tuple[ChangeLine, ...]
    place_now: str
    candidates: tuple[Candidate, ...]
    blame: tuple[Step, ...]
    explanation: str
    summary: str
    names: tuple[PageFinding, ...] = ()


class CardMaker:
    """Makes cards in one language; code is highlighted once for both.

    Args:
        words: the site's own words.
        say: a bilingual text in this language.
        titles: names of upstreams for people.
        runs: what probes saw at the target, else at the baseline, by probe.
        code: HTML made so far, shared between languages.
    """

    def __init__(
        self,
        words: Mapping[str, str],
        say: Callable[[Bilingual], str],
        titles: Mapping[str, str],
        runs: Mapping[str, Sequence[ProbeRun]],
    ) -> None:
        self._words = words
        self._say = say
        self._titles = titles
        self._runs = runs

    def card(self, placed: PlacedAnchor, source: AnchorSource, page: str) -> Card:
        """The card of one anchor that stands on `page`."""
        anchor, result = placed.anchor, source.result
        resolution = result.resolution
        changes = tuple(self._changes(resolution))
        return Card(
            id=anchor.id,
            owner=placed.owner,
            number=result.number,
            page=page,
            heading=short_name(anchor.place),
            target=anchor.target,
            upstream=placed.upstream,
            upstream_title=self._titles[placed.upstream],
            outcome=resolution.outcome,
            confidence=resolution.confidence,
            sureness=result.sureness.value if result.sureness else "",
            watch=anchor.watches.value,
            note=self._say(anchor.note),
            reason=self._say(anchor.reason) if anchor.reason else "",
            claims=tuple(self._claim(claim, result) for claim in anchor.claims),
            old=source.old,
            new=source.new,
            code=code_view(source.old, self._words["fold"]) if source.old else None,
            difference=self._difference(source, resolution),
            changes=changes,
            place_now=_place_now(resolution),
            candidates=_considered(resolution),
            blame=result.blame,
            explanation=resolution.reason,
            summary=_summary(changes, resolution),
            names=source.names,
        )

    def summary(self, resolution: Resolution) -> str:
        """What changed in a few words, may be empty."""
        return _summary(self._changes(resolution), resolution)

    def _difference(self, source: AnchorSource, resolution: Resolution) -> Difference | None:
        """Only of what drifted: a reader of an anchor that is ok has nothing to compare."""
        if source.old is None or source.new is None or resolution.outcome is Outcome.OK:
            return None
        return difference_view(source.old, source.new, self._words["diff_gap"])

    def _claim(self, claim: Claim, result: AnchorResult) -> ClaimLine:
        known = next((each for each in result.claims if each.id == claim.id), None)
        if known is None and self._runs:
            known = claim_result(claim, self._runs)
        labels = [run.label for run in self._runs.get(claim.probe or "", ())]
        label = labels[-1] if labels and known is not None and known.tier else ""
        return ClaimLine(claim.id, self._say(claim.text), known, label)

    def _changes(self, resolution: Resolution) -> list[ChangeLine]:
        lines = []
        for change in resolution.changes:
            detail = "; ".join(map(str, change.parameters)) or change.detail
            if len(detail) > _CHANGE_TEXT:
                detail = detail[:_CHANGE_TEXT].rstrip() + "…"
            name = self._words[f"change_{change.kind.value.replace('-', '_')}"]
            lines.append(ChangeLine(name, detail, change.kind in SILENT_CHANGES))
        return lines


def short_name(target: Target) -> str:
    """What people call a place: class and method, a heading, or the file's name."""
    if target.heading:
        return target.symbol.rpartition(" > ")[2]
    if target.symbol:
        joint = "::" if "::" in target.symbol else "."
        return joint.join(target.symbol.split(joint)[-2:])
    return target.path.rpartition("/")[2]


def _place_now(resolution: Resolution) -> str:
    old, new = resolution.old, resolution.new
    if old is None or new is None or (old.path, old.symbol) == (new.path, new.symbol):
        return ""
    return f"{new.path}::{new.symbol}" if new.symbol else new.path


def _considered(resolution: Resolution) -> tuple[Candidate, ...]:
    if resolution.outcome not in {Outcome.GONE, Outcome.AMBIGUOUS}:
        return ()
    return tuple(each for each in resolution.candidates[:4] if each.score > 0.2)


def _summary(changes: Sequence[ChangeLine], resolution: Resolution) -> str:
    if resolution.reason:
        return resolution.reason
    hidden = {ChangeKind.MOVED_FILE, ChangeKind.DELETED}
    loud = [
        line
        for line, change in zip(changes, resolution.changes, strict=True)
        if not line.quiet and change.kind not in hidden
    ]
    text = "; ".join(f"{line.name}: {line.detail}" if line.detail else line.name for line in loud)
    return text if len(text) <= 160 else text[:159].rstrip() + "…"
