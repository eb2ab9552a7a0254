"""Which index is asked, and what it answers."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from upstream_builders import LocalIndex, make_sdist

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.package_index import (
    index_address,
    open_index,
    read_pip_settings,
)

A, B, C, D, E = (f"https://{name}.example/simple" for name in "abcde")


@pytest.mark.parametrize(
    ("environment", "pip", "address"),
    [
        ({}, {}, ""),
        ({}, {"index-url": E}, E),
        ({"UV_INDEX_URL": D}, {"index-url": E}, D),
        ({"UV_DEFAULT_INDEX": C, "UV_INDEX_URL": D}, {"index-url": E}, C),
        ({"PIP_INDEX_URL": B, "UV_DEFAULT_INDEX": C}, {}, B),
        ({"ANNOT_INDEX_URL": A, "PIP_INDEX_URL": B}, {}, A),
        ({"ANNOT_INDEX_URL": "", "PIP_INDEX_URL": B}, {}, B),
        ({"UV_DEFAULT_INDEX": f"company={C}"}, {}, C),
        (
            {"PIP_INDEX_URL": " http://localhost:3141/root/pypi "},
            {},
            "http://localhost:3141/root/pypi",
        ),
    ],
)
def test_the_strongest_setting_wins(
    environment: dict[str, str], pip: dict[str, str], address: str
) -> None:
    assert index_address(environment, pip) == address


@pytest.mark.parametrize("address", ["file:///srv/simple", "simple", "ftp://x/y", "https://"])
def test_other_addresses_are_the_users_mistake(address: str) -> None:
    with pytest.raises(UserMistake, match="ANNOT_INDEX_URL"):
        index_address({"ANNOT_INDEX_URL": address}, {})


def test_the_password_of_a_wrong_address_is_not_shown() -> None:
    with pytest.raises(UserMistake) as caught:
        index_address({"ANNOT_INDEX_URL": "ftp://me:secret@host/"}, {})
    assert "secret" not in str(caught.value)


def test_pip_configuration_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(f"[global]\nindex-url = {A}\ncert = /company.pem\n[install]\nno-deps = true\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    settings = read_pip_settings()
    assert settings["index-url"] == A
    assert settings["cert"] == "/company.pem"
    file.write_text("no section\n")
    with pytest.raises(UserMistake, match=r"pip\.conf"):
        read_pip_settings()


def test_one_archive_a_version_oldest_first(index: LocalIndex) -> None:
    data = make_sdist("pkg", "1.0", {"a": "a"})
    for filename in (
        "pkg-1.10.tar.gz",
        "pkg-1.9.zip",
        "pkg-1.10.zip",
        "pkg-1.9.tar.gz",
        "pkg-1.8.zip",
        "pkg-1.7.tar.bz2",
        "pkg-1.10-py3-none-any.whl",
        "pkg-not.a.version.tar.gz",
    ):
        index.offer("pkg", filename, data)
    index.offer("pkg", "pkg-1.6.tar.gz", data, hashes={"md5": "0" * 32})
    with open_index() as opened:
        archives = opened.archives("pkg")
    assert [a.filename for a in archives] == ["pkg-1.8.zip", "pkg-1.9.tar.gz", "pkg-1.10.tar.gz"]
    assert archives[0].sha256 == hashlib.sha256(data).hexdigest()
    assert archives[0].uploaded is not None
    assert archives[0].uploaded.utcoffset() is not None


def test_a_date_without_offset_is_utc(index: LocalIndex) -> None:
    data = make_sdist("pkg", "1.0", {"a": "a"})
    index.offer("pkg", "pkg-1.0.tar.gz", data, **{"upload-time": "2026-01-02T03:04:05"})
    with open_index() as opened:
        (archive,) = opened.archives("pkg")
    assert archive.uploaded == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_file_name_that_leaves_the_folder_is_not_offered(index: LocalIndex) -> None:
    data = make_sdist("pkg", "1.0", {"a": "a"})
    index.offer("pkg", "../../pkg-1.0.tar.gz", data)
    with open_index() as opened:
        assert opened.archives("pkg") == []


def test_a_download_is_verified(index: LocalIndex, tmp_path: Path) -> None:
    data = make_sdist("pkg", "1.0", {"a": "a"})
    index.offer("pkg", "pkg-1.0.tar.gz", data)
    with open_index() as opened:
        (archive,) = opened.archives("pkg")
        assert opened.download(archive, tmp_path).read_bytes() == data
        index.files["pkg-1.0.tar.gz"] = data + b"x"
        with pytest.raises(Incomplete, match="checksum"):
            opened.download(archive, tmp_path)
    assert not (tmp_path / "pkg-1.0.tar.gz").exists()


def test_an_index_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNOT_INDEX_URL", "http://user:secret@127.0.0.1:9/simple/")
    monkeypatch.setattr("annotator.upstream.package_index.RETRIES", 0)
    with open_index() as opened, pytest.raises(Incomplete) as caught:
        opened.archives("pkg")
    assert "127.0.0.1:9" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "ANNOT_INDEX_URL" in caught.value.hint


def test_an_answer_that_is_no_index(index: LocalIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "answer", lambda path: (200, "image/png", b"x"))
    with open_index() as opened, pytest.raises(Incomplete, match="list the releases"):
        opened.archives("pkg")


def test_pips_certificates_are_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANNOT_INDEX_URL", "https://127.0.0.1:9/simple/")
    monkeypatch.setattr("annotator.upstream.package_index.RETRIES", 0)
    monkeypatch.setenv("PIP_CERT", str(tmp_path / "missing.pem"))
    for stronger in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(stronger, raising=False)
    with open_index() as opened, pytest.raises(Incomplete, match=r"missing\.pem"):
        opened.archives("pkg")
