"""The same parsers under a fuzzer that watches which code an input reaches. Needs atheris; run by `make fuzz`.

    python -m tests.fuzz.coverage_guided notes -max_total_time=60

What stands behind the target goes to libFuzzer. An input that makes a parser crash is written to the working folder: it
belongs into a test.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["annotator"]):
    from annotator.model.failures import AnnotError
    from annotator.model.target import parse_target
    from annotator.notes.reading import FORMATS, read_note
    from annotator.outline.engine import LANGUAGES, outline_text
    from annotator.resolve.compare import compare_texts
    from annotator.store.study_loader import load_study
    from annotator.store.yaml_source import parse_yaml
    from annotator.tasks.where import read_place
    from annotator.upstream.sdist import Limits, read_archive
    from tests.store.conftest import FILES

_FOLDER = Path(tempfile.mkdtemp(prefix="annot-fuzz-"))


def _notes(data: bytes) -> None:
    suffix = [*FORMATS][data[0] % len(FORMATS)]
    for mention in read_note(f"n{suffix}", data[1:]).mentions:
        for piece in filter(None, (mention.route, mention.first, mention.last)):
            assert 0 <= piece.start <= piece.end < len(data)


def _outlines(data: bytes) -> None:
    suffixes = [row.suffixes[0] for row in LANGUAGES.values()]
    outline_text(f"a{suffixes[data[0] % len(suffixes)]}", data[1:])


def _comparisons(data: bytes) -> None:
    languages = [*LANGUAGES]
    old, _, new = data[1:].decode("utf-8", "replace").partition("\0")
    compare_texts(old, new, languages[data[0] % len(languages)], None)


def _yaml(data: bytes) -> None:
    with suppress(AnnotError):
        parse_yaml(data.decode("utf-8", "replace"), "f.yaml")


def _studies(data: bytes) -> None:
    names = [*FILES]
    for name, text in FILES.items():
        path = _FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data[1:] if name == names[data[0] % len(names)] else text.encode())
    with suppress(AnnotError):
        load_study(_FOLDER)


def _archives(data: bytes) -> None:
    archive = _FOLDER / ("x-1.0.tar.gz" if data[0] % 2 else "x-1.0.zip")
    archive.write_bytes(data[1:])
    with suppress(AnnotError):
        for member in read_archive(archive, Limits(member=10_000, total=100_000)):
            assert ".." not in member.path.split("/")
            assert not member.path.startswith("/")


def _targets(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    with suppress(AnnotError, ValueError):
        parse_target(text)
    read_place(text)


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "notes": _notes,
    "outlines": _outlines,
    "comparisons": _comparisons,
    "yaml": _yaml,
    "studies": _studies,
    "archives": _archives,
    "targets": _targets,
}


def main() -> None:
    """Fuzzes the target that is named first."""
    chosen = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, lambda data: chosen(data) if data else None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
