"""The table and the JSON of `annot notes check`."""

import json
from collections.abc import Iterator

import msgspec
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from annotator.model.mention import MentionResult, NotesReport, PageFinding
from annotator.model.words import WORST_FIRST, Outcome
from annotator.report.style import (
    OUTCOME_STYLE,
    change_summary,
    lines_of,
    outcome_text,
    place_name,
    printable,
    sure,
)

_SUMMARY = 160
"""Longest summary of changes, in characters."""
_SURE = 0.9
"""Confidence below which a person is asked to look."""
_ELSEWHERE = 5
"""Most repositories outside the study that are named."""

_WORDS = {
    "en": {
        "branch": "by branch: what they show changes without a word",
        "mentions": "places",
        "fixable": "{} links can be rewritten: annot notes fix",
        "elsewhere": "{} more links go to repositories that the study does not have: {}",
        "fork": "{} is a copy or fork",
        "lines": "{} is a branch: its lines are not those of the day the note was written",
        "part": "({} is nowhere)",
        "close": "the code has {}",
        "names": "{} names are nowhere in the code",
        "was": "was {}",
        "look": "look",
    },
    "zh": {
        "branch": "按分支，显示的内容会悄悄变化",
        "mentions": "处引用",
        "fixable": "{} 个链接可以改写：annot notes fix",
        "elsewhere": "另有 {} 个链接指向课题之外的仓库：{}",
        "fork": "{} 是镜像或 fork",
        "lines": "{} 是分支：行号已不是写笔记那天的行号",
        "part": "（{} 不存在）",
        "close": "代码里有 {}",
        "names": "{} 个名称在代码里不存在",
        "was": "原为 {}",
        "look": "请看一眼",
    },
}


def render_notes(report: NotesReport, *, language: str, show_ok: bool) -> RenderableType:
    """The report: a heading a note, a block for each place with something to say, a summary.

    Args:
        report: what the check found.
        language: `zh` or `en`.
        show_ok: whether places with nothing to do get a block too.
    """
    words = _WORDS[language]
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, show_header=False, expand=True)
    table.add_column(width=11, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for file in report.files:
        results = [result for result in report.results if result.file == file]
        names = [finding for finding in report.names if finding.page == file]
        if not results and not names:
            continue
        heading = Text(printable(file), style="bold").append("  ").append_text(_tally(results))
        table.add_row(Text("note", style="bold"), heading)
        for finding in names:
            table.add_row(Text("✗ name", style=OUTCOME_STYLE[Outcome.GONE]), _name(finding, words))
        for result in results:
            if show_ok or result.is_branch or result.resolution.outcome is not Outcome.OK:
                table.add_row(_mark(result), _block(result, words))
    return Group(table, Text(""), *_footer(report, words))


def print_notes(console: Console, report: NotesReport, *, language: str, show_ok: bool) -> None:
    """Prints the report."""
    console.print(render_notes(report, language=language, show_ok=show_ok))


def notes_json(report: NotesReport) -> str:
    """The report as JSON: everything the table has, and more."""
    data = msgspec.to_builtins(report)
    for row, result in zip(data["results"], report.results, strict=True):
        row["fails"] = report.fails(result)
    data["summary"] = {outcome.value: count for outcome, count in sorted(report.counts.items())}
    data["exit_code"] = report.exit_code
    return json.dumps(data, ensure_ascii=False, indent=2)


def _name(finding: PageFinding, words: dict[str, str]) -> Text:
    text = Text(f"{finding.line}:{finding.column}", style="dim")
    text.append(f"  {printable(finding.name)}", style="not dim")
    if finding.missing != finding.name:
        text.append("  " + words["part"].format(printable(finding.missing)), style="not dim")
    if finding.close:
        text.append("\n" + words["close"].format(printable(finding.close)), style="dim")
    return text


def _mark(result: MentionResult) -> Text:
    if result.is_branch and result.resolution.outcome is Outcome.OK:
        return Text("! branch", style="yellow")
    return outcome_text(result.resolution.outcome)


def _block(result: MentionResult, words: dict[str, str]) -> Text:
    """What one place is, where it is now and what changed: a line each, where there is one."""
    mention, resolution = result.mention, result.resolution
    head = Text(f"{mention.line}:{mention.column}", style="dim")
    head.append(f"  {printable(_cited(result))}", style="not dim")
    ref = result.ref[:12] if len(result.ref) >= 40 else result.ref
    head.append(f"  {printable(ref)}", style="dim")
    lines = [head]
    old, new = resolution.old, resolution.new
    if new is not None and (resolution.outcome is not Outcome.OK or not result.is_branch):
        lines.append(_now(result, words))
    elif old is not None and old.symbol and new is None:
        lines.append(Text(words["was"].format(printable(old.symbol)), style="dim"))
    summary = printable(change_summary(resolution, _SUMMARY))
    if summary:
        lines.append(Text(summary, style="italic" if resolution.reason else ""))
    if resolution.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
        lines += [
            Text(printable(f"{place_name(item)}? {item.reason}"), style="dim")
            for item in resolution.candidates[:2]
        ]
    if result.hint:
        lines.append(Text(f"→ {printable(result.hint)}", style="cyan"))
    lines += [Text(printable(notice), style="dim") for notice in _notices(result, words)]
    return Text("\n").join(lines)


def _notices(result: MentionResult, words: dict[str, str]) -> Iterator[str]:
    if result.fork:
        yield words["fork"].format(result.fork)
    if result.is_branch and result.mention.first is not None:
        yield words["lines"].format(result.ref)


def _cited(result: MentionResult) -> str:
    mention = result.mention
    text = result.path or "/"
    if mention.symbol:
        text += f"::{mention.symbol}"
    elif mention.lines:
        first, last = mention.lines
        text += f":{first}" if first == last else f":{first}-{last}"
    elif mention.fragment:
        text += f"#{mention.fragment}"
    return text


def _now(result: MentionResult, words: dict[str, str]) -> Text:
    new = result.resolution.new
    assert new is not None  # noqa: S101 - the caller has looked
    shown = lines_of(new) if new.start else new.path or "/"
    text = Text(printable(shown), style=f"link {result.new_link}" if result.new_link else "")
    if new.symbol:
        text.append(f"  {printable(new.symbol)}", style="cyan")
    if result.resolution.confidence < _SURE:
        confidence = sure(result.resolution.confidence)
        text.append(f"  {words['look']}: {confidence}", style="magenta")
    return text


def _tally(results: list[MentionResult]) -> Text:
    outcomes = [result.resolution.outcome for result in results]
    return Text(", ").join(
        Text(
            f"{outcomes.count(outcome)} {outcome.value}", style=f"not bold {OUTCOME_STYLE[outcome]}"
        )
        for outcome in reversed(WORST_FIRST)
        if outcome in outcomes
    )


def _footer(report: NotesReport, words: dict[str, str]) -> Iterator[Text]:
    line = Text(f"{len(report.results)} {words['mentions']}", style="bold")
    if report.results:
        line.append(": ").append_text(_tally(list(report.results)))
    branches = sum(result.is_branch for result in report.results)
    if branches:
        line.append(f"; {branches} {words['branch']}", style="yellow")
    yield line
    if report.names:
        yield Text(words["names"].format(len(report.names)), style=OUTCOME_STYLE[Outcome.GONE])
    fixable = sum(bool(result.corrections) for result in report.results)
    if fixable:
        yield Text(words["fixable"].format(fixable), style="cyan")
    for upstream in report.upstreams:
        yield Text(f"{upstream.name}: → {upstream.label}", style="dim")
    if report.elsewhere:
        names = list(report.elsewhere)[:_ELSEWHERE]
        rest = ", …" if len(report.elsewhere) > _ELSEWHERE else ""
        total = sum(report.elsewhere.values())
        yield Text(
            printable(words["elsewhere"].format(total, ", ".join(names) + rest)), style="dim"
        )
    for warning in report.warnings:
        yield Text(f"warning: {printable(warning)}", style="yellow")
