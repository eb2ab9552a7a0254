"""Which anchors one reviewer put off, so that a review goes on where it stopped. What was decided is in the study."""

import hashlib
import json
import os
from pathlib import Path

import platformdirs

from annotator.store.atomic_file import replace_file
from annotator.store.ticks_file import DATA_VARIABLE


def progress_path(folder: Path) -> Path:
    """Where this user's progress with the study in `folder` is kept: outside the study, which is shared."""
    name = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()
    chosen = os.environ.get(DATA_VARIABLE)
    data = Path(chosen) if chosen else platformdirs.user_data_path("annot", appauthor=False)
    return data / "reviews" / f"{name}.json"


def read_put_off(path: Path) -> dict[str, str]:
    """The commit at which each anchor was put off. Losing the file costs a second look, so a bad one is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(anchor): str(commit) for anchor, commit in data["put_off"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def write_put_off(path: Path, put_off: dict[str, str]) -> None:
    """Keeps it; where the folder cannot be written, nothing is remembered."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        data = {"schema": 1, "put_off": put_off}
        replace_file(path, json.dumps(data, indent=2, sort_keys=True) + "\n")
    except OSError:
        return
