"""What everything that people write has in common: strict keys, checked texts, two languages."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from annotator.model.target import TargetError, parse_target


class Written(BaseModel):
    """Base of everything that people write: strict, immutable, no unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("the text is empty; write a sentence or leave the key out")
    return value


def _slug(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", value):
        raise ValueError(f"{value!r} is no id; write lower-case words joined by hyphens")
    return value


def _target(value: str) -> str:
    try:
        target = parse_target(value)
    except TargetError as error:
        raise ValueError(str(error)) from None
    if target.start:
        raise ValueError(
            f"{value!r} points at line numbers, which rot; write path::Qual.name with a quote"
        )
    return value


def _ref(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/+-]*", value) or ".." in value:
        raise ValueError(f"{value!r} is no git ref; write a tag such as v1.2.3 or a commit id")
    return value


def _https(value: str) -> str:
    if not re.fullmatch(r"https://[A-Za-z0-9.-]+(?::\d+)?/[A-Za-z0-9._~/+-]*", value):
        raise ValueError(f"{value!r} is no plain https address")
    return value


def _git_address(value: str) -> str:
    if re.match(r"[A-Za-z0-9]+::", value) or value.startswith("-"):
        raise ValueError(
            f"{value!r} is not an address annot clones from; write https://… or a path"
        )
    return value


Text = Annotated[str, AfterValidator(_not_blank)]
Slug = Annotated[str, AfterValidator(_slug)]
TargetText = Annotated[str, AfterValidator(_target)]
Ref = Annotated[str, AfterValidator(_ref)]
Web = Annotated[str, AfterValidator(_https)]
GitAddress = Annotated[str, AfterValidator(_git_address)]
CommitId = Annotated[
    str,
    Field(
        pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$", examples=["0123456789abcdef" * 2 + "01234567"]
    ),
]
Date = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["2026-10-23"])]
EntryId = Annotated[str, Field(pattern=r"^[A-Z]\d{1,3}$", examples=["V4"])]


class Bilingual(Written):
    """One text in Chinese and in English. A missing translation is a lint finding, not an error.

    Attributes:
        zh: the text in Chinese.
        en: the same in English.
    """

    zh: Text | None = None
    en: Text | None = None

    @model_validator(mode="after")
    def _some_language(self) -> Self:
        if self.zh is None and self.en is None:
            raise ValueError("no language is given; write zh and en")
        return self

    def in_language(self, language: Literal["zh", "en"]) -> str:
        """The text in `language`, or in the other one where it is missing."""
        first, second = (self.zh, self.en) if language == "zh" else (self.en, self.zh)
        return first or second or ""
