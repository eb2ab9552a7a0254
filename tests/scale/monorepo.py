"""Repositories and studies as large as wanted, made in seconds."""

import subprocess
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

FUNCTIONS = 24
"""Functions in each file: some 4 kB."""

_IN_A_FILE = 5_000
"""Anchors of one question: some 400 kB, less than half of what a file of a study may have."""

File = tuple[str, bytes]


def path_of(number: int) -> str:
    """Path of a file."""
    return f"pkg/d{number % 100:02}/s{number // 100 % 100:02}/m{number}.py"


def function(number: int, at: int, more: str = "") -> str:
    """A function of a file."""
    return (
        f"def work_{number}_{at}(items, limit):\n    total = {number} + {at}\n"
        f"    for item in items[:limit]:\n        total += item.value_{number % 97} * {at}\n"
        f"        item.seen_{number % 31}({number})\n{more}    return total\n\n\n"
    )


def text_of(number: int, at: Iterable[int] = range(FUNCTIONS), more: str = "") -> bytes:
    """A file with some of its functions; what is more goes into the third."""
    return "".join(function(number, k, more if k == 2 else "") for k in at).encode()


def make_repository(folder: Path, commits: Iterable[Iterable[File]]) -> Path:
    """Makes a bare repository whose commits, tagged v1, v2, …, each add files or other contents of files.

    Nothing of it is ever whole in memory.
    """
    path = folder / "upstream.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    with subprocess.Popen(
        ["git", "-C", str(path), "fast-import", "--quiet"], stdin=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        for piece in _stream(commits):
            process.stdin.write(piece)
    assert process.returncode == 0
    return path


def _stream(commits: Iterable[Iterable[File]]) -> Iterator[bytes]:
    for number, files in enumerate(commits, start=1):
        who = f"committer Test <test@localhost> {1_700_000_000 + number} +0000"
        yield f"commit refs/heads/main\n{who}\ndata 2\nv{number}\n".encode()
        for path, data in files:
            yield b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data)
        yield f"reset refs/tags/v{number}\nfrom refs/heads/main\n\n".encode()


def make_study(
    folder: Path, targets: Iterable[str], upstream: str = "demo", pin: str = "v1"
) -> Path:
    """Makes a study whose anchors are a-0, a-1, …, in as many questions as it takes."""
    (folder / "anchors" / "route").mkdir(parents=True)
    upstreams = f"""\
        schema: 1
        upstreams:
          {upstream}:
            title: Demo
            git: https://example.org/demo.git
            licence: Apache-2.0
            pin: {{release: {pin}, date: "2026-10-23"}}
        """
    (folder / "anchors" / "upstreams.yaml").write_text(textwrap.dedent(upstreams), encoding="utf-8")
    wanted = list(targets)
    for number, first in enumerate(range(0, len(wanted), _IN_A_FILE), start=1):
        anchors = "".join(
            f'  - {{id: a-{at}, target: "{target}", note: {{zh: 注, en: Note}}}}\n'
            for at, target in enumerate(wanted[first : first + _IN_A_FILE], start=first)
        )
        question = (
            f"schema: 1\nid: q{number:02}\nnumber: {number}\nupstream: {upstream}\n"
            f'title: {{zh: "题", en: "Title"}}\nquestion: {{zh: "问？", en: "What?"}}\nanchors:\n{anchors}'
        )
        file = folder / "anchors" / "route" / f"{number:02}-q.yaml"
        file.write_text(question, encoding="utf-8")
    return folder


class Unit(NamedTuple):
    """What a large file of some language consists of.

    Attributes:
        path: name of the file.
        head: what comes first.
        form: one definition, with N for its number and MORE for what may be added.
        more: what is added where something changes.
        target: how an anchor names one.
    """

    path: str
    head: str
    form: str
    more: str
    target: str

    def text(
        self, size: int, change: Callable[[int, str], str] = lambda number, text: text
    ) -> bytes:
        """A file of about so many bytes.

        Args:
            size: bytes.
            change: given the number and text of each definition, says what stands there.
        """
        pieces, length, number = [self.head], 0, 0
        while length < size:
            plain = self.form.replace("N", str(number))
            piece = change(number, plain).replace("MORE", "")
            pieces.append(piece)
            length += len(piece)
            number += 1
        return "".join(pieces).encode()


UNITS = {
    "python": Unit(
        "big.py",
        "",
        "def work_N(items, limit):\n    total = N\n    for item in items[:limit]:\n"
        "        total += item.weight * N\nMORE    return total\n\n\n",
        "    total += 1\n",
        "big.py::work_{}",
    ),
    "cpp": Unit(
        "big.cpp",
        "#include <vector>\n\n",
        "int work_N(const std::vector<int>& items, int limit) {\n  int total = N;\n"
        "  for (int i = 0; i < limit; ++i) {\n    total += items[i] * N;\n  }\nMORE"
        "  return total;\n}\n\n",
        "  total += 1;\n",
        "big.cpp::work_{}",
    ),
    "rust": Unit(
        "big.rs",
        "",
        "pub fn work_N(items: &[i64], limit: usize) -> i64 {\n    let mut total = N;\n"
        "    for item in items.iter().take(limit) {\n        total += item * N;\n    }\nMORE"
        "    total\n}\n\n",
        "    total += 1;\n",
        "big.rs::work_{}",
    ),
    "markdown": Unit(
        "big.md",
        "# Title\n\n",
        "## Section N\n\nWords on the number N, at some length so that they fill a line of text.\n"
        "MORE\n- one\n- two `code_N`\n\n",
        "And one sentence more.\n",
        "big.md#section-{}",
    ),
}
