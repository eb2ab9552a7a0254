"""`annot map`."""

from pathlib import Path

import click
import msgspec

from annotator.cli.options import (
    cluster_option,
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
  annot map -o drift-map.svg   a picture: anchors × releases
  annot map --format json      the same for programs
  annot map --upstream vllm --since 0.25.0
  annot map --repo ~/src/vllm --upstream vllm --commits v0.27.0..HEAD \\
      -o map.json
  annot map --repo ~/src/vllm --upstream vllm --commits HEAD~1000.. --jobs 8
  annot map --commits HEAD~20000.. --cluster tcp://10.0.0.5:8786
      on a Dask cluster

\b
Releases are those of the source at hand; `annot sync --releases
0.16.0..0.33.0` gets more. Only new releases, commits and anchors cost time,
and a map that was broken off goes on where it was.

\b
A map of commits follows upstream's main line (first parents). Its JSON names,
for each anchor, the commits from which its answer is another one; its picture
shows those commits at which an outcome turned.

\b
Exit codes: 0 done; 2 a mistake in the arguments or anchor files; 3 source or
workers are missing.""",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "svg"]),
    help="What to write.  [default: by the name of the output, else json]",
)
@click.option("--since", metavar="VERSION", help="Leave out releases before this version.")
@click.option(
    "--commits",
    "commit_range",
    metavar="A..B",
    help="Commits behind A up to B instead of releases.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Processes that share the work.  [default: one a processor]",
)
@cluster_option
@upstreams_option
@repo_option
@output_option
@study_option
def command(
    format_: str | None,
    since: str | None,
    commit_range: str | None,
    jobs: int | None,
    cluster: str,
    upstreams: tuple[str, ...],
    repo: Path | None,
    output: Path | None,
    study_dir: Path | None,
) -> None:
    """Show every anchor at every release, or commit: what was the same, what had changed, since when.

    Each anchor is compared with the pin (or its stand-in) at every final release in the source at hand, or at
    every commit of a range.
    """
    from annotator.model.commit_map import CommitMap
    from annotator.store.lock_file import read_lock
    from annotator.tasks.crew import Crew, default_jobs
    from annotator.tasks.drift_map import DriftMap, drift_map
    from annotator.tasks.sweep import drift_map_of, parse_range, sweep
    from annotator.tasks.workspace import Workspace, chosen_upstreams
    from annotator.upstream.folders import cache_folder

    folder, study = open_study(study_dir)
    chosen = chosen_upstreams(study, upstreams)
    locks = {name: lock for name in chosen if (lock := read_lock(folder, name))}
    crew = Crew(jobs or default_jobs(), cluster)
    picture = (format_ or ("svg" if output and output.suffix == ".svg" else "json")) == "svg"
    result: DriftMap | CommitMap
    with Workspace(cache_folder(), repo, study) as workspace, progress_bar("mapping") as progress:
        if commit_range is None:
            result = drift_map(
                workspace,
                study,
                chosen,
                locks,
                since=since,
                crew=crew,
                repo=repo,
                progress=progress,
            )
        else:
            result = sweep(
                workspace,
                study,
                chosen,
                locks,
                parse_range(commit_range),
                repo=repo,
                crew=crew,
                progress=progress,
            )
    if picture:
        from annotator.site_pages.drift_map_svg import standalone_svg

        shown = result if isinstance(result, DriftMap) else drift_map_of(result)
        write_text(standalone_svg(shown), output)
    else:
        write_text(msgspec.json.format(msgspec.json.encode(result), indent=1).decode(), output)
