"""Plants mistakes in upstream's code and shows that the probes notice each of them, by the name of a check.

    python -m bench.probe_mutations [--python INTERPRETER ...] [--probe NAME ...] [--list] [ID ...]

The mistakes are plain data, one file a probe, in bench/probe_mutations/cases. Upstream's releases come from the synced
source (`annot sync`), interpreters are found as `annot probe` finds them (`annot probe setup`, ANNOT_PROBE_PYTHON).
Each is run without the mistake first: a check that is refuted anyway catches nothing. What has no interpreter or no
source is skipped, and said.

Exit code 1 if a mistake goes unnoticed or no longer fits the text it is planted in, 3 if some were skipped.
"""

import argparse
import sys
import time
from collections import Counter
from itertools import groupby
from pathlib import Path

from annotator.model.failures import UserMistake
from annotator.probes.environments import find_environments
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder
from bench.probe_mutations.cases import Mutation, mutations
from bench.probe_mutations.planting import Found, Nursery, Outcome


def main() -> int:
    """Plants every chosen mistake and prints who noticed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.probe_mutations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--python", action="append", default=[], type=Path, metavar="INTERPRETER")
    parser.add_argument("--repo", type=Path, help="read this clone instead of synced source")
    parser.add_argument("--probe", action="append", metavar="NAME", help="only mistakes for it")
    parser.add_argument("--release", help="plant in this release instead of the one on file")
    parser.add_argument("--examples", type=int, help="generated sequences of each kind")
    parser.add_argument("--list", action="store_true", help="list the mistakes, plant none")
    parser.add_argument("ids", nargs="*", metavar="ID")
    options = parser.parse_args()
    chosen = _chosen(options.probe, options.ids, options.release)
    if options.list:
        for each in chosen:
            print(f"{each.probe:18}{each.release:10}{each.id:32}{each.what}")
        return 0
    started, cache = time.monotonic(), cache_folder()
    environments = find_environments(cache, options.python)
    found: list[Found] = []
    with Workspace(cache, options.repo) as workspace:
        nursery = Nursery(workspace, environments, options.examples)
        for _, together in groupby(chosen, lambda each: (each.probe, each.release)):
            for one in nursery.plant(list(together)):
                found.append(one)
                _show(one)
    return _sum_up(found, time.monotonic() - started)


def _chosen(probes: list[str] | None, ids: list[str], release: str | None) -> list[Mutation]:
    chosen = [
        each._replace(release=release or each.release)
        for each in mutations()
        if each.probe in (probes or [each.probe]) and each.id in (ids or [each.id])
    ]
    if not chosen:
        raise UserMistake("no mistake on file is of that probe and name", hint="see --list")
    return sorted(chosen, key=lambda each: (each.probe, each.release))


def _show(one: Found) -> None:
    mutation, more = one.mutation, f"; also {', '.join(one.others)}" if one.others else ""
    print(
        f"{one.outcome}: {mutation.probe} {mutation.id} ({mutation.what}; {mutation.release},"
        f" {one.seconds:.0f} s)\n    {one.said}{more}",
        flush=True,
    )


def _sum_up(found: list[Found], seconds: float) -> int:
    for probe, ours in groupby(found, lambda one: one.mutation.probe):
        counted = Counter(str(one.outcome) for one in ours)
        print(f"{probe}: {', '.join(f'{n} {word}' for word, n in sorted(counted.items()))}")
    outcomes = Counter(one.outcome for one in found)
    print(f"{outcomes[Outcome.CAUGHT]} of {len(found)} mistakes caught by name in {seconds:.0f} s")
    for one in found:
        if one.outcome is not Outcome.CAUGHT:
            print(f"    {one.outcome}: {one.mutation.probe} {one.mutation.id}")
    if outcomes.keys() - {Outcome.CAUGHT, Outcome.SKIPPED}:
        return 1
    return 3 if outcomes[Outcome.SKIPPED] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserMistake as error:
        sys.exit(f"{error} ({error.hint})")
