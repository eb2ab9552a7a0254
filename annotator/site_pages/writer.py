"""Writes the pages of all languages and the MkDocs configurations that build them."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import yaml
from markupsafe import Markup

from annotator.site_pages.behaviour import Seen
from annotator.site_pages.escaping import title_text
from annotator.site_pages.hand_written import HandWritten, hand_written
from annotator.site_pages.pages import Page, Pages
from annotator.site_pages.reference import with_reference
from annotator.site_pages.site_folder import LANGUAGES, Language, SiteFolder
from annotator.site_pages.templates import make_environment
from annotator.tasks.site import SiteMaterial

_NOTHING_SEEN = Seen()
_NAMES: Mapping[Language, str] = {"zh": "中文", "en": "English"}


def write_pages(
    material: SiteMaterial,
    site: SiteFolder,
    study_folder: Path,
    output: Path,
    seen: Seen = _NOTHING_SEEN,
    program: click.Group | None = None,
) -> list[Path]:
    """Writes Markdown pages and configurations; what was there before is replaced.

    Everything is below `output`, since Zensical wants it below the folder of the configuration: `pages/LANGUAGE` the
    Markdown, `theme` the overrides, `LANGUAGE.yml` the configurations, which build into `site`.

    Args:
        material: what pages are made from.
        site: the site's own source.
        study_folder: folder of the study.
        output: where everything goes.
        seen: what probes saw.
        program: the command line, for the reference of its commands.

    Returns:
        The configurations, the default language first.

    Raises:
        UserMistake: if a page that somebody wrote is there in one language only.
    """
    for name in ("pages", "theme"):
        shutil.rmtree(output / name, ignore_errors=True)
    shutil.copytree(site.path / "theme", output / "theme")
    configs = []
    for language in LANGUAGES:
        folder = output / "pages" / language
        pages = Pages(material, site, language, study_folder, seen)
        words = site.words(language)
        *most, about = pages.all()
        documents = with_reference(hand_written(site, language), site, language, program)
        written = [*most, *documents, about]
        environment = make_environment(
            site.templates,
            words,
            {"say": pages.say},
        )
        shared = {
            "study": material.study,
            "report": material.report,
            "lang": language,
        }
        for page in written:
            file = folder / f"{page.path}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            text = (
                page.text
                if isinstance(page, HandWritten)
                else environment.get_template(page.template).render(_context(page, shared))
            )
            file.write_text(text, encoding="utf-8")
        shutil.copytree(site.assets, folder / "assets")
        configs.append(_write_config(language, written, words, site, output))
    return configs


def _context(page: Page, shared: Mapping[str, Any]) -> dict[str, Any]:
    """What the template of a page is given."""
    return {
        **shared,
        **page.context,
        "page": page,
        "title": page.title,
        "root": "../" * page.path.count("/"),
        "front_title": Markup(json.dumps(title_text(page.title), ensure_ascii=False)),  # noqa: S704
    }


def _write_config(
    language: Language,
    pages: Sequence[Page | HandWritten],
    words: Mapping[str, str],
    site: SiteFolder,
    output: Path,
) -> Path:
    """The shared configuration, completed with what one language has of its own."""
    default = language == LANGUAGES[0]
    other = next(each for each in LANGUAGES if each != language)
    config: dict[str, Any] = {
        "INHERIT": Path(os.path.relpath(site.config, output)).as_posix(),
        "site_name": title_text(words["site_name"]),
        "site_description": title_text(words["site_description"]),
        "docs_dir": f"pages/{language}",
        "site_dir": "site" if default else f"site/{language}",
        "theme": {
            "language": language,
            "custom_dir": "theme",
        },
        "extra": {
            "other_language": {
                "name": _NAMES[other],
                "code": other,
                "root": f"{other}/" if default else "../",
            },
        },
        "nav": list(_navigation(pages, words)),
    }
    file = output / f"{language}.yml"
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False, width=120)
    file.write_text(text, encoding="utf-8")
    return file


def _navigation(pages: Sequence[Page | HandWritten], words: Mapping[str, str]) -> Iterator[Any]:
    """Pages at the top stand alone, those of a section under its name."""
    done = set()
    for page in pages:
        if not page.section:
            yield {title_text(page.title): f"{page.path}.md"}
        elif page.section not in done:
            done.add(page.section)
            inside = [each for each in pages if each.section == page.section]
            yield {title_text(words[page.section]): [f"{each.path}.md" for each in inside]}
