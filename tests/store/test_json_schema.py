"""The schemas that editors use, made from the models."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from annotator.store.json_schema import json_schemas, stale_schemas, write_schemas
from annotator.store.yaml_source import parse_yaml, read_yaml

ANCHORS = Path(__file__).parents[2] / "anchors"
SCHEMAS = json_schemas()


def objects(schema):
    """Every schema of a mapping with named keys."""
    return [part for part in (schema, *schema.get("$defs", {}).values()) if "properties" in part]


def errors(name, data):
    found = Draft202012Validator(SCHEMAS[name]).iter_errors(data)
    return [f"{'.'.join(map(str, error.path))}: {error.message}" for error in found]


def test_the_committed_files_are_up_to_date():
    assert stale_schemas(ANCHORS) == [], "run `annot schema --write`"


def test_writing_brings_them_up_to_date(tmp_path):
    written = write_schemas(tmp_path)
    assert sorted(path.name for path in written) == [
        "experiments.schema.json",
        "glossary.schema.json",
        "handbook.schema.json",
        "question.schema.json",
        "record.schema.json",
        "resources.schema.json",
        "reviews.schema.json",
        "session.schema.json",
        "upstreams.schema.json",
    ]
    assert stale_schemas(tmp_path) == []
    written[0].write_text("{}", encoding="utf-8")
    written[1].unlink()
    assert write_schemas(tmp_path) == written[:2]


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_valid_schema_of_draft_2020_12(name):
    assert SCHEMAS[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMAS[name]["title"].startswith("annot: ")
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_key_is_without_a_description_and_none_is_extra(name):
    for part in objects(SCHEMAS[name]):
        assert part["additionalProperties"] is False
        assert part["description"]
        for key, entry in part["properties"].items():
            assert entry.get("description"), f"{key} needs a line in its model's Attributes"
            assert "\n" not in entry["description"]


def test_descriptions_are_the_docstrings_words():
    anchor = SCHEMAS["question"]["$defs"]["Anchor"]
    assert (
        anchor["description"] == "One place that a question or resource points to, with its note."
    )
    assert anchor["properties"]["note"]["description"] == "what to notice there."
    assert SCHEMAS["question"]["properties"]["schema"]["description"].startswith("version of")
    assert "by default `quote` where there is one" in anchor["properties"]["watch"]["description"]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("question", "route/*.yaml"),
        ("resources", "resources/*.yaml"),
        ("upstreams", "upstreams.yaml"),
        ("handbook", "handbook.yaml"),
    ],
)
def test_the_real_files_fit_their_schema_and_name_it(name, pattern):
    paths = list(ANCHORS.glob(pattern))
    assert paths
    for path in paths:
        source = read_yaml(path)
        assert errors(name, source.data) == [], path
        above = "../" * (len(path.relative_to(ANCHORS).parts) - 1)
        modeline = f"# yaml-language-server: $schema={above}schema/{name}.schema.json"
        assert source.text.startswith(modeline), path


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("number: 0", "0 is less than the minimum of 1"),
        ("number: '1'", "'1' is not of type 'integer'"),
        ("watch: body", "Additional properties are not allowed"),
        ("resources: [v4]", "'v4' does not match"),
        ("schema: 2", "1 was expected"),
        ("anchors: []", "should be non-empty"),
        ("answer: null", "None is not of type 'object'"),
        ("anchors: [{id: a, target: a.py, note: {zh: x}, watch: boddy}]", "'boddy' is not one of"),
    ],
)
def test_an_editor_tells_what_the_loader_tells(line, error):
    text = "schema: 1\nid: q1\nnumber: 1\nupstream: e\ntitle: {zh: a}\nquestion: {zh: b}\n"
    valid = parse_yaml(text + "anchors: [{id: a, target: a.py, note: {zh: x}}]\n", "f").data
    assert errors("question", valid) == []
    assert error in str(errors("question", {**valid, **parse_yaml(line, "f").data}))
