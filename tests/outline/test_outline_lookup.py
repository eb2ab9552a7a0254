"""How a symbol is found by what a person wrote, by lines, and by its container."""

import pytest

from annotator.model.symbol import Outline, Symbol
from annotator.model.words import SymbolKind
from annotator.outline.engine import outline_text
from annotator.outline.lookup import (
    children,
    enclosing,
    find_symbol,
    join_name,
    leaf_name,
    match_symbols,
    parent_name,
    slug,
)

PYTHON = outline_text(
    "m.py",
    b"""\
class A:
    limit = 1

    @property
    def size(self): ...

    @size.setter
    def size(self, value):
        self.x = value

        def inner(): ...

    def __init__(self):
        self.y = 1


def f(): ...
""",
)

CPP = outline_text(
    "m.cu",
    b"""\
namespace vllm {
void f() {}
void f(int a) {}
template <typename T, int N> struct Vec { int get() { return 1; } };
template <> struct Vec<float, 4> { int get() { return 1; } };
struct Foo { int f(); int size = 1; };
int Foo::f() { return 1; }
bool Foo::operator<(int a) { return true; }
int Foo::g() { return 1; }
int Foo::g(int a) { return 1; }
}
""",
)

DOCUMENT = outline_text(
    "m.md",
    b"""\
# The `torch.compile` guide
## Set up
### Example
## FAQ & more
### Example
## Own id {#short}
## [Linked](https://example.org/a) *words*
""",
)


@pytest.mark.parametrize(
    ("name", "line"),
    [("A", 1), ("A.size", 4), ("A.size#1", 4), ("A.size#2", 7), ("size", None), ("A.size#3", None)],
)
def test_exact_names(name: str, line: int | None) -> None:
    symbol = find_symbol(PYTHON, name)
    assert (symbol.start if symbol else None) == line


@pytest.mark.parametrize(
    ("outline", "selector", "expected"),
    [
        (PYTHON, "A.size", ["A.size"]),
        (PYTHON, "A.size#2", ["A.size#2"]),
        (PYTHON, "A.size#7", ["A.size", "A.size#2"]),
        (PYTHON, "size", []),
        (CPP, "f", ["f"]),
        (CPP, "vllm::f", ["f", "f#2"]),
        (CPP, "f#2", ["f#2"]),
        (CPP, "vllm::f#1", ["f"]),
        (CPP, "vllm::f#2", ["f#2"]),
        (CPP, "vllm::f#3", ["f", "f#2"]),
        (CPP, "Foo::f", ["Foo::f"]),
        (CPP, "Foo::g#2", ["Foo::g#2"]),
        (CPP, "vllm::Foo::g#2", ["Foo::g#2"]),
        (CPP, "vllm::Foo::size", ["Foo::size"]),
        (CPP, "vllm::Foo::f", ["Foo::f"]),
        (CPP, "Vec", ["Vec"]),
        (CPP, "vllm::Vec<float, 4>::get", ["Vec::get", "Vec<float, 4>::get"]),
        (CPP, "Vec<float, 4>", ["Vec<float, 4>"]),
        (CPP, "Vec<double, 2>", ["Vec", "Vec<float, 4>"]),
        (CPP, "vllm::Foo::operator<", ["Foo::operator<"]),
        (CPP, "other", []),
    ],
)
def test_selectors(outline: Outline, selector: str, expected: list[str]) -> None:
    assert [symbol.name for symbol in match_symbols(outline, selector)] == expected


@pytest.mark.parametrize(
    ("selector", "lines"),
    [
        ("The `torch.compile` guide > Set up", [2]),
        ("Set up", [2]),
        ("Set up > Example", [3]),
        ("Example", [3, 5]),
        ("Example#2", [5]),
        ("set-up", [2]),
        ("SET-UP", [2]),
        ("the-torchcompile-guide", [1]),
        ("The torch.compile guide", [1]),
        ("example", [3, 5]),
        ("example-1", [5]),
        ("example_1", [5]),
        ("example#1", [3]),
        ("example#3", []),
        ("faq--more", [4]),
        ("faq-more", [4]),
        ("short", [6]),
        ("own-id", [6]),
        ("linked-words", [7]),
        ("up", []),
        ("-", []),
    ],
)
def test_headings(selector: str, lines: list[int]) -> None:
    assert [symbol.start for symbol in match_symbols(DOCUMENT, selector, heading=True)] == lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain Text", "plain-text"),
        ("`vllm serve` — a_b & C++", "vllm-serve--a_b--c"),
        ("**Bold** and _italic_ x_y_z", "bold-and-italic-x_y_z"),
        ("![logo](a.png) [Link](b) <br/>", "logo-link"),
        ("中文 标题！", "中文-标题"),
    ],
)
def test_fragments_as_github_makes_them(text: str, expected: str) -> None:
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1, 1, "A"),
        (2, 2, "A.limit"),
        (5, 5, "A.size"),
        (9, 9, "A.size#2"),
        (11, 11, "A.size#2.inner"),
        (14, 14, "A.y"),
        (13, 14, "A.__init__"),
        (5, 8, "A"),
        (14, 17, None),
        (16, 16, None),
    ],
)
def test_innermost_symbol_around_lines(start: int, end: int, expected: str | None) -> None:
    symbol = enclosing(PYTHON, start, end)
    name = expected.replace("#2.inner", ".inner") if expected else None
    assert (symbol.name if symbol else None) == name


@pytest.mark.parametrize(
    ("outline", "name", "expected"),
    [
        (PYTHON, "A", ["A.limit", "A.size", "A.size#2", "A.__init__", "A.y"]),
        (PYTHON, "A.size", []),
        (PYTHON, "A.size#2", ["A.size.inner"]),
        (CPP, "Foo", ["Foo::size", "Foo::f", "Foo::operator<", "Foo::g", "Foo::g#2"]),
        (CPP, "Vec<float, 4>", ["Vec<float, 4>::get"]),
        (
            DOCUMENT,
            "The `torch.compile` guide > Set up",
            ["The `torch.compile` guide > Set up > Example"],
        ),
    ],
)
def test_children(outline: Outline, name: str, expected: list[str]) -> None:
    symbol = find_symbol(outline, name)
    assert symbol is not None
    assert [member.name for member in children(outline, symbol)] == expected


def test_members_defined_outside_a_type_belong_to_its_first_definition() -> None:
    outline = outline_text(
        "a.rs", b"#[cfg(a)]\nstruct S;\n#[cfg(b)]\nstruct S;\nimpl S { fn f() {} }\n"
    )
    first, second = (find_symbol(outline, name) for name in ("S", "S#2"))
    assert first is not None
    assert second is not None
    assert [member.name for member in children(outline, first)] == ["S::f"]
    assert children(outline, second) == ()


@pytest.mark.parametrize(
    ("language", "name", "parent", "leaf"),
    [
        ("python", "A.b.c#2", "A.b", "c"),
        ("python", "f", "", "f"),
        ("rust", "S::f", "S", "f"),
        ("cpp", "Vec<a::B, 4>::get", "Vec<a::B, 4>", "get"),
        ("cpp", "Vec<a::B>", "", "Vec<a::B>"),
        ("cpp", "A::B::~B", "A::B", "~B"),
        ("cpp", "A::operator<<", "A", "operator<<"),
        ("cpp", "A::operator std::string", "A", "operator std::string"),
        ("cpp", "operator->", "", "operator->"),
        ("markdown", "A > B#2", "A", "B"),
        ("markdown", "C#", "", "C#"),
    ],
)
def test_parts_of_names(language: str, name: str, parent: str, leaf: str) -> None:
    assert parent_name(name, language) == parent
    assert leaf_name(name, language) == leaf
    assert (
        join_name(parent, leaf, language) == Symbol(name, SymbolKind.FUNCTION, 1, 1, 0, 1).base_name
    )
