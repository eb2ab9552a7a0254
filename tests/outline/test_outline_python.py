"""What the outline of Python source contains."""

import pytest

from annotator.model.symbol import Outline
from annotator.outline.engine import outline_text

Row = tuple[str, str, int, int]


def rows(outline: Outline) -> list[Row]:
    return [
        (symbol.name, symbol.kind.value, symbol.start, symbol.end) for symbol in outline.symbols
    ]


CASES: dict[str, tuple[str, list[Row]]] = {
    "functions, async functions, nested ones without <locals>": (
        """\
def outer(a):
    async def inner():
        class Deep:
            def method(self): ...
    return inner
""",
        [
            ("outer", "function", 1, 5),
            ("outer.inner", "function", 2, 4),
            ("outer.inner.Deep", "class", 3, 4),
            ("outer.inner.Deep.method", "method", 4, 4),
        ],
    ),
    "decorators belong to the range": (
        """\
@first
@second(
    1,
)
def f(): ...


@dataclass
class C:
    x: int = 0
""",
        [("f", "function", 1, 5), ("C", "class", 8, 10), ("C.x", "attribute", 10, 10)],
    ),
    "a property and its setter": (
        """\
class C:
    @property
    def size(self): return 1

    @size.setter
    def size(self, value): ...
""",
        [
            ("C", "class", 1, 6),
            ("C.size", "method", 2, 3),
            ("C.size#2", "method", 5, 6),
        ],
    ),
    "overloads and their implementation": (
        """\
@overload
def f(a: int) -> int: ...
@overload
def f(a: str) -> str: ...
def f(a): return a
""",
        [("f", "function", 1, 2), ("f#2", "function", 3, 4), ("f#3", "function", 5, 5)],
    ),
    "definitions under conditions belong to the scope around them": (
        """\
if TYPE_CHECKING:
    from a import B
else:
    B = None
try:
    def f(): ...
except ImportError:
    def f(): ...
finally:
    with x:
        for _ in y:
            def g(): ...
match z:
    case 1:
        LIMIT = 2
""",
        [
            ("B", "import", 2, 2),
            ("B#2", "constant", 4, 4),
            ("f", "function", 6, 6),
            ("f#2", "function", 8, 8),
            ("g", "function", 12, 12),
            ("LIMIT", "constant", 15, 15),
        ],
    ),
    "module variables: plain, annotated, several targets; no augmented assignments": (
        """\
A = 1
B: int
C: dict[str, int] = {
    "x": 1,
}
d, (e, *f) = values
g = h = 2
A += 1
obj.attr = 3
table["key"] = 4
print(A)
""",
        [
            ("A", "constant", 1, 1),
            ("B", "constant", 2, 2),
            ("C", "constant", 3, 5),
            ("d", "constant", 6, 6),
            ("e", "constant", 6, 6),
            ("f", "constant", 6, 6),
            ("g", "constant", 7, 7),
            ("h", "constant", 7, 7),
        ],
    ),
    "class attributes, slots, enum members": (
        """\
class Color(Enum):
    __slots__ = ("a",)
    RED = 1
    GREEN, BLUE = 2, 3
""",
        [
            ("Color", "class", 1, 4),
            ("Color.__slots__", "attribute", 2, 2),
            ("Color.RED", "attribute", 3, 3),
            ("Color.GREEN", "attribute", 4, 4),
            ("Color.BLUE", "attribute", 4, 4),
        ],
    ),
    "instance attributes: first assignment in __init__, unless the class body has the name": (
        """\
class C:
    declared: int

    def __init__(self, other):
        self.declared = 1
        if other:
            self.a = 1
        else:
            self.a = 2
        self.b: int = self.c = 3
        other.d = 4
        self.deep.e = 5
        self.computed = 6
        def hook(): self.f = 7

    def later(self):
        self.g = 8

    @property
    def computed(self): ...
""",
        [
            ("C", "class", 1, 20),
            ("C.declared", "attribute", 2, 2),
            ("C.__init__", "method", 4, 14),
            ("C.a", "attribute", 7, 7),
            ("C.b", "attribute", 10, 10),
            ("C.c", "attribute", 10, 10),
            ("C.__init__.hook", "function", 14, 14),
            ("C.later", "method", 16, 17),
            ("C.computed", "method", 19, 20),
        ],
    ),
    "type aliases": (
        "type Pair[T] = tuple[T, T]\nclass C:\n    type Inner = int\n",
        [("Pair", "type", 1, 1), ("C", "class", 2, 3), ("C.Inner", "type", 3, 3)],
    ),
    "local variables and imports inside functions are no symbols": (
        "def f():\n    import os\n    x = 1\n    type T = int\n    def g(): ...\n",
        [("f", "function", 1, 5), ("f.g", "function", 5, 5)],
    ),
    "comments behind the last statement are not part of a definition": (
        "def f():\n    return 1\n    # why\n\n    # and why not\n\n\nclass C:\n    x = 1\n    # end\n",
        [("f", "function", 1, 2), ("C", "class", 8, 9), ("C.x", "attribute", 9, 9)],
    ),
    "a string that looks like a definition is none": (
        'def f():\n    """\n    def g(): ...\n    class C: ...\n    """\n',
        [("f", "function", 1, 5)],
    ),
    "form feeds and Unicode line separators do not end lines": (
        "A = 1\n\x0c\ndef f():\n    '\u2028'\n    return 1\n",
        [("A", "constant", 1, 1), ("f", "function", 3, 5)],
    ),
    "Windows line ends": (
        "A = 1\r\n\r\ndef f():\r\n    pass\r\n",
        [("A", "constant", 1, 1), ("f", "function", 3, 4)],
    ),
    "a byte order mark": ("\ufeffA = 1\n", [("A", "constant", 1, 1)]),
    "names beyond ASCII": (
        "größe = 1\ndef 函数(): ...\n",
        [("größe", "constant", 1, 1), ("函数", "function", 2, 2)],
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_symbols(source: str, expected: list[Row]) -> None:
    outline = outline_text("pkg/mod.py", source.encode())
    assert rows(outline) == expected
    assert outline.warnings == ()


@pytest.mark.parametrize(
    ("path", "statement", "expected"),
    [
        ("p/q/m.py", "import a", [("a", "a")]),
        ("p/q/m.py", "import a.b.c", [("a", "a")]),
        ("p/q/m.py", "import a.b as c, d", [("c", "a.b"), ("d", "d")]),
        ("p/q/m.py", "from a.b import C, D as E", [("C", "a.b:C"), ("E", "a.b:D")]),
        ("p/q/m.py", "from a import (\n    B,  # why\n    C,\n)", [("B", "a:B"), ("C", "a:C")]),
        ("p/q/m.py", "from a . b import c, d", [("c", "a.b:c"), ("d", "a.b:d")]),
        ("p/q/m.py", "from a b import c", [("c", "a:c")]),
        ("p/q/m.py", "from . import x", [("x", "p.q:x")]),
        ("p/q/m.py", "from .x import Y", [("Y", "p.q.x:Y")]),
        ("p/q/m.py", "from ..x.y import Z", [("Z", "p.x.y:Z")]),
        ("p/q/__init__.py", "from .x import Y", [("Y", "p.q.x:Y")]),
        ("p/q/m.py", "from ... import Z", [("Z", "...:Z")]),
        ("m.py", "from .x import Y", [("Y", ".x:Y")]),
        ("p/q/m.py", "from .x import *", [("*", "p.q.x:*")]),
        ("p/q/m.py", "from __future__ import annotations", []),
        (
            "p/q/m.py",
            "try:\n    import a\nexcept ImportError:\n    a = None",
            [("a", "a"), ("a#2", "")],
        ),
    ],
)
def test_imports(path: str, statement: str, expected: list[tuple[str, str]]) -> None:
    outline = outline_text(path, statement.encode())
    assert [(symbol.name, symbol.detail) for symbol in outline.symbols] == expected


def test_bases_of_a_class() -> None:
    source = b"class A(B, pkg.C[int],\n        metaclass=M): ...\nclass D: ...\n"
    outline = outline_text("m.py", source)
    assert [symbol.detail for symbol in outline.symbols] == ["B, pkg.C[int], metaclass=M", ""]


@pytest.mark.parametrize(
    "broken",
    [
        "x = = 1\n",
        "def (:\n",
        "print 'old'  x\n",
        "@@@\n",
        "\x00\x01\n",
        "lazy import json\n",
        'query = t"{a!r:>{width}}"\n',
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "def generic[T = int, *Ts = *tuple[int]](): ...\n",
    ],
)
def test_definitions_around_broken_or_unknown_syntax_are_found(broken: str) -> None:
    # The NUL stands far enough from the start for the text not to count as binary.
    filler = "#" * 9000 + "\n"
    source = f"{filler}def before(): ...\n{broken}def after():\n    def inner(): ...\n"
    outline = outline_text("m.py", source.encode())
    names = {symbol.name for symbol in outline.symbols}
    assert {"before", "after", "after.inner"} <= names


def test_members_of_a_class_with_broken_syntax_are_found() -> None:
    source = b"""\
class A:
    def f(self): ...
    def g(self)
        x = (
    def h(self): ...
class B:
    def i(self): ...
"""
    names = {symbol.name for symbol in outline_text("m.py", source).symbols}
    assert {"A", "A.f", "B", "B.i"} <= names


def test_broken_syntax_is_told_with_its_line() -> None:
    outline = outline_text("m.py", b"a = 1\nb = = 2\n")
    assert outline.warnings == (
        "line 2: syntax that the grammar does not know; outline is best effort",
    )
