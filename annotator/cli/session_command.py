"""`annot session`."""

import datetime
import json
from pathlib import Path
from typing import cast

import click

from annotator.cli.options import (
    form_option,
    language_option,
    open_study,
    repo_option,
    result_console,
    study_option,
)


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    words = [word.strip() for word in value.split(",")]
    if not all(word.isdigit() for word in words):
        raise click.BadParameter(f"{value!r} is no list of numbers; write 6,7")
    return tuple(int(word) for word in words)


def _words(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in value.split(",") if word.strip())


def _date(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
    if value is None:
        return datetime.date.today().isoformat()
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        raise click.BadParameter(f"{value!r} is no day; write YYYY-MM-DD") from None


@click.group(
    "session",
    epilog="""\b
Examples:
  annot session new --questions 6,7 --date 2026-12-05 --minutes 90
  annot session close           reads the ticks and minutes out of the handout
  annot session progress        how far the group is with each question""",
)
def command() -> None:
    """Plan a reading session, close it, and see how far the group is.

    A session is a file in the study's folder sessions/, with its handout beside it; both belong into git.
    """


@command.command(
    "new",
    epilog="""\b
Examples:
  annot session new --questions 6,7 --date 2026-12-05 --minutes 90
  annot session new --questions 6 --minutes 45 --unread --lang zh""",
)
@click.option("--questions", required=True, metavar="N,N", callback=_numbers, help="What to read.")
@click.option("--date", metavar="DAY", callback=_date, help="Day of the session.  [default: today]")
@click.option(
    "--minutes",
    type=click.IntRange(5, 1440),
    default=90,
    show_default=True,
    help="How long it takes.",
)
@click.option(
    "--commit",
    default="HEAD",
    show_default=True,
    metavar="REF",
    help="What the group looks at: drift is told up to there.",
)
@click.option(
    "--unread",
    is_flag=True,
    help="Only anchors that the group has not read yet, or that drifted since it last met.",
)
@repo_option
@language_option
@study_option
def new(
    questions: tuple[int, ...],
    date: str,
    minutes: int,
    commit: str,
    unread: bool,
    repo: Path | None,
    lang: str,
    study_dir: Path | None,
) -> None:
    """Write a session and its handout: goals, time plan, claims, commands, what drifted, room for minutes."""
    from annotator.model.session import Session
    from annotator.reading.handout import handout
    from annotator.reading.wording import Language
    from annotator.store.lock_file import read_lock
    from annotator.store.study_entries import read_sessions, refuse_shipped, write_session
    from annotator.tasks import sessions
    from annotator.tasks.views import pinned_view
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    earlier = read_sessions(folder)
    chosen = sessions.chosen_questions(study, questions)
    anchors = sessions.anchors_of(study, chosen)
    last = next((s for s in reversed(earlier) if s.outcome is not None and s.date <= date), None)
    names = {placed.upstream for placed in anchors}
    locks = {name: lock for name in names if (lock := read_lock(folder, name))}
    with Workspace(cache_folder(), repo, study) as workspace:
        drift = sessions.drift_since(workspace, study, locks, anchors, last, commit)
        drifted = {result.id for result in drift.found}
        if unread:
            known = sessions.read_so_far(earlier) - drifted
            anchors = tuple(placed for placed in anchors if placed.anchor.id not in known)
        plan = sessions.time_plan(anchors, minutes, drifted)
        session = Session(
            schema=1,
            id=sessions.session_id(date, chosen),
            date=date,
            minutes=minutes,
            questions=tuple(question.number for question in chosen),
            at=sessions.revisions_now(workspace, study, anchors, commit),
            plan=plan,
        )
        views = [(placed, pinned_view(workspace, study, placed)) for placed in anchors]
        text = handout(session, chosen, views, drift, cast("Language", lang))
    for path in write_session(folder, session, text):
        click.echo(path)


@command.command(
    "close",
    epilog="""\b
Examples:
  annot session close   the one session that is open
  annot session close 2026-12-05-q06 --read all \\
      --disputed q06-touch-unlinks-idle
  annot session close --ticks ~/ticks.json
      what one reader ticked in `annot read` or on the site""",
)
@click.argument("session_id", required=False, metavar="[SESSION]")
@click.option(
    "--read",
    default="",
    metavar="ID,ID",
    callback=_words,
    help="Anchors that were read, besides those ticked in the handout; or all.",
)
@click.option(
    "--disputed",
    multiple=True,
    metavar="CLAIM[=REASON]",
    help="A claim that the group did not agree with; may be given several times.",
)
@click.option("--present", default="", metavar="NAME,NAME", callback=_words, help="Who was there.")
@click.option(
    "--ticks",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A reader's file of ticks; those of this session's anchors count as read.",
)
@click.option("--date", metavar="DAY", callback=_date, help="Day of closing.  [default: today]")
@study_option
def close(
    session_id: str | None,
    read: tuple[str, ...],
    disputed: tuple[str, ...],
    present: tuple[str, ...],
    ticks: Path | None,
    date: str,
    study_dir: Path | None,
) -> None:
    """Write down what was read and which claims were disputed.

    Ticks, names and minutes in the handout count; options add to them.
    """
    from annotator.reading.handout import read_handout
    from annotator.store.study_entries import (
        append_outcome,
        read_sessions,
        refuse_shipped,
        sessions_folder,
    )
    from annotator.store.ticks_file import read_ticks
    from annotator.tasks.closing import Given, closed_outcome, session_to_close

    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    session = session_to_close(read_sessions(folder), session_id)
    path = sessions_folder(folder) / f"{session.id}.yaml"
    page = path.with_suffix(".md")
    filled = read_handout(page.read_text(encoding="utf-8") if page.is_file() else "")
    ticked = tuple(read_ticks(ticks).read) if ticks else ()
    given = Given(
        read=(*filled.read, *read),
        ticked=ticked,
        disputed=(*((d.claim, d.reason or "") for d in filled.disputed), *map(_dispute, disputed)),
        present=(*filled.present, *present),
        minutes=filled.minutes,
    )
    outcome = closed_outcome(study, session, given, date)
    append_outcome(path, outcome.model_dump(exclude_none=True, exclude_defaults=True))
    click.echo(
        f"{session.id}: {len(outcome.read)} of {len(session.plan)} anchors read,"
        f" {len(outcome.disputed)} claims disputed"
    )


def _dispute(text: str) -> tuple[str, str]:
    claim, _, reason = text.partition("=")
    return claim.strip(), reason.strip()


@command.command("list")
@form_option("table", "json")
@study_option
def list_(format_: str, study_dir: Path | None) -> None:
    """List the sessions, oldest first."""
    from annotator.report.sessions import print_sessions
    from annotator.store.study_entries import read_sessions

    folder, _ = open_study(study_dir)
    found = read_sessions(folder)
    if format_ == "json":
        rows = [session.model_dump(by_alias=True, exclude_none=True) for session in found]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    with result_console(None) as console:
        print_sessions(console, found)


@command.command("progress")
@form_option("table", "json")
@language_option
@study_option
def progress_(format_: str, lang: str, study_dir: Path | None) -> None:
    """Show how far the group is with each question, and which claims are under dispute."""
    from annotator.report.sessions import print_progress
    from annotator.store.study_entries import read_sessions
    from annotator.tasks.sessions import progress

    folder, study = open_study(study_dir)
    rows = progress(study, read_sessions(folder))
    if format_ == "json":
        click.echo(json.dumps([row._asdict() for row in rows], ensure_ascii=False, indent=2))
        return
    with result_console(None) as console:
        print_progress(console, study, rows, lang)
