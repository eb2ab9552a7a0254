"""Pages that people write: Markdown files of the site's source, which go through as they are."""

import re
from typing import NamedTuple

from annotator.model.failures import UserMistake
from annotator.site_pages.site_folder import LANGUAGES, Language, SiteFolder

SECTIONS = ("guide", "reference")
"""Folders of the site's source, each a section of the navigation."""

_HEADING = re.compile(r"^# (?P<title>.+?)\s*#*\s*$", re.MULTILINE)


class HandWritten(NamedTuple):
    """A page in one language.

    Attributes:
        path: its address below the language's root, without suffix.
        section: the section it belongs to.
        title: its first heading, else the name of its file.
        text: its Markdown.
    """

    path: str
    section: str
    title: str
    text: str


def hand_written(site: SiteFolder, language: Language) -> list[HandWritten]:
    """The files `SECTION/NAME.LANGUAGE.md`: by section and name, `index` first.

    Raises:
        UserMistake: if a page is missing in another language, since every page has a switch to it.
    """
    pages = []
    for section in SECTIONS:
        folder = site.path / section
        names = {
            each: {path.name.removesuffix(f".{each}.md") for path in folder.glob(f"*.{each}.md")}
            for each in LANGUAGES
        }
        for other in LANGUAGES:
            if missing := sorted(names[language] - names[other]):
                raise UserMistake(
                    f"{folder / missing[0]}.{other}.md is missing: every page is there in both languages",
                    hint=f"translate {missing[0]}.{language}.md",
                )
        for name in sorted(names[language], key=lambda name: (name != "index", name)):
            text = (folder / f"{name}.{language}.md").read_text(encoding="utf-8")
            heading = _HEADING.search(text)
            title = heading["title"] if heading else name
            pages.append(HandWritten(f"{section}/{name}", section, title, text))
    return pages
