"""Facts from what people hand over: a command line, a configuration file, a log, a folder with a model."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotator.model.experiment import FlagFact, LogFact
from annotator.model.failures import UserMistake
from annotator.model.record import NOT_USED
from annotator.store.problems import shown
from annotator.store.yaml_source import read_yaml
from annotator.tasks.records.found import Found

_LONGEST_LINE = 20_000
_SHA = re.compile(r"[0-9a-f]{40}")
_MODEL_FILE_LIMIT = 64 << 20


def command_facts(command: str, flags: Sequence[FlagFact]) -> Iterator[Found]:
    """Facts from a command line, as it would be typed into a shell.

    Raises:
        UserMistake: if its quotes do not match.
    """
    try:
        words = shlex.split(command, comments=True)
    except ValueError as error:
        raise UserMistake(f"the command line cannot be read: {error}") from error
    yield from _option_facts(_options(words), flags, "the command line")
    if "serve" in words[:-1]:
        following = words[words.index("serve") + 1]
        if not following.startswith("-"):
            yield Found("model.repository", following, "the command line")


def config_facts(path: Path, flags: Sequence[FlagFact]) -> Iterator[Found]:
    """Facts from a configuration file in YAML or JSON, whose keys are options without hyphens.

    A file that is itself a connector's configuration (with a key `kv_connector`) counts as that.

    Raises:
        UserMistake: if the file cannot be read.
    """
    data = read_yaml(path).data
    if not isinstance(data, dict):
        raise UserMistake(f"{shown(path)} is not a mapping of options")
    if "kv_connector" in data:
        yield from _connector(data, path.name)
        return
    options = {key.replace("_", "-"): value for key, value in data.items()}
    yield from _option_facts(options, flags, path.name)


def log_facts(path: Path, patterns: Sequence[LogFact]) -> Iterator[Found]:
    """Facts from a log. Of several lines that fit a pattern the last one counts: it is the latest run.

    Raises:
        UserMistake: if the file cannot be read.
    """
    compiled = [(re.compile(one.pattern), one.fact) for one in patterns]
    found: dict[str, Found] = {}
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for number, line in enumerate(lines, start=1):
                for pattern, fact in compiled:
                    if match := pattern.search(line[:_LONGEST_LINE]):
                        found[fact] = Found(fact, match[1], f"{path.name}:{number}")
    except OSError as error:
        raise UserMistake(f"{path} cannot be read: {error.strerror}") from error
    yield from found.values()


def model_facts(folder: Path) -> Iterator[Found]:
    """Facts from a folder with a model: a snapshot of a hub's cache, a download, or a clone."""
    revision, repository = _revision(folder)
    where = shown(folder)
    yield Found("model.revision", revision, where)
    yield Found("model.repository", repository, where)
    if any((folder / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json")):
        yield Found("model.tokenizer_revision", revision, where)
        yield Found("model.tokenizer", repository, where)
        yield Found("model.chat_template", _chat_template(folder), where)
    config = _json_file(folder / "config.json")
    dtype = config.get("dtype") or config.get("torch_dtype")
    yield Found("attention.dtype", dtype if isinstance(dtype, str) else "", f"{where}/config.json")


def _option_facts(
    options: Mapping[str, Any], flags: Sequence[FlagFact], where: str
) -> Iterator[Found]:
    for one in flags:
        names = [flag.lstrip("-") for flag in one.flags]
        given = next((options[name] for name in names if name in options), None)
        nested = {
            key.partition(".")[2]: value
            for key, value in options.items()
            if "." in key and key.partition(".")[0] in names
        }
        if one.fact == "connector.config":
            yield from _connector(_mapping(given) | _unfolded(nested), where)
        elif given is not None:
            yield Found(one.fact, _text(given), where)


def _connector(config: Mapping[str, Any], where: str) -> Iterator[Found]:
    if config:
        yield Found("connector.name", _text(config.get("kv_connector", "")), where)
        text = json.dumps(config, ensure_ascii=False, sort_keys=True)
        yield Found("connector.config", text, where)


def _options(words: Sequence[str]) -> dict[str, Any]:
    """Options with their values; one without a value is true."""
    options: dict[str, Any] = {}
    for at, word in enumerate(words):
        if not re.match(r"--?[A-Za-z]", word):
            continue
        name, sign, value = word.lstrip("-").partition("=")
        following = words[at + 1] if at + 1 < len(words) else "-"
        if not sign:
            value = following if not re.match(r"--?[A-Za-z]|-$", following) else "true"
        options[name.replace("_", "-") if "." not in name else name] = value
    return options


def _mapping(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}
    return {}


def _unfolded(dotted: Mapping[str, Any]) -> dict[str, Any]:
    """`{"a.b": 1}` as `{"a": {"b": 1}}`."""
    unfolded: dict[str, Any] = {}
    for key, value in dotted.items():
        here = unfolded
        *outer, last = key.split(".")
        for part in outer:
            inner = here.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            here = inner
        here[last] = value
    return unfolded


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _revision(folder: Path) -> tuple[str, str]:
    """Commit id and owner/name of a model, as far as its folder says them."""
    path = folder.resolve()
    if path.parent.name == "snapshots" and _SHA.fullmatch(path.name):
        cached = path.parent.parent.name.removeprefix("models--").replace("--", "/", 1)
        return path.name, cached
    marks = sorted((path / ".cache" / "huggingface" / "download").glob("*.metadata"))
    commits = {mark.read_text(encoding="utf-8", errors="replace").split("\n")[0] for mark in marks}
    if len(commits) == 1 and _SHA.fullmatch(commit := commits.pop()):
        return commit, ""
    if (path / ".git").exists():
        from annotator.upstream.repository import open_repository  # noqa: PLC0415 - rarely a clone

        with open_repository(path) as repository:
            return repository.head, ""
    return "", ""


def _chat_template(folder: Path) -> str:
    file = folder / "chat_template.jinja"
    if file.is_file():
        data = file.read_bytes()
    else:
        template = _json_file(folder / "tokenizer_config.json").get("chat_template")
        if not template:
            return NOT_USED
        data = _text(template).encode()
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _json_file(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MODEL_FILE_LIMIT:
            return {}
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
