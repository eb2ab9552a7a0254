"""Pages about the program itself: commands, files, architecture, changelog. All but their words is made from the program."""

from collections.abc import Sequence
from typing import Any

import click

from annotator.site_pages.hand_written import HandWritten
from annotator.site_pages.pages import Page
from annotator.site_pages.reference_commands import command_entries
from annotator.site_pages.reference_files import file_entries
from annotator.site_pages.reference_layers import layers_svg, read_layers
from annotator.site_pages.reference_words import ReferenceWords, reference_words
from annotator.site_pages.site_folder import Language, SiteFolder

_SECTION = "reference"
_LAYERS = "<!-- picture: layers -->"
"""Stands in a page for the picture of the layers."""


def with_reference(
    by_hand: Sequence[HandWritten],
    site: SiteFolder,
    language: Language,
    program: click.Group | None,
) -> list[Page | HandWritten]:
    """The pages that people wrote, and among them those that are made from the program.

    Args:
        by_hand: what people wrote.
        site: the site's own source.
        language: the language.
        program: the command line; without it there is no page of commands.
    """
    words = reference_words(site, language)
    if words is None:
        return list(by_hand)
    pages = [_with_picture(page, site, words) for page in by_hand]
    before = [page for page in pages if page.section != _SECTION]
    return [
        *before,
        *([_commands(program, words)] if program else []),
        _files(site, words),
        *pages[len(before) :],
        *_changelog(site, words),
    ]


def _commands(program: click.Group, words: ReferenceWords) -> Page:
    entries = command_entries(program, words.commands)
    return _page("commands", "reference_commands.md.j2", words, {"commands": entries})


def _files(site: SiteFolder, words: ReferenceWords) -> Page:
    entries = file_entries(site.path / _SECTION / "examples", words)
    return _page("files", "reference_files.md.j2", words, {"files": entries})


def _page(name: str, template: str, words: ReferenceWords, context: dict[str, Any]) -> Page:
    context["texts"] = words.texts
    return Page(f"{_SECTION}/{name}", words.texts[name], template, context, _SECTION)


def _with_picture(page: HandWritten, site: SiteFolder, words: ReferenceWords) -> HandWritten:
    if _LAYERS not in page.text:
        return page
    layers = read_layers(site.config.with_name("pyproject.toml"), words.layers)
    picture = layers_svg(layers, words.texts["layers_label"]) if layers else ""
    figure = f'<div class="an-scroll an-figure" tabindex="0">{picture}</div>' if picture else ""
    return page._replace(text=page.text.replace(_LAYERS, figure))


def _changelog(site: SiteFolder, words: ReferenceWords) -> list[HandWritten]:
    """The changelog beside the configuration, if there is one. It is kept in English alone."""
    file = site.config.with_name("CHANGELOG.md")
    if not file.is_file():
        return []
    title = words.texts["changelog"]
    text = file.read_text(encoding="utf-8").removeprefix("# Changelog\n")
    note = words.texts["changelog_note"]
    body = f"# {title}\n\n{note}\n{text}" if note else f"# {title}\n{text}"
    return [HandWritten(f"{_SECTION}/changelog", _SECTION, title, body)]
