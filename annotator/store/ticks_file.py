"""What one reader has ticked as read, in one small file: their own by default, or one to hand on."""

import hashlib
import json
import os
from pathlib import Path

import msgspec
import platformdirs

from annotator.model.failures import UserMistake
from annotator.model.session import Ticks
from annotator.store.atomic_file import replace_file
from annotator.store.problems import shown

DATA_VARIABLE = "ANNOT_DATA_DIR"


def own_ticks_path(folder: Path) -> Path:
    """Where this user's ticks for the study in `folder` are kept: outside the study, which is shared."""
    name = hashlib.blake2b(str(folder.resolve()).encode(), digest_size=6).hexdigest()
    chosen = os.environ.get(DATA_VARIABLE)
    data = Path(chosen) if chosen else platformdirs.user_data_path("annot", appauthor=False)
    return data / "ticks" / f"{name}.json"


def read_ticks(path: Path) -> Ticks:
    """The ticks in a file; none if it is not there.

    Raises:
        UserMistake: if it is not a file of ticks.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Ticks)
    except FileNotFoundError:
        return Ticks()
    except (OSError, ValueError, RecursionError) as error:
        raise UserMistake(
            f"{shown(path)} is no file of ticks", hint="delete it, or name another one"
        ) from error


def write_ticks(path: Path, ticks: Ticks) -> None:
    """Writes ticks, sorted, so that two people's files merge.

    Raises:
        UserMistake: if the file cannot be written.
    """
    data = msgspec.to_builtins(ticks)
    data["read"] = dict(sorted(data["read"].items()))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserMistake(f"{shown(path)} cannot be written: {error.strerror}") from error
