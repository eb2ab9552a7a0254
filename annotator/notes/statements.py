"""Finds which version of an upstream a note says that it is about."""

import re
from collections.abc import Iterable

_HEAD = 6000
"""Characters from the beginning in which a note says what it is about."""

_VERSION = r"v?\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}(?:\.?(?:post|dev|rc|a|b)\d{1,4})?"
_ID = r"[0-9a-f]{7,40}"
_DIRECTIVE = r"annot:\s*{name}\s*@\s*(?P<directive>[\w./+-]{{1,100}})"
_SAYS = (
    r"based\ on|version|release|edition|as\ of|checked\ out|source(?:\ code)?(?:\ at|\ of)?|pinned\ (?:to|at)"
    r"|written\ (?:for|against)|基于|版本|源码|代码|对应|分支|版"
)
_STATEMENT = r"""
    (?:{says}) [^\n]{{0,40}}? {name} [^\n\w]{{0,6}} (?:version|版本|release|tag)? [^\n\w]{{0,4}}
        (?P<after>{version}) (?![\w.]*\w)
  | {name} [^\n\w]{{0,4}} (?:{says}|tag) [^\n\w]{{0,6}} (?P<named>{version}) (?![\w.]*\w)
  | {name} [^\n]{{0,60}}? (?:commit|sha|revision|提交) (?:\s*(?:id|hash|sha))? [^\n\w]{{0,8}} (?P<commit>{id})\b
  | ^\#{{1,3}}\ [^\n]{{0,80}}? {name} [^\n\w]{{0,4}} (?P<heading>{version}) (?![\w.]*\w)
  | {name} \s* (?:==|@) \s* (?P<pinned>{version}) (?![\w.]*\w)
"""

_FLAGS = re.IGNORECASE | re.VERBOSE | re.MULTILINE


def stated_ref(text: str, names: Iterable[str]) -> str:
    """The ref that a note says an upstream was read at; empty if it says none.

    A directive (`annot: NAME@REF`, in a comment for instance) counts wherever it stands; sentences such as
    "based on NAME v1.2.3" or "NAME … commit 0123abc" only near the beginning.

    Args:
        text: the note.
        names: what the upstream is called.
    """
    known = "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True))
    name = rf"(?<![\w/-])(?:{known})(?![\w/-])(?:\]\([^()\s]{{0,200}}\))?"  # it may be a link
    directive = re.search(_DIRECTIVE.format(name=name), text, re.IGNORECASE)
    if directive:
        return directive["directive"]
    pattern = _STATEMENT.format(name=name, says=_SAYS, version=_VERSION, id=_ID)
    found = re.search(pattern, text[:_HEAD], _FLAGS)
    return next((group for group in found.groups() if group), "") if found else ""
