"""Kinds of change that fool simple trackers: (before, after, target, outcome, new place)."""

from collections.abc import Callable
from textwrap import indent

import pytest

from annotator.model.anchor import Quote
from annotator.model.target import parse_target
from annotator.model.words import Outcome, Watch
from annotator.tasks.workspace import Workspace
from tests.resolve.test_kinds_of_change import EDITED, OTHER, WORK, body, function, method, resolve

SECOND = """
    waiting = []
    while queue:
        request = queue.popleft()
        if request.num_tokens > limit:
            waiting.append(request)
            continue
        blocks.extend(request.allocate(limit))
    queue.extend(waiting)
    return blocks
"""
THIRD = """
    order = sorted(blocks, key=lambda block: (block.last_used, -block.hits))
    for block in order[:limit]:
        queue.append(block)
        block.reset_hash()
    logger.debug("evicted %d blocks", limit)
    return len(order)
"""
FIELDS = "class Config:\n    limit: int = 16\n    name: str = 'a'\n\n    def check(self):\n" + body(
    8
)

CASES: dict[str, tuple[dict[str, str], dict[str, str], str, str, str | None]] = {
    "two of the same name swap files": (
        {"a.py": function("run"), "b.py": function("run", SECOND)},
        {"a.py": function("run", SECOND), "b.py": function("run")},
        "a.py::run",
        "moved",
        "b.py::run",
    ),
    "file split into several": (
        {"a.py": function("one") + function("two", SECOND) + function("three", THIRD)},
        {
            "one.py": function("one"),
            "two.py": function("two", SECOND),
            "a.py": function("three", THIRD),
        },
        "a.py::two",
        "moved",
        "two.py::two",
    ),
    "moved and edited, beside a copy under another name": (
        {"a.py": function("run")},
        {
            "b.py": function("run", EDITED),
            "c.py": function("run_once"),
        },
        "a.py::run",
        "changed",
        "b.py::run",
    ),
    "the name taken by other code, itself renamed": (
        {"a.py": function("run")},
        {"b.py": function("run", SECOND), "c.py": function("run_once")},
        "a.py::run",
        "moved",
        "c.py::run_once",
    ),
    "files merged": (
        {"a.py": function("one"), "b.py": function("two", SECOND)},
        {"c.py": function("one") + function("two", SECOND)},
        "b.py::two",
        "moved",
        "c.py::two",
    ),
    "class turned into a package": (
        {
            "pool.py": method("Pool", "touch")
            + "\n    def free(self, queue, blocks, limit):\n"
            + body(8, SECOND)
        },
        {
            "pool/__init__.py": "from .pool import Pool\n",
            "pool/pool.py": method("Pool", "touch")
            + "\n    def free(self, queue, blocks, limit):\n"
            + body(8, SECOND),
        },
        "pool.py::Pool.free",
        "moved",
        "pool/pool.py::Pool.free",
    ),
    "pushed down to a subclass": (
        {"a.py": method("Base", "touch") + "\nclass Pool(Base):\n    pass\n"},
        {"a.py": "class Base:\n    pass\n\n" + method("Pool", "touch", bases="Base")},
        "a.py::Base.touch",
        "moved",
        "a.py::Pool.touch",
    ),
    "moved out of a class": (
        {"a.py": method("Pool", "touch")},
        {
            "a.py": "class Pool:\n    pass\n\n"
            + function("touch", parameters="self, blocks, queue, limit")
        },
        "a.py::Pool.touch",
        "moved",
        "a.py::touch",
    ),
    "part extracted, the rest keeps the name": (
        {"a.py": function("run", WORK.replace("    return total\n", "") + SECOND)},
        {
            "a.py": function(
                "run",
                WORK.replace("    return total\n", "")
                + "    return _admit(blocks, queue, limit)\n",
            )
            + function("_admit", SECOND)
        },
        "a.py::run",
        "changed",
        "a.py::run",
    ),
    "inlined into its caller": (
        {
            "a.py": function("helper")
            + "\ndef run(blocks, queue, limit):\n    check(queue)\n    return helper(blocks, queue, limit)\n"
        },
        {"a.py": "def run(blocks, queue, limit):\n    check(queue)\n" + body(4)},
        "a.py::helper",
        "changed",
        "a.py::run",
    ),
    "dataclass field turned into a property": (
        {"a.py": FIELDS},
        {
            "a.py": FIELDS.replace("    limit: int = 16\n", "")
            + "\n    @property\n    def limit(self) -> int:\n        return self._limit\n"
        },
        "a.py::Config.limit",
        "changed",
        "a.py::Config.limit",
    ),
    "getter and setter become a property of the name they served": (
        {
            "a.py": "class C:\n    def _get_x(self):\n"
            + body(8)
            + "    def _set_x(self, value):\n"
            + body(8, SECOND)
            + "    x = property(_get_x, _set_x)\n"
        },
        {
            "a.py": "class C:\n    @property\n    def x(self):\n"
            + body(8)
            + "    @x.setter\n    def x(self, value):\n"
            + body(8, SECOND)
        },
        "a.py::C._get_x",
        "changed",
        "a.py::C.x",
    ),
    "constant moved behind a function": (
        {"a.py": "BLOCK_SIZE_LIMIT = 16\n" + OTHER},
        {"a.py": "def block_size_limit() -> int:\n    return 16\n" + OTHER},
        "a.py::BLOCK_SIZE_LIMIT",
        "changed",
        "a.py::block_size_limit",
    ),
    "deprecation shim with a warning": (
        {"a.py": function("touch")},
        {
            "a.py": "import warnings\nfrom b import mark_used\n\n\ndef touch(blocks, queue, limit):\n"
            '    """Deprecated."""\n    warnings.warn("use mark_used", DeprecationWarning)\n'
            "    return mark_used(blocks, queue, limit)\n",
            "b.py": function("mark_used"),
        },
        "a.py::touch",
        "moved",
        "b.py::mark_used",
    ),
    "lazy export by module __getattr__": (
        {"pkg/__init__.py": function("touch")},
        {
            "pkg/__init__.py": "def __getattr__(name):\n    if name == 'touch':\n        from pkg.impl import touch\n"
            "        return touch\n    raise AttributeError(name)\n",
            "pkg/impl.py": function("touch"),
        },
        "pkg/__init__.py::touch",
        "moved",
        "pkg/impl.py::touch",
    ),
    "old class left as an empty subclass": (
        {"a.py": method("Pool", "touch")},
        {
            "a.py": "from b import BasePool\n\n\nclass Pool(BasePool):\n    pass\n",
            "b.py": method("BasePool", "touch"),
        },
        "a.py::Pool",
        "moved",
        "b.py::BasePool",
    ),
    "method of a class left as an empty subclass": (
        {"a.py": method("Pool", "touch")},
        {
            "a.py": "from b import BasePool\n\n\nclass Pool(BasePool):\n    pass\n",
            "b.py": method("BasePool", "touch"),
        },
        "a.py::Pool.touch",
        "moved",
        "b.py::BasePool.touch",
    ),
    "re-export through two modules": (
        {"a.py": function("touch"), "p/__init__.py": "", "p/q.py": ""},
        {
            "a.py": "from p import touch\n",
            "p/__init__.py": "from .q import touch\n",
            "p/q.py": function("touch"),
        },
        "a.py::touch",
        "moved",
        "p/q.py::touch",
    ),
    "defined under a condition afterwards": (
        {"a.py": function("touch")},
        {
            "a.py": "if FAST:\n"
            + indent(function("touch", EDITED), "    ")
            + "else:\n"
            + indent(function("touch"), "    ")
        },
        "a.py::touch",
        "ok",
        "a.py::touch#2",
    ),
    "deleted while a twin elsewhere stays as it was": (
        {"a.py": function("touch") + OTHER, "b.py": function("touch")},
        {"a.py": OTHER, "b.py": function("touch")},
        "a.py::touch",
        "gone",
        None,
    ),
    "common method deleted with its class, the same name all over": (
        {
            "a.py": "class Pool:\n    def forward(self, x):\n        return self.scale * x + self.bias\n",
            **{
                f"m{i}.py": f"class M{i}:\n    def forward(self, x):\n        return x + {i}\n"
                for i in range(12)
            },
        },
        {
            "a.py": OTHER,
            **{
                f"m{i}.py": f"class M{i}:\n    def forward(self, x, y):\n        return x + {i}\n"
                for i in range(14)
            },
        },
        "a.py::Pool.forward",
        "gone",
        None,
    ),
    "deleted, while a new sibling is made after a pattern that others follow": (
        {
            "m/one.py": method("OneMLP", "forward"),
            "m/two.py": method("TwoMLP", "forward"),
            "m/three.py": method("ThreeMLP", "forward") + OTHER,
        },
        {
            "m/two.py": method("TwoMLP", "forward") + "\n    def extra(self):\n        return 1\n",
            "m/three.py": method("ThreeMLP", "forward")
            + OTHER
            + OTHER.replace("unrelated", "second"),
            "m/four.py": method("FourMLP", "forward"),
        },
        "m/one.py::OneMLP",
        "gone",
        None,
    ),
    "section moved to another page": (
        {
            "d/a.md": "# A\n\nIntro.\n\n## Hash chain\n\nEach block hash takes in the parent hash, the tokens and extra keys.\n"
        },
        {
            "d/a.md": "# A\n\nIntro.\n",
            "d/b.md": "# B\n\n## Hash chain\n\nEach block hash takes in the parent hash, the tokens and extra keys.\n",
        },
        "d/a.md#Hash chain",
        "moved",
        "d/b.md::B > Hash chain",
    ),
    "section of another level": (
        {"a.md": "# A\n\n## Hash chain\n\nEach hash takes in its parent.\n"},
        {"a.md": "# A\n\n## Design\n\n### Hash chain\n\nEach hash takes in its parent.\n"},
        "a.md#Hash chain",
        "moved",
        "a.md::A > Design > Hash chain",
    ),
    "overload of C++ by another parameter": (
        {
            "a.cpp": "int size(int a) {\n  return a + 1;\n}\nint size(float b) {\n  return b * 2;\n}\n"
        },
        {
            "a.cpp": "int size(char c) {\n  return c;\n}\nint size(int a) {\n  return a + 1;\n}\nint size(float b) {\n  return b * 2;\n}\n"
        },
        "a.cpp::size#2",
        "ok",
        "a.cpp::size#3",
    ),
    "template moved to a header": (
        {
            "a.cu": "template <typename T>\n__global__ void scale(T* x, int n) {\n  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2;\n}\n"
        },
        {
            "a.cu": '#include "k.cuh"\n',
            "k.cuh": "template <typename T>\n__global__ void scale(T* x, int n) {\n  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] *= 2;\n}\n",
        },
        "a.cu::scale",
        "moved",
        "k.cuh::scale",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_place(
    case: tuple[dict[str, str], dict[str, str], str, str, str | None],
    workspace_on: Callable[..., Workspace],
) -> None:
    before, after, target, outcome, place = case
    found = resolve(workspace_on(before, after), target)
    new = found.new
    shown = f"{new.path}::{new.symbol}" if new else None
    assert (found.outcome, shown) == (Outcome(outcome), place), (
        found.changes,
        found.candidates,
        found.evidence,
    )


HALF = WORK.replace("    for index", "    check(queue)\n    for index").replace(
    "    if total > limit:", "    log(total)\n    if total >= limit:"
)


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ("def run(blocks, queue, limit):\n    prepare()\n" + body(4, HALF), Outcome.CHANGED),
        ("def run(blocks, queue, limit):\n    prepare()\n    return 0\n", Outcome.GONE),
    ],
    ids=["half of it inlined into its caller", "its caller does without it"],
)
def test_a_caller_that_no_longer_calls_it_is_looked_at(
    after: str, outcome: Outcome, workspace_on: Callable[..., Workspace]
) -> None:
    before = (
        function("_count_used")
        + "\n\ndef run(blocks, queue, limit):\n    prepare()\n    return _count_used(blocks, queue, limit)\n"
    )
    assert (
        resolve(workspace_on({"a.py": before}, {"a.py": after}), "a.py::_count_used").outcome
        is outcome
    )


@pytest.mark.parametrize("watch", [Watch.QUOTE, Watch.EXISTENCE])
def test_merged_is_another_place_even_if_the_quote_stands(
    watch: Watch, workspace_on: Callable[..., Workspace]
) -> None:
    before = (
        function("helper")
        + "\ndef run(blocks, queue, limit):\n    return helper(blocks, queue, limit)\n"
    )
    workspace = workspace_on(
        {"a.py": before}, {"a.py": "def run(blocks, queue, limit):\n" + body(4)}
    )
    resolver = workspace.resolver(workspace.revision("u", "v1"), workspace.revision("u", "v2"))
    quote = Quote(exact="queue.remove(block)")
    found = resolver.resolve(parse_target("a.py::helper"), watch, quote)
    assert found.outcome is Outcome.MOVED


def test_the_shift_of_a_quote_is_its_own(workspace_on: Callable[..., Workspace]) -> None:
    after = function("touch").replace("    total = 0\n", "    total = 0\n    # one\n    # two\n")
    workspace = workspace_on({"a.py": function("touch")}, {"a.py": "\n" + after})
    resolver = workspace.resolver(workspace.revision("u", "v1"), workspace.revision("u", "v2"))
    quote = Quote(exact="queue.remove(block)")
    found = resolver.resolve(parse_target("a.py::touch"), Watch.QUOTE, quote)
    assert [(change.kind.value, change.detail) for change in found.changes] == [
        ("lines-shifted", "+3")
    ]


def test_python_replaced_by_rust_is_gone_with_a_hint_where(
    workspace_on: Callable[..., Workspace],
) -> None:
    workspace = workspace_on(
        {"pool.py": function("touch_free_blocks") + OTHER},
        {
            "pool.py": OTHER,
            "rust/pool.rs": "pub fn touch_free_blocks(blocks: &mut [Block], limit: usize) -> usize {\n"
            "    blocks.iter_mut().map(|b| b.size).sum::<usize>().min(limit)\n}\n",
        },
    )
    found = resolve(workspace, "pool.py::touch_free_blocks")
    assert found.outcome is Outcome.GONE
    assert any("rust/pool.rs" in step for step in found.evidence)
