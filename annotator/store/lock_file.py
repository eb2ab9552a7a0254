"""Locks on disk: what each anchor was at the pin, in one JSON file an upstream."""

import json
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from annotator.model.failures import UserMistake
from annotator.model.lock import Lock
from annotator.store.atomic_file import replace_file
from annotator.store.problems import conflict_line, shown
from annotator.store.study_folder import leaves_study

_RECORD = "record it again with `annot lock`"


def lock_path(folder: Path, upstream: str) -> Path:
    """Where the lock of `upstream` lies in the study's `folder`."""
    return folder / "locks" / f"{upstream}.json"


def read_lock(folder: Path, upstream: str) -> Lock | None:
    """The lock of `upstream` in the study's `folder`, or None if none was recorded.

    Raises:
        UserMistake: if the file is damaged or of another upstream; names the line.
    """
    path = lock_path(folder, upstream)
    if not path.is_file():
        return None
    if leaves_study(path, folder):
        raise UserMistake(
            f"{shown(path)}: this is a link to a place outside the study", hint=_RECORD
        )
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        _damaged(path, content.count(b"\n", 0, error.start) + 1, "this is not UTF-8 text")
    except OSError as error:
        raise UserMistake(f"{shown(path)}: the file cannot be read: {error.strerror}") from error
    if line := conflict_line(text):
        hint = "take either side (`git checkout --ours -- FILE`), then record it again with `annot lock`"
        _damaged(path, line, "git's conflict markers are still in the file", hint)
    try:
        lock = Lock.model_validate(json.loads(text, object_pairs_hook=_without_repeats))
    except json.JSONDecodeError as error:
        _damaged(path, error.lineno, f"this is not JSON: {error.msg}")
    except _RepeatedKeyError as error:
        _damaged(path, _line_of(text, error.key, last=True), f"{error.key!r} is there twice")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        names = [str(step) for step in first["loc"]]
        message = f"this is not a lock: {'.'.join(names) or 'the file'}: {first['msg']}"
        _damaged(path, _line_of(text, *names), message)
    except (RecursionError, ValueError) as error:  # nesting or numbers beyond what Python reads
        _damaged(path, 1, f"this is not a lock: {error}")
    if lock.upstream != upstream:
        _damaged(path, _line_of(text, "upstream"), f"this is the lock of {lock.upstream!r}")
    return lock


def write_lock(folder: Path, lock: Lock) -> Path:
    """Writes `lock` into the study's `folder`, replacing the old file whole; returns its path.

    Raises:
        UserMistake: if the folder for locks is a link out of the study.
    """
    path = lock_path(folder, lock.upstream)
    if leaves_study(path.parent, folder):
        raise UserMistake(f"{shown(path.parent)} is a link to a place outside the study")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, lock_text(lock))
    return path


def lock_text(lock: Lock) -> str:
    """What a lock's file holds.

    Keys are sorted and every field has its line, so that changes of two people merge; a list without anything nested
    is one field.
    """
    return _laid_out(lock.model_dump(mode="json", by_alias=True)) + "\n"


def _laid_out(value: Any, indent: str = "") -> str:
    """JSON with sorted keys and a line for each field."""
    inner = f"{indent}  "
    if isinstance(value, dict) and value:
        fields = (
            f"{inner}{_one_line(key)}: {_laid_out(value[key], inner)}" for key in sorted(value)
        )
        return "{\n" + ",\n".join(fields) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        return "[\n" + ",\n".join(inner + _laid_out(each, inner) for each in value) + f"\n{indent}]"
    return _one_line(value)


def _one_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _RepeatedKeyError(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a merge that kept both sides of a conflict repeats keys."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(key)
        found[key] = value
    return found


def _line_of(text: str, *keys: str, last: bool = False) -> int:
    """The line of the innermost of `keys` that stands in `text`, each looked for behind the one before."""
    offset = 0
    for key in keys:
        mark = json.dumps(key, ensure_ascii=False) + ":"
        found = text.rfind(mark, offset) if last else text.find(mark, offset)
        offset = max(found, offset)
    return text.count("\n", 0, offset) + 1


def _damaged(path: Path, line: int, message: str, hint: str = _RECORD) -> NoReturn:
    raise UserMistake(f"{shown(path)}:{line}: {message}", hint=hint)
