"""GitHub-flavoured Markdown for job summaries and issues: a table, the worst first, and what is accepted folded away."""

import re
from collections.abc import Iterator, Sequence

from annotator.model.finding import About, Finding, Wording
from annotator.report.formats.telling import one_line, open_findings, tally
from annotator.report.style import OUTCOME_MARK, lines_of

_ROWS = 200
"""Most rows of a table: an issue's text may have 65,536 characters."""
_DETAIL = 160
"""Longest detail, in characters."""
_BLAMED = 3
"""Most commits a finding."""
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()#+!|~$])")

_PIPE = re.compile(r"(\\*)\|")

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
    lines += [f"{_code(compared)}  " for compared in about.compared]
    lines += [f"**{tally(findings) or '–'}**", ""]
    shown = open_findings(findings)
    lines += _table(shown, about) if shown else [_NOTHING.in_language(about.language)]
    accepted = [f for f in findings if f.accepted is not None and not f.is_ok]
    if accepted:
        title = f"{len(accepted)} {_ACCEPTED.in_language(about.language)}"
        lines += ["", f"<details><summary>{title}</summary>", "", *_table(accepted, about)]
        lines += ["", "</details>"]
    for warning in about.warnings:
        lines += ["", f"> ⚠ {_text(warning)}"]
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
    name = _code(finding.subject)
    if finding.spot is None:
        return name
    return f"{name}<br>{_code(f'{finding.spot.file}:{finding.spot.line}')}"


def _place(finding: Finding) -> str:
    if finding.place is None:
        return "–"
    name = _code(lines_of(finding.place))
    return f"[{name}]({_address(finding.link)})" if finding.link else name


def _what(finding: Finding, about: About) -> str:
    detail = one_line(finding.detail)
    shown = detail if len(detail) <= _DETAIL else detail[: _DETAIL - 1] + "…"
    parts = [_code(shown) if shown else _text(finding.message.in_language(about.language))]
    for step in finding.blame[:_BLAMED]:
        label = _code(step.label)
        commit = f"[{label}]({_address(step.link)})" if step.link else label
        parts.append(f"{commit} {_code(step.subject)}")
    return "<br>".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("~", "\\~")


def _text(text: str) -> str:
    """Words in which nothing is markup; `@` and `#` would call people and issues."""
    plain = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = _PUNCTUATION.sub(r"\\\1", plain)
    return plain.replace("@", "@<!-- -->").replace("://", ":<!-- -->//")


def _code(text: str) -> str:
    """A code span that nothing in `text` can end; a pipe would end a table's cell even there."""
    # An escaped backslash does not escape a pipe, so that one becomes a look-alike.
    text = _PIPE.sub(lambda match: f"{match[1]}¦" if match[1] else "\\|", one_line(text)) or " "
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{fence}{space}{text}{space}{fence}"


def _address(link: str) -> str:
    return re.sub(r"[\s()<>|\\]", lambda match: f"%{ord(match[0]):02X}", link)
