"""The pages of reference say all that the program and its schemas say, in both languages."""

import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from annotator.cli.app import app
from annotator.site_pages.hand_written import HandWritten
from annotator.site_pages.pages import Page
from annotator.site_pages.reference import with_reference
from annotator.site_pages.reference_commands import command_entries
from annotator.site_pages.reference_files import (
    FILES,
    file_entries,
    file_schemas,
    read_example,
)
from annotator.site_pages.reference_layers import layers_svg, read_layers
from annotator.site_pages.reference_words import ReferenceWords, reference_words
from annotator.site_pages.site_folder import SiteFolder
from annotator.site_pages.templates import make_environment
from annotator.store.json_schema import json_schemas

ROOT = Path(__file__).parents[2]
SITE = SiteFolder(ROOT / "site", ROOT / "mkdocs.yml")
EXAMPLES = ROOT / "site" / "reference" / "examples"
COMMANDS = command_entries(app, {})


def words(language: str) -> ReferenceWords:
    found = reference_words(SITE, language)  # type: ignore[arg-type]
    assert found is not None
    return found


# ---- commands


def test_every_command_is_there_with_its_own() -> None:
    names = [each.name for each in COMMANDS]
    assert names[:2] == ["annot init", "annot check"]
    assert names.index("annot notes") + 1 == names.index("annot notes check")
    assert len(names) == len(set(names)) > 30


def test_every_command_has_a_chinese_summary_and_no_other_has() -> None:
    assert words("zh").commands.keys() == {each.name.partition(" ")[2] for each in COMMANDS}


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.id)
def test_a_command_says_what_its_help_says(entry: object) -> None:
    assert isinstance(entry, type(COMMANDS[0]))
    assert entry.summary.endswith(".")
    assert entry.usage.startswith(entry.name)
    assert [option.names for option in entry.options][-1] == "-h, --help"
    assert all(option.meaning for option in entry.options)
    for remark in entry.remarks:
        assert remark.lines or remark.sentence
        assert "\b" not in remark.lines + remark.sentence


def test_examples_keep_their_columns() -> None:
    check = next(each for each in COMMANDS if each.name == "annot check")
    examples = next(each for each in check.remarks if each.title == "Examples:")
    assert examples.lines.startswith("annot check    ")
    assert "\n" not in examples.lines, "an empty line would end the block"


# ---- files


@pytest.mark.parametrize("name", FILES)
def test_an_example_is_a_valid_file_with_every_key(name: str) -> None:
    schema = file_schemas()[name]
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(read_example(EXAMPLES, name)))
    [entry] = [each for each in file_entries(EXAMPLES, words("en")) if each.name == name]
    missing = [
        (type_.name, row.key) for type_ in entry.types for row in type_.rows if not row.example
    ]
    assert not missing, "the example shows every key"


def test_every_kind_of_file_is_there() -> None:
    assert FILES.keys() == json_schemas().keys() | {"debt", "lock"}
    assert words("zh").files.keys() == words("en").files.keys() == FILES.keys()


def test_every_key_is_explained_in_both_languages_and_no_other_is() -> None:
    keys = set()
    for file in file_entries(EXAMPLES, words("en")):
        for type_ in file.types:
            keys |= {type_.name, *(f"{type_.name}.{row.key}" for row in type_.rows)}
            unexplained = [row.key for row in type_.rows if not row.meaning and row.key != "schema"]
            assert not unexplained, type_.name
    assert words("zh").meanings.keys() == keys


def test_types_are_explained_once_and_linked() -> None:
    entries = file_entries(EXAMPLES, words("en"))
    names = [type_.name for file in entries for type_ in file.types]
    assert len(names) == len(set(names))
    types = "".join(row.type for file in entries for type_ in file.types for row in type_.rows)
    assert set(re.findall(r'href="#type-(\w+)"', types)) <= set(names)


# ---- architecture


def test_the_picture_has_the_layers_of_the_contract(tmp_path: Path) -> None:
    layers = read_layers(ROOT / "pyproject.toml", words("zh").layers)
    names = [[layer.name for layer in row] for row in layers]
    assert names[0] == ["cli"]
    assert names[-1] == ["model"]
    assert ["site_pages", "reading"] in names
    assert words("zh").layers.keys() == {name for row in names for name in row}
    english = read_layers(ROOT / "pyproject.toml", {})
    assert all(layer.duty for row in english for layer in row), "every package has a docstring"
    picture = layers_svg(english, "<layers>")
    assert picture.count("<rect") == sum(map(len, names))
    assert "<layers>" not in picture
    assert read_layers(tmp_path / "pyproject.toml", {}) == []


# ---- the pages


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_pages_are_whole(language: str) -> None:
    guide = HandWritten("guide/index", "guide", "G", "# G\n")
    mine = HandWritten("reference/a", "reference", "A", "# A\n\n<!-- picture: layers -->\n")
    pages = with_reference([guide, mine], SITE, language, app)  # type: ignore[arg-type]
    assert [page.path for page in pages] == [
        "guide/index",
        "reference/commands",
        "reference/files",
        "reference/a",
        "reference/changelog",
    ]
    environment = make_environment(SITE.templates, {}, {})
    for page in pages:
        if isinstance(page, Page):
            context = {**page.context, "title": page.title, "front_title": page.title}
            text = environment.get_template(page.template).render(context)
            assert re.search(r"^## \S", text, re.MULTILINE), "headings are headings"
            assert "{{" not in text
    drawn = pages[3]
    assert isinstance(drawn, HandWritten)
    assert "<svg" in drawn.text


def test_a_site_without_words_for_it_has_no_reference(tmp_path: Path) -> None:
    page = HandWritten("guide/index", "guide", "G", "# G\n")
    site = SiteFolder(tmp_path / "site", tmp_path / "mkdocs.yml")
    assert with_reference([page], site, "en", app) == [page]
