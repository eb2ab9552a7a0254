"""Times annot next to what it cannot do without and to its peers, in one run; and how its cost grows.

    python -m bench.speed [--clone CLONE] [--runs 3] [--json FILE]
    python -m bench.speed --only outlines [--only check …]
    python -m bench.speed --growth [--clone CLONE]

Figures are medians of whole processes. Ratios are of processor time and hold between machines, seconds do not.
CLONE is a clone of the upstream with history, for traces and sweeps. `--growth` writes bench/growth.json and
site/assets/growth.svg, which the site shows, instead.
"""

import argparse
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.speed.growth import write_growth
from bench.speed.measuring import as_json
from bench.speed.rows import NEED_CLONE, PARTS, Measured, Setting, measured


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--upstream", default="vllm")
    parser.add_argument("--commit", default="v0.33.0")
    parser.add_argument("--before", default="v0.32.0", help="the release before it")
    parser.add_argument("--clone", type=Path, help="git folder of a clone with history")
    parser.add_argument("--end", default="HEAD", help="newest commit of the clone")
    parser.add_argument("--commits", type=int, default=3000, help="commits of a trace")
    parser.add_argument("--swept", type=int, default=1000, help="commits of a sweep")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--only", action="append", choices=PARTS, help="only this part of the table; may come again"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--growth", action="store_true", help="how cost grows, instead")
    options = parser.parse_args()
    if options.clone is None and (needing := NEED_CLONE.intersection(options.only or ())):
        parser.error(f"--only {min(needing)} needs --clone")
    setting = Setting(
        options.upstream,
        options.commit,
        options.before,
        options.clone,
        options.end,
        options.commits,
        options.swept,
        options.runs,
    )
    if options.growth:
        write_growth(setting)
        return
    rows: list[Measured] = []
    for row in measured(setting, options.only or PARTS):
        rows.append(row)
        Console(stderr=True).print(f"[dim]{row.work}: {row.cost.cpu:.2f} s")
    print_table(rows)
    if options.json:
        figures = [
            {"work": row.work, "ratio": ratio(rows, at), "target": row.target, **as_json(row.cost)}
            for at, row in enumerate(rows)
        ]
        options.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def ratio(rows: list[Measured], at: int) -> float | None:
    """How much more processor time a row takes than the row so many above it that it names."""
    above = rows[at].above
    return round(rows[at].cost.cpu / rows[at - above].cost.cpu, 2) if above else None


def print_table(rows: list[Measured]) -> None:
    """Prints the table; a floor is set off from the rows above it."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "CPU s", "wall s", "MB", "ratio", "target"):
        table.add_column(name, justify="left" if name in {"", "target"} else "right")
    for at, row in enumerate(rows):
        found = ratio(rows, at)
        table.add_row(
            row.work,
            f"{row.cost.cpu:.2f}",
            f"{row.cost.wall:.2f}",
            f"{row.cost.megabytes:.0f}",
            f"{found:.2f}" if found is not None else "",
            row.target,
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
