"""Parts of a probe in which real time passes: a machine that stalls must not look like another behaviour."""

from collections.abc import Callable
from dataclasses import replace

from annotator.probes.contract import CannotAdapt, Context

ATTEMPTS = 3


def steadily(context: Context, part: Callable[[Context], None], attempts: int = ATTEMPTS) -> None:
    """Runs a part, and once more from its start for as long as it refutes a check or fails.

    A check is refuted if every attempt refutes it. What an attempt refuted and another one confirmed is confirmed, and
    the difference is kept among the adaptations, where a reader sees that it was not at once so. Observations are
    those of the last attempt.

    Args:
        context: of the probe.
        part: starts what it needs itself (servers, clients), so that it can be run again.
        attempts: how often it is run at most.

    Raises:
        CannotAdapt: at once, since time does not mend it.
        Exception: what the last attempt raised.
    """
    tried: list[Context] = []
    for number in range(1, attempts + 1):
        attempt = replace(context, observations={}, verdicts={})
        try:
            part(attempt)
        except CannotAdapt:
            raise
        except Exception as error:
            if number == attempts:
                raise
            context.adapted(f"run again after {type(error).__name__}: {error}")
            continue
        tried.append(attempt)
        if not _refuted(attempt):
            break
    for key, value in tried[-1].observations.items():
        context.saw(key, value)
    for check, (verdict, evidence) in _agreed(tried).items():
        if verdict == "not-applicable":
            context.not_applicable(check, evidence)
        else:
            context.verdict(check, verdict == "confirmed", evidence)
    for attempt in tried:
        for check in _refuted(attempt):
            if context.verdicts[check][0] != "refuted":
                context.adapted(
                    f"{check} was refuted once and not again: {attempt.verdicts[check][1]}"
                )


def _refuted(attempt: Context) -> list[str]:
    return [check for check, (verdict, _) in attempt.verdicts.items() if verdict == "refuted"]


def _agreed(tried: list[Context]) -> dict[str, tuple[str, str]]:
    """Verdict and evidence of each check: the last that is no refutation, else the last refutation."""
    agreed: dict[str, tuple[str, str]] = {}
    for attempt in tried:
        for check, found in attempt.verdicts.items():
            if check not in agreed or found[0] != "refuted" or agreed[check][0] == "refuted":
                agreed[check] = found
    return agreed
