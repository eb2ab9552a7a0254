"""What a study knows about its experiments: which programs take part, where facts are found, what fits what."""

import re
from typing import Annotated, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, Field

from annotator.model.written import Bilingual, Slug, Text, Written


def _pattern(value: str) -> str:
    try:
        groups = re.compile(value).groups
    except re.error as error:
        raise ValueError(f"{value!r} is no regular expression: {error}") from None
    if groups != 1:
        raise ValueError(f"{value!r} needs exactly one group, around the value")
    return value


def _specifier(value: str) -> str:
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        raise ValueError(
            f"{value!r} is no version range; write it like '>=1.2' or '==1.2.3'"
        ) from None
    return value


Pattern = Annotated[str, AfterValidator(_pattern)]
VersionRange = Annotated[str, AfterValidator(_specifier)]
FactPath = Annotated[
    str, Field(pattern=r"^[a-z_]+(?:\.[a-z0-9_-]+){0,2}$", examples=["system.pytorch"])
]


class Software(Written):
    """A program whose build a record names.

    Attributes:
        title: its name as people write it.
        packages: names under which a Python environment may have it, the likeliest first.
        upstream: name of the study's upstream whose releases it is, if it is one.
        modes: the ways in which it runs, where a record has to name one.
    """

    title: Text
    packages: tuple[Text, ...] = Field(default=(), strict=False)
    upstream: Slug | None = None
    modes: tuple[Text, ...] = Field(default=(), strict=False)


class FlagFact(Written):
    """A fact that stands on a command line or in a configuration file.

    Attributes:
        fact: path of the fact in a record.
        flags: the options that set it, with their hyphens; a configuration file has them without.
    """

    fact: FactPath
    flags: tuple[Text, ...] = Field(min_length=1, strict=False)


class LogFact(Written):
    """A fact that a program writes into its log.

    Attributes:
        fact: path of the fact in a record.
        pattern: regular expression for a line, with one group around the value; the last line that fits counts.
        source: where in the program's source the line is written.
    """

    fact: FactPath
    pattern: Pattern
    source: Text


class Compatibility(Written):
    """What a combination of versions needs.

    Attributes:
        when: version ranges by program or by path of a fact; the rule applies if all of them fit.
        needs: version ranges that then have to fit.
        level: whether a misfit is an `error` or a `warning`.
        note: what goes wrong otherwise.
        source: where that is written.
    """

    when: dict[Text, VersionRange] = Field(min_length=1)
    needs: dict[Text, VersionRange] = Field(min_length=1)
    level: Literal["error", "warning"] = "error"
    note: Bilingual
    source: Text


class ExperimentFile(Written):
    """The file anchors/experiments.yaml: what records of this study are about.

    Attributes:
        schema_: version of the file format (key `schema`).
        software: the programs whose builds a record names, by short name.
        flags: facts that stand on command lines and in configuration files.
        logs: facts that programs write into their logs.
        compatibility: what combinations of versions need.
    """

    schema_: Literal[1] = Field(alias="schema")
    software: dict[Slug, Software]
    flags: tuple[FlagFact, ...] = Field(default=(), strict=False)
    logs: tuple[LogFact, ...] = Field(default=(), strict=False)
    compatibility: tuple[Compatibility, ...] = Field(default=(), strict=False)
