"""Every command that a document shows is run, in both languages, and prints what the document says."""

import doctest
import io
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from annotator.cli.app import run
from tests.docs import surroundings
from tests.docs.documents import (
    NOT_RUN,
    ROOT,
    Command,
    Document,
    File,
    Session,
    guide_pages,
    read_document,
)

PAGES = {path: language for language in ("zh", "en") for path in guide_pages(language)}
README = ROOT / "README.md"

README_NOT_RUN = {
    "make ": "network",
    "pip ": "network",
    "annot sync": "network",
    "annot check --watch": "serves",
    "annot check --probes": "environment",
    "annot lock --probes": "environment",
    "annot probe list": "",
    "annot probe": "environment",
    "annot read --export-ticks": "",
    "annot read": "terminal",
    "annot review --list": "",
    "annot review": "terminal",
    "annot open": "editor",
    "annot site": "browser",
    "annot record": "own files",
    "annot init": "own files",
    "annot import": "own files",
    "annot add": "own files",
    "annot notes": "own files",
    "annot accept": "own files",
    "annot pin": "own files",
    "annot map --cluster": "cluster",
    "python -m bench": "own files",
}
"""Beginnings of commands, the first that fits counts. The guide runs those that want more than a README prepares."""


@pytest.fixture
def enter(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    make_repository: Callable[..., Path],
) -> Callable[[str, str], None]:
    """Makes the surroundings of a document and goes there."""

    def go(name: str, language: str) -> None:
        home = tmp_path / "home"
        home.mkdir()
        if name == "releases":
            source = request.getfixturevalue("real_source")
            monkeypatch.setenv("ANNOT_CACHE_DIR", str(source))
            work = surroundings.releases(home, source)
        else:
            work = surroundings.project(
                home, make_repository(*surroundings.ENGINE, subjects=surroundings.SUBJECTS)
            )
        for key, value in {
            "HOME": str(home),
            "ANNOT_LANG": language,
            "COLUMNS": "80",
            "EDITOR": "true",
            "GIT_AUTHOR_NAME": "Ada",
            "GIT_AUTHOR_EMAIL": "ada@localhost",
            "GIT_COMMITTER_NAME": "Ada",
            "GIT_COMMITTER_EMAIL": "ada@localhost",
        }.items():
            monkeypatch.setenv(key, value)
        monkeypatch.delenv("ANNOT_REPO", raising=False)
        monkeypatch.setattr("sys.stdin", io.StringIO())
        monkeypatch.chdir(work)
        surroundings.git(home, "config", "--global", "user.name", "Ada")

    return go


@pytest.mark.upstream
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page(path: Path, enter: Callable[[str, str], None]) -> None:
    document = read_document(path)
    enter(document.surroundings, PAGES[path])
    names: dict[str, object] = {}
    for step in document.steps:
        where = f"{document.path}:{getattr(step, 'line', '')}"
        if isinstance(step, File):
            file = Path(step.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
        elif isinstance(step, Session):
            _run_session(step, names, where)
        elif not step.not_run:
            code, said = _run(step.text)
            assert code in step.codes, f"{where}: {step.text}\nexit code {code}\n{said[-2000:]}"
            _compare(step.shown, said, f"{where}: {step.text}")


@pytest.mark.upstream
def test_the_readme(enter: Callable[[str, str], None]) -> None:
    """The Chinese one has no command that this one has not, see below."""
    enter("releases", "en")
    places = '{"id": "1", "from_ref": "v0.32.0", "from_path": "setup.py", "to_ref": "v0.33.0"}\n'
    Path("places.jsonl").write_text(places, encoding="utf-8")
    for command in read_document(README).commands:
        if not _why_not(command):
            code, said = _run(command.text)
            # One upstream of the study has no source releases, so a look at all of it is incomplete here.
            codes = (
                {0, 1, 3} if command.text.startswith(("annot check", "annot doctor")) else {0, 1}
            )
            assert code in codes, f"{README.name}:{command.line}: {command.text}\n{said[-2000:]}"


def test_both_languages_have_the_same_commands() -> None:
    for path in [*guide_pages("en"), README]:
        other = "README.zh.md" if path == README else path.name.replace(".en.", ".zh.")
        english, chinese = read_document(path), read_document(path.with_name(other))
        assert english.surroundings == chinese.surroundings, path.name
        if path == README:  # it leaves out what only developers need
            missing = _without_words(chinese) - _without_words(english)
            assert not missing, f"{other} has commands that {path.name} has not"
        else:
            assert [(each.text, each.codes, each.not_run) for each in english.commands] == [
                (each.text, each.codes, each.not_run) for each in chinese.commands
            ], path.name


def _without_words(document: Document) -> set[str]:
    """The commands without what people say in them, which is another thing in each language."""
    return {re.sub(r'"[^"]*"', '""', each.text) for each in document.commands}


def _documents() -> list[Document]:
    return [read_document(path) for path in [*guide_pages("en"), README]]


@pytest.mark.parametrize("reason", NOT_RUN)
def test_what_is_not_run(reason: str) -> None:
    """Skipped, with the list of commands, so that `pytest -rs` shows what the documents promise untried."""
    left = {
        each.text
        for document in _documents()
        for each in document.commands
        if (each.not_run or (document.path == README.name and _why_not(each))) == reason
    }
    if left:
        pytest.skip(f"{NOT_RUN[reason]}: {'; '.join(sorted(left))}")


def test_most_commands_are_run() -> None:
    commands = [each for path in guide_pages("en") for each in read_document(path).commands]
    left = [each for each in commands if each.not_run]
    assert {each.not_run for each in left} <= NOT_RUN.keys()
    assert len(left) < len(commands) / 3


def _why_not(command: Command) -> str:
    return next(
        (why for start, why in README_NOT_RUN.items() if command.text.startswith(start)), ""
    )


def _run(text: str) -> tuple[int, str]:
    """Runs one command as a shell would; what only a shell can do is a mistake in the document."""
    program, *arguments = shlex.split(text)
    arguments = [re.sub(r"^~(?=/)", str(Path.home()), each) for each in arguments]
    if program == "cd":
        target = Path(arguments[0])
        assert target.is_dir(), text
        os.chdir(target)  # the fixture goes back
        return 0, ""
    if program == "annot":
        assert not set(arguments) & {"|", ">", ">>", "&&", "||"}, text
        said = io.StringIO()
        with (
            redirect_stdout(said),
            redirect_stderr(said),
        ):  # in the order in which a terminal shows it
            code = run(arguments)
        return code, said.getvalue()
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _run_session(session: Session, names: dict[str, object], where: str) -> None:
    """Runs a session; the sessions of a document share their names."""
    test = doctest.DocTestParser().get_doctest(session.text, names, where, where, session.line)
    test.globs = names
    failed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
        test, out=failed.append, clear_globs=False
    )
    assert not failed, "".join(failed)


def _compare(shown: tuple[str, ...], said: str, where: str) -> None:
    """Each shown line is in what was said, in order; digits, ids, spaces and line breaks are not compared."""
    rest = _loose(said)
    for line in shown:
        for part in line.split("…"):
            wanted = _loose(part)
            found = rest.find(wanted)
            assert found >= 0, f"{where}\nshows: {line}\nsays:\n{said[:3000]}"
            rest = rest[found + len(wanted) :]


def _loose(text: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"\b[0-9a-f]{7,40}\b|\d+", "0", text))
