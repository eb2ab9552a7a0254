"""Contents of which little is kept answer like those of which all is kept."""

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.resolve.contents import Contents, RecentContents
from annotator.resolve.lexing import words_of
from annotator.upstream.blobs import Oversize

_FILES = st.dictionaries(
    st.sampled_from(["a.py", "b.py", "c.py", "d.py"]),
    st.text("ab_1é =+\n", max_size=30).map(str.encode),
)
_NAMES = ["a", "ab", "b_1", "operator==", "a b", "é", "a+"]


class _Git:
    """Blobs by id, and how many were read."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.read_count = 0

    def add(self, data: bytes) -> str:
        name = str(len(self.blobs))
        self.blobs[name] = data
        return name

    def read(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for blob in blobs:
            self.read_count += 1
            yield blob, self.blobs[blob]


@pytest.mark.parametrize("room", [0, 25, 1000])
@given(before=_FILES, after=_FILES)
def test_what_is_not_kept_is_read_again(
    room: int, before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    git = _Git()
    contents = Contents({path: git.add(data) for path, data in before.items()}, git.read, room)
    for path, data in after.items():
        contents.put(path, git.add(data), data)
    for path in before.keys() - after.keys():
        contents.drop(path)
    assert set(contents) == after.keys()
    assert dict(contents.of([*after, "no.py"])) == after
    assert {path: set(text.split()) for path, text in contents.words().items()} == {
        path: words_of(data) for path, data in after.items()
    }
    for name in map(str.encode, _NAMES):
        holding = {path: data for path, data in after.items() if name in data}
        found = dict(contents.with_name(name))
        whole = {path for path, data in holding.items() if words_of(name) <= words_of(data)}
        assert whole <= found.keys() <= holding.keys()
        assert all(after[path] == data for path, data in found.items())


def test_only_files_that_may_hold_a_name_are_read() -> None:
    git = _Git()
    texts = {"a.py": b"one = 1\n", "b.py": b"two = 2\n", "c.py": b"one = two\n"}
    contents = Contents({path: git.add(data) for path, data in texts.items()}, git.read, room=0)
    git.read_count = 0
    assert [path for path, _ in contents.with_name(b"one")] == ["a.py", "c.py"]
    assert git.read_count == 2


def test_files_that_are_too_large_are_named() -> None:
    git = _Git()
    blobs = {"large.py": git.add(Oversize(10**9)), "a.py": git.add(b"a\n")}
    contents = Contents(blobs, git.read)
    assert (list(contents), contents.left_out) == (["a.py"], ["large.py"])


def test_the_newest_contents_are_kept() -> None:
    recent = RecentContents(room=10)
    for blob, size in (("a", 4), ("b", 4), ("c", 4), ("b", 4), ("huge", 99)):
        recent.put(blob, b"x" * size)
        assert blob in recent
    assert recent.blobs() == {"huge"}
    recent.put("d", b"xx")
    assert recent.blobs() == {"d"}
