"""Times `annot check` next to what it cannot do without, in one run.

    python bench/speed.py [--upstream vllm] [--commit v0.33.0] [--runs 5]

Whole processes, in turn, median of several runs; ratios hold between machines, seconds do not.

warm floor   starting Python with rich, GitPython and a YAML library, then one `git ls-tree -r`
cold floor   reading the blobs of all anchored files at both commits, and parsing them with bare tree-sitter
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from annotator.probes.known import probe_names
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.upstream.folders import cache_folder
from annotator.upstream.sources import open_sources

PARSE = """
import subprocess, sys, tree_sitter, tree_sitter_python, tree_sitter_cuda, tree_sitter_rust, tree_sitter_markdown
grammars = {"py": tree_sitter_python, "cu": tree_sitter_cuda, "cpp": tree_sitter_cuda, "h": tree_sitter_cuda,
    "cuh": tree_sitter_cuda, "rs": tree_sitter_rust, "md": tree_sitter_markdown}
parsers = {s: tree_sitter.Parser(tree_sitter.Language(m.language())) for s, m in grammars.items()}
repo, *places = sys.argv[1:]
blobs = [place.partition(":") for place in places]
cat = subprocess.Popen(["git", "--git-dir", repo, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for blob, _, suffix in blobs:
    cat.stdin.write(f"{blob}\\n".encode()); cat.stdin.flush()
    size = int(cat.stdout.readline().split()[2])
    data = cat.stdout.read(size + 1)[:-1]
    if suffix in parsers:
        parsers[suffix].parse(data)
"""


def timed(run: Callable[[], None], runs: int) -> float:
    """Median seconds of a call, after one that does not count."""
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def call(command: list[str], **environment: str) -> Callable[[], None]:
    """Runs a command; a check's exit code 1 means drift and is fine."""
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        done = subprocess.run(
            command, env={**inherited, **environment}, capture_output=True, check=False
        )
        if done.returncode > 1:
            sys.exit(f"{' '.join(command[:6])} failed: {done.stderr.decode()}")

    return run


def main() -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--upstream", default="vllm")
    parser.add_argument("--commit", default="v0.33.0")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    study = load_study(find_study(Path(__file__).parent.parent).path, probe_names())
    paths = sorted({placed.anchor.place.path for placed in study.of_upstream(options.upstream)})
    pin = study.upstreams[options.upstream].pin
    with open_sources(options.upstream) as sources:
        repository, target = sources.find(options.commit)
        base = sources.find(pin.stand_in or pin.release or "HEAD")[1]
        old, new = repository.tree(base).files, repository.tree(target).files
        git_dir = str(repository.git_dir)
    blobs = {tree[path]: path for tree in (old, new) for path in paths if path in tree}
    places = [f"{blob}:{path.rpartition('.')[2]}" for blob, path in blobs.items()]
    check = [sys.executable, "-m", "annotator", "check", "--upstream", options.upstream]
    check += ["--commit", options.commit]

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sources").symlink_to(cache_folder() / "sources")

        def cold() -> None:
            for file in Path(folder).glob("*.sqlite*"):
                file.unlink()
            shutil.rmtree(Path(folder) / "outlines", ignore_errors=True)
            call(check, ANNOT_CACHE_DIR=folder)()

        python = [sys.executable, "-c"]
        listing = ["git", "--git-dir", git_dir, "ls-tree", "-r", target]
        start_up, list_tree = call([*python, "import rich, git, yaml"]), call(listing)

        def start() -> None:
            start_up()
            list_tree()

        figures = {
            "warm floor": timed(start, options.runs),
            "warm check": timed(call(check, ANNOT_CACHE_DIR=folder), options.runs),
            "cold floor": timed(call([*python, PARSE, git_dir, *places]), options.runs),
            "cold check": timed(cold, options.runs),
        }
    table = Table(box=None, padding=(0, 3, 0, 0))
    for name in ("", "seconds", "ratio to its floor"):
        table.add_column(name, justify="left" if not name else "right")
    for name, seconds in figures.items():
        floor = figures[f"{name.partition(' ')[0]} floor"]
        table.add_row(name, f"{seconds:.2f}", f"{seconds / floor:.2f}")
    Console().print(table)
    anchors = sum(1 for _ in study.of_upstream(options.upstream))
    print(f"{anchors} anchors in {len(paths)} files, {len(blobs)} blobs, {options.runs} runs")


if __name__ == "__main__":
    main()
