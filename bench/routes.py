"""Does an answer depend on the way? Places between all pairs of releases, in one leap and in hops.

    python -m bench.routes [--upstream vllm] [--releases v0.16.0,v0.20.0,…] [--sample 200]

The places are the anchors; with --sample, as many functions, methods and classes drawn at random from each
older release, which vanish and move far more often.

One leap compares the two releases directly. Hops go from release to release and carry the place along. Both are
asked for the place alone (does it exist, and where); `annot check` itself combines them and takes the surer.
"""

import argparse
import random
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from annotator.model.resolution import Resolution
from annotator.model.target import Target
from annotator.model.words import Outcome, SymbolKind, Watch
from annotator.probes.known import probe_names
from annotator.resolve.finder import Finder
from annotator.resolve.resolver import Resolver
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.tasks.workspace import Revision, Workspace
from annotator.upstream.folders import cache_folder


def leap(workspace: Workspace, old: Revision, new: Revision) -> Resolver:
    """The search in one leap, without the commits in between."""
    base = workspace.snapshot(old.repository, old.commit)
    target = workspace.snapshot(new.repository, new.commit)
    return Resolver(Finder(base, target, workspace.ladder(base, target)))


def place_of(resolution: Resolution) -> str:
    """The place found, or the outcome where there is none."""
    if resolution.new is None or resolution.outcome is Outcome.AMBIGUOUS:
        return resolution.outcome.value
    return f"{resolution.new.path}::{resolution.new.symbol}"


def hop(workspace: Workspace, releases: list[Revision], target: Target) -> str:
    """Where a place ends up when it is carried from release to release."""
    here = target
    place = ""
    for old, new in pairwise(releases):
        found = leap(workspace, old, new).resolve(here, Watch.EXISTENCE)
        place = place_of(found)
        if found.new is None or found.outcome is Outcome.AMBIGUOUS:
            return place
        here = Target(found.new.path, found.new.symbol, heading=target.heading)
    return place


def main() -> None:
    """Compares both ways over all pairs, and what `annot` itself says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--upstream", default="vllm")
    parser.add_argument(
        "--releases", default="v0.16.0,v0.20.0,v0.25.0,v0.28.0,v0.31.0,v0.32.0,v0.33.0"
    )
    parser.add_argument("--sample", type=int, default=0)
    options = parser.parse_args()
    study = load_study(find_study(Path(__file__).parent.parent).path, probe_names())
    anchors = [
        item.anchor.place
        for item in study.of_upstream(options.upstream)
        if item.anchor.place.symbol
    ]
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("from", "to", "places", "ways agree", "annot differs from both"):
        table.add_column(name, justify="right")
    total: Counter[str] = Counter()
    console = Console()
    with Workspace(cache_folder()) as workspace:
        names = options.releases.split(",")
        revisions = [workspace.revision(options.upstream, name) for name in names]
        for first, last in combinations(range(len(revisions)), 2):
            way = revisions[first : last + 1]
            places = sample(workspace, way[0], options.sample) if options.sample else anchors
            counts = compare(workspace, way, places, console)
            total.update(counts)
            agree = f"{counts['agree']} of {counts['asked']}"
            table.add_row(
                names[first], names[last], str(counts["asked"]), agree, str(counts["odd"])
            )
    console.print(table)
    console.print(f"all: {total['agree'] / total['asked']:.2%} of {total['asked']} agree")


def sample(workspace: Workspace, revision: Revision, count: int) -> list[Target]:
    """Functions, methods and classes drawn at random, always the same ones."""
    snapshot = workspace.snapshot(revision.repository, revision.commit)
    paths = [path for path in snapshot.files if path.endswith(".py") and "/" in path]
    draw = random.Random(0)  # noqa: S311 - for choosing, not for keeping secrets
    chosen = draw.sample(sorted(paths), min(2 * count, len(paths)))
    snapshot.outline_all(chosen)
    places = []
    for path in chosen:
        kinds = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}
        symbols = [s for s in snapshot.outline(path).symbols if s.kind in kinds]
        if symbols:
            places.append(Target(path, draw.choice(symbols).name))
    return places[:count]


def compare(
    workspace: Workspace, way: list[Revision], places: list[Target], console: Console
) -> Counter[str]:
    """Asks for every place that exists at the beginning of the way."""
    counts: Counter[str] = Counter()
    directly, combined = leap(workspace, way[0], way[-1]), workspace.resolver(way[0], way[-1])
    for target in places:
        direct = directly.resolve(target, Watch.EXISTENCE)
        if direct.outcome is Outcome.ERROR:
            continue  # the place is not called that in this release
        counts["asked"] += 1
        found = place_of(direct), hop(workspace, way, target)
        if found[0] == found[1]:
            counts["agree"] += 1
            continue
        chosen = combined.resolve(target, Watch.EXISTENCE)
        counts["odd"] += place_of(chosen) not in found
        console.print(
            f"{way[0].ref}…{way[-1].ref} {target}: leap {found[0]} ({direct.confidence}),"
            f" hops {found[1]}, annot {place_of(chosen)} ({chosen.confidence})",
            soft_wrap=True,
        )
    return counts


if __name__ == "__main__":
    main()
