"""`annot map`."""

from pathlib import Path

import click
import msgspec

from annotator.cli.options import (
    open_study,
    output_option,
    progress_bar,
    repo_option,
    study_option,
    upstreams_option,
    write_text,
)


@click.command(
    "map",
    epilog="""\b
Examples:
  annot map -o drift-map.svg              a picture: anchors × releases
  annot map --format json                 the same for programs
  annot map --upstream vllm --since 0.25.0
\b
Releases are those of the source at hand; `annot sync --releases 0.16.0..0.33.0` gets more. Only new
releases and new anchors cost time.""",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "svg"]),
    help="What to write.  [default: by the name of the output, else json]",
)
@click.option("--since", metavar="VERSION", help="Leave out releases before this version.")
@upstreams_option
@repo_option
@output_option
@study_option
def command(
    format_: str | None,
    since: str | None,
    upstreams: tuple[str, ...],
    repo: Path | None,
    output: Path | None,
    study_dir: Path | None,
) -> None:
    """Show every anchor at every release: what was the same, what had changed, since when.

    Each anchor is compared with the pin (or its stand-in) at every final release in the source at hand.
    """
    from annotator.store.lock_file import read_lock
    from annotator.tasks.drift_map import drift_map
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    chosen = chosen_upstreams(study, upstreams)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    with Workspace(cache_folder(), repo) as workspace, progress_bar("mapping") as progress:
        result = drift_map(workspace, study, chosen, locks, since=since, progress=progress)
    if (format_ or ("svg" if output and output.suffix == ".svg" else "json")) == "svg":
        from annotator.site_pages.drift_map_svg import standalone_svg

        write_text(standalone_svg(result), output)
    else:
        write_text(msgspec.json.format(msgspec.json.encode(result), indent=1).decode(), output)
