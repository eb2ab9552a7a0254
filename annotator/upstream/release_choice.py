"""Which releases a user asks for: `0.31.0,0.32.0` or `0.28.0..0.33.0`. Pure functions."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from annotator.model.failures import UserMistake


class ReleaseChoice(NamedTuple):
    """What was asked for.

    Attributes:
        exact: versions named one by one.
        ranges: first and last version of each range, both included; only final releases count.
    """

    exact: tuple[Version, ...] = ()
    ranges: tuple[tuple[Version, Version], ...] = ()


def parse_releases(text: str) -> ReleaseChoice:
    """Reads a list of versions and ranges, divided by commas; a leading `v` is allowed.

    Raises:
        UserMistake: if a part is no version, or a range ends before it starts.
    """
    exact: list[Version] = []
    ranges: list[tuple[Version, Version]] = []
    for part in (part.strip() for part in text.split(",")):
        first, dots, last = part.partition("..")
        if not dots:
            exact.append(_version(part, text))
            continue
        start, end = _version(first, text), _version(last, text)
        if end < start:
            raise UserMistake(
                f"the range {part!r} ends before it starts", hint=f"write {last}..{first}"
            )
        ranges.append((start, end))
    return ReleaseChoice(tuple(exact), tuple(ranges))


def choose(
    choice: ReleaseChoice, offered: Iterable[Version], yanked: Iterable[Version], package: str
) -> list[Version]:
    """The chosen ones of the offered versions, oldest first.

    Yanked releases are taken only if they are named one by one.

    Raises:
        UserMistake: if a named version is not offered, or a range holds none.
    """
    available = sorted(offered)
    withdrawn = set(yanked)
    chosen = set(choice.exact)
    for missing in sorted(chosen - set(available)):
        raise UserMistake(
            f"{package} has no source release {missing}", hint=_nearest(missing, available)
        )
    for start, end in choice.ranges:
        found = [
            version
            for version in available
            if start <= version <= end and is_final(version) and version not in withdrawn
        ]
        if not found:
            raise UserMistake(
                f"{package} has no final source release between {start} and {end}",
                hint=_nearest(start, available),
            )
        chosen.update(found)
    return sorted(chosen)


def is_final(version: Version) -> bool:
    """Whether a version is neither a pre-release nor a development release."""
    return not version.is_prerelease


def _version(text: str, whole: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion as error:
        raise UserMistake(
            f"{text!r} is no version in the list of releases {whole!r}",
            hint="write versions such as 0.31.0,0.32.0 or a range such as 0.28.0..0.33.0",
        ) from error


def _nearest(missing: Version, available: Sequence[Version]) -> str:
    older = [version for version in available if version < missing][-2:]
    newer = [version for version in available if version > missing][:2]
    near = ", ".join(str(version) for version in [*older, *newer])
    return f"there are {near}" if near else "there are no source releases at all"
