"""What pages of reference say where the program itself says nothing, or says it in another language."""

from collections.abc import Mapping
from typing import NamedTuple

import yaml

from annotator.site_pages.site_folder import Language, SiteFolder


class ReferenceWords(NamedTuple):
    """What pages of reference say in one language (site/reference/words.yaml).

    Attributes:
        texts: headings and sentences.
        commands: summaries of commands, by what follows `annot`; none in the language of the program's own help.
        layers: what each layer is for; none in the language of the docstrings.
        files: titles of the kinds of files.
        meanings: of types and of `TYPE.KEY`; none in the language of the schemas.
    """

    texts: Mapping[str, str]
    commands: Mapping[str, str]
    layers: Mapping[str, str]
    files: Mapping[str, str]
    meanings: Mapping[str, str]


def reference_words(site: SiteFolder, language: Language) -> ReferenceWords | None:
    """The words of one language; none where the site's source has no reference."""
    file = site.path / "reference" / "words.yaml"
    if not file.is_file():
        return None
    text = file.read_text(encoding="utf-8")
    data: dict[str, dict[str, dict[str, str]]] = yaml.safe_load(text)
    return ReferenceWords(
        **{
            part: {key: both[language] for key, both in entries.items() if language in both}
            for part, entries in data.items()
        }
    )
