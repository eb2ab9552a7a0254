"""Reads what a child left: its result where it is sound, else why there is none."""

import re
import sys
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from annotator.model.probe import CheckVerdict, ProbeStatus, Verdict
from annotator.probes.contract import Probe
from annotator.probes.sandbox import Ended, Limits

_WHY = {
    "time": "it took longer than {seconds:.0f} seconds",
    "memory": "it used more than {megabytes} MB of memory",
    "processes": "it had more than {processes} processes",
    "folder": "it wrote more than {folder_megabytes} MB",
    "files": "it wrote more than {files} files",
    "interrupted": "it was interrupted",
    "lost": "its watcher was killed",
    "not-started": "it could not be started",
}
_NOT_HERE = re.compile(r"ModuleNotFoundError: No module named '(?P<name>\w+)")
_NOT_IN_SYSTEM = re.compile(r"\w+: (?P<name>lib[\w.+-]+): cannot open shared object file")


class Seen(BaseModel):
    """What a child writes down.

    Attributes:
        reason: why it did not run to its end, empty if it did.
        observations: what it saw.
        verdicts: check → verdict and evidence.
        adaptations: how calls were made to fit.
        versions: versions of what it loaded.
        isolation: what it gave up before it ran upstream's code.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reason: str
    observations: dict[str, JsonValue]
    verdicts: dict[str, tuple[Verdict, str]]
    adaptations: tuple[str, ...]
    versions: dict[str, str]
    isolation: tuple[str, ...]


def read_seen(ended: Ended, limits: Limits, probe: Probe) -> Seen:
    """What the child wrote down; with a reason, and nothing else to rely on, if that cannot be used."""
    seen = _read(ended, limits, probe)
    if ended.survivors:
        left = f"{ended.survivors} of its processes could not be killed"
        seen = seen.model_copy(update={"reason": f"{seen.reason}; {left}" if seen.reason else left})
    return seen


def _read(ended: Ended, limits: Limits, probe: Probe) -> Seen:
    if ended.how != "exited":
        return _nothing(_WHY.get(ended.how, ended.how).format_map(limits._asdict()))
    if ended.result is None or ended.code != 0:
        signal = ended.code < 0 and sys.platform != "win32"
        code = f"signal {-ended.code}" if signal else f"exit code {ended.code}"
        return _nothing(f"it ended with {code} and left no result")
    try:
        seen = Seen.model_validate_json(ended.result)
    except ValidationError as error:
        return _nothing(f"its result is not valid: {error.errors()[0]['msg']}")
    strangers = seen.verdicts.keys() - {check.id for check in probe.checks}
    if strangers and not seen.reason:
        said = f"it reports on checks that it does not have: {', '.join(sorted(strangers))}"
        return seen.model_copy(update={"reason": said})
    return seen


def _nothing(reason: str) -> Seen:
    return Seen(
        reason=reason, observations={}, verdicts={}, adaptations=(), versions={}, isolation=()
    )


def lacking_module(reason: str, package: str) -> str:
    """The module that an environment lacks, if that is why a run failed; upstream's own do not count."""
    found = _NOT_HERE.match(reason)
    return found["name"] if found and found["name"] not in (package, "annotator") else ""


def lacking_library(reason: str) -> str:
    """The shared library that the system lacks, if that is why a run failed."""
    found = _NOT_IN_SYSTEM.match(reason)
    return found["name"] if found else ""


def verdicts_of(seen: Seen, probe: Probe) -> tuple[CheckVerdict, ...]:
    """The verdicts in the order of the probe's checks."""
    return tuple(
        CheckVerdict(check=check.id, verdict=verdict, evidence=evidence)
        for check in probe.checks
        if check.id in seen.verdicts
        for verdict, evidence in [seen.verdicts[check.id]]
    )


def status_of(verdicts: Sequence[CheckVerdict]) -> tuple[ProbeStatus, str]:
    """What verdicts come to, and the reason where that is not plain."""
    said = {verdict.verdict for verdict in verdicts}
    if Verdict.REFUTED in said:
        return ProbeStatus.REFUTED, ""
    if Verdict.CONFIRMED in said:
        return ProbeStatus.CONFIRMED, ""
    if said:
        return ProbeStatus.SKIPPED, "this version has nothing that the probe speaks of"
    return ProbeStatus.ERROR, "it came to no verdict"
