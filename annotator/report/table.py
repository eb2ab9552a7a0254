"""The table that `annot check` prints, with rich."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from annotator.model.probe import ProbeRun, ProbeStatus
from annotator.model.report import AnchorResult, CheckReport, UpstreamCheck, worst_outcome
from annotator.model.resolution import Place
from annotator.model.words import WORST_FIRST, Outcome, Sureness
from annotator.report.probe_style import claims_line, drift_text, incomplete_text, status_text
from annotator.report.style import (
    OUTCOME_STYLE,
    change_summary,
    lines_of,
    outcome_text,
    place_name,
    printable,
    sure,
)

SURE = 0.9
"""Confidence below which a person is asked to look."""
_WORTH_A_LOOK = 0.2
"""Score from which a rejected candidate is shown."""
_SUMMARY = 200
"""Longest summary of changes, in characters."""


_BLAMED = 4
"""Most commits that are listed with an anchor."""


def render_check(
    report: CheckReport, *, language: str, show_ok: bool, quiet: bool = False
) -> RenderableType:
    """The report: a heading a group, a block an anchor, a summary, what is known about the baseline.

    Args:
        report: what the check found.
        language: `zh` or `en`, for the titles of questions.
        show_ok: whether anchors with nothing to do, and known drift, get a block each or are only counted.
        quiet: whether only what fails or could not be checked is there, without any numbers.
    """
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, show_header=False, expand=True)
    table.add_column(width=11, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for group in report.groups:
        results = [result for result in report.anchors if result.owner == group.id]
        shown = [result for result in results if _is_shown(report, result, show_ok, quiet)]
        if quiet and not shown:
            continue
        title = (group.zh or group.en) if language == "zh" else (group.en or group.zh)
        number = f"question {group.number}" if group.number is not None else group.id
        heading = Text(title, style="bold")
        heading.append("  ").append_text(_tally(results))
        table.add_row(Text(number, style="bold"), heading)
        for result in shown:
            table.add_row(outcome_text(result.resolution.outcome), _block(result))
    if quiet:
        return Group(table, *map(incomplete_text, _incomplete(report)))
    return Group(table, Text(""), *_footer(report))


def _is_shown(report: CheckReport, result: AnchorResult, show_ok: bool, quiet: bool) -> bool:
    outcome = result.resolution.outcome
    if quiet:
        return report.fails(result) or outcome in {Outcome.ERROR, Outcome.SKIPPED}
    return show_ok or (outcome is not Outcome.OK and not result.known_since)


def _incomplete(report: CheckReport) -> list[ProbeRun]:
    return [run for run in report.probes if not run.is_complete]


def _tally(results: list[AnchorResult]) -> Text:
    counts = dict.fromkeys(reversed(WORST_FIRST), 0)
    for result in results:
        counts[result.resolution.outcome] += 1
    line = Text(", ").join(
        Text(f"{count} {outcome.value}", style=f"not bold {OUTCOME_STYLE[outcome]}")
        for outcome, count in counts.items()
        if count
    )
    if worst_outcome(results) is Outcome.OK:
        line.stylize("dim")
    return line


def _block(result: AnchorResult) -> Text:
    """What one anchor is, where it is now, what changed, who did it: a line each, where there is one."""
    resolution = result.resolution
    head = Text(result.id)
    _, _, inside = result.target.partition("::")
    head.append(f"  {printable(inside or result.target)}", style="dim")
    lines = [head, _location(result)]
    summary = printable(change_summary(resolution, _SUMMARY))
    if summary:
        lines.append(Text(summary, style="italic" if resolution.reason else ""))
    if resolution.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
        lines += [
            Text(f"{printable(place_name(item))}? {item.reason}", style="dim")
            for item in resolution.candidates[: 3 if resolution.outcome is Outcome.AMBIGUOUS else 1]
            if item.score > _WORTH_A_LOOK
        ]
    lines += [
        status_text(claim.status).append(f"  {claim.id}: {printable(claim.evidence)}")
        for claim in result.claims
        if claim.status is not ProbeStatus.CONFIRMED
    ]
    for step in result.blame[:_BLAMED]:
        line = f"{step.label}  {printable(step.subject)}"
        lines.append(Text(line, style=f"cyan link {step.link}" if step.link else "cyan"))
    if len(result.blame) > _BLAMED:
        rest = f"… and {len(result.blame) - _BLAMED} more: annot trace {result.id}"
        lines.append(Text(rest, style="dim"))
    return Text("\n").join(line for line in lines if line)


def _location(result: AnchorResult) -> Text:
    old, new = result.resolution.old, result.resolution.new
    if new is None:
        return _linked(old, result.old_link, "was ") if old else Text("")
    text = _linked(new, result.new_link)
    if old is not None and (old.path, old.symbol) != (new.path, new.symbol) and new.symbol:
        text.append(f"  {printable(new.symbol)}", style="cyan")
    if result.resolution.confidence < SURE:
        text.append(f"  look: {sure(result.resolution.confidence)}", style="magenta")
    return text


def _linked(place: Place, link: str, before: str = "") -> Text:
    text = Text(before, style="dim" if before else "")
    text.append(printable(lines_of(place)), style=f"link {link}" if link else "")
    return text


def _footer(report: CheckReport) -> Iterator[Text]:
    counts = report.counts
    total = sum(counts.values())
    line = Text(f"{total} anchors: ", style="bold")
    line.append_text(
        Text(", ").join(
            Text(f"{counts[outcome]} {outcome.value}", style=OUTCOME_STYLE[outcome])
            for outcome in reversed(WORST_FIRST)
            if counts[outcome]
        )
    )
    yield line
    yield from _debt_lines(report)
    if report.claims:
        yield claims_line(report)
    yield from map(incomplete_text, _incomplete(report))
    yield from (drift_text(drift) for drift in report.drifts)
    for upstream in report.upstreams:
        yield _baseline_line(report, upstream)
    for warning in report.warnings:
        yield Text(f"warning: {printable(warning)}", style="yellow")


def _debt_lines(report: CheckReport) -> Iterator[Text]:
    if known := sum(bool(result.known_since) for result in report.anchors):
        yield Text(f"{known} of them known, as recorded; --all lists them", style="dim")
    if report.settled:
        over = ", ".join(report.settled)
        yield Text(f"known drift is over: {over}; --update-debt drops it", style="green")


def _baseline_line(report: CheckReport, upstream: UpstreamCheck) -> Text:
    results = [result for result in report.anchors if result.upstream == upstream.name]
    sure = [result.sureness for result in results if result.baseline == upstream.baseline]
    known = ", ".join(
        f"{sure.count(level)} {level.value}" for level in Sureness if sure.count(level)
    )
    unknown = sum(level is None for level in sure)
    parts = [known] if known else []
    if unknown:
        parts.append(f"{unknown} not locked")
    if accepted := len(results) - len(sure):
        parts.append(f"{accepted} accepted since the pin")
    line = Text(f"{upstream.name}: {upstream.baseline} → {upstream.label}", style="dim")
    line.append(f"; baseline {', '.join(parts)}" if parts else "")
    if upstream.note:
        line.append(f" ({upstream.note})")
    return line


def print_check(
    console: Console, report: CheckReport, *, language: str, show_ok: bool, quiet: bool = False
) -> None:
    """Prints the report; nothing at all if it is to be quiet and there is nothing to tell."""
    if quiet and report.exit_code == 0:
        return
    console.print(render_check(report, language=language, show_ok=show_ok, quiet=quiet))
