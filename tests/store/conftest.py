"""A small valid study to break in tests."""

from pathlib import Path

import pytest

FILES = {
    "upstreams.yaml": """\
schema: 1
upstreams:
  engine:
    title: Engine
    web: https://example.org/engine
    git: https://example.org/engine.git
    licence: Apache-2.0
    pin: {release: v1.0.0, date: "2026-10-23"}
""",
    "handbook.yaml": """\
schema: 1
title: {zh: "手册", en: "Handbook"}
retrieved: "2026-10-23"
route:
  - number: 1
    documents: {zh: "缓存设计"}
    question: {zh: "缓存如何配合？"}
resources:
  - id: V1
    title: {zh: "缓存"}
    focus: {zh: "驱逐"}
""",
    "route/01-cache.yaml": """\
schema: 1
id: q01
number: 1
upstream: engine
title: {zh: "缓存设计", en: "Cache design"}
question: {zh: "缓存如何配合？", en: "How does the cache work?"}
resources: [V1]
anchors:
  - id: q01-free
    target: engine/pool.py::Pool.free   # the way back
    note:
      zh: "归还。"
      en: "Gives back."
    claims:
      - id: q01-order
        text: {zh: "倒序。", en: "In reverse."}
""",
    "resources/engine.yaml": """\
schema: 1
upstream: engine
resources:
  - id: V1
    title: {zh: "缓存", en: "Cache"}
    focus: {zh: "驱逐", en: "Eviction"}
    anchors:
      - id: v1-page
        target: docs/cache.md
        note: {zh: "总览。", en: "Overview."}
""",
}


class StudyOnDisk:
    """A study in a folder of its own; `write` and `replace` change it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_bytes().decode()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        self.write(name, text.replace(old, new))


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return StudyOnDisk(tmp_path / "anchors")
