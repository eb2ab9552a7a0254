"""`annot probe`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.shell_completion import CompletionItem

from annotator.cli.formats import Wanted, format_option, write_results
from annotator.cli.options import (
    cluster_option,
    engine_option,
    language_option,
    open_study,
    output_option,
    probe_python_option,
    progress_bar,
    repo_option,
    result_console,
    write_text,
)
from annotator.model.failures import UserMistake

if TYPE_CHECKING:
    from annotator.model.finding import About, Finding
    from annotator.model.study import Study
    from annotator.tasks.probe import Engine

_DEVICES = {"cpu": "cpu", "gpu": "cuda"}


class _RunByDefault(click.Group):
    """`annot probe NAME` runs probes; `annot probe list` and `annot probe setup` do what they say."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Puts `run` in front of anything that is no subcommand."""
        if not args or args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from annotator.probes.known import probe_names

    return [CompletionItem(name) for name in probe_names() if name.startswith(incomplete)]


@click.command("probe", cls=_RunByDefault)
def command() -> None:
    """Run upstream's code and say whether it behaves as the notes say."""


@command.command(
    "run",
    epilog="""\b
Examples:
  annot probe                     every probe on the newest commit
  annot probe apc-hash --commit v0.32.0
  annot probe --against v0.28.0   what behaves differently since then
  annot probe apc-hash --commit v0.16.0 --commit v0.31.0 --commit v0.33.0
  annot probe --engine none       only what runs without compiled code
  annot probe --format table --format junit=probes.xml
  annot probe --commit v0.31.0 --commit v0.32.0 --jobs 4
  annot probe --commit v0.32.0 --device cpu --device cuda \\
      --cluster tcp://10.0.0.5:8786
  annot probe list                what there is
  annot probe setup               make an environment to run them in

\b
Probes run in a child process without network, under an interpreter that has
upstream's dependencies: one that `annot probe setup` made, --python, or
ANNOT_PROBE_PYTHON (several are joined as in PATH).

\b
On a Dask cluster (extra `cluster`) each run is a task. Workers fetch source
and use environments of their own machine (or those that --python names
there), and runs on a GPU go to workers started with `dask worker
--resources GPU=1`. A worker that dies takes nothing along, and a matrix that
was broken off goes on where it was.

\b
Exit code 1 if a check is refuted, or with --against if a behaviour differs; 3
if a probe failed, or could not be run here (which --allow-skipped lets pass).""",
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=_names)
@click.option(
    "--commit",
    "commits",
    metavar="REF",
    multiple=True,
    help="Commit to run on; several give a table over them, oldest first.  [default: HEAD]",
)
@click.option("--against", metavar="REF", help="Compare with the behaviour at this commit.")
@click.option(
    "--device",
    "devices",
    type=click.Choice(["auto", "cpu", "cuda"]),
    multiple=True,
    default=["auto"],
    help="What a real engine runs on; several compare each with itself.  [default: auto]",
)
@engine_option
@probe_python_option
@click.option("--fresh", is_flag=True, help="Run again what was run before.")
@click.option(
    "--allow-skipped",
    is_flag=True,
    help="Probes that cannot be run on this machine do not count for the exit code.",
)
@click.option(
    "--option",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Setting for the probes, examples=500 say; a number where it looks like one.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    default=1,
    help="Processes that share the runs.  [default: one run after another]",
)
@cluster_option
@format_option("table", "json")
@repo_option
@output_option
@language_option
def run_command(
    names: tuple[str, ...],
    commits: tuple[str, ...],
    against: str | None,
    devices: tuple[str, ...],
    engine: "Engine",
    pythons: tuple[Path, ...],
    fresh: bool,
    allow_skipped: bool,
    settings: tuple[str, ...],
    jobs: int,
    cluster: str,
    formats: tuple[Wanted, ...],
    repo: Path | None,
    output: Path | None,
    lang: Literal["zh", "en"],
) -> int:
    """Run probes: small experiments with upstream's code, compared with reference models.

    Without NAME every probe is run. Each says which of its checks upstream's code confirms or refutes, and
    what it observed; observations are compared from commit to commit even where no check speaks of them.
    """
    from annotator.probes.environments import find_environments
    from annotator.probes.results import Results
    from annotator.probes.runner import Runner
    from annotator.report.probes import print_probes, probe_json
    from annotator.tasks.crew import Crew
    from annotator.tasks.probe import probe
    from annotator.tasks.probe_crew import ProbeCrew
    from annotator.tasks.workspace import Workspace
    from annotator.upstream.folders import cache_folder

    if engine in _DEVICES:
        if unfit := set(devices) - {"auto", _DEVICES[engine]}:
            raise click.UsageError(f"--engine {engine} does not go with --device {unfit.pop()}")
        devices = (_DEVICES[engine],)
    cache = cache_folder()
    results = None if fresh else Results(cache)
    options = dict(_setting(text) for text in settings)
    # A cluster's workers look for environments themselves; what is here may be none, and no matter.
    runner = Runner([] if cluster else find_environments(cache, pythons), results, options=options)
    refs = [*([against] if against else []), *(commits or ["HEAD"])]
    crew = Crew(jobs, cluster)
    study = _study_around()[0] if repo or cluster else None
    with Workspace(cache, repo, study) as workspace, progress_bar("probing") as progress:
        upstreams = study.upstreams if study else {}
        sharing = ProbeCrew(
            crew,
            results,
            upstreams=upstreams,
            repo_of=workspace.repo_of,
            pythons=pythons,
            options=options,
        )
        report = probe(
            workspace,
            runner,
            names,
            refs,
            devices=list(dict.fromkeys(devices)),
            engine=engine,
            gate=against is not None,
            allow_skipped=allow_skipped,
            run_all=sharing if crew.is_shared else None,
            progress=progress,
        )

    def write_table(file: Path | None) -> None:
        with result_console(file) as console:
            print_probes(console, report, language=lang)

    def write_json(file: Path | None) -> None:
        write_text(probe_json(report), file)

    def as_findings() -> "tuple[list[Finding], About]":
        from annotator.tasks.findings import about_probe, probe_findings

        return probe_findings(report, *_study_around()), about_probe(report, lang)

    write_results(formats, output, {"table": write_table, "json": write_json}, as_findings)
    return report.exit_code


@command.command("list")
@language_option
def list_command(lang: str) -> None:
    """List the probes and what they check."""
    from annotator.probes.known import load_probe, probe_names
    from annotator.report.probes import print_probe_list

    with result_console(None) as console:
        print_probe_list(console, [load_probe(name) for name in probe_names()], language=lang)


@command.command(
    "setup",
    epilog="""\b
Examples:
  annot probe setup            pure Python probes, any release, on the CPU
  annot probe setup --engine   a real engine on the CPU
  annot probe setup --engine --cuda   a real engine on a GPU

\b
Packages come from where pip is configured to look (PIP_INDEX_URL,
PIP_EXTRA_INDEX_URL, PIP_FIND_LINKS), with pinned versions and hashes. Needs
some gigabytes of disk.""",
)
@click.option("--cpu/--cuda", "cpu", default=True, help="For the CPU (default) or for a GPU.")
@click.option("--engine", is_flag=True, help="With compiled upstream packages, for a real engine.")
@click.option(
    "--with-python",
    "base",
    type=click.Path(path_type=Path),
    help="Interpreter to make the environment with.  [default: annot's own]",
)
@click.option(
    "--check", "only_check", is_flag=True, help="Only say what there is and what is missing."
)
def setup_command(cpu: bool, engine: bool, base: Path | None, only_check: bool) -> int:
    """Make an environment for probes, or say what is missing in it.

    An environment that is there is brought to the pinned versions. Exit code 3 if it cannot be had complete.
    """
    from annotator.probes.setup import kind_of, missing_in, set_up
    from annotator.upstream.folders import cache_folder

    kind = kind_of(cpu=cpu, engine=engine)
    cache = cache_folder()
    if not only_check:
        set_up(cache, kind, base=base, tell=lambda line: click.echo(line, err=True))
    missing = missing_in(cache, kind)
    for line in missing:
        click.echo(line)
    if not missing:
        click.echo(f"the {kind} environment is complete")
    return 3 if missing else 0


def _study_around() -> "tuple[Study, Path] | tuple[None, None]":
    """The study whose claims name the probes, if there is one that can be read: findings then have a place."""
    try:
        folder, study = open_study(None)
    except UserMistake:
        return None, None
    return study, folder


def _setting(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise click.BadParameter(f"{text!r} is no KEY=VALUE", param_hint="--option")
    return key, int(value) if value.lstrip("-").isdigit() else value
