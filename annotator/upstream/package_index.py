"""A package index as a place to get official source archives from."""

import configparser
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import platformdirs
from packaging.version import InvalidVersion, Version

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.addresses import split_address, without_password
from annotator.upstream.progress import ProgressCallback, Step, silent

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, PyPISimple

TIMEOUT = (10.0, 60.0)
"""Seconds to connect, and seconds without a byte."""

RETRIES = 3

INDEX_VARIABLES = ("ANNOT_INDEX_URL", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
"""Environment variables that name the index, the strongest first."""


@dataclass(frozen=True, slots=True)
class SourceArchive:
    """One source archive that the index offers.

    Attributes:
        version: its version.
        filename: its file name.
        url: where it is.
        sha256: checksum that the index promises.
        size: bytes, or None if the index does not say.
        uploaded: when the index received it, or None if the index does not say.
        yanked: why it was withdrawn; None if it was not.
    """

    version: Version
    filename: str
    url: str
    sha256: str
    size: int | None
    uploaded: datetime | None
    yanked: str | None


def index_address(environment: Mapping[str, str], pip_settings: Mapping[str, str]) -> str:
    """The configured index; empty if none is, which means the client's own default.

    Args:
        environment: the environment variables.
        pip_settings: what pip's configuration files say, see `read_pip_settings`.

    Raises:
        UserMistake: if the configured address is not an http address.
    """
    found = [(name, environment[name]) for name in INDEX_VARIABLES if environment.get(name)]
    if pip_settings.get("index-url"):
        found.append(("pip's index-url", pip_settings["index-url"]))
    if not found:
        return ""
    name, value = found[0]
    address = re.sub(r"\A[A-Za-z0-9_-]+=", "", value.strip())  # uv allows NAME=ADDRESS
    parts = split_address(address)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UserMistake(
            f"the package index in {name} is no http address: {without_password(address)!r}",
            hint="set ANNOT_INDEX_URL to the address of a simple index",
        )
    return address


def read_pip_settings() -> dict[str, str]:
    """The `[global]` settings of pip's configuration files, later files winning, as pip reads them."""
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    site = platformdirs.site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    files = [
        *(Path(folder) / name for folder in site),
        *([] if sys.platform == "win32" else [Path("/etc") / name]),
        Path.home() / ("pip" if sys.platform == "win32" else ".pip") / name,
        Path(platformdirs.user_config_dir("pip", appauthor=False, roaming=True)) / name,
        Path(sys.prefix) / name,
    ]
    if chosen := os.environ.get("PIP_CONFIG_FILE"):
        files = [] if chosen == os.devnull else [*files, Path(chosen)]
    parser = configparser.RawConfigParser()
    for file in files:
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError) as error:
            raise UserMistake(f"{file} cannot be read: {error}") from error
    return dict(parser["global"]) if parser.has_section("global") else {}


class PackageIndex:
    """A client of one simple index (PEP 503 and 691). Use it as a context manager."""

    def __init__(self, client: "PyPISimple") -> None:
        self._client = client
        self._packages: dict[str, DistributionPackage] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.s.close()

    @property
    def address(self) -> str:
        """The index, as it may be shown."""
        return without_password(self._client.endpoint)

    def archives(self, package: str) -> list[SourceArchive]:
        """The source archives of `package`, one a version, oldest first.

        A `.tar.gz` is preferred to a `.zip`; an archive without a sha256 checksum does not count.

        Raises:
            UserMistake: if the index does not know the package.
            Incomplete: if the index cannot be reached or understood.
        """
        from pypi_simple import NoSuchProjectError  # noqa: PLC0415

        with self._told(f"list the releases of {package}"):
            try:
                page = self._client.get_project_page(package, timeout=TIMEOUT)
            except NoSuchProjectError as error:
                raise UserMistake(
                    f"the package index {self.address} has no package {package!r}"
                ) from error
        offered: dict[Version, SourceArchive] = {}
        for item in page.packages:
            archive = _source_archive(item)
            if archive and (archive.version not in offered or archive.filename.endswith(".tar.gz")):
                offered[archive.version] = archive
                self._packages[archive.url] = item
        return [offered[version] for version in sorted(offered)]

    def download(
        self, archive: SourceArchive, folder: Path, progress: ProgressCallback = silent
    ) -> Path:
        """Downloads `archive` into `folder`, verifies its checksum and returns the file.

        Raises:
            Incomplete: if it cannot be had or is not what the index promised.
        """
        file = folder / archive.filename
        with self._told(f"download {archive.filename}"):
            self._client.download_package(
                self._packages[archive.url],
                file,
                verify=True,
                progress=lambda total: _Download(archive.filename, total, progress),
                timeout=TIMEOUT,
            )
        return file

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        """Turns the client's failures into one of ours."""
        import pypi_simple  # noqa: PLC0415
        import requests  # noqa: PLC0415

        try:
            yield
        except pypi_simple.DigestMismatchError as error:
            raise Incomplete(f"could not {doing}: its checksum is not the index's") from error
        except (
            requests.RequestException,
            pypi_simple.UnsupportedContentTypeError,
            pypi_simple.UnsupportedRepoVersionError,
            pypi_simple.NoDigestsError,
            OSError,
            ValueError,
        ) as error:
            is_network = isinstance(error, requests.RequestException)
            raise Incomplete(
                f"could not {doing} from {self.address}: {_short(error)}",
                hint="look at the network, or set ANNOT_INDEX_URL to an index that can be reached"
                if is_network
                else "",
            ) from error


def open_index() -> PackageIndex:
    """The configured package index, with the certificates that pip was told to trust.

    REQUESTS_CA_BUNDLE, where it is set, wins over PIP_CERT and pip's own configuration.

    Raises:
        UserMistake: if the configuration names no usable index.
    """
    # Imported here: pypi-simple and requests need 400 ms, and only a sync wants them.
    import pypi_simple  # noqa: PLC0415
    import requests.adapters  # noqa: PLC0415
    import urllib3  # noqa: PLC0415

    settings = read_pip_settings()
    address = index_address(os.environ, settings) or pypi_simple.PYPI_SIMPLE_ENDPOINT
    client = pypi_simple.PyPISimple(address)
    retries = urllib3.Retry(RETRIES, backoff_factor=0.5, status_forcelist=(429, 502, 503, 504))
    for scheme in ("http://", "https://"):
        client.s.mount(scheme, requests.adapters.HTTPAdapter(max_retries=retries))
    certificates = os.environ.get("PIP_CERT") or settings.get("cert", "")
    if certificates:
        client.s.verify = certificates
    return PackageIndex(client)


class _Download:
    """A progress tracker as pypi-simple wants it."""

    def __init__(self, filename: str, total: int | None, progress: ProgressCallback) -> None:
        self._step = Step(f"downloading {filename}", 0, total, "bytes")
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def update(self, increment: int) -> None:
        self._step = self._step._replace(done=self._step.done + increment)
        self._progress(self._step)


def _source_archive(item: "DistributionPackage") -> SourceArchive | None:
    sha256 = (item.digests or {}).get("sha256", "")
    if item.package_type != "sdist" or not item.version or not sha256:
        return None
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*\.(?:tar\.gz|zip)", item.filename):
        return None
    try:
        version = Version(item.version)
    except InvalidVersion:
        return None
    yanked = (item.yanked_reason or "no reason given") if item.is_yanked else None
    uploaded = item.upload_time
    if uploaded is not None and uploaded.tzinfo is None:
        uploaded = uploaded.replace(tzinfo=UTC)  # the standard asks for UTC
    return SourceArchive(version, item.filename, item.url, sha256, item.size, uploaded, yanked)


def _short(error: Exception) -> str:
    """The innermost reason; requests wraps it in several layers, with addresses in each."""
    reason: BaseException = error
    while (inner := reason.__cause__ or reason.__context__) is not None:
        reason = inner
    return re.sub(r"<[^>]*>:? ?", "", str(reason))[:300] or type(error).__name__
