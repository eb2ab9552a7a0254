"""What a sentence says about when a name exists: versions, and that it is gone."""

import re
from typing import NamedTuple

from packaging.version import Version

_SENTENCE = re.compile(r"(?:`[^`]*`|[^`.!?。！？]|[.!?](?!\s|$)|`)+[.!?。！？]*")
_VERSION = re.compile(
    r"(?<![\w.=`+-])(?P<v>v)?(?P<number>\d+\.\d+(?:\.\d+)?(?:\.?(?:a|b|rc|post|dev)\d+)?)(?!\w|\.\d|%)",
    re.ASCII,
)
_ABSENT = re.compile(
    r"\b(?:no longer|any ?more|removed|deleted|gone|renamed|formerly|used to|there is no"
    r"|does not exist|has no|old)\b|没有(?!变|改)|已无|不存在|不再|删|去掉|移除|改名|原名|旧|曾",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """Something in a sentence that looks like a version.

    Attributes:
        version: the version.
        is_certain: whether it can be no other number: it has a `v`, three parts, or a pre-release.
    """

    version: Version
    is_certain: bool

    def fits(self, release: Version) -> bool:
        """Whether it names a release; `0.3` names all of its patch releases."""
        if len(self.version.release) == 2 and not self.version.is_prerelease:
            return release.release[:2] == self.version.release
        return release == self.version


def sentences(text: str) -> list[str]:
    """The sentences of a text; full stops inside code do not end one."""
    return [match[0] for match in _SENTENCE.finditer(text)]


def versions_in(text: str) -> list[Mention]:
    """Everything that looks like a version: `v0.3.1`, `0.3.1rc2`, `0.3`."""
    mentions = []
    for match in _VERSION.finditer(text):
        version = Version(match["number"])
        certain = match["v"] or len(version.release) > 2 or version.is_prerelease
        mentions.append(Mention(version, bool(certain)))
    return mentions


def says_absent(sentence: str) -> bool:
    """Whether a sentence says of something that it is not, or no longer, there."""
    return _ABSENT.search(sentence) is not None
