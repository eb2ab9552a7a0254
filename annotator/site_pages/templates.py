"""The template engine: every value is text unless a function of this package made markup of it."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from annotator.site_pages.escaping import plain
from annotator.site_pages.prose import phrase, prose


def make_environment(
    folder: Path, words: Mapping[str, str], extra: Mapping[str, Any]
) -> Environment:
    """Templates for one language.

    Args:
        folder: where the templates are.
        words: the site's own words; `w("key")` in a template.
        extra: more functions and facts for templates.
    """

    def w(key: str, **values: object) -> Markup:
        text = phrase(words[key])
        for name, value in values.items():
            text = Markup(text.replace(f"&#123;{name}&#125;", plain(value)))  # noqa: S704 - both are escaped
        return text

    def each(key: str) -> list[Markup]:
        return [phrase(part) for part in words[key].split("|")]

    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        finalize=_final,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals.update(
        w=w, each=each, known=words.__contains__, prose=prose, phrase=phrase, **extra
    )
    environment.filters["raw_id"] = raw_id
    return environment


def raw_id(value: object) -> Markup:
    """An id for a Markdown attribute list, which knows no character references: letters, digits, `-`, `_`, `.`."""
    return Markup(re.sub(r"[^0-9A-Za-z_.-]", "-", str(value)))  # noqa: S704 - nothing else is left


def _final(value: object) -> Markup:
    """What a template prints: markup as it is, all else as text."""
    if value is None:
        return Markup("")
    return value if isinstance(value, Markup) else plain(value)
