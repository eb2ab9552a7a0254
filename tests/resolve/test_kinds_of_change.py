"""What became of a place: a table of small trees before and after, with the answer a person would give."""

from collections.abc import Callable
from textwrap import dedent

import pytest

from annotator.model.resolution import Resolution
from annotator.model.target import parse_target
from annotator.model.words import Outcome, Watch
from annotator.tasks.where import where
from annotator.tasks.workspace import Workspace

WORK = """
    total = 0
    for index, block in enumerate(blocks):
        if block.ref_count == 0 and not block.is_null:
            queue.remove(block)
            total += block.size * index
        block.ref_count += 1
    if total > limit:
        raise ValueError(f"too many blocks: {total} > {limit}")
    return total
"""


def body(indent: int, text: str = WORK) -> str:
    return "".join(" " * indent + line + "\n" for line in dedent(text).strip("\n").split("\n"))


def function(name: str, text: str = WORK, parameters: str = "blocks, queue, limit") -> str:
    return f"def {name}({parameters}):\n" + body(4, text)


def method(cls: str, name: str, text: str = WORK, bases: str = "") -> str:
    head = f"class {cls}({bases}):\n" if bases else f"class {cls}:\n"
    return f"{head}    def {name}(self, blocks, queue, limit):\n" + body(8, text)


OTHER = "def unrelated(alpha):\n    print(alpha)\n    return alpha + 1\n"
EDITED = WORK.replace("block.size * index", "block.size")

CASES: dict[str, tuple[dict[str, str], dict[str, str], str, str, str | None, set[str]]] = {
    # name: before, after, target, outcome, new place (None: gone), kinds of change
    "untouched": (
        {"a.py": function("touch")},
        {"a.py": function("touch"), "b.py": OTHER},
        "a.py::touch",
        "ok",
        "a.py::touch",
        set(),
    ),
    "lines shifted": (
        {"a.py": function("touch")},
        {"a.py": OTHER + "\n" + function("touch")},
        "a.py::touch",
        "ok",
        "a.py::touch",
        {"lines-shifted"},
    ),
    "reformatted": (
        {"a.py": "def touch(a, b):\n    return [a, b]\n"},
        {"a.py": "def touch(\n    a,\n    b,\n):\n    return [\n        a,\n        (b),\n    ]\n"},
        "a.py::touch",
        "ok",
        "a.py::touch",
        {"formatting"},
    ),
    "comment and docstring edited": (
        {"a.py": 'def touch(a):\n    """Old."""\n    # old\n    return a\n'},
        {"a.py": 'def touch(a):\n    """New."""\n    # new\n    return a\n'},
        "a.py::touch",
        "ok",
        "a.py::touch",
        {"docstring", "comments"},
    ),
    "body edited": (
        {"a.py": function("touch")},
        {"a.py": function("touch", EDITED)},
        "a.py::touch",
        "changed",
        "a.py::touch",
        {"body"},
    ),
    "parameter added": (
        {"a.py": function("touch")},
        {"a.py": function("touch", parameters="blocks, queue, limit, strict=False")},
        "a.py::touch",
        "changed",
        "a.py::touch",
        {"signature"},
    ),
    "decorator added": (
        {"a.py": method("Pool", "touch")},
        {"a.py": method("Pool", "touch").replace("    def", "    @traced\n    def")},
        "a.py::Pool.touch",
        "changed",
        "a.py::Pool.touch",
        {"decorators"},
    ),
    "base added": (
        {"a.py": method("Pool", "touch")},
        {"a.py": method("Pool", "touch", bases="Base")},
        "a.py::Pool",
        "changed",
        "a.py::Pool",
        {"bases"},
    ),
    "constant": (
        {"a.py": "LIMIT = 16\n"},
        {"a.py": "LIMIT = 32\n"},
        "a.py::LIMIT",
        "changed",
        "a.py::LIMIT",
        {"value"},
    ),
    "field with another type": (
        {"a.py": "class Config:\n    limit: int = 16\n"},
        {"a.py": "class Config:\n    limit: int | None = 16\n"},
        "a.py::Config.limit",
        "changed",
        "a.py::Config.limit",
        {"signature"},
    ),
    "renamed": (
        {"a.py": function("touch") + OTHER},
        {"a.py": function("mark_used") + OTHER},
        "a.py::touch",
        "moved",
        "a.py::mark_used",
        {"renamed"},
    ),
    "renamed and edited": (
        {"a.py": function("touch_blocks") + OTHER},
        {"a.py": function("touch_all_blocks", EDITED) + OTHER},
        "a.py::touch_blocks",
        "changed",
        "a.py::touch_all_blocks",
        {"renamed", "body"},
    ),
    "moved to another file": (
        {"a.py": function("touch") + OTHER},
        {"a.py": OTHER, "pkg/b.py": function("touch")},
        "a.py::touch",
        "moved",
        "pkg/b.py::touch",
        {"moved-file"},
    ),
    "moved and renamed": (
        {"a.py": function("touch") + OTHER},
        {"a.py": OTHER, "pkg/b.py": function("mark_used")},
        "a.py::touch",
        "moved",
        "pkg/b.py::mark_used",
        {"moved-file", "renamed"},
    ),
    "file renamed": (
        {"pkg/old.py": function("touch") + OTHER},
        {"pkg/new.py": function("touch") + OTHER},
        "pkg/old.py::unrelated",
        "moved",
        "pkg/new.py::unrelated",
        {"moved-file"},
    ),
    "class renamed, method kept": (
        {"a.py": method("Pool", "touch")},
        {"a.py": method("BlockPool", "touch")},
        "a.py::Pool.touch",
        "moved",
        "a.py::BlockPool.touch",
        {"renamed"},
    ),
    "moved into a class": (
        {"a.py": function("touch")},
        {
            "a.py": "class Pool:\n    @staticmethod\n    def touch(blocks, queue, limit):\n"
            + body(8)
        },
        "a.py::touch",
        "changed",
        "a.py::Pool.touch",
        {"moved-scope", "decorators"},
    ),
    "pulled up to a base class": (
        {"a.py": "class Base:\n    pass\n\n" + method("Pool", "touch", bases="Base")},
        {"a.py": method("Base", "touch") + "\nclass Pool(Base):\n    pass\n"},
        "a.py::Pool.touch",
        "moved",
        "a.py::Base.touch",
        {"moved-scope"},
    ),
    "old name left as an import": (
        {"a.py": function("touch"), "pkg/__init__.py": ""},
        {"a.py": "from pkg.b import touch\n", "pkg/__init__.py": "", "pkg/b.py": function("touch")},
        "a.py::touch",
        "moved",
        "pkg/b.py::touch",
        {"re-exported", "moved-file"},
    ),
    "moved back to where an import of it stood": (
        {"a.py": function("touch"), "b.py": "from a import touch\n" + OTHER},
        {"b.py": function("touch") + OTHER},
        "a.py::touch",
        "moved",
        "b.py::touch",
        {"moved-file"},
    ),
    "old name left as a forwarder": (
        {"a.py": function("touch")},
        {
            "a.py": "from b import touch_impl\n\n\n"
            "def touch(blocks, queue, limit):\n    return touch_impl(blocks, queue, limit)\n",
            "b.py": function("touch_impl"),
        },
        "a.py::touch",
        "moved",
        "b.py::touch_impl",
        {"re-exported", "moved-file", "renamed"},
    ),
    "old name left as an alias": (
        {"a.py": function("touch")},
        {"a.py": function("mark_used") + "\n\ntouch = mark_used\n"},
        "a.py::touch",
        "moved",
        "a.py::mark_used",
        {"re-exported", "renamed"},
    ),
    "deleted": (
        {"a.py": function("touch") + OTHER},
        {"a.py": OTHER},
        "a.py::touch",
        "gone",
        None,
        {"deleted"},
    ),
    "deleted with its file": (
        {"a.py": function("touch"), "b.py": OTHER},
        {"b.py": OTHER},
        "a.py::touch",
        "gone",
        None,
        {"deleted"},
    ),
    "a common name deleted, others of that name appear": (
        {"a.py": method("Pool", "__init__")},
        {
            "a.py": OTHER,
            "b.py": "class Cache:\n    def __init__(self, size):\n        self.size = size\n",
            "c.py": "class Queue:\n    def __init__(self):\n        self.items = []\n",
        },
        "a.py::Pool.__init__",
        "gone",
        None,
        {"deleted"},
    ),
    "copy-paste twin stays": (
        {"a.py": function("touch"), "b.py": function("touch")},
        {"a.py": function("touch") + OTHER, "b.py": function("touch")},
        "a.py::touch",
        "ok",
        "a.py::touch",
        set(),
    ),
    "overload kept apart": (
        {
            "a.py": "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a):\n    return a\n"
        },
        {
            "a.py": "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\n"
            "def f(a):\n    return a or 0\n"
        },
        "a.py::f#3",
        "changed",
        "a.py::f#3",
        {"body"},
    ),
    "heading reworded": (
        {"d.md": "# Title\n\n## Data structure\n\nBlocks hold tokens and a hash of them.\n"},
        {"d.md": "# Title\n\n## Data structures\n\nBlocks hold tokens and a hash of them.\n"},
        "d.md#Data structure",
        "moved",
        "d.md::Title > Data structures",
        {"renamed"},
    ),
    "section re-wrapped": (
        {"d.md": "# Title\n\n## Part\n\nBlocks hold tokens and a hash.\n"},
        {"d.md": "# Title\n\n## Part\n\nBlocks hold\ntokens and a hash.\n"},
        "d.md#Part",
        "ok",
        "d.md::Title > Part",
        {"formatting"},
    ),
    "page moved": (
        {"docs/a.md": "# Title\n\nBlocks hold tokens.\nA hash names them.\n"},
        {"docs/design/a.md": "# Title\n\nBlocks hold tokens.\nA hash names them.\n"},
        "docs/a.md",
        "moved",
        "docs/design/a.md",
        {"moved-file"},
    ),
    "kernel moved to a header": (
        {
            "csrc/a.cu": "__global__ void touch(int* a, int n) {\n  for (int i = 0; i < n; ++i) a[i] += 1;\n}\n"
        },
        {
            "csrc/a.cuh": "__global__ void touch(int* a, int n) {\n  for (int i = 0; i < n; ++i) a[i] += 1;\n}\n"
        },
        "csrc/a.cu::touch",
        "moved",
        "csrc/a.cuh::touch",
        {"moved-file"},
    ),
    "Rust function renamed": (
        {
            "a.rs": "fn touch(a: u32) -> u32 {\n    let b = a * 2;\n    // note\n    b.saturating_add(a) + 17\n}\n"
        },
        {
            "a.rs": "fn mark(a: u32) -> u32 {\n    let b = a * 2;\n    // note\n    b.saturating_add(a) + 17\n}\n"
        },
        "a.rs::touch",
        "moved",
        "a.rs::mark",
        {"renamed"},
    ),
}


def resolve(workspace: Workspace, target: str, watch: Watch = Watch.BODY) -> Resolution:
    return where(workspace, "upstream", parse_target(target), "v1", "v2", watch)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_place(
    case: tuple[dict[str, str], dict[str, str], str, str, str | None, set[str]],
    workspace_on: Callable[..., Workspace],
) -> None:
    before, after, target, outcome, place, kinds = case
    found = resolve(workspace_on(before, after), target)
    new = found.new
    shown = (f"{new.path}::{new.symbol}" if new.symbol else new.path) if new else None
    assert (found.outcome, shown, {change.kind.value for change in found.changes}) == (
        Outcome(outcome),
        place,
        kinds,
    ), found.evidence


@pytest.mark.parametrize("watch", list(Watch)[:3], ids=lambda watch: watch.value)
@pytest.mark.parametrize(
    ("after", "drifts_for"),
    [
        ("def f(a):\n    return a\n", set()),
        ("def f(a):\n    return a + 1\n", {Watch.BODY}),
        ("def f(a, b=0):\n    return a\n", {Watch.BODY, Watch.SIGNATURE}),
    ],
    ids=["same", "body", "signature"],
)
def test_drift_is_what_the_anchor_watches(
    after: str, drifts_for: set[Watch], watch: Watch, workspace_on: Callable[..., Workspace]
) -> None:
    workspace = workspace_on({"a.py": "def f(a):\n    return a\n"}, {"a.py": "\n" + after})
    outcome = resolve(workspace, "a.py::f", watch).outcome
    assert outcome is (Outcome.CHANGED if watch in drifts_for else Outcome.OK)


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere.py::f", "nowhere.py is not in the tree"),
        ("a.py::missing", "a.py has no symbol 'missing' at v1"),
        ("a.py::touchs", "did you mean touch?"),
        ("pkg/modul.py::touch", "did you mean pkg/module.py?"),
        ("a.py:99", "a.py has 2 lines"),
    ],
)
def test_bad_place_is_an_error_and_not_ok(
    target: str, reason: str, workspace_on: Callable[..., Workspace]
) -> None:
    text = {"a.py": "def touch(a):\n    return a\n", "pkg/module.py": ""}
    found = resolve(workspace_on(text, text), target)
    assert found.outcome is Outcome.ERROR
    assert reason in found.reason
