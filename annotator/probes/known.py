"""Which probes there are. Listing them imports none of them."""

import re
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING

from annotator.model.failures import UserMistake

if TYPE_CHECKING:
    from annotator.probes.contract import Probe

_CATALOGUE = "annotator.probes.catalogue"
_IS_PROBE = re.compile(r"^PROBE\b.*=", re.MULTILINE)
"""Beside the probes lie modules that are parts of one."""


def probe_names() -> tuple[str, ...]:
    """Names of all probes, in the order of the alphabet."""
    return tuple(
        sorted(
            entry.name.removesuffix(".py").replace("_", "-")
            for entry in files(_CATALOGUE).iterdir()
            if entry.name.endswith(".py") and _IS_PROBE.search(entry.read_text(encoding="utf-8"))
        )
    )


def load_probe(name: str) -> "Probe":
    """The probe of that name.

    Raises:
        UserMistake: if there is none.
    """
    names = probe_names()
    if name not in names:
        raise UserMistake(f"there is no probe {name!r}", hint=f"there are: {', '.join(names)}")
    probe: Probe = import_module(f"{_CATALOGUE}.{module_name(name)}").PROBE
    return probe


def module_name(name: str) -> str:
    """Name of the module in the catalogue that holds a probe."""
    return name.replace("-", "_")
