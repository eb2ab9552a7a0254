"""How sessions and the group's progress are printed."""

from collections.abc import Sequence
from typing import Literal, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from annotator.model.session import QuestionProgress, Session
from annotator.model.study import Study

_BAR = 10


def print_sessions(console: Console, sessions: Sequence[Session]) -> None:
    """Prints the sessions, oldest first."""
    if not sessions:
        console.print("no sessions yet; `annot session new` plans one", markup=False)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("session", "questions", "min", "anchors read", "claims disputed", "closed"):
        table.add_column(name, overflow="fold", no_wrap=name in {"session", "closed"})
    for session in sessions:
        outcome = session.outcome
        table.add_row(
            session.id,
            ", ".join(map(str, session.questions)),
            str(session.minutes),
            f"{len(outcome.read)}/{len(session.plan)}" if outcome else f"–/{len(session.plan)}",
            ", ".join(dispute.claim for dispute in outcome.disputed) if outcome else "–",
            outcome.closed if outcome else "open",
        )
    console.print(table)


def print_progress(
    console: Console, study: Study, rows: Sequence[QuestionProgress], language: str
) -> None:
    """Prints how far the group is with each question."""
    lang = cast("Literal['zh', 'en']", language)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right")
    for name in ("question", "read", "", "sessions", "claims under dispute"):
        table.add_column(name)
    titles = {question.number: question.title.in_language(lang) for question in study.questions}
    for row in rows:
        filled = _BAR * row.read // row.anchors
        bar = Text("█" * filled + "·" * (_BAR - filled))
        table.add_row(
            str(row.number),
            titles[row.number],
            f"{row.read}/{row.anchors}",
            bar,
            str(len(row.sessions)) if row.sessions else "",
            ", ".join(row.disputed),
        )
    console.print(table)
