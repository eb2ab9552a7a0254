"""Source archives are hostile input."""

import gzip
import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upstream_builders import make_sdist

from annotator.model.failures import Incomplete
from annotator.upstream.sdist import (
    HostileArchive,
    Limits,
    Member,
    is_generated,
    named_commit,
    read_archive,
)


def tar_gz(path: Path, *members: tuple[str, bytes], **info: object) -> Path:
    """An archive with exactly these member names; `info` sets fields of each header."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in members:
            header = tarfile.TarInfo(name)
            header.size = len(data)
            for key, value in info.items():
                setattr(header, key, value)
            tar.addfile(header, io.BytesIO(data))
    file = path / "x-1.0.tar.gz"
    file.write_bytes(gzip.compress(packed.getvalue()))
    return file


def zip_file(path: Path, *members: tuple[str, bytes], mode: int = 0o100644) -> Path:
    file = path / "x-1.0.zip"
    with zipfile.ZipFile(file, "w") as pack:
        for name, data in members:
            header = zipfile.ZipInfo("placeholder")
            header.filename = name
            header.compress_type = zipfile.ZIP_DEFLATED
            header.external_attr = mode << 16
            pack.writestr(header, data)
    return file


@pytest.mark.parametrize("make", [tar_gz, zip_file])
def test_files_come_without_their_top_folder(make: Callable[..., Path], tmp_path: Path) -> None:
    archive = make(tmp_path, ("x-1.0/a.py", b"a\n"), ("x-1.0/pkg/b.py", b""))
    assert [(m.path, m.content) for m in read_archive(archive)] == [
        ("a.py", b"a\n"),
        ("pkg/b.py", b""),
    ]


def test_modes_and_dates_are_kept(tmp_path: Path) -> None:
    archive = tar_gz(tmp_path, ("x-1.0/run.sh", b"x"), mode=0o775, mtime=1_700_000_000.6)
    assert list(read_archive(archive)) == [Member("run.sh", b"x", True, 1_700_000_000)]
    archive = zip_file(tmp_path, ("x-1.0/run.sh", b"x"), mode=0o100755)
    (member,) = read_archive(archive)
    assert member.executable
    assert member.modified == 315_532_800  # zip's own beginning of time


HOSTILE_NAMES = {
    "absolute": "/etc/passwd",
    "drive": "C:/x",
    "parent": "x-1.0/../y",
    "parent at the end": "x-1.0/a/..",
    "dot": "x-1.0/./a",
    "double slash": "x-1.0//a",
    "backslash": "x-1.0\\..\\a",
    "newline": "x-1.0/a\nb",
    "escape": "x-1.0/a\x1b[2J",
    "git folder": "x-1.0/.git/config",
    "git folder in capitals": "x-1.0/sub/.GIT/hooks/post-checkout",
    "git folder of NTFS": "x-1.0/git~1/config",
    "git folder with a stream": "x-1.0/.git::$INDEX_ALLOCATION/config",
    "git folder with dots": "x-1.0/.git. ./config",
    "git folder of HFS": "x-1.0/.g\u200cit/config",
    "another top folder": "y-1.0/a",
    "no top folder": "a",
    "overlong": "x-1.0/" + "a/" * 2100 + "a",
}


@pytest.mark.parametrize("make", [tar_gz, zip_file])
@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES.keys())
def test_hostile_names_refuse_the_archive(
    make: Callable[..., Path], name: str, tmp_path: Path
) -> None:
    archive = make(tmp_path, ("x-1.0/good", b"g"), (name, b"evil"))
    with pytest.raises(HostileArchive):
        list(read_archive(archive))


def test_a_nul_byte_in_a_zip_name_refuses_the_archive(tmp_path: Path) -> None:
    archive = zip_file(tmp_path, ("x-1.0/good.py0.exe", b"g"))
    archive.write_bytes(archive.read_bytes().replace(b"good.py0.exe", b"good.py\0.exe"))
    with pytest.raises(HostileArchive, match="control"):
        list(read_archive(archive))


@pytest.mark.parametrize("make", [tar_gz, zip_file])
@pytest.mark.parametrize(
    "names",
    [
        pytest.param(("x-1.0/a", "x-1.0/a"), id="the same twice"),
        pytest.param(("x-1.0/a", "x-1.0/a/b"), id="file, then folder"),
        pytest.param(("x-1.0/a/b", "x-1.0/a"), id="folder, then file"),
        pytest.param(("x-1.0/a/b/c", "x-1.0/a/b/c/d/e"), id="deep"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_contradict_each_other(
    make: Callable[..., Path], names: tuple[str, ...], tmp_path: Path
) -> None:
    archive = make(tmp_path, *((name, b"x") for name in names))
    with pytest.raises(HostileArchive, match=r"twice|a file and a folder"):
        list(read_archive(archive))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_come_without_content(kind: bytes, tmp_path: Path) -> None:
    archive = tar_gz(tmp_path, ("x-1.0/link", b""), type=kind, linkname="/etc/passwd")
    assert list(read_archive(archive)) == [Member("link", None)]
    archive = zip_file(tmp_path, ("x-1.0/link", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777)
    assert list(read_archive(archive)) == [Member("link", None)]


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
        tarfile.CONTTYPE,
        tarfile.GNUTYPE_SPARSE,
        b"Z",
    ],
)
def test_devices_and_oddities_refuse_the_archive(kind: bytes, tmp_path: Path) -> None:
    archive = tar_gz(tmp_path, ("x-1.0/dev", b""), type=kind)
    with pytest.raises(HostileArchive, match="neither a file"):
        list(read_archive(archive))


@pytest.mark.parametrize("make", [tar_gz, zip_file])
@pytest.mark.parametrize(
    ("members", "limits", "said"),
    [
        pytest.param(
            [(f"x-1.0/{n}", b"") for n in range(6)], Limits(files=5), "5 files", id="too many files"
        ),
        pytest.param(
            [("x-1.0/a", b"abc" * 700)], Limits(member=2099), "larger than 2099", id="one too large"
        ),
        pytest.param(
            [(f"x-1.0/{n}", bytes(9000)) for n in range(4)],
            Limits(total=30_000),
            "more than 30000 bytes",
            id="too much in all",
        ),
        pytest.param(
            [(f"x-1.0/{n}", bytes(9000)) for n in range(4)],
            Limits(ratio=10, ratio_from=20_000),
            "more than 20000 bytes",
            id="bomb",
        ),
    ],
)
def test_limits(
    make: Callable[..., Path],
    members: list[tuple[str, bytes]],
    limits: Limits,
    said: str,
    tmp_path: Path,
) -> None:
    archive = make(tmp_path, *members)
    assert len(list(read_archive(archive))) == len(members)
    with pytest.raises(HostileArchive, match=said):
        list(read_archive(archive, limits))


def test_a_bomb_in_headers_is_refused(tmp_path: Path) -> None:
    """Extended headers are read into memory by tarfile itself."""
    archive = tar_gz(tmp_path, ("x-1.0/a", b"x"), pax_headers={"comment": "x" * 50_000})
    with pytest.raises(HostileArchive, match="unpacks to more"):
        list(read_archive(archive, Limits(total=40_000)))


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    archive = zip_file(tmp_path, ("x-1.0/a", b"x"))
    data = bytearray(archive.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    with pytest.raises(HostileArchive, match="encrypted"):
        list(read_archive(archive))


def test_an_archive_cut_off_anywhere_is_incomplete(tmp_path: Path) -> None:
    whole = make_sdist("x", "1.0", {f"f{n}": f"{n}" * 400 for n in range(5)})
    archive = tmp_path / "x-1.0.tar.gz"
    for end in range(0, len(whole), 7):
        archive.write_bytes(whole[:end])
        with pytest.raises(Incomplete, match=r"x-1\.0"):
            list(read_archive(archive))


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path) -> None:
    plain = bytearray(gzip.decompress(make_sdist("x", "1.0", {"a": "a", "b": "b"})))
    plain[1024 + 150] ^= 0x55  # the checksum of the second header
    archive = tmp_path / "x-1.0.tar.gz"
    archive.write_bytes(gzip.compress(bytes(plain)))
    with pytest.raises(Incomplete, match="damaged"):
        list(read_archive(archive))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_damage_gives_files_or_incomplete_and_nothing_else(
    data: st.DataObject, tmp_path: Path
) -> None:
    suffix = data.draw(st.sampled_from([".tar.gz", ".zip"]))
    if suffix == ".zip":
        whole = zip_file(tmp_path, ("x-1.0/a", b"a" * 50), ("x-1.0/b/c", b"c")).read_bytes()
    else:
        whole = gzip.decompress(make_sdist("x", "1.0", {"a": "a" * 50, "b/c": "c"}))
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.integers(0, 255))
    archive = tmp_path / f"x-1.0{suffix}"
    archive.write_bytes(bytes(damaged) if suffix == ".zip" else gzip.compress(bytes(damaged)))
    try:
        members = list(read_archive(archive, Limits(member=10_000, total=100_000)))
    except Incomplete:
        return
    assert all(".." not in m.path.split("/") and not m.path.startswith("/") for m in members)


# --- generated files

SCM_HEADER = b"# file generated by setuptools-scm\n# don't change, don't track in version control\n"
VCS_HEADER = b"# file generated by vcs-versioning\n# don't change\n"
EGG_INFO = b"[egg_info]\ntag_build = \ntag_date = 0\n\n"


@pytest.mark.parametrize(
    ("path", "content", "generated"),
    [
        ("PKG-INFO", b"Metadata-Version: 2.4\n", True),
        ("docs/PKG-INFO", b"Metadata-Version: 2.4\n", False),
        ("vllm.egg-info/SOURCES.txt", b"", True),
        ("src/x.egg-info/PKG-INFO", b"", True),
        ("notes.egg-info", b"a file, not a folder", False),
        ("setup.cfg", EGG_INFO, True),
        ("setup.cfg", b"[metadata]\nname = x\n" + EGG_INFO, False),
        ("setup.cfg", b"[egg_info]\ntag_build = \nown = 1\n", False),
        ("setup.cfg", b"\xff not utf-8", False),
        ("setup.cfg", b"no section", False),
        ("sub/setup.cfg", EGG_INFO, False),
        ("pkg/_version.py", SCM_HEADER + b"version = '1'\n", True),
        ("pkg/_version.py", VCS_HEADER + b"version = '1'\n", True),
        ("pkg/_version.py", b"version = '1'\n", False),
        ("pkg/_version.py", b"version = '1'\n" + SCM_HEADER, False),
        ("pkg/my_version.py", SCM_HEADER, False),
    ],
)
def test_which_files_packaging_tools_wrote(path: str, content: bytes, generated: bool) -> None:
    assert is_generated(path, content) is generated


@pytest.mark.parametrize(
    ("line", "commit"),
    [
        (b"__commit_id__ = commit_id = 'g5df63a720'", "5df63a720"),
        (b'__commit_id__ = commit_id = "g5df63a720"', "5df63a720"),
        (b"commit_id = '5df63a7201'", "5df63a7201"),
        (b"__commit_id__ = commit_id = None", ""),
        (b"commit_id: str | None", ""),
        (b"# commit_id = 'g5df63a720'", ""),
        (b"commit_id = 'gnothex12'", ""),
    ],
)
def test_the_commit_that_a_release_names(line: bytes, commit: str) -> None:
    assert named_commit(VCS_HEADER + line + b"\n") == commit
