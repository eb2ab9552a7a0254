"""The mistakes on file: plain data, one file a probe."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

CASES = Path(__file__).resolve().parent / "cases"
OUR_CODE = "annotator/"
"""Begins the path of a file of ours. What cannot be planted in upstream, since it is compiled, is planted in the
reference model: whichever of the two is wrong, they must be seen to differ."""


class TextGone(Exception):
    """A mistake no longer fits the text that it is to be planted in."""


class Mutation(NamedTuple):
    """A mistake to plant.

    Attributes:
        id: its name, unique within its probe.
        probe: the probe that must notice.
        what: the mistake in words.
        file: path in upstream's tree, or in ours.
        old: text that stands there; the first occurrence is replaced.
        new: what replaces it.
        refutes: checks of which at least one must be refuted.
        release: the upstream's release that it is planted in.
        tier: how the probe is run.
    """

    id: str
    probe: str
    what: str
    file: str
    old: str
    new: str
    refutes: tuple[str, ...]
    release: str
    tier: str

    @property
    def in_model(self) -> bool:
        """Whether it is planted in our reference model instead of upstream."""
        return self.file.startswith(OUR_CODE)

    def planted(self, text: str) -> str:
        """A file's text with the mistake in it.

        Raises:
            TextGone: if the old text is not there.
        """
        if self.old not in text:
            raise TextGone(f"{self.file} of {self.release} no longer holds the text to replace")
        return text.replace(self.old, self.new, 1)


def mutations(probe: str | None = None) -> Iterator[Mutation]:
    """All mistakes on file, or those for one probe. A mistake may name a release of its own."""
    for path in sorted(CASES.glob("*.yaml")):
        if probe in (None, path.stem):
            sheet: dict[str, Any] = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
            for each in sheet["mutations"]:
                each.setdefault("release", sheet["release"])
                each["refutes"] = tuple(each["refutes"])
                yield Mutation(probe=path.stem, tier=sheet["tier"], **each)
