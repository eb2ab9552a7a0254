"""A small upstream with two commits, and a study with two questions that point into it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.model.study import Study
from annotator.store.study_folder import find_study
from annotator.store.study_loader import load_study
from annotator.tasks.workspace import Workspace

POOL = """\
# The pool of blocks.


class Pool:
    def touch(self, block):
        \"\"\"Take a block out of the free list.\"\"\"
        if block.refs == 0:
            self.free.remove(block)
        block.refs += 1

    def free(self, block):
        block.refs -= 1
        if block.refs == 0:
            self.free.append(block)
"""
POOL_LATER = POOL.replace(
    "if block.refs == 0:\n            self.free.remove",
    "if not block.refs:\n            self.free.remove",
).replace("# The pool", "# Copyright\n#\n# The pool")
GUIDE = "# Guide\n\nWords.\n\n## Blocks\n\nA block has `refs`.\n"

FIRST = {"pool.py": POOL, "docs/guide.md": GUIDE}
SECOND = {"pool.py": POOL_LATER, "docs/guide.md": GUIDE}

ANCHORS = """\
  - id: q01-guide
    target: "docs/guide.md#Blocks"
    note: {zh: "先读这一节。", en: "Read this section first."}
  - id: q01-touch
    target: "pool.py::Pool.touch"
    note: {zh: "命中就加引用 `refs`。", en: "A hit takes a reference: `refs` grows."}
    claims:
      - id: q01-unlinks
        text: {zh: "只有空闲块才摘下。", en: "Only an idle block is unlinked."}
        probe: apc-hash
  - id: q01-append
    target: "pool.py::Pool.free"
    quote: {exact: "self.free.append(block)"}
    note: {zh: "放回队尾。", en: "Back to the tail."}
    reason: {zh: "顺序要紧。", en: "The order matters."}
"""
SECOND_QUESTION = """\
schema: 1
id: q02
number: 2
upstream: demo
title: {zh: "第二题", en: "Second title"}
question: {zh: "为什么？", en: "Why?"}
anchors:
  - {id: q02-pool, target: "pool.py::Pool", note: {zh: "全貌。", en: "The whole class."}}
"""


@pytest.fixture
def folder(make_study: Callable[[str], Path]) -> Path:
    """The study's folder."""
    project = make_study(ANCHORS)
    (project / "anchors" / "route" / "02-q.yaml").write_text(SECOND_QUESTION, encoding="utf-8")
    return find_study(project).path


@pytest.fixture
def study(folder: Path) -> Study:
    return load_study(folder, probes=["apc-hash"])


@pytest.fixture
def upstream(make_repository: Callable[..., Path]) -> Path:
    """A bare repository with v1, which the study is pinned to, and v2."""
    return make_repository(FIRST, SECOND)


@pytest.fixture
def workspace(upstream: Path, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "cache", upstream) as workspace:
        yield workspace
