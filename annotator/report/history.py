"""How a history is shown: a table for people, Markdown for a pull request."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.history import History, Step
from annotator.model.words import Outcome
from annotator.report.markdown import cell_code, cell_text
from annotator.report.style import change_text, lines_of, outcome_text, printable


def _told(history: History, show_quiet: bool) -> list[Step]:
    return [step for step in history.steps if show_quiet or step.outcome is not Outcome.OK]


def print_history(console: Console, history: History, *, show_quiet: bool) -> None:
    """Prints one line a commit, oldest first, then where the place is now."""
    steps = _told(history, show_quiet)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    table.add_column("date", no_wrap=True)
    table.add_column("commit", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("subject, author, changes", ratio=1, overflow="fold")
    for step in steps:
        text = Text(printable(step.subject), style=f"link {step.link}" if step.link else "")
        text.append(f"  {printable(step.author)}", style="dim")
        for change in step.changes:
            text.append(f"\n{printable(change_text(change))}", style="italic")
        table.add_row(step.date[:10], step.label, outcome_text(step.outcome), text)
    if steps:
        console.print(table)
    hidden = len(history.steps) - len(steps)
    line = Text(f"{len(steps)} of {history.commits} commits changed {printable(history.id)}")
    line.append(f" between {history.from_ref} and {history.to_ref}", style="dim")
    if hidden:
        line.append(f"; {hidden} more only comments, docstrings, layout (--all)", style="dim")
    console.print(line)
    if history.end is not None:
        end = Text(f"now {printable(lines_of(history.end))}")
        end.append(f"  {printable(history.end.symbol)}", style="bold")
        console.print(end)
    for warning in history.warnings:
        console.print(Text(f"warning: {printable(warning)}", style="yellow"))


def print_turn(console: Console, history: History, turn: Step | None) -> None:
    """Prints the first commit at which a place drifted."""
    if turn is None:
        console.print(
            f"{history.id} did not drift in {history.commits} commits"
            f" between {history.from_ref} and {history.to_ref}"
        )
        return
    console.print(Text(f"{turn.label}  {printable(turn.subject)}", style="bold"))
    console.print(Text(f"{turn.date[:10]}  {printable(turn.author)}  {turn.link}", style="dim"))
    line = outcome_text(turn.outcome)
    line.append("  " + printable("; ".join(change_text(change) for change in turn.changes)))
    console.print(line)


def history_markdown(histories: Sequence[History], *, show_quiet: bool = False) -> str:
    """A table of files, upstream changes and what changed, under a link that compares both ends."""
    lines: list[str] = []
    for link in dict.fromkeys(history.compare_link for history in histories):
        first = next(history for history in histories if history.compare_link == link)
        between = f"{first.from_ref}…{first.to_ref}"
        lines.append(f"[{between}]({link})\n" if link else f"{between}\n")
        lines.append("| files | upstream change | what changed | anchors |")
        lines.append("| --- | --- | --- | --- |")
        here = [history for history in histories if history.compare_link == link]
        lines.extend(_rows(here, show_quiet))
        lines.append("")
    return "\n".join(lines).rstrip()


def _rows(histories: Iterable[History], show_quiet: bool) -> Iterable[str]:
    commits: dict[str, list[tuple[History, Step]]] = {}
    for history in histories:
        for step in _told(history, show_quiet):
            commits.setdefault(step.commit, []).append((history, step))
    for pairs in sorted(commits.values(), key=lambda pairs: pairs[0][1].date):
        step = pairs[0][1]
        files = dict.fromkeys(pair[1].old.path for pair in pairs)
        files |= dict.fromkeys(pair[1].new.path for pair in pairs if pair[1].new)
        subject = cell_text(step.subject)
        linked = f"[{subject}]({step.link})" if step.link else subject
        changes = dict.fromkeys(change_text(change) for _, each in pairs for change in each.changes)
        yield "| {} | {} | {} | {} |".format(
            "<br>".join(cell_code(path) for path in files),
            f"{linked} ({step.label}, {step.date[:10]})",
            "<br>".join(cell_text(text) for text in changes),
            "<br>".join(cell_code(history.id) for history, _ in pairs),
        )
