"""Upstreams: the annotated projects, and what of them the notes were written against."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from annotator.model.written import CommitId, Date, GitAddress, Ref, Slug, Text, Web, Written


class Pin(Written):
    """What the notes were written against.

    Either `commit` (with a `stand_in` release where the commit may be out of reach) or `release`.

    Attributes:
        commit: full id of the pinned commit.
        release: tag of the pinned release.
        date: day of the pin or of the notes, as YYYY-MM-DD.
        stand_in: tag of the release to record from where the commit cannot be had.
        bracket: tags of a release before and one after the commit.
    """

    commit: CommitId | None = None
    release: Ref | None = None
    date: Date
    stand_in: Ref | None = None
    bracket: Annotated[tuple[Ref, Ref] | None, Field(strict=False)] = None

    @model_validator(mode="after")
    def _one_pin(self) -> Self:
        if (self.commit is None) == (self.release is None):
            raise ValueError("a pin is either a commit or a release; write exactly one of them")
        return self

    @property
    def refs(self) -> tuple[str, ...]:
        """Refs to take the baseline from, the surest first."""
        return tuple(ref for ref in (self.commit, self.release, self.stand_in) if ref)


class Upstream(Written):
    """A project whose source is annotated.

    Attributes:
        title: its name as people write it.
        web: web address of its repository, if it has one; permalinks are made from it.
        git: address to clone from.
        branch: its default branch.
        package: name of its source releases on a package index.
        licence: SPDX id under which excerpts are shown.
        pin: what the notes were written against.
        releases: versions imported by default from a package index, oldest first.
    """

    title: Text
    web: Web = ""
    git: GitAddress
    branch: Ref = "main"
    package: Slug | None = None
    licence: Text
    pin: Pin
    releases: tuple[Ref, ...] = Field(default=(), strict=False)


class UpstreamsFile(Written):
    """The file anchors/upstreams.yaml.

    Attributes:
        schema_: version of the file format (key `schema`).
        upstreams: by the name that questions and resources call them.
    """

    schema_: Literal[1] = Field(alias="schema")
    upstreams: dict[Slug, Upstream]
