"""The site's own source: templates, hand-written pages, assets, words."""

import importlib.resources
from pathlib import Path
from typing import Literal, NamedTuple

import yaml

from annotator.model.failures import Incomplete

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


class SiteFolder(NamedTuple):
    """Where the site's source is.

    Attributes:
        path: the folder site/.
        config: the MkDocs configuration beside it.
    """

    path: Path
    config: Path

    @property
    def templates(self) -> Path:
        """Folder of the Jinja2 templates."""
        return self.path / "templates"

    @property
    def assets(self) -> Path:
        """Folder of scripts and styles."""
        return self.path / "assets"

    def words(self, language: Language) -> dict[str, str]:
        """The site's own words in a language."""
        text = (self.path / "words.yaml").read_text(encoding="utf-8")
        both: dict[str, dict[str, str]] = yaml.safe_load(text)
        return {key: each[language] for key, each in both.items()}


def find_site_folder(project: Path) -> SiteFolder:
    """The site's source of a project, else what comes with the program.

    Args:
        project: folder that holds the study's folder.

    Raises:
        Incomplete: if there is none.
    """
    package = importlib.resources.files("annotator")
    candidates = [project]
    if isinstance(package, Path):
        candidates += [package / "_site", package.parent]
    for folder in candidates:
        site = folder / "site"
        if (site / "templates").is_dir() and (folder / "mkdocs.yml").is_file():
            return SiteFolder(site, folder / "mkdocs.yml")
    raise Incomplete(
        "the site's source (site/ and mkdocs.yml) is missing",
        hint="run in a checkout of annot, or install it again",
    )
