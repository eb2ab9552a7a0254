"""Claims against the probes that they name: a check that its probe does not have would never be confirmed."""

from collections.abc import Iterator

from annotator.model.study import Study
from annotator.probes.known import load_probe
from annotator.store.problems import did_you_mean
from annotator.tasks.lint.findings import Finding, Level, finding_at


def probe_findings(study: Study) -> Iterator[Finding]:
    """Claims whose check their probe does not have, and claims that name a check of no probe."""
    checks: dict[str, tuple[str, ...]] = {}
    for placed in study.anchors:
        for claim in placed.anchor.claims:
            if claim.check is None:
                continue
            if claim.probe is None:
                message = f"the claim {claim.id} names the check {claim.check!r} and no probe"
            else:
                known = checks.get(claim.probe) or _check_ids(claim.probe)
                checks[claim.probe] = known
                if claim.check in known:
                    continue
                near = did_you_mean(claim.check, known)
                message = f"the probe {claim.probe} has no check {claim.check!r}{near}"
            yield finding_at(study, ("claim", claim.id), Level.ERROR, "check", message)


def _check_ids(probe: str) -> tuple[str, ...]:
    """What a probe can confirm or refute. Nothing of upstream is loaded to find out."""
    return tuple(check.id for check in load_probe(probe).checks)
