"""JSON Schemas of the study's files, for completion, hover and checks in editors.

The models are the only source: their types become the schema, and the `Attributes:` sections of
their docstrings become its descriptions.
"""

import inspect
import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from annotator.model.experiment import ExperimentFile
from annotator.model.handbook import Glossary, Handbook
from annotator.model.record import Record
from annotator.model.review import ReviewFile
from annotator.model.session import Session
from annotator.model.study import Question, ResourceFile
from annotator.model.upstream import UpstreamsFile
from annotator.store.atomic_file import replace_file

JsonSchema = dict[str, Any]

_FILES: dict[str, tuple[type[BaseModel], str]] = {
    "question": (Question, "annot: a question of the reading route"),
    "resources": (ResourceFile, "annot: resources that point into one upstream"),
    "upstreams": (UpstreamsFile, "annot: the annotated projects and their pins"),
    "handbook": (Handbook, "annot: what the study has to cover"),
    "reviews": (ReviewFile, "annot: what was decided about an anchor since the pin"),
    "glossary": (Glossary, "annot: the words of the field"),
    "session": (Session, "annot: a reading session"),
    "experiments": (ExperimentFile, "annot: what experiment records are about"),
    "record": (Record, "annot: an experiment record"),
}

_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {5,}.+)*)", re.MULTILINE)


class _FromDocstrings(GenerateJsonSchema):
    """Pydantic's generator with the descriptions that the docstrings give."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchema:
        result = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        summary, described = attributes_of(inspect.cleandoc(model.__doc__ or ""))
        for name, field in model.model_fields.items():
            entry = result["properties"][field.alias or name]
            if name in described:
                entry["description"] = described[name]
            if field.default is None:
                del entry["default"]
        result["description"] = summary
        del result["title"]
        return result

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchema:
        result = super().enum_schema(schema)
        result["description"] = " ".join(result["description"].split())
        del result["title"]
        return result

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchema:
        return self.generate_inner(schema["schema"])  # in a file, nothing is said by leaving it out

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def attributes_of(docstring: str) -> tuple[str, dict[str, str]]:
    """What a Google-style docstring says of a class, and of each of its attributes, on one line each."""
    summary, _, attributes = docstring.partition("\n\nAttributes:\n")
    described = {name: " ".join(text.split()) for name, text in _ATTRIBUTE.findall(attributes)}
    return " ".join(summary.split()), described


def schema_of(model: type[BaseModel]) -> JsonSchema:
    """The JSON Schema of `model`, draft 2020-12, without `$schema` and title."""
    return model.model_json_schema(by_alias=True, schema_generator=_FromDocstrings)


def json_schemas() -> dict[str, JsonSchema]:
    """The schemas of all kinds of files, by the first part of the schema files' names."""
    return {
        name: {"$schema": GenerateJsonSchema.schema_dialect, "title": title, **schema_of(model)}
        for name, (model, title) in _FILES.items()
    }


def schema_files(folder: Path) -> dict[Path, str]:
    """What the files below `folder`/schema have to hold, for the study in `folder`."""
    return {
        folder / "schema" / f"{name}.schema.json": json.dumps(schema, indent=2, ensure_ascii=False)
        + "\n"
        for name, schema in json_schemas().items()
    }


def stale_schemas(folder: Path) -> list[Path]:
    """The schema files of the study in `folder` that are missing or out of date."""
    return [
        path
        for path, text in schema_files(folder).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def write_schemas(folder: Path) -> list[Path]:
    """Brings the schema files of the study in `folder` up to date; returns those that changed."""
    files = schema_files(folder)
    stale = stale_schemas(folder)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, files[path])
    return stale
