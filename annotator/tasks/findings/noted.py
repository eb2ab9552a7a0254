"""The result of `annot notes check` as findings: one a mention, and one more for each link by branch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Literal

from annotator.model.finding import About, Finding, Spot, Suggestion, finding_id
from annotator.model.mention import MentionResult, NotesReport, PageFinding
from annotator.model.words import OUTCOME_SEVERITY, Outcome
from annotator.notes.passage import Note
from annotator.tasks.findings.note_rules import BRANCH_RULE, NAME_RULE, NOTE_RULES
from annotator.tasks.findings.spots import git_root
from annotator.tasks.notes.files import NoteFile
from annotator.tasks.notes.fix import with_pieces


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
