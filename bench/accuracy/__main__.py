"""Scores `annot where` on rows of known truth, next to what else can be asked.

    python -m bench.accuracy ROWS.jsonl [--repo CLONE] [--upstream vllm] [--misses] [--quick]

Each row says where a symbol is at `from_ref` and where it went at `to_ref` (null: deleted). Rows whose refs are not
at hand, neither in the synced releases nor in the clone, are left out and counted. Rows of medium confidence
count half.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from rich.console import Console

from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from bench.accuracy.answers import Answer, ask_annot
from bench.accuracy.baselines import Baseline, Pair
from bench.accuracy.baselines.line_log import LineLog
from bench.accuracy.baselines.same_name import RenamedFiles, path_and_name
from bench.accuracy.rows import Row, read_rows
from bench.accuracy.scoring import Scored, calibration, score
from bench.accuracy.tables import (
    print_calibration,
    print_groups,
    print_misses,
    print_places_by_kind,
    print_tools,
)
from bench.git import attributes_setting


def main() -> None:
    """Reads the rows, asks every tool, prints the scores."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.accuracy", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("rows", type=Path, help="rows of known truth, one JSON object a line")
    parser.add_argument("--repo", type=Path, help="clone with the commits that no release has")
    parser.add_argument("--upstream", default="vllm", help="which synced upstream to read")
    parser.add_argument("--misses", action="store_true", help="show each answer that is not right")
    parser.add_argument(
        "--quick", action="store_true", help="leave out griffe, which takes minutes"
    )
    arguments = parser.parse_args()
    rows = read_rows(arguments.rows)
    answers = ask_annot(rows, arguments.upstream, arguments.repo)
    known = [score(row, it) for row, it in zip(rows, answers, strict=True) if it is not None]
    if not known:
        sys.exit(f"none of {len(rows)} rows could be asked: their refs are not at hand")
    asked = [item.row for item in known]
    with tempfile.TemporaryDirectory() as folder:
        baselines = _baselines(Path(folder), quick=arguments.quick)
        with Workspace(cache_folder(), arguments.repo) as workspace:
            rivals = dict(_ask(baselines, asked, workspace, arguments.upstream))
    tools = {"annot": known, **rivals}
    console = Console(width=150)
    if arguments.misses:
        print_misses(console, known)
    print_groups(console, "annot by kind", known, lambda item: item.row.primary_kind)
    print_groups(console, "annot by language", known, lambda item: item.row.lang)
    print_calibration(console, calibration(known))
    print_places_by_kind(console, tools)
    print_tools(console, tools, "annot")
    left_out = len(rows) - len(known)
    console.print(f"{len(known)} rows asked, {left_out} left out since their refs are not at hand")


def _baselines(folder: Path, *, quick: bool) -> Mapping[str, Baseline]:
    baselines: dict[str, Baseline] = {
        "same path and name": path_and_name,
        "git diff -M, same name": RenamedFiles(),
        "git log -L": LineLog(attributes_setting(folder)),
    }
    if not quick:
        try:
            from bench.accuracy.baselines.griffe_check import GriffeCheck  # noqa: PLC0415 - optional
        except ModuleNotFoundError:
            sys.exit("griffe is not installed: install it, or leave it out with --quick")
        baselines["griffe check"] = GriffeCheck(folder / "trees")
    return baselines


def _ask(
    baselines: Mapping[str, Baseline], rows: Sequence[Row], workspace: Workspace, upstream: str
) -> Iterator[tuple[str, list[Scored]]]:
    """Puts rows to the baselines, pair of refs by pair of refs."""
    answers: dict[str, list[Scored]] = {name: [] for name in baselines}
    for refs, group in groupby(sorted(rows, key=_refs), key=_refs):
        old, new = (workspace.revision(upstream, ref) for ref in refs)
        pair = Pair(
            workspace.snapshot(old.repository, old.commit),
            workspace.snapshot(new.repository, new.commit),
        )
        for row in group:
            for name, baseline in baselines.items():
                answer: Answer | None = baseline(row, pair)
                if answer is not None:
                    answers[name].append(score(row, answer))
        workspace.forget()
    yield from answers.items()


def _refs(row: Row) -> tuple[str, str]:
    return row.from_ref, row.to_ref


if __name__ == "__main__":
    main()
