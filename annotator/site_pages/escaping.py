"""Text as text: safe in HTML, in attributes and in Markdown alike."""

import re

from markupsafe import Markup

_SPECIAL = re.compile(r"[^0-9A-Za-z .,:;/()%?@\-\u00a0-\U0010ffff]")
_IN_PRE = {ord(char): f"&#{ord(char)};" for char in "&<>\"'`{}"}
_BREAKS = re.compile(r"\s+")
_TAGS = str.maketrans({"<": "‹", ">": "›"})
_REFERENCE = re.compile(r"&(?=[#\w])")


def printable(text: str, keep: str = "") -> str:
    """`text` without control characters and without those that reorder a line for the eye."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else "�" for char in text)


def plain(text: object) -> Markup:
    """Any value as text in one line; every ASCII character that could be markup becomes a character reference.

    That holds for HTML, for attributes in quotes, for template languages, and for Markdown within a line.
    """
    line = printable(_BREAKS.sub(" ", str(text)))
    return Markup(_SPECIAL.sub(lambda found: f"&#{ord(found[0])};", line))  # noqa: S704 - escaped just now


def code_text(text: str) -> str:
    """Source text for a `pre`: line feeds and blanks stay as they are."""
    text = printable(text, "\n\t").expandtabs(4)
    return text.translate(_IN_PRE)


def title_text(text: str) -> str:
    """A page title for front matter. Themes print it as it is, so it must not hold markup in any reading of it."""
    line = printable(_BREAKS.sub(" ", text)).strip()
    return _REFERENCE.sub("＆", line.translate(_TAGS)).replace("{", "｛").replace("}", "｝")
