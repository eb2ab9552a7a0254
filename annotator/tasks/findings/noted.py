"""The result of `annot notes check` as findings: one a mention, and one more for each link by branch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Literal

from annotator.model.finding import About, Finding, Rule, Spot, Suggestion, Wording, finding_id
from annotator.model.mention import MentionResult, NotesReport, PageFinding
from annotator.model.words import OUTCOME_SEVERITY, Outcome, Severity
from annotator.notes.passage import Note
from annotator.tasks.findings.spots import git_root
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.fix import with_pieces

_WORDS: Mapping[Outcome, tuple[str, str, str, str]] = {
    Outcome.OK: (
        "The cited place stands.",
        "引用处仍然成立。",
        "Nothing to do.",
        "无需处理。",
    ),
    Outcome.MOVED: (
        "The cited code is at another path or under another name.",
        "引用的代码换了路径或名称。",
        "Rewrite the link: `annot notes fix --write` does it.",
        "改写链接：`annot notes fix --write` 会完成。",
    ),
    Outcome.CHANGED: (
        "The cited code has changed.",
        "引用的代码变了。",
        "Read the place again and bring the note up to date.",
        "重读该处并更新笔记。",
    ),
    Outcome.GONE: (
        "The cited place is gone and has no successor.",
        "引用处已不存在，也没有后继。",
        "Decide whether the note still holds without it.",
        "判断没有它笔记是否仍然成立。",
    ),
    Outcome.AMBIGUOUS: (
        "The cited place may have become one of several.",
        "引用处可能变成了几个候选之一。",
        "Choose among the candidates.",
        "在候选中选择。",
    ),
    Outcome.ERROR: (
        "The cited place cannot be found at the commit that the note names.",
        "在笔记写明的提交里找不到引用处。",
        "Read the reason: the link was wrong from the beginning.",
        "查看原因：链接一开始就是错的。",
    ),
    Outcome.SKIPPED: (
        "The cited commit is not at hand.",
        "手边没有引用的提交。",
        "Get it with the command that is named.",
        "用所列命令取得它。",
    ),
}

NOTE_RULES: Mapping[Outcome, Rule] = {
    outcome: Rule(
        id=f"note-{outcome.value}",
        title=Wording(zh=zh, en=en),
        help=Wording(zh=help_zh, en=help_en),
        severity=OUTCOME_SEVERITY[outcome],
    )
    for outcome, (en, zh, help_en, help_zh) in _WORDS.items()
}
"""By what became of a mention's place."""

BRANCH_RULE = Rule(
    id="note-by-branch",
    title=Wording(
        zh="链接指向分支，它显示的内容会悄悄变化。",
        en="The link is by branch: what it shows changes without a word.",
    ),
    help=Wording(
        zh="改成按提交或标签的永久链接；没有行号的链接可用 `annot notes fix --pin-branches`。",
        en="Make it a permalink by commit or tag; `annot notes fix --pin-branches` does it for links without lines.",
    ),
    severity=Severity.NOTE,
)


NAME_RULE = Rule(
    id="page-name",
    title=Wording(
        zh="页面提到的名称在同一提交的代码里不存在。",
        en="The page names what the code of the same commit does not have.",
    ),
    help=Wording(
        zh="不要照着这一页理解代码；可以给上游提一个修正。",
        en="Do not read the code by this page there; a correction upstream is welcome.",
    ),
    severity=Severity.WARNING,
)


def notes_findings(report: NotesReport, notes: Sequence[NoteFile]) -> list[Finding]:
    """Every mention of a check, also those that stand; a link by branch has a finding of its own too.

    Args:
        report: what the check found.
        notes: the notes that were checked.
    """
    texts = {note.name: note for note in notes}
    files = {note.name: _path_in_project(note) for note in notes}
    subjects = _numbered((files[one.file], one.mention.text) for one in report.results)
    names = _numbered((finding.page, finding.name) for finding in report.names)
    found: list[Finding] = []
    for result, subject in zip(report.results, subjects, strict=True):
        spot = _spot(files[result.file], result)
        outcome = result.resolution.outcome
        found.append(
            Finding(
                id=_id(subject, result),
                rule=NOTE_RULES[outcome],
                severity=OUTCOME_SEVERITY[outcome],
                outcome=outcome,
                subject=result.mention.text,
                group=result.file,
                message=NOTE_RULES[outcome].title,
                detail=_detail(result),
                spot=spot,
                upstream=result.upstream,
                place=result.resolution.new or result.resolution.old,
                link=result.new_link,
                suggestion=_suggestion(spot, texts[result.file], result),
                fails=report.fails(result) and outcome is not Outcome.OK,
            )
        )
        if result.is_branch:
            found.append(_by_branch(report, subject, result, spot))
    return [*found, *map(_named, repeat(report), report.names, names)]


def about_notes(report: NotesReport, language: Literal["zh", "en"]) -> About:
    """What the findings of a check of notes are the result of."""
    return About(
        command="annot notes check",
        version=report.version,
        language=language,
        compared=tuple(f"{upstream.name} → {upstream.label}" for upstream in report.upstreams),
        warnings=report.warnings,
        exit_code=report.exit_code,
    )


def _numbered(written: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A name for each text of a file that no other has: what stands there again is numbered."""
    times = Counter[tuple[str, str]]()
    for file, text in written:
        times[file, text] += 1
        number = times[file, text]
        yield f"{file} {text}" if number == 1 else f"{file} {text} #{number}"


def _by_branch(report: NotesReport, subject: str, result: MentionResult, spot: Spot) -> Finding:
    return Finding(
        id=finding_id(f"note-by-branch {subject}", Outcome.MOVED),
        rule=BRANCH_RULE,
        severity=BRANCH_RULE.severity,
        outcome=Outcome.MOVED,
        subject=result.mention.text,
        group=result.file,
        message=BRANCH_RULE.title,
        spot=spot,
        upstream=result.upstream,
        fails=report.fail_on_branch,
    )


def _named(report: NotesReport, finding: PageFinding, subject: str) -> Finding:
    return Finding(
        id=finding_id(f"page-name {subject}", Outcome.GONE, [finding.missing]),
        rule=NAME_RULE,
        severity=NAME_RULE.severity,
        outcome=Outcome.GONE,
        subject=finding.name,
        group=finding.page,
        message=NAME_RULE.title,
        detail=f"{finding.missing} is nowhere"
        + (f"; the code has {finding.close}" if finding.close else ""),
        spot=Spot(
            file=finding.page,
            line=finding.line,
            column=finding.column,
            end_line=finding.line,
            end_column=finding.end_column,
        ),
        fails=report.names_fail,
    )


def _id(subject: str, result: MentionResult) -> str:
    new = result.resolution.new
    state = (new.path, new.symbol, new.blob) if new else ()
    return finding_id(f"note {subject}", result.resolution.outcome, state)


def _detail(result: MentionResult) -> str:
    resolution = result.resolution
    if resolution.reason:
        return f"{resolution.reason}; {result.hint}" if result.hint else resolution.reason
    return "; ".join(map(str, resolution.loud_changes))


def _path_in_project(note: NoteFile) -> str:
    """Its path from the root of the repository that it is in; a page of upstream itself is no file here."""
    path = note.path.absolute()
    root = git_root(path.parent) if path.is_file() else None
    return path.relative_to(root).as_posix() if root is not None else note.name


def _spot(file: str, result: MentionResult) -> Spot:
    mention = result.mention
    return Spot(
        file=file,
        line=mention.line,
        column=mention.column,
        end_line=mention.end_line,
        end_column=mention.end_column,
    )


def _suggestion(spot: Spot, note: NoteFile, result: MentionResult) -> Suggestion | None:
    """The line's part from the first to the last corrected piece, as it is and as it should be."""
    if result.resolution.outcome is not Outcome.MOVED or not result.corrections:
        return None
    start = min(piece.start for piece in result.corrections)
    end = max(piece.end for piece in result.corrections)
    line_start = note.data.rfind(b"\n", 0, start) + 1
    lead, old = note.data[line_start:start], note.data[start:end]
    if b"\n" in old:
        return None
    new = with_pieces(note.data, result.corrections)
    grown = len(new) - len(note.data)
    before, text = Note(lead).text, Note(old).text
    return Suggestion(
        spot=Spot(
            file=spot.file,
            line=spot.line,
            column=len(before) + 1,
            end_line=spot.line,
            end_column=len(before) + len(text) + 1,
        ),
        lead=before,
        old=text,
        new=Note(new[start : end + grown]).text,
    )
