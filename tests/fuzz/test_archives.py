"""Source archives with members of any name and kind: safe paths, or the whole archive is refused."""

import gzip
import io
import tarfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.model.failures import Incomplete
from annotator.upstream.sdist import Limits, read_archive
from tests.fuzz.damage import at_most, listing

PARTS = st.sampled_from(
    ["x-1.0", "a", "b.py", "..", ".", "", "/", "\\", "c:", ".git", ".GIT", "git~1", ".git ", "con", "aux.py", "~", "é", "e\u0301",
     "\u200c.git", "\n", "\x01", "a" * 300, "-x", '"', "'", "*", "?", " ", "a.", "PKG-INFO", "x.egg-info"]
)  # fmt: skip
NAMES = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
KINDS = st.sampled_from([tarfile.REGTYPE] * 6 + [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, b"Z"])  # fmt: skip


@st.composite
def archives(draw: st.DrawFn) -> bytes:
    packed = io.BytesIO()
    form = draw(st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]))
    with tarfile.open(fileobj=packed, mode="w", format=form) as tar:
        for _ in range(draw(st.integers(1, 4))):
            name = draw(NAMES)
            info = tarfile.TarInfo(f"x-1.0/{name}" if draw(st.booleans()) else name)
            info.type = draw(KINDS)
            content = draw(st.binary(max_size=20)) if info.type == tarfile.REGTYPE else b""
            info.size = len(content)
            info.linkname = draw(NAMES)
            info.mode = draw(st.sampled_from([0o644, 0o755, 0o4777, 0]))
            info.mtime = draw(st.integers(0, 2**33))
            tar.addfile(info, io.BytesIO(content))
    return gzip.compress(packed.getvalue())


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=archives())
def test_members_of_any_name_and_kind(data: bytes, tmp_path: Path) -> None:
    archive = tmp_path / "x-1.0.tar.gz"
    archive.write_bytes(data)
    try:
        with at_most(5):
            members = list(read_archive(archive, Limits(member=10_000, total=100_000)))
    except Incomplete as told:
        assert "x-1.0" in str(told)  # noqa: PT017 - some are read
        members = []
    paths = [member.path for member in members]
    assert len(set(paths)) == len(paths)
    for path in paths:
        parts = path.split("/")
        assert not {"", ".", "..", ".git"} & {part.lower() for part in parts}
        assert not any(ord(char) < 32 or char in "\\" for char in path)
    assert list(listing(tmp_path)) == [archive.name]
