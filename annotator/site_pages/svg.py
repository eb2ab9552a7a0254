"""Building SVG: elements from escaped values, and how wide a text is."""

import unicodedata
from collections.abc import Iterable

from markupsafe import Markup

from annotator.site_pages.escaping import plain


def element(
    name: str, content: Iterable[Markup] | Markup | str = "", **attributes: object
) -> Markup:
    """One element. A trailing underscore is dropped from attribute names, others become hyphens.

    Args:
        name: its tag.
        content: markup, or text that will be escaped.
        **attributes: values that will be escaped; None leaves an attribute out.
    """
    if isinstance(content, str):
        inner = content if isinstance(content, Markup) else plain(content)
    else:
        inner = Markup("").join(content)
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{plain(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = f">{inner}</{name}>" if inner else "/>"
    return Markup(f"<{name}{pairs}{end}")  # noqa: S704 - parts are escaped


def _number(value: object) -> object:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def text_width(text: str, size: float) -> float:
    """About how wide a text is, in the unit of `size`: Chinese characters are squares."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return size * (wide + 0.56 * (len(text) - wide))


def wrapped(text: str, size: float, width: float) -> list[str]:
    """A text broken into lines of at most `width`; Latin words stay whole."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and text_width(line + piece, size) > width:
            lines.append(line.strip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.strip()] if line.strip() else lines


def _pieces(text: str) -> Iterable[str]:
    word = ""
    for char in text:
        if unicodedata.east_asian_width(char) in "WF" or char == " ":
            if word:
                yield word
            yield char
            word = ""
        else:
            word += char
    if word:
        yield word
