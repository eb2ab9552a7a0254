"""The examples of the page for contributors do what the page says of them."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from annotator.model.finding import About
from annotator.model.target import parse_target
from annotator.model.words import Watch
from annotator.notes import reading
from annotator.notes.reading import read_note
from annotator.outline import engine
from annotator.outline.engine import Language
from annotator.probes.contract import Context, Probe
from annotator.report import formats
from annotator.report.formats import Format
from annotator.tasks.where import where
from annotator.tasks.workspace import Workspace
from tests.docs.documents import ROOT, File, read_document
from tests.docs.surroundings import ENGINE
from tests.report.test_formats import finding

PAGE = ROOT / "site/reference/20-contributing.en.md"
FILES = {step.path: step.text for step in read_document(PAGE).steps if isinstance(step, File)}


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], ModuleType]:
    """Loads a file of the page as a module of a package."""

    def load(name: str, package: str) -> ModuleType:
        file = tmp_path / name
        file.write_text(FILES[name], encoding="utf-8")
        full = f"{package}.{name.removesuffix('.py')}"
        spec = importlib.util.spec_from_file_location(full, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, full, module)
        spec.loader.exec_module(module)
        return module

    return load


def test_a_language(
    add: Callable[[str, str], ModuleType],
    make_repository: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    add("ini.py", "annotator.outline")
    row = Language("ini", "", (".ini", ".cfg"))
    monkeypatch.setitem(engine.LANGUAGES, "ini", row)
    for suffix in row.suffixes:
        monkeypatch.setitem(engine._BY_SUFFIX, suffix, "ini")
    before = "[cache]\nblocks = 3\nsize = 16\n\n[server]\nport = 8000\n"
    repo = make_repository(
        {"a.ini": before}, {"a.ini": "# moved down\n" + before.replace("3", "4")}
    )
    with Workspace(tmp_path / "cache", repo) as workspace:
        for section, outcome, start in (("cache", "changed", 2), ("server", "ok", 6)):
            target = parse_target(f"a.ini::{section}")
            found = where(workspace, "repository", target, "v1", "v2", Watch.BODY)
            assert found.outcome.value == outcome, found
            assert found.new is not None
            assert found.new.start == start


def test_a_report_format(add: Callable[[str, str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    add("lines.py", "annotator.report.formats")
    monkeypatch.setitem(formats.FORMATS, "lines", Format("lines", "one line each"))  # type: ignore[arg-type]
    about = About(command="annot check", version="1", compared=(), warnings=())
    said = formats.FORMATS["lines"].render([finding(), finding(subject="q01-g\nh")], about)
    assert [line.partition(":")[0] for line in said.splitlines()] == ["q01-f", "q01-g h"]


def test_a_note_format(add: Callable[[str, str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    module = add("asciidoc.py", "annotator.notes")
    monkeypatch.setitem(reading.FORMATS, ".adoc", module.passages)
    text = r"See https://example.org/team/engine/blob/v1/engine/my\_pool.py#L12[the pool]."
    [mention] = read_note("notes.adoc", text.encode()).mentions
    assert "engine/my_pool.py" in str(mention)


@pytest.mark.parametrize("release", [0, 1])
def test_a_probe(
    release: int, add: Callable[[str, str], ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:  # fmt: skip
    probe = add("block_count.py", "annotator.probes.catalogue").PROBE
    assert isinstance(probe, Probe)
    tree = dict(ENGINE[1])
    if release == 0:
        tree["engine/sizes.py"] = tree["engine/sizes.py"].replace("-(-tokens // ", "(tokens // ")
    for path, text in tree.items():
        file = tmp_path / "upstream" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path / "upstream")
    context = Context("source", "cpu", 0, str(tmp_path))
    probe.observe(context)
    assert context.verdicts["rounds-up"][0] == ("refuted", "confirmed")[release]
    for name in [name for name in sys.modules if name.partition(".")[0] == "engine"]:
        del sys.modules[name]
