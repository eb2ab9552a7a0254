"""`annot read`."""

import datetime
import os
import sys
from pathlib import Path
from typing import cast

import click

from annotator.cli.options import (
    anchors_and_questions,
    language_option,
    open_study,
    study_option,
)


@click.command(
    "read",
    epilog="""\b
Examples:
  annot read   goes on with the first anchor that is not ticked
  annot read 6 --lang zh
  annot read q06-touch --commit v0.33.0 --repo ~/src/vllm
  annot read --export-ticks ticks.json
      what you have read, for the site or `annot session close`

\b
Keys: n p next and previous anchor, [ ] question, / find (names, notes, code,
7, :120), d difference, c commit to compare with, e editor, t read, l
language, r route, q quit. It needs no more than 80×24, also over SSH.""",
)
@click.argument("what", required=False, metavar="[QUESTION]", shell_complete=anchors_and_questions)
@click.option(
    "--commit",
    default="HEAD",
    show_default=True,
    metavar="REF",
    help="Newer commit for differences.",
)
@click.option(
    "--repo",
    type=click.Path(exists=True, path_type=Path),
    envvar="ANNOT_REPO",
    help="Read this clone, and open the editor there.  [default: ANNOT_REPO, else the synced source]",
)
@click.option("--editor", metavar="COMMAND", help="Editor to use.  [default: $VISUAL, $EDITOR]")
@click.option("--no-color", is_flag=True, help="No colours; the variable NO_COLOR does the same.")
@click.option(
    "--export-ticks",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write what you have ticked to a file, and end.",
)
@click.option(
    "--import-ticks",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Add the ticks of a file (from the site, from another machine) to yours.",
)
@language_option
@study_option
def command(
    what: str | None,
    commit: str,
    repo: Path | None,
    editor: str | None,
    no_color: bool,
    export_ticks: Path | None,
    import_ticks: Path | None,
    lang: str,
    study_dir: Path | None,
) -> None:
    """Read the route in the terminal: the code with its anchor marked, the notes beside it."""
    from annotator.model.failures import Incomplete, UserMistake
    from annotator.model.session import Ticks
    from annotator.store.ticks_file import own_ticks_path, read_ticks, write_ticks
    from annotator.tasks.selection import select

    folder, study = open_study(study_dir)
    own = own_ticks_path(folder)
    ticks = read_ticks(own)
    if import_ticks is not None:
        ticks = Ticks(read=read_ticks(import_ticks).read | ticks.read)
        write_ticks(own, ticks)
    if export_ticks is not None:
        write_ticks(export_ticks, ticks)
        return
    if no_color:
        os.environ["NO_COLOR"] = "1"
    try:
        from annotator.reading.reader.app import Reader, Ticking
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "textual":
            raise
        raise Incomplete(
            "the terminal reader needs the package textual, which is not installed",
            hint="pip install 'annot[read]' (or: pip install textual)",
        ) from error
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise UserMistake("the reader needs a terminal", hint="`annot show` prints the same")
    from annotator.reading.reader.loader import Loader
    from annotator.reading.wording import Language
    from annotator.upstream.folders import cache_folder

    anchors = study.anchors
    if what is not None:
        start = anchors.index(select(study, what)[0])
    else:
        unread = (at for at, one in enumerate(anchors) if one.anchor.id not in ticks.read)
        start = next(unread, 0)
    read = dict(ticks.read)

    def toggle(anchor: str) -> None:
        if read.pop(anchor, None) is None:
            read[anchor] = datetime.date.today().isoformat()
        write_ticks(own, Ticks(read=read))

    loader = Loader(study, cache_folder(), repo)
    try:
        Reader(
            study,
            anchors,
            start,
            loader,
            Ticking(read.__contains__, toggle),
            language=cast("Language", lang),
            ref=commit,
            editor=editor,
        ).run()
    finally:
        loader.close()
