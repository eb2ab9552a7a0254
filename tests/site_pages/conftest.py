"""A small study full of hostile text, and its site, built once."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.cli.app import run

SCRIPT = "<script>window.pwned=1</script>"
IMAGE = '<img src=x onerror="window.pwned=1">'

UPSTREAMS = """\
schema: 1
upstreams:
  demo:
    title: Demo
    web: https://example.org/demo
    git: https://example.org/demo.git
    licence: Apache-2.0
    pin: {release: v1.0, date: "2026-10-23"}
"""
FIRST = r"""
schema: 1
id: q01
number: 1
upstream: demo
title: {zh: "空闲队列 <b>{{ 7*7 }}</b>", en: "Free queue </title><script>window.pwned=1</script>"}
question: {zh: "空闲块怎样排队？<script>window.pwned=1</script>", en: "How do free blocks queue?"}
read_first: {zh: "先读 `pool.py`。\n\n[点我](javascript:window.pwned=1)", en: "Read `pool.py` first. <img src=x onerror=window.pwned=1>"}
answer: {zh: "队首先用。", en: "The head is used first."}
anchors:
  - id: q01-take
    target: src/pool.py::FreeQueue.take_blocks
    quote: {exact: "return taken"}
    watch: body
    note: {zh: "从队首取块，`take_blocks` 会驱逐。</div></details>", en: "Takes blocks from the head. </div></details>"}
    claims:
      - id: q01-takes-head
        text: {zh: "总从队首取。{% raw %}", en: "Always from the head. {% raw %}"}
  - id: q01-gone
    target: src/pool.py::vanishing
    note: {zh: "会消失。", en: "Goes away."}
  - id: q01-page
    target: 'docs/a <img src=x onerror="window.pwned=1">.md#One **two** </h2>'
    note: {zh: "文档里的一节。", en: "A section of a page."}
exercises:
  - id: q01-ex
    task: {zh: "算一算。", en: "Work it out."}
    answer: {zh: "答案 <script>window.pwned=1</script>", en: "The answer."}
"""
SECOND = """
schema: 1
id: q02
number: 2
upstream: demo
title: {zh: "长函数", en: "A long function"}
question: {zh: "折叠在哪里？", en: "Where is the fold?"}
anchors:
  - id: q02-long
    target: src/long.py::long_one
    quote: {exact: "marked = 55"}
    note: {zh: "很长。", en: "Long."}
"""
ARCHITECTURE = """\
processes:
  - id: one
    title: {zh: "进程 <b>", en: "Process"}
    duty: {zh: "排队", en: "Queues"}
    parts:
      - {title: {zh: "池", en: "Pool"}, paths: [src/pool.py]}
      - {title: {zh: "空", en: "Nothing"}, paths: [lib/]}
"""
RESOURCES = """\
schema: 1
upstream: demo
resources:
  - id: V1
    title: {zh: "页 <b>", en: "A page </title>"}
    focus: {zh: "看队列", en: "Read it for the queue"}
    anchors:
      - id: v1-queue
        target: src/pool.py::FreeQueue
        note: {zh: "整个类。", en: "The whole class."}
"""
GLOSSARY = """\
schema: 1
terms:
  - id: free-queue
    term: {zh: "空闲队列 <img src=x>", en: "free queue"}
    meaning: {zh: "空闲块的队列。", en: "The queue of free blocks."}
    anchors: [q01-take]
"""
CLOSED = f"""\
schema: 1
id: 2026-12-01-q01
date: "2026-12-01"
minutes: 60
questions: [1]
at: {{demo: v1.0}}
plan: [{{anchor: q01-take, minutes: 30}}]
outcome:
  closed: "2026-12-01"
  present: ['甲 {SCRIPT}']
  read: [q01-take]
  disputed: [{{claim: q01-takes-head, reason: '{IMAGE}'}}]
  minutes: '{SCRIPT} [x](javascript:window.pwned=1)'
"""
OPEN = """\
schema: 1
id: 2026-12-08-q01-q02
date: "2026-12-08"
minutes: 60
questions: [1, 2]
at: {demo: v1.1}
plan: [{anchor: q01-take, minutes: 20}, {anchor: q02-long, minutes: 20}]
"""
STEP = {
    "times": 2,
    "calls": [
        "scheduler build_connector_meta",
        f"worker start_load_kv {SCRIPT}",
        f"model forward {IMAGE}",
        "event arrived </svg>",
    ],
}
PROBES = {
    "version": "0",
    "labels": ["v1.1"],
    "runs": [
        {
            "probe": "connector-hooks",
            "version": 1,
            "upstream": "demo",
            "commit": "0",
            "label": f"v1.1 {SCRIPT}",
            "tier": "source",
            "status": "refuted",
            "verdicts": [
                {"check": "abstract-hooks", "verdict": "refuted", "evidence": f'"{IMAGE}'},
            ],
            "observations": {"order.V1.sync-load": [STEP], f"order.V1.{IMAGE}": [STEP]},
        }
    ],
}
POOL = f'''\
class FreeQueue:
    """{SCRIPT} {IMAGE} {{{{ 7*7 }}}} {{% include "x" %}} </pre></code>

```
fenced
```
--8<-- "secret"
    """

    def take_blocks(self, count):
        taken = self.order[:count]  # {SCRIPT} `x` [a](javascript:window.pwned=1)
        return taken


def vanishing():
    return "</script>{SCRIPT}"
'''
PAGE = f"# Top\n\n## One **two** </h2>\n\n{SCRIPT} {IMAGE}\n\n```python\nx\n```\n"
LONG = (
    "def long_one():\n" + "".join(f"    x{n} = {n}\n" for n in range(100)) + "    marked = 55\n"
) + "".join(f"    y{n} = {n}\n" for n in range(60))


def fast_import(folder: Path, trees: list[tuple[str, str, str, dict[str, str]]]) -> None:
    """Makes a bare repository: a commit a tuple of tag, author, subject, files."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    stream = []
    for index, (tag, author, subject, files) in enumerate(trees):
        when = f"{author} <a@example.org> {1_700_000_000 + index} +0000"
        message = subject.encode()
        stream.append(
            f"commit refs/heads/main\nauthor {when}\ncommitter {when}\ndata {len(message)}\n".encode()
            + message
            + b"\ndeleteall\n"
        )
        for path, text in files.items():
            quoted = path.replace("\\", "\\\\").replace('"', '\\"')
            data = text.encode()
            stream.append(f'M 100644 inline "{quoted}"\ndata {len(data)}\n'.encode() + data + b"\n")
        stream.append(f"reset refs/tags/{tag}\nfrom refs/heads/main\n\n".encode())
    subprocess.run(
        ["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(stream), check=True
    )


@pytest.fixture(scope="session")
def hostile_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the study and its upstream's repository."""
    folder = tmp_path_factory.mktemp("hostile")
    route = folder / "anchors" / "route"
    route.mkdir(parents=True)
    (folder / "anchors" / "upstreams.yaml").write_text(UPSTREAMS, encoding="utf-8")
    (route / "01-a.yaml").write_text(FIRST, encoding="utf-8")
    (route / "02-b.yaml").write_text(SECOND, encoding="utf-8")
    (folder / "anchors" / "architecture.yaml").write_text(ARCHITECTURE, encoding="utf-8")
    sessions = folder / "anchors" / "sessions"
    sessions.mkdir()
    (sessions / "2026-12-01-q01.md").write_text(
        f"# Session\n\n<!-- annot:read -->\n## Goals {SCRIPT}\n\n| a | b |\n| --- | --- |\n| {IMAGE} | 2 |\n",
        encoding="utf-8",
    )
    (sessions / "2026-12-01-q01.yaml").write_text(CLOSED, encoding="utf-8")
    (sessions / "2026-12-08-q01-q02.yaml").write_text(OPEN, encoding="utf-8")
    (folder / "anchors" / "resources").mkdir()
    (folder / "anchors" / "resources" / "demo.yaml").write_text(RESOURCES, encoding="utf-8")
    (folder / "anchors" / "glossary.yaml").write_text(GLOSSARY, encoding="utf-8")
    (folder / "probes.json").write_text(json.dumps(PROBES), encoding="utf-8")
    (folder / "anchors" / "records").mkdir()
    (folder / "anchors" / "records" / "one.yaml").write_text(
        f"name: one\nsystem: {{os: '{SCRIPT}', driver: '?'}}\n", encoding="utf-8"
    )
    page = f"docs/a {IMAGE}.md"
    changed = POOL.replace("[:count]", "[0:count]").partition("def vanishing")[0]
    repository = folder / "demo.git"
    fast_import(
        repository,
        [
            ("v0.9", "A", "old", {"src/pool.py": POOL, page: PAGE}),
            ("v1.0", "A", "pin", {"src/pool.py": POOL, "src/long.py": LONG, page: PAGE}),
            (
                "v1.1",
                f"Mallory {SCRIPT}".replace("<", "(").replace(">", ")"),
                f"{SCRIPT}{IMAGE} [x](javascript:alert) **b** {{{{ 7*7 }}}} (#12)",
                {"src/pool.py": changed, "src/long.py": LONG, page: PAGE},
            ),
            (
                "v1.2rc1",
                "A",
                "candidate",
                {"src/pool.py": changed, "src/long.py": LONG, page: PAGE},
            ),
        ],
    )
    return folder, repository


@pytest.fixture(scope="session")
def site(
    hostile_study: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The site of the hostile study."""
    study, repository = hostile_study
    output = tmp_path_factory.mktemp("output")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANNOT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
        )
        code = run(
            [
                *("site", "build", "--commit", "v1.1", "--repo", str(repository)),
                *("--study", str(study), "--output", str(output)),
                *("--probes", str(study / "probes.json")),
            ]
        )
        assert code == 0
        yield output / "site"
