"""The index of a study: it says what the study says, and never what it said before."""

from collections.abc import Callable

import pytest

from annotator.model.study import Study
from annotator.model.words import Watch
from annotator.store.problems import ProblemsFound
from annotator.store.study_index import index_of, read_index
from annotator.store.study_loader import load_study

ANCHOR = "target: engine/pool.py::Pool.free   # the way back\n"
QUOTED = ANCHOR + "    quote: {exact: free(), prefix: self.}\n"


@pytest.fixture
def reads_study(study, tmp_path) -> Callable[[], bool]:
    """Reads the index as a command does, and says whether the study itself had to be read."""

    def read() -> bool:
        loaded = []

        def load() -> Study:
            loaded.append(load_study(study.folder))
            return loaded[0]

        found = read_index(study.folder, tmp_path / "cache", load)
        assert found == index_of(load_study(study.folder))
        return bool(loaded)

    return read


def test_an_index_says_where_anchors_point(study) -> None:
    study.replace("route/01-cache.yaml", ANCHOR, QUOTED)
    index = index_of(load_study(study.folder))
    assert list(index.anchors) == ["q01-free", "v1-page"]
    free = index.anchors["q01-free"]
    assert (free.owner, free.upstream, free.place.symbol) == ("q01", "engine", "Pool.free")
    assert free.watches is Watch.QUOTE
    assert free.quote is not None
    assert (free.quote.exact, free.quote.prefix, free.quote.suffix) == ("free()", "self.", "")
    assert index.questions == {1: "q01"}
    assert index.upstreams["engine"].refs == ("v1.0.0",)
    assert index.paths_in("engine") == ("docs/cache.md", "engine/pool.py")


def test_a_study_is_read_once_and_again_when_a_file_differs(study, reads_study) -> None:
    assert reads_study()
    assert not reads_study()
    study.replace("route/01-cache.yaml", "Pool.free", "Pool.drop")
    assert reads_study()
    assert not reads_study()


def test_a_study_that_is_broken_is_said_to_be(study, reads_study) -> None:
    reads_study()
    study.write("route/02-other.yaml", "schema: 1\n")
    with pytest.raises(ProblemsFound, match="missing key"):
        reads_study()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"made_from": 1}', b"\xff"])
def test_a_damaged_index_costs_time_only(content: bytes, tmp_path, reads_study) -> None:
    reads_study()
    (file,) = (tmp_path / "cache").glob("**/*.json")
    file.write_bytes(content)
    assert reads_study()
    assert not reads_study()
