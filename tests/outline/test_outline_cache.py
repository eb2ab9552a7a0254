"""Outlines of many files: what is read, what is remembered, what a bad cache file does."""

import logging
import multiprocessing
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.failures import Incomplete
from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind
from annotator.outline import cache_file, engine
from annotator.outline.cache import OutlineCache, outline_tree
from annotator.outline.cache_file import FILE_NAME, CacheFile, Key
from annotator.outline.codec import decode, encode
from annotator.outline.engine import outline_text

CONTENTS = {
    "1" * 40: b"def f(): ...\n",
    "2" * 40: b"# Title\n",
    "3" * 40: b"from .x import Y\n",
    "4" * 40: b"plain\ntext\n",
}
ONE, TITLE, IMPORT, PLAIN = CONTENTS
TREE = [
    ("a.py", ONE),
    ("doc.md", TITLE),
    ("p/m.py", IMPORT),
    ("p/q/m.py", IMPORT),
    ("doc.py", TITLE),
    ("LICENSE", PLAIN),
]


class Blobs:
    """A source of contents that notes what it was asked for."""

    def __init__(self, contents: dict[str, bytes] | None = None) -> None:
        self.contents = CONTENTS if contents is None else contents
        self.asked: list[str] = []

    def __call__(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for blob in ids:
            self.asked.append(blob)
            if blob in self.contents:
                yield blob, self.contents[blob]


def expected(items: list[tuple[str, str]] = TREE) -> list[tuple[str, str, Outline]]:
    return [(path, blob, outline_text(path, CONTENTS[blob])) for path, blob in items]


def run(folder: Path | None, blobs: Blobs) -> list[tuple[str, str, Outline]]:
    with OutlineCache(folder) as cache:
        return list(cache.outlines(TREE, blobs))


def test_only_what_is_missing_is_read_and_each_blob_once(tmp_path: Path) -> None:
    first, second = Blobs(), Blobs()
    assert run(tmp_path / "new" / "folder", first) == expected()
    assert sorted(first.asked) == sorted(CONTENTS)
    assert run(tmp_path / "new" / "folder", second) == expected()
    assert second.asked == []


def test_the_same_content_at_two_paths_has_its_own_imports(tmp_path: Path) -> None:
    for _ in range(2):
        origins = [
            outline.symbols[0].detail
            for path, _, outline in run(tmp_path, Blobs())
            if path.endswith("/m.py")
        ]
        assert origins == ["p.x:Y", "p.q.x:Y"]


def test_without_a_folder_nothing_is_remembered() -> None:
    blobs = Blobs()
    assert run(None, blobs) == run(None, blobs) == expected()
    assert len(blobs.asked) == 2 * len(CONTENTS)


def test_results_come_in_the_order_asked_for_over_many_batches(tmp_path: Path) -> None:
    contents = {f"{number:040x}": f"a{number} = 1\n".encode() for number in range(300)}
    items = [(f"{blob}.py", blob) for blob in contents]
    with OutlineCache(tmp_path) as cache:
        found = list(cache.outlines(items, Blobs(contents)))
    assert [(path, outline.symbols[0].name) for path, _, outline in found] == [
        (path, f"a{number}") for number, (path, _) in enumerate(items)
    ]


def test_batches_that_were_done_are_kept_when_the_caller_stops(tmp_path: Path) -> None:
    with OutlineCache(tmp_path) as cache:
        next(cache.outlines(TREE, Blobs()))
    blobs = Blobs()
    run(tmp_path, blobs)
    assert blobs.asked == []


def test_a_content_that_is_not_there_is_told_with_its_path(tmp_path: Path) -> None:
    with (
        OutlineCache(tmp_path) as cache,
        pytest.raises(Incomplete, match=r"a\.py: its content \(blob 1111") as failure,
    ):
        list(cache.outlines(TREE, Blobs({})))
    assert "annot sync" in failure.value.hint


@pytest.mark.parametrize("version", ["other program", "other grammar"])
def test_outlines_of_another_version_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    run(tmp_path, Blobs())
    monkeypatch.setattr(cache_file, "language_version", lambda language: version)
    blobs = Blobs()
    assert run(tmp_path, blobs) == expected()
    assert sorted(blobs.asked) == sorted(CONTENTS)


def test_versions_tell_program_and_grammar() -> None:
    program, grammar = cache_file.language_version("python").split("/")
    assert program == str(engine.OUTLINE_VERSION)
    assert grammar[0].isdigit()
    assert cache_file.language_version("") == f"{engine.OUTLINE_VERSION}/"


def test_a_file_of_another_table_version_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, Blobs())
    monkeypatch.setattr(cache_file, "TABLE_VERSION", cache_file.TABLE_VERSION + 1)
    blobs = Blobs()
    assert run(tmp_path, blobs) == expected()
    assert sorted(blobs.asked) == sorted(CONTENTS)


def test_a_file_that_grew_too_large_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, Blobs())
    monkeypatch.setattr(cache_file, "SIZE_LIMIT", 1)
    blobs = Blobs()
    assert run(tmp_path, blobs) == expected()
    assert sorted(blobs.asked) == sorted(CONTENTS)


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 1000)


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def _damaged_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)


def _damaged_rows(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE outlines SET outline = '[1, 2]'")
    connection.close()


@pytest.mark.parametrize("damage", [_garbage, _cut_off, _damaged_pages, _damaged_rows])
def test_a_damaged_file_starts_anew(
    tmp_path: Path, damage, caplog: pytest.LogCaptureFixture
) -> None:  # type: ignore[no-untyped-def]
    run(tmp_path, Blobs())
    damage(tmp_path / FILE_NAME)
    blobs = Blobs()
    assert run(tmp_path, blobs) == expected()
    assert sorted(blobs.asked) == sorted(CONTENTS)
    again = Blobs()
    assert run(tmp_path, again) == expected()
    assert again.asked == []
    assert caplog.records == []


def test_where_no_file_can_be_nothing_is_remembered_and_that_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    assert run(tmp_path / "taken" / "cache", Blobs()) == expected()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "not remembered" in caplog.text


def test_a_file_locked_by_another_process_is_done_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, Blobs())
    monkeypatch.setattr(cache_file, "_BUSY_SECONDS", 0.05)
    other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
    try:
        file = CacheFile(tmp_path)
        other.execute("BEGIN EXCLUSIVE")
        file.keep({Key("5" * 40, "python"): encode(Outline("python", 1, ()))})
        assert file.find([Key(ONE, "python")]) == {}
        file.close()
    finally:
        other.close()
    assert len(caplog.records) == 1


def _outlines_in_a_process(folder: Path, start: int) -> tuple[int, int]:
    contents = {
        f"{number:040x}": f"a{number} = 1\n".encode() for number in range(start, start + 400)
    }
    warned: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = warned.append  # type: ignore[method-assign]
    logging.getLogger("annotator").addHandler(handler)
    with OutlineCache(folder) as cache:
        done = list(cache.outlines([(f"{blob}.py", blob) for blob in contents], Blobs(contents)))
    return len(done), len(warned)


def test_several_processes_share_a_file(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        futures: list[Future[tuple[int, int]]] = [
            executor.submit(_outlines_in_a_process, tmp_path, start) for start in (0, 200, 400, 600)
        ]
        assert [future.result() for future in futures] == [(400, 0)] * 4
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    assert connection.execute("SELECT count(*) FROM outlines").fetchone() == (1000,)
    connection.close()


def test_a_tree_over_spawned_processes(tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor, OutlineCache(tmp_path) as cache:
        found = outline_tree(
            cache, TREE, Blobs(), executor, lambda done, total: progress.append((done, total))
        )
        assert list(found) == expected()
    assert progress == [(done, len(TREE)) for done in range(1, len(TREE) + 1)]
    blobs = Blobs()
    assert run(tmp_path, blobs) == expected()
    assert blobs.asked == []


def test_a_tree_in_order_over_threads_with_many_batches() -> None:
    contents = {f"{number:040x}": f"a{number} = 1\n".encode() for number in range(1500)}
    items = [(f"{blob}.py", blob) for blob in contents]
    with ThreadPoolExecutor(2) as executor, OutlineCache(None) as cache:
        found = list(outline_tree(cache, items, Blobs(contents), executor))
    assert [(path, blob) for path, blob, _ in found] == items
    assert found[-1][2].symbols[0].name == "a1499"


def test_a_worker_that_dies_is_told(tmp_path: Path) -> None:
    class DyingExecutor(ThreadPoolExecutor):
        def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
            future: Future[object] = Future()
            future.set_exception(BrokenProcessPool())
            return future

    with (
        DyingExecutor(1) as executor,
        OutlineCache(tmp_path) as cache,
        pytest.raises(
            Incomplete, match=r"a worker process ended while it parsed 6 files from a\.py on"
        ),
    ):
        list(outline_tree(cache, TREE, Blobs(), executor))


SYMBOLS = st.builds(
    Symbol,
    st.text(),
    st.sampled_from(SymbolKind),
    st.integers(0),
    st.integers(0),
    st.integers(0),
    st.integers(0),
    st.text(),
)


@given(
    st.builds(
        Outline,
        st.sampled_from(["", "python"]),
        st.integers(0),
        st.lists(SYMBOLS).map(tuple),
        st.lists(st.text()).map(tuple),
    )
)
def test_outlines_survive_encoding(outline: Outline) -> None:
    assert decode(encode(outline)) == outline


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '["python", 1, [["a"]], []]', '["python", 1, [1], []]', "[" * 100_000,
     '["python",1,[["a","no kind",1,1,0,1,""]],[]]'],
)  # fmt: skip
def test_what_is_no_outline_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any message will do
        decode(text.encode())


def test_many_that_make_the_file_at_once_all_get_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SQLite does not wait for others where the mode of the journal is set."""
    together = threading.Barrier(8)

    def open_new(folder: Path) -> None:
        together.wait()
        CacheFile(folder).close()

    for attempt in range(20):
        threads = [
            threading.Thread(target=open_new, args=(tmp_path / str(attempt),)) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert caplog.messages == []
