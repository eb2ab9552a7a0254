"""GitHub-flavoured Markdown for job summaries and issues: a table, the worst first, and what is accepted folded away."""

import re
from collections.abc import Iterator, Sequence

from annotator.model.finding import About, Finding, Wording
from annotator.report.formats.telling import open_findings, tally
from annotator.report.markdown import cell_code, cell_text, one_line
from annotator.report.style import OUTCOME_MARK, lines_of

_ROWS = 200
"""Most rows of a table: an issue's text may have 65,536 characters."""
_DETAIL = 160
"""Longest detail, in characters."""
_BLAMED = 3
"""Most commits a finding."""
_HEAD = Wording(
    zh="| 结果 | 对象 | 现在的位置 | 有什么变化 |",
    en="| outcome | subject | where it is | what changed |",
)
_ACCEPTED = Wording(zh="已知并接受", en="known and accepted")
_NOTHING = Wording(zh="没有要处理的。", en="Nothing to do.")
_MORE = Wording(zh="还有 {} 项", en="… and {} more")


def render(findings: Sequence[Finding], about: About) -> str:
    """A heading, the numbers, a table of what has something to do, and what is accepted.

    Whatever comes from upstream stands in code spans, where nothing is a link, a mention or HTML.
    """
    lines = [f"## {about.command}", ""]
    lines += [f"{cell_code(compared)}  " for compared in about.compared]
    lines += [f"**{tally(findings) or '–'}**", ""]
    shown = open_findings(findings)
    lines += _table(shown, about) if shown else [_NOTHING.in_language(about.language)]
    accepted = [f for f in findings if f.accepted is not None and not f.is_ok]
    if accepted:
        title = f"{len(accepted)} {_ACCEPTED.in_language(about.language)}"
        lines += ["", f"<details><summary>{title}</summary>", "", *_table(accepted, about)]
        lines += ["", "</details>"]
    for warning in about.warnings:
        lines += ["", f"> ⚠ {cell_text(warning)}"]
    return "\n".join(lines)


def _table(findings: Sequence[Finding], about: About) -> Iterator[str]:
    yield _HEAD.in_language(about.language)
    yield "| --- | --- | --- | --- |"
    for finding in findings[:_ROWS]:
        mark = f"{OUTCOME_MARK[finding.outcome]} {finding.outcome.value}"
        shown = f"**{mark}**" if finding.fails else mark
        yield f"| {_cell(shown)} | {_subject(finding)} | {_place(finding)} | {_what(finding, about)} |"
    if len(findings) > _ROWS:
        more = _MORE.in_language(about.language).format(len(findings) - _ROWS)
        yield f"| | {more} | | |"


def _subject(finding: Finding) -> str:
    name = cell_code(finding.subject)
    if finding.spot is None:
        return name
    return f"{name}<br>{cell_code(f'{finding.spot.file}:{finding.spot.line}')}"


def _place(finding: Finding) -> str:
    if finding.place is None:
        return "–"
    name = cell_code(lines_of(finding.place))
    return f"[{name}]({_address(finding.link)})" if finding.link else name


def _what(finding: Finding, about: About) -> str:
    detail = one_line(finding.detail)
    shown = detail if len(detail) <= _DETAIL else detail[: _DETAIL - 1] + "…"
    parts = [cell_code(shown) if shown else cell_text(finding.message.in_language(about.language))]
    for step in finding.blame[:_BLAMED]:
        label = cell_code(step.label)
        commit = f"[{label}]({_address(step.link)})" if step.link else label
        parts.append(f"{commit} {cell_code(step.subject)}")
    return "<br>".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("~", "\\~")


def _address(link: str) -> str:
    return re.sub(r"[\s()<>|\\]", lambda match: f"%{ord(match[0]):02X}", link)
