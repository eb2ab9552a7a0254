"""A project with notes about an upstream that drifts, in git repositories, as CI finds them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from ci_git import git

HOSTILE = "::error::taken over\n::add-mask::a"
BEFORE = {
    "a.py": "def f(a):\n    return a\n\n\ndef g(a):\n    return [a * 2, len(str(a))]\n",
}
AFTER = {
    "a.py": "def f(a):\n    return a, 1\n",
    "b.py": "def g(a):\n    return [a * 2, len(str(a))]\n",
    "::warning::c.py": "",
}
ANCHORS = """\
  - {id: q01-f, target: "a.py::f", note: {zh: "记", en: "Note on f"}, reason: {zh: "由", en: "Why"}}
  - {id: q01-g, target: "a.py::g", note: {zh: "记", en: "Note on g"}, reason: {zh: "由", en: "Why"}}
"""


@pytest.fixture
def project(make_study: Callable[[str], Path], make_repository: Callable[..., Path]) -> Path:
    """The project's working tree, committed and pushed; its upstream is synced from a local repository."""
    after = dict(AFTER)
    after["a.py"] += f'    """{HOSTILE}"""\n'
    upstream = make_repository(BEFORE, after, subjects={2: HOSTILE.partition("\n")[0]})
    folder = make_study(ANCHORS)
    file = folder / "anchors" / "upstreams.yaml"
    text = file.read_text("utf-8").replace("https://example.org/demo.git", str(upstream))
    file.write_text(text, "utf-8")
    remote = folder.parent / "project.git"
    git(folder.parent, "init", "-q", "--bare", "-b", "main", str(remote))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Test")
    git(folder, "config", "user.email", "test@localhost")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "notes")
    git(folder, "remote", "add", "origin", str(remote))
    git(folder, "push", "-q", "origin", "main")
    return folder
