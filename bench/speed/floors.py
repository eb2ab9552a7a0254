"""What annot cannot do without, and its peers, as small programs: `python -m bench.speed.floors NAME …`."""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

_BATCH = 128
_PACKAGES = {
    **dict.fromkeys(("py",), "tree_sitter_python"),
    **dict.fromkeys(("cu", "cpp", "cc", "h", "hpp", "cuh", "c"), "tree_sitter_cuda"),
    "rs": "tree_sitter_rust",
    "md": "tree_sitter_markdown",
    "rst": "tree_sitter_rst",
}


def read_blobs(git_dir: str, blobs: Iterable[str]) -> Iterator[bytes]:
    """Contents through one `git cat-file --batch`."""
    command = ["git", "--git-dir", git_dir, "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        for blob in blobs:
            cat.stdin.write(f"{blob}\n".encode())
            cat.stdin.flush()
            size = int(cat.stdout.readline().split()[2])
            yield cat.stdout.read(size + 1)[:-1]


def parse(texts: Sequence[tuple[str, bytes]]) -> int:
    """Parses texts, each with the suffix of its file, with bare tree-sitter; returns how many."""
    import tree_sitter  # noqa: PLC0415 - in the worker

    parsers = {}
    for suffix, data in texts:
        package = _PACKAGES.get(suffix)
        if package is None:
            continue
        if package not in parsers:
            language = tree_sitter.Language(__import__(package).language())
            parsers[package] = tree_sitter.Parser(language)
        parsers[package].parse(data)
    return len(texts)


def bare(git_dir: str, listing: str, jobs: str) -> None:
    """Reads and parses the blobs of a listing (`BLOB:SUFFIX` a line), in so many processes."""
    places = [line.split(":") for line in Path(listing).read_text(encoding="ascii").split()]
    contents = zip(
        (suffix for _, suffix in places),
        read_blobs(git_dir, (blob for blob, _ in places)),
        strict=True,
    )
    batches = iter(lambda: list(islice(contents, _BATCH)), [])
    if jobs == "1":
        for batch in batches:
            parse(batch)
        return
    with _processes(jobs) as pool:
        sum(pool.map(parse, batches))


def _processes(jobs: str) -> ProcessPoolExecutor:
    # Forked ones would hold git's input open, so that it never comes to its end.
    return ProcessPoolExecutor(int(jobs), mp_context=get_context("spawn"))


def outlines(git_dir: str, commit: str, jobs: str, cache: str) -> None:
    """Annot's outlines of a whole tree, kept in a cache."""
    from annotator.outline.cache import OutlineCache, outline_tree  # noqa: PLC0415
    from annotator.outline.engine import language_of  # noqa: PLC0415
    from annotator.upstream.repository import open_repository  # noqa: PLC0415

    with (
        open_repository(Path(git_dir), search_upward=False) as repository,
        OutlineCache(Path(cache)) as kept,
        _processes(jobs) as pool,
    ):
        files = repository.tree(commit).files
        items = [(path, blob) for path, blob in files.items() if language_of(path)]
        for _ in outline_tree(kept, items, repository.read, pool):
            pass


def griffe_check(package: str, old: str, new: str) -> None:
    """`griffe check` between two exported trees: loads a package of both and looks for breakages."""
    import griffe  # noqa: PLC0415

    loaded = [
        griffe.GriffeLoader(search_paths=[folder], allow_inspection=False).load(package)
        for folder in (old, new)
    ]
    list(griffe.find_breaking_changes(*loaded))  # type: ignore[arg-type]


_PROGRAMS: dict[str, Callable[..., None]] = {
    "bare": bare,
    "outlines": outlines,
    "griffe": griffe_check,
}

if __name__ == "__main__":
    _PROGRAMS[sys.argv[1]](*sys.argv[2:])
