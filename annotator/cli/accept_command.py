"""`annot accept`."""

from pathlib import Path

import click

from annotator.cli.options import (
    anchors_and_questions,
    open_study,
    repo_option,
    study_option,
    upstreams_option,
)
from annotator.cli.reviewing import by_option, queue_of, reviewer, today


@click.command(
    "accept",
    epilog="""\b
Examples:
  annot accept q06-touch --commit v0.33.0 \\
      --reason "null blocks leave earlier; the note holds"
  annot accept q06-touch v4-free-blocks --reason "the same edit, seen twice"
  annot accept --all-moved --commit v0.33.0
      every place that only moved, where annot is sure
  annot accept q20-pin --target a.py::start --quote "x = 1" \\
      --reason "the statement went there"
  annot accept q05-batch --edited \\
      --reason "the note names the new default now"

\b
Decisions are files of their own, anchors/reviews/UPSTREAM/ANCHOR.yaml: who,
when, from, to and why. They belong into git. From then on an anchor is
compared with what was accepted; `annot pin` ends that.

\b
Exit codes: 0 recorded, 2 a mistake (nothing drifted, no successor named), 3
an anchor could not be checked.""",
)
@click.argument("ids", nargs=-1, metavar="[ANCHOR]...", shell_complete=anchors_and_questions)
@click.option("--reason", metavar="TEXT", help="Why the note still stands, or what was done to it.")
@click.option(
    "--commit",
    default="HEAD",
    show_default=True,
    metavar="REF",
    help="The commit at which you looked at it.",
)
@click.option("--all-moved", is_flag=True, help="Every anchor whose place only moved, for sure.")
@click.option("--edited", is_flag=True, help="The note was brought up to date; record it as that.")
@click.option("--target", metavar="TARGET", help="Where the place is now, such as path::Qual.name.")
@click.option("--quote", metavar="TEXT", help="How the quoted statement reads now.")
@by_option
@click.option("--dry-run", is_flag=True, help="Print what would be recorded; write nothing.")
@upstreams_option
@repo_option
@study_option
def command(
    ids: tuple[str, ...],
    reason: str | None,
    commit: str,
    all_moved: bool,
    edited: bool,
    target: str | None,
    quote: str | None,
    by: str | None,
    dry_run: bool,
    upstreams: tuple[str, ...],
    repo: Path | None,
    study_dir: Path | None,
) -> int:
    """Record that a note still stands although its place drifted.

    A place that is gone or ambiguous needs --target, a quoted statement that is gone --quote.
    """
    from annotator.model.failures import UserMistake
    from annotator.store.review_files import with_decision
    from annotator.store.study_entries import refuse_shipped
    from annotator.store.whole_change import apply_together
    from annotator.tasks.review.accepting import (
        MOVED_REASONS,
        Verdict,
        acceptance,
        is_sure_move,
    )
    from annotator.tasks.review.queue import Pending, short_ref
    from annotator.tasks.selection import select
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    if bool(ids) == all_moved:
        raise click.UsageError("name anchors, or give --all-moved")
    if ids and not (reason and reason.strip()):
        raise click.UsageError("say why the note still stands with --reason")
    if (target or quote) and len(ids) != 1:
        raise click.UsageError("--target and --quote are about one anchor")
    folder, study = open_study(study_dir)
    refuse_shipped(folder)
    named = {id_: select(study, id_)[0] for id_ in ids}
    for id_, placed in named.items():
        if placed.anchor.id != id_:
            raise UserMistake(f"{id_} is not an anchor", hint="`annot list` shows their ids")
        if upstreams and placed.upstream not in upstreams:
            raise UserMistake(f"{id_} points into {placed.upstream}, not {' or '.join(upstreams)}")
    chosen = upstreams or tuple(dict.fromkeys(placed.upstream for placed in named.values()))
    verdict = Verdict(
        reason=reason or MOVED_REASONS["en"],
        by=reviewer(folder, by),
        date=today(),
        decision="edited" if edited else None,
        target=target,
        quote=quote,
    )
    with Workspace(cache_folder(), repo, study) as workspace:
        queue = queue_of(workspace, folder, study, chosen, commit, only=ids)
        if all_moved:
            wanted = [pending for pending in queue.pending if is_sure_move(pending)]
        else:
            wanted = [Pending(named[id_], queue.results[id_]) for id_ in named]
        changes = []
        for pending in wanted:
            id_ = pending.placed.anchor.id
            accepted = acceptance(workspace, study, pending, commit, verdict)
            changes.append(with_decision(folder, pending.placed.upstream, id_, accepted))
            place = accepted.target or pending.placed.anchor.target
            ends = f"{short_ref(accepted.from_ref or '')} → {short_ref(accepted.ref)}"
            click.echo(f"{id_}: {accepted.decision}, {ends}: {place}")
    if not dry_run:
        apply_together(folder, changes)
    left = len(queue.pending) - len(wanted)
    done = "would be accepted" if dry_run else "accepted"
    rest = f"; {left} more to review: annot review --commit {commit}" if left and all_moved else ""
    click.echo(f"{len(wanted)} {done}{rest}")
    return 3 if queue.unchecked else 0
