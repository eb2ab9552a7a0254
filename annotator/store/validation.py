"""Data checked against its model, with every mistake told in plain words at its own place."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotator.store.problems import Problem, ProblemsFound, did_you_mean
from annotator.store.yaml_source import Loc, Plain, YamlSource

if TYPE_CHECKING:
    from annotator.store.json_schema import JsonSchema

Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], source: YamlSource) -> Model:
    """`source`'s data as a `model`.

    Raises:
        ProblemsFound: with everything that does not fit the model.
    """
    if source.data is None:
        raise ProblemsFound([Problem(source.file, 1, 1, "the file is empty")])
    problems = list(_empty_values(source.data, (), source))
    try:
        valid = model.model_validate(source.data)
    except ValidationError as error:
        # Only a mistake pays for loading pydantic's schema generator (some 15 ms).
        from annotator.store.json_schema import schema_of  # noqa: PLC0415

        schema = schema_of(model)
        problems += [
            _problem(mistake, source, schema)
            for mistake in error.errors(include_url=False)
            if mistake["input"] is not None and not _follows_from_others(mistake)
        ]
    if problems:
        raise ProblemsFound(problems)
    return valid


def _empty_values(data: Plain, loc: Loc, source: YamlSource) -> Iterator[Problem]:
    """A problem for each value that is not written: the models would take it for left out."""
    if data is None:
        hint = "write it, or leave the key out" if isinstance(loc[-1], str) else "write it"
        yield source.problem(source.value_span(loc), f"{_name(loc)} is empty", hint)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _empty_values(value, (*loc, key), source)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _empty_values(value, (*loc, index), source)


def _follows_from_others(mistake: ErrorDetails) -> bool:
    """Whether a list is called too short only since its entries are invalid."""
    return mistake["type"] == "too_short" and len(mistake["input"]) >= mistake["ctx"]["min_length"]


def _problem(mistake: ErrorDetails, source: YamlSource, schema: "JsonSchema") -> Problem:
    loc = mistake["loc"]
    match mistake["type"]:
        case "missing" if isinstance(loc[-1], str):
            hint = _schema_at(schema, loc).get("description", "")
            return source.problem(
                source.value_span(loc[:-1]), f"missing key {_name(loc)}", hint.rstrip(".")
            )
        case "missing":  # in a list of fixed length
            message = f"{_name(loc[:-1])} needs another entry"
            return source.problem(source.value_span(loc[:-1]), message)
        case "extra_forbidden":
            allowed = list(_schema_at(schema, loc[:-1])["properties"])
            message = f"unknown key {_name(loc)}{did_you_mean(str(loc[-1]), allowed)}"
            return source.problem(source.keys[loc], message, f"allowed keys: {', '.join(allowed)}")
    message, hint = _about_value(mistake, _schema_at(schema, loc))
    if loc and loc[-1] == "[key]":  # pydantic's mark for what concerns a mapping's key
        return source.problem(source.keys[loc[:-1]], message, hint)
    return source.problem(source.value_span(loc), message, hint)


def _about_value(mistake: ErrorDetails, schema: "JsonSchema") -> tuple[str, str]:
    """What is wrong with a value and what to do, from pydantic's words and the value's schema."""
    name, given, limits = _name(mistake["loc"]), mistake["input"], mistake.get("ctx", {})
    match mistake["type"]:
        case "value_error":
            return str(limits["error"]), ""
        case "enum" | "literal_error":
            allowed = [str(value) for value in schema.get("enum", [schema.get("const")])]
            message = f"{name} cannot be {given!r}{did_you_mean(str(given), allowed)}"
            return message, f"allowed: {', '.join(allowed)}"
        case "string_pattern_mismatch":
            message = f"{name} does not have the right form: {given!r}"
            return message, f"write it like {' or '.join(map(repr, schema['examples']))}"
        case "string_type":
            hint = "put it in double quotes" if isinstance(given, bool | int | float) else ""
            return f"{name} must be text, not {_kind(given)}", hint
        case "int_type":
            return f"{name} must be a whole number, not {_kind(given)}", ""
        case "greater_than_equal":
            return f"{name} is {given}; the least is {limits['ge']}", ""
        case "less_than_equal":
            return f"{name} is {given}; the most is {limits['le']}", ""
        case "too_short":
            return f"{name} needs at least {limits['min_length']} entry", ""
        case "too_long":
            return f"{name} has more than {limits['max_length']} entries", ""
        case "model_type" | "dict_type":
            keys = ", ".join(schema.get("properties", {}))
            return f"{name} must be a mapping, not {_kind(given)}", f"keys: {keys}" if keys else ""
        case "tuple_type":
            hint = "begin each entry with '- ', or write [one, two]"
            return f"{name} must be a list, not {_kind(given)}", hint
    return f"{name}: {mistake['msg']}", ""


def _name(loc: Loc) -> str:
    """What people call the value at `loc`: its key, or its place in the list under a key."""
    match loc:
        case ():
            return "the file"
        case (*_, str(key), int(index)):
            return f"entry {index + 1} of {key!r}"
        case _:
            return repr(loc[-1])


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a mapping"


def _schema_at(schema: "JsonSchema", loc: Loc) -> "JsonSchema":
    """The part of a JSON Schema that speaks about the value at `loc`; empty where none does."""
    here = schema
    for step in (None, *loc):
        if isinstance(step, str):
            here = here.get("properties", {}).get(step) or here.get("additionalProperties") or {}
        elif isinstance(step, int):
            items = here.get("prefixItems", [])
            here = items[step] if step < len(items) else here.get("items") or {}
        here = _followed(here, schema)
    return here


def _followed(here: "JsonSchema", schema: "JsonSchema") -> "JsonSchema":
    """`here` with its reference looked up."""
    if reference := here.get("$ref"):
        return {**schema["$defs"][reference.rpartition("/")[2]], **here}
    return here
