"""The table that `annot check` prints, with rich."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from annotator.model.report import AnchorResult, CheckReport, UpstreamCheck, worst_outcome
from annotator.model.resolution import Place
from annotator.model.words import SEVERITY, Outcome, Sureness
from annotator.report.style import (
    OUTCOME_STYLE,
    change_summary,
    lines_of,
    outcome_text,
    printable,
    sure,
)

_SUMMARY = 160
"""Longest summary of changes, in characters."""


_BLAMED = 4
"""Most commits that are listed with an anchor."""


def render_check(report: CheckReport, *, language: str, show_ok: bool) -> RenderableType:
    """The report as a table a group, a summary line and what is known about the baseline.

    Args:
        report: what the check found.
        language: `zh` or `en`, for the titles of questions.
        show_ok: whether anchors with nothing to do get a row each, or only a count.
    """
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, show_header=False, expand=True)
    table.add_column(width=11, no_wrap=True)
    table.add_column(ratio=2, overflow="fold")
    table.add_column(ratio=3, overflow="fold")
    for group in report.groups:
        results = [result for result in report.anchors if result.owner == group.id]
        title = (group.zh or group.en) if language == "zh" else (group.en or group.zh)
        number = f"question {group.number}" if group.number is not None else group.id
        table.add_row(Text(number, style="bold"), Text(title, style="bold"), _tally(results))
        for result in results:
            if show_ok or result.resolution.outcome is not Outcome.OK:
                table.add_row(*_row(result))
    return Group(table, Text(""), *_footer(report))


def _tally(results: list[AnchorResult]) -> Text:
    counts = dict.fromkeys(reversed(SEVERITY), 0)
    for result in results:
        counts[result.resolution.outcome] += 1
    parts = [
        Text(f"{count} {outcome.value}", style=OUTCOME_STYLE[outcome])
        for outcome, count in counts.items()
        if count
    ]
    line = Text(", ").join(parts)
    if worst_outcome(results) is Outcome.OK:
        line.stylize("dim")
    return line


def _row(result: AnchorResult) -> tuple[Text, Text, Text]:
    resolution = result.resolution
    anchor = Text(result.id)
    path, _, inside = result.target.partition("::")
    anchor.append(f"\n{printable(inside or path)}", style="dim")
    where = _location(result)
    summary = printable(change_summary(resolution, _SUMMARY))
    if summary:
        where.append(f"\n{summary}", style="italic" if resolution.reason else "")
    for step in result.blame[:_BLAMED]:
        line = f"\n{step.label}  {printable(step.subject)}"
        where.append(line, style=f"cyan link {step.link}" if step.link else "cyan")
    if len(result.blame) > _BLAMED:
        where.append(f"\n… and {len(result.blame) - _BLAMED} more: annot trace {result.id}", "dim")
    return outcome_text(resolution.outcome), anchor, where


def _location(result: AnchorResult) -> Text:
    old, new = result.resolution.old, result.resolution.new
    if new is None:
        return _linked(old, result.old_link, "was ") if old else Text("")
    text = _linked(new, result.new_link)
    if old is not None and (old.path, old.symbol) != (new.path, new.symbol) and new.symbol:
        text.append(f"  {printable(new.symbol)}", style="cyan")
    if result.resolution.confidence < 0.9:
        text.append(f"  {sure(result.resolution.confidence)}", style="magenta")
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
            for outcome in reversed(SEVERITY)
            if counts[outcome]
        )
    )
    yield line
    for upstream in report.upstreams:
        yield _baseline_line(report, upstream)
    for warning in report.warnings:
        yield Text(f"warning: {printable(warning)}", style="yellow")


def _baseline_line(report: CheckReport, upstream: UpstreamCheck) -> Text:
    sure = [r.sureness for r in report.anchors if r.upstream == upstream.name]
    known = ", ".join(
        f"{sure.count(level)} {level.value}" for level in Sureness if sure.count(level)
    )
    unknown = sum(level is None for level in sure)
    parts = [known] if known else []
    if unknown:
        parts.append(f"{unknown} not locked")
    line = Text(f"{upstream.name}: {upstream.baseline} → {upstream.label}", style="dim")
    line.append(f"; baseline {', '.join(parts)}" if parts else "")
    if upstream.note:
        line.append(f" ({upstream.note})")
    return line


def print_check(console: Console, report: CheckReport, *, language: str, show_ok: bool) -> None:
    """Prints the report."""
    console.print(render_check(report, language=language, show_ok=show_ok))
