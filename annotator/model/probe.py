"""What running upstream's code showed: one run of a probe, and what differs between two commits."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal

from msgspec import field

from annotator.model.resolution import Answer


class Verdict(StrEnum):
    """What a run says of one check. `not-applicable`: this version has nothing that the check speaks of."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    NOT_APPLICABLE = "not-applicable"


class ProbeStatus(StrEnum):
    """What a whole run says. `error` and `skipped` say that it could not; neither ever counts as confirmed."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    ERROR = "error"
    SKIPPED = "skipped"


class CheckVerdict(Answer, frozen=True, kw_only=True):
    """What a run says of one check of its probe.

    Attributes:
        check: id of the check.
        verdict: what it says.
        evidence: what was seen, in one sentence.
    """

    check: str
    verdict: Verdict
    evidence: str = ""


class ProbeRun(Answer, frozen=True, kw_only=True):
    """One probe on one commit.

    Attributes:
        probe: name of the probe.
        version: version of the probe.
        upstream: name of the upstream.
        commit: id of the commit in the source at hand.
        label: tag or short id, for people.
        tier: `source` is the pure Python tree, `overlay` that tree over another version's compiled code, `engine`
            the matching wheel.
        device: `cpu` or `cuda`.
        runner: version of the model runner where one ran (`V1`, `V2`), else empty.
        status: what the run says as a whole.
        verdicts: check by check, in the probe's order; a tier need not speak of every check.
        observations: what was seen, by dotted key.
        adaptations: how calls were made to fit this version, one sentence each.
        versions: versions of what was run, by name.
        isolation: what the child was kept from (`network`, `processes`, `files`), and how.
        reason: for error and skipped, why.
        hint: what would mend it, may be empty.
        output: the end of what the child printed, for an error.
        seconds: how long it took.
        megabytes: most memory of the process tree at one moment.
        remembered: whether the result is from an earlier run on the same files in the same environment.
    """

    probe: str
    version: int
    upstream: str
    commit: str
    label: str
    tier: Literal["source", "overlay", "engine"]
    device: Literal["cpu", "cuda"] = "cpu"
    runner: str = ""
    status: ProbeStatus
    verdicts: tuple[CheckVerdict, ...] = ()
    observations: dict[str, Any] = field(default_factory=dict)
    adaptations: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    isolation: dict[str, str] = field(default_factory=dict)
    reason: str = ""
    hint: str = ""
    output: str = ""
    seconds: float = 0.0
    megabytes: int = 0
    remembered: bool = False

    @property
    def reach(self) -> str:
        """`source`, or `compiled` for the two tiers that have compiled code: what runs are compared by."""
        return "source" if self.tier == "source" else "compiled"

    @property
    def series(self) -> str:
        """The runs that this one is comparable with, whatever the commit: `PROBE/source` or `PROBE/compiled`."""
        return f"{self.probe}/{self.reach}"

    @property
    def is_complete(self) -> bool:
        """Whether it ran to its end: confirmed, refuted, or nothing applies to this version."""
        return self.status in {ProbeStatus.CONFIRMED, ProbeStatus.REFUTED} or bool(self.verdicts)


def comparable(runs: Iterable[ProbeRun]) -> list[list[ProbeRun]]:
    """Runs of many commits, those together that can be compared with each other, in the order given.

    Where a commit was run on several devices, each device is compared with itself.
    """
    series: dict[str, list[ProbeRun]] = {}
    for run in runs:
        series.setdefault(run.series, []).append(run)
    found = []
    for column in series.values():
        if len({run.label for run in column}) == len(column):
            found.append(column)
            continue
        for device in dict.fromkeys(run.device for run in column):
            found.append([run for run in column if run.device == device])
    return found


class ObservationDrift(Answer, frozen=True, kw_only=True):
    """An observation that differs between two commits.

    Attributes:
        probe: name of the probe.
        tier: tier of the newer run.
        key: the observation.
        change: whether it differs, or is there on one side only.
        old_label: the older commit.
        new_label: the newer commit.
        old: what was seen there.
        new: what is seen now.
    """

    probe: str
    tier: str
    key: str
    change: Literal["added", "removed", "changed"]
    old_label: str
    new_label: str
    old: Any = None
    new: Any = None


class ClaimResult(Answer, frozen=True, kw_only=True):
    """What runs say of one claim of an anchor.

    Attributes:
        id: the claim.
        probe: the probe it names.
        check: the check it names; without one the whole probe counts.
        status: refuted if any run refutes it, confirmed if one confirms it and none refutes it.
        tier: tier of the run that decided.
        evidence: what was seen, or why nothing was.
        hint: what would mend it, may be empty.
    """

    id: str
    probe: str
    check: str = ""
    status: ProbeStatus
    tier: str = ""
    evidence: str = ""
    hint: str = ""


class ProbeReport(Answer, frozen=True, kw_only=True):
    """The result of `annot probe`.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        labels: the commits, oldest first as asked for.
        runs: every run.
        drifts: observations that differ between neighbouring commits.
        gate: whether a drift makes the exit code 1.
        allow_skipped: whether runs that are skipped leave the exit code alone.
        warnings: what else there is to know.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    labels: tuple[str, ...]
    runs: tuple[ProbeRun, ...]
    drifts: tuple[ObservationDrift, ...] = ()
    gate: bool = False
    allow_skipped: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 all confirmed, 1 refuted or drifted, 3 something could not run, which wins."""
        passing = {ProbeStatus.SKIPPED} if self.allow_skipped else set()
        if any(not run.is_complete and run.status not in passing for run in self.runs):
            return 3
        refuted = any(run.status is ProbeStatus.REFUTED for run in self.runs)
        return int(refuted or (self.gate and bool(self.drifts)))


def observation_drifts(
    old_label: str, old: Mapping[str, Any], new: ProbeRun, *, same_tier: bool = True
) -> Iterator[ObservationDrift]:
    """What a run saw otherwise than an earlier commit's run.

    Args:
        old_label: the earlier commit.
        old: what was observed there.
        new: a run that came to its end.
        same_tier: whether both ran in the same tier; if not, only what both looked at can differ.
    """
    keys = (
        old.keys() | new.observations.keys() if same_tier else old.keys() & new.observations.keys()
    )
    for key in sorted(keys):
        before, now = old.get(key), new.observations.get(key)
        change: Literal["added", "removed", "changed"] = "changed"
        if key not in old:
            change = "added"
        elif key not in new.observations:
            change = "removed"
        elif before == now:
            continue
        yield ObservationDrift(
            probe=new.probe,
            tier=new.tier,
            key=key,
            change=change,
            old_label=old_label,
            new_label=new.label,
            old=before,
            new=now,
        )
