"""The files of a study, key by key: from their JSON Schemas, with examples from complete files."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from markupsafe import Markup

from annotator.model.debt import DebtFile
from annotator.model.lock import Lock
from annotator.site_pages.escaping import code_text, plain
from annotator.site_pages.prose import phrase
from annotator.site_pages.reference_words import ReferenceWords
from annotator.store.json_schema import JsonSchema, json_schemas, schema_of

FILES: Mapping[str, str] = {
    "upstreams": "anchors/upstreams.yaml",
    "question": "anchors/route/NN-name.yaml",
    "resources": "anchors/resources/NAME.yaml",
    "glossary": "anchors/glossary.yaml",
    "handbook": "anchors/handbook.yaml",
    "reviews": "anchors/reviews/UPSTREAM/ANCHOR.yaml",
    "session": "anchors/sessions/ID.yaml",
    "record": "anchors/records/NAME.yaml",
    "experiments": "anchors/experiments.yaml",
    "debt": "NAME.yaml",
    "lock": "anchors/locks/UPSTREAM.json",
}
"""The kinds of files and where they are, in the order in which a newcomer meets them."""

_LONGEST = 64


class KeyRow(NamedTuple):
    """One key of a type.

    Attributes:
        key: its name.
        type: what it holds, with links to other types.
        required: whether it has to be there.
        default: what holds where it is left out, as it would be written; empty if nothing is said.
        meaning: what it means.
        example: a value, as it is written.
    """

    key: str
    type: Markup
    required: bool
    default: str
    meaning: str
    example: str


class TypeEntry(NamedTuple):
    """A type: a file as a whole, or what stands at one of its keys.

    Attributes:
        name: its name.
        meaning: what it is.
        rows: its keys, none if it has none.
        values: what it can be, none if it has keys.
    """

    name: str
    meaning: str
    rows: tuple[KeyRow, ...]
    values: tuple[str, ...]


class FileEntry(NamedTuple):
    """A kind of file.

    Attributes:
        name: what `annot schema` calls it.
        title: what it is.
        path: where it is.
        example: a complete file.
        types: itself, then the types that no earlier kind has.
    """

    name: str
    title: str
    path: str
    example: Markup
    types: tuple[TypeEntry, ...]


def file_schemas() -> dict[str, JsonSchema]:
    """The schemas of all kinds of files, also of those that only the program writes."""
    known = json_schemas() | {"debt": schema_of(DebtFile), "lock": schema_of(Lock)}
    return {name: known[name] for name in FILES}


def read_example(folder: Path, name: str) -> str:
    """A complete file of a kind. JSON is YAML too."""
    return (folder / f"{name}.yaml").read_text(encoding="utf-8")


def file_entries(examples: Path, words: ReferenceWords) -> list[FileEntry]:
    """Every kind of file.

    Args:
        examples: folder with a complete example of each.
        words: what is said in the page's language.
    """
    told: set[str] = set()
    entries = []
    for name, schema in file_schemas().items():
        text = read_example(examples, name)
        values: dict[tuple[str, str], Any] = {}
        _collect(schema, name, yaml.safe_load(text), schema.get("$defs", {}), values)
        types = {name: schema} | schema.get("$defs", {})
        fresh = {
            each: types[each]
            for each in types
            if each not in told and _is_told(types[each]) and each != "JsonValue"
        }
        told |= fresh.keys()
        entries.append(
            FileEntry(
                name,
                words.files[name],
                FILES[name],
                Markup(code_text(text.strip()).replace("\n", "&#10;")),  # noqa: S704 - escaped
                tuple(_type(each, fresh[each], values, words) for each in fresh),
            )
        )
    return entries


def _is_told(schema: JsonSchema) -> bool:
    return "properties" in schema or "enum" in schema


def _type(
    name: str,
    schema: JsonSchema,
    values: Mapping[tuple[str, str], Any],
    words: ReferenceWords,
) -> TypeEntry:
    rows = tuple(
        KeyRow(
            key,
            _type_words(described, words.texts),
            key in schema.get("required", ()),
            _written(described["default"])
            if described.get("default") not in (None, "", [])
            else "",
            words.meanings.get(f"{name}.{key}", described.get("description", "")),
            _written(values[name, key]) if (name, key) in values else "",
        )
        for key, described in schema.get("properties", {}).items()
    )
    meaning = words.meanings.get(name, schema.get("description", ""))
    return TypeEntry(name, meaning, rows, tuple(schema.get("enum", ())))


def _collect(
    schema: JsonSchema,
    name: str,
    value: Any,
    types: Mapping[str, JsonSchema],
    into: dict[tuple[str, str], Any],
) -> None:
    """The first value of every key of every type in an example."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        schema = types[name]
    if isinstance(value, list):
        for each in value:
            _collect(schema.get("items", {}), name, each, types, into)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in schema.get("properties", {}):
                into.setdefault((name, key), inner)
                _collect(schema["properties"][key], name, inner, types, into)
            elif isinstance(more := schema.get("additionalProperties"), dict):
                _collect(more, name, inner, types, into)


def _type_words(schema: JsonSchema, texts: Mapping[str, str]) -> Markup:
    """What a schema lets stand there, in words."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name == "JsonValue":
            return plain("JSON")
        return Markup('<a href="#type-{0}">{0}</a>').format(plain(name))
    if "const" in schema:
        return _codes([schema["const"]])
    if "enum" in schema:
        return _codes(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if kinds == ["array"]:
        inner = schema.get("items") or schema["prefixItems"][0]
        return phrase(texts["type_array"]) + " " + _type_words(inner, texts)
    if kinds == ["object"]:
        inner = schema.get("additionalProperties")
        of = _type_words(inner, texts) if isinstance(inner, dict) else plain("JSON")
        return phrase(texts["type_object"]) + " " + of
    told = plain(" / ".join(texts[f"type_{kind}"] for kind in kinds))
    if pattern := schema.get("pattern"):
        told += Markup(" ") + _codes([pattern])
    return told + plain("".join(_bounds(schema)))


def _bounds(schema: JsonSchema) -> Iterator[str]:
    if "minimum" in schema:
        yield f" ≥ {schema['minimum']}"
    if "maximum" in schema:
        yield f" ≤ {schema['maximum']}"


def _codes(values: list[Any]) -> Markup:
    return Markup(" / ").join(Markup("<code>{}</code>").format(plain(value)) for value in values)


def _written(value: Any) -> str:
    """A value as it would stand in a file, in one line and cut where it is long."""
    text = yaml.safe_dump(
        value, default_flow_style=True, allow_unicode=True, width=10_000, sort_keys=False
    )
    line = " ".join(text.removesuffix("...\n").split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
