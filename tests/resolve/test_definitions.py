"""libcst's comparison of two definitions: (old, new, what differs)."""

import libcst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.resolve.definitions import Unparsable, compare_definitions, fingerprint_words

CASES = {
    "same": ("def f(a):\n    return a\n", "def f(a):\n    return a\n", {}),
    "only renamed": ("def f(a):\n    return a\n", "def g(a):\n    return a\n", {}),
    "wrapped lines": (
        "x = f(a, b)\n",
        "x = f(\n    a,\n    b,\n)\n",
        {"formatting": ""},
    ),
    "other quotes": ("x = 'a'\n", 'x = "a"\n', {"formatting": ""}),
    "joined strings": ('x = "ab"\n', 'x = "a" "b"\n', {"formatting": ""}),
    "redundant parentheses": ("x = a + b\n", "x = (a + b)\n", {"formatting": ""}),
    "one-line body": (
        "def f(a):\n    if a: return 1\n    return 2\n",
        "def f(a):\n    if a:\n        return 1\n    return 2\n",
        {"formatting": ""},
    ),
    "tuple is no redundant parenthesis": ("x = (a,)\n", "x = (a)\n", {"value": "(a,) → (a)"}),
    "indentation is no layout": (
        "def f(a):\n    if a:\n        g()\n    h()\n",
        "def f(a):\n    if a:\n        g()\n        h()\n",
        {"body": None},
    ),
    "comment": ("def f():\n    return 1  # a\n", "def f():\n    return 1  # b\n", {"comments": ""}),
    "docstring": (
        'def f():\n    """A."""\n    return 1\n',
        'def f():\n    """B."""\n    return 1\n',
        {"docstring": ""},
    ),
    "attribute docstring": (
        'class C:\n    x: int = 1\n    """A."""\n',
        'class C:\n    x: int = 1\n    """B."""\n',
        {"docstring": ""},
    ),
    "default": (
        "def f(a, b=1): ...\n",
        "def f(a, b=2): ...\n",
        {"signature": "b: default 1 → 2"},
    ),
    "default only laid out": ("def f(b=1): ...\n", "def f(b=(1)): ...\n", {"formatting": ""}),
    "type": (
        "def f(a: int): ...\n",
        "def f(a: int | None): ...\n",
        {"signature": "a: type int → int | None"},
    ),
    "added, removed": (
        "def f(a, old): ...\n",
        "def f(a, *, fresh=0): ...\n",
        {"signature": "-old, +fresh=0"},
    ),
    "renamed parameter": (
        "def f(self, block_size: int): ...\n",
        "def f(self, hash_block_size: int): ...\n",
        {"signature": "block_size → hash_block_size"},
    ),
    "inserted before a positional one": (
        "def f(a, medium): ...\n",
        "def f(a, lookahead, medium): ...\n",
        {"signature": "+lookahead"},
    ),
    "reordered": ("def f(a, b): ...\n", "def f(b, a): ...\n", {"signature": "b reordered"}),
    "keyword only": (
        "def f(a, b): ...\n",
        "def f(a, *, b): ...\n",
        {"signature": "b: kind positional → keyword-only"},
    ),
    "star arguments": ("def f(*a): ...\n", "def f(**a): ...\n", {"signature": "-*a, +**a"}),
    "async": ("def f(): ...\n", "async def f(): ...\n", {"signature": "became async"}),
    "return annotation": (
        "def f() -> int: ...\n",
        "def f() -> float: ...\n",
        {"return-annotation": "int → float"},
    ),
    "decorator": ("def f(): ...\n", "@cache\ndef f(): ...\n", {"decorators": "+@cache"}),
    "bases": ("class C(A): ...\n", "class C(A, B): ...\n", {"bases": "A → A, B"}),
    "metaclass": (
        "class C(A): ...\n",
        "class C(A, metaclass=M): ...\n",
        {"bases": "A → A, metaclass=M"},
    ),
    "members": (
        "class C:\n    def f(self): ...\n    def g(self): return 1\n",
        "class C:\n    def g(self): return 2\n    def h(self): ...\n",
        {"body": None},
    ),
    "set became tuple": ("X = {'a'}\n", "X = ('a',)\n", {"value": "{'a'} → ('a',)"}),
    "function became class": (
        "def f(): ...\n",
        "class f: ...\n",
        {"body": "function became class"},
    ),
    "type parameters": (
        "def f[T](a: T): ...\n",
        "def f[S](a: T): ...\n",
        {"signature": "type parameters [T] → [S]"},
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_comparison(old: str, new: str, expected: dict[str, str | None]) -> None:
    changes = {change.kind.value: change.detail for change in compare_definitions(old, new)}
    assert changes.keys() == expected.keys()
    for kind, detail in expected.items():
        assert detail is None or changes[kind] == detail


def test_members_are_named() -> None:
    old = "class C:\n    a = 1\n    b = 1\n    def f(self): ...\n"
    new = "class C:\n    a = 2\n    c = 1\n    def f(self): ...\n"
    (change,) = compare_definitions(old, new)
    assert change.detail.endswith("-b +c ~a")
    assert change.similarity is not None
    assert 0.5 < change.similarity < 1


@pytest.mark.parametrize("text", ["", "1 +", "def f(:\n", "    \n", "# only a comment\n"])
def test_what_is_no_definition_is_said_to_be_none(text: str) -> None:
    with pytest.raises(Unparsable):
        fingerprint_words(text)


NAMES = st.sampled_from(["a", "b", "total", "self.x"])
EXPRESSIONS = st.recursive(
    NAMES | st.integers(0, 9).map(str),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "*", "if c else", "and"]), inner).map(" ".join)
        | st.lists(inner, min_size=1, max_size=3).map(lambda items: f"f({', '.join(items)})")
    ),
    max_leaves=8,
)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_reformatting_never_counts_as_a_change(expressions: list[str]) -> None:
    plain = "def f(a):\n" + "".join(f"    total = {text}\n" for text in expressions)
    airy = "def f(\n    a,\n):\n\n" + "".join(
        f"    total = (  # why\n        {text}\n    )\n\n" for text in expressions
    )
    libcst.parse_module(airy)
    kinds = {change.kind.value for change in compare_definitions(plain, airy)}
    assert kinds <= {"formatting", "comments"}


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), st.data())
def test_an_edit_is_always_seen(expressions: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(expressions) - 1))
    edited = list(expressions)
    edited[index] = f"edited({edited[index]})"
    old, new = (
        "def f(a):\n" + "".join(f"    total = {text}\n" for text in side)
        for side in (expressions, edited)
    )
    assert "body" in {change.kind.value for change in compare_definitions(old, new)}
