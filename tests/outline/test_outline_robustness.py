"""No text makes an outline fail, and every outline keeps its promises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.model.symbol import Outline
from annotator.outline import engine
from annotator.outline.engine import LANGUAGES, language_of, outline_text

PATHS = [f"pkg/a{row.suffixes[0]}" for row in LANGUAGES.values()]

FRAGMENTS = st.sampled_from(
    [
        "\n", "\r\n", "\t", "    ", " ", "\x0c", "\0", "\u2028", "é", "'", '"', '"""', "\\\n", "#", "//", "/*", "*/",
        "def f", "class C", "async ", "@d\n", "self.x = 1", "import a.b", "from . import x", "if a:\n", "else:\n",
        "template <", "struct S", "namespace n", "#if 0\n", "#else\n", "#endif\n", "#define M(x) \\\n", "operator()",
        "int a, *b : 2;", "union {", "} c;", "A<B<C>>", "class API ", " GUARDED_BY(m)", "X_BEGIN\n", "[[a]] ", "using ",
        "fn f()", "impl T for S", "mod m", "#[a]\n", "/// d\n", "{", "}", "(", ")", "<", ">", "::", ";", ":", "=", ",",
        "# H\n", "## H {#i}\n", "T\n===\n", "---\n", "```\n", "~~~\n", "> ", "- ", "<!--", "-->", ".. x::\n", "::\n",
    ]
)  # fmt: skip
SOURCES = st.lists(FRAGMENTS, max_size=40).map("".join)


def check_promises(outline: Outline, data: bytes) -> None:
    starts = [0] + [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    names = [symbol.name for symbol in outline.symbols]
    assert len(set(names)) == len(names)
    assert all(names)
    open_ranges: list[tuple[int, int]] = []
    last = 0
    for symbol in outline.symbols:
        assert 1 <= symbol.start <= symbol.end <= outline.lines
        assert 0 <= symbol.start_byte < symbol.end_byte <= len(data)
        assert symbol.start_byte >= starts[symbol.start - 1]
        assert starts[symbol.end - 1] < symbol.end_byte
        assert symbol.end == len(starts) or symbol.end_byte < starts[symbol.end]
        assert symbol.start_byte >= last
        last = symbol.start_byte
        while open_ranges and open_ranges[-1][1] <= symbol.start_byte:
            open_ranges.pop()
        assert not open_ranges or symbol.end_byte <= open_ranges[-1][1]
        open_ranges.append((symbol.start_byte, symbol.end_byte))


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=150, deadline=None)
@given(source=SOURCES)
def test_pieces_of_source(path: str, source: str) -> None:
    data = source.encode()
    check_promises(outline_text(path, data), data)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=80, deadline=None)
@given(data=st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes(path: str, data: bytes) -> None:
    check_promises(outline_text(path, data), data)


@pytest.mark.parametrize("path", PATHS)
def test_an_empty_file(path: str) -> None:
    assert outline_text(path, b"") == Outline(language_of(path), 0, ())


@pytest.mark.parametrize("data", [b"\0\1\2\n", "def f(): ...".encode("utf-16")])
def test_binary_content_is_not_outlined_and_says_so(data: bytes) -> None:
    outline = outline_text("a.py", data)
    assert outline.symbols == ()
    assert outline.warnings == ("binary or UTF-16 content; not outlined",)


def test_text_beyond_the_limit_is_not_outlined_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SIZE_LIMIT", 10)
    assert outline_text("a.py", b"a = 1\n" * 2) == Outline(
        "python", 2, (), ("larger than 10 bytes; not outlined",)
    )


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.PY", "python"),
        ("a.pyi", "python"),
        ("README.md", "markdown"),
        ("a.rst", "rst"),
        ("a.tar.gz", ""),
        ("Makefile", ""),
        ("a.py/b", ""),
        (".py", "python"),
        ("", ""),
    ],
)
def test_language_by_path(path: str, language: str) -> None:
    assert language_of(path) == language


def test_a_text_without_a_language_has_lines_only() -> None:
    assert outline_text("a.txt", b"one\ntwo") == Outline("", 2, ())


DEEP: dict[str, tuple[str, str, int]] = {
    "Python classes, as deep as its grammar goes": (
        "a.py",
        "".join(f"{' ' * depth}class A:\n" for depth in range(90)) + " " * 90 + "x = 1\n",
        91,
    ),
    "C++ structs": ("a.cpp", "struct A {\n" * 1000 + "};" * 1000, 1000),
    "C++ namespaces": ("a.cpp", "namespace a {\n" * 1000 + "int f() {}" + "}" * 1000, 1),
    "Rust modules": ("a.rs", "mod a {\n" * 1000 + "}" * 1000, 1000),
    "nested expressions": ("a.py", "x = " + "(" * 1000 + ")" * 1000 + "\n", 1),
    "nested conditionals": ("a.h", "#if A\n" * 1000 + "int x();\n" + "#endif\n" * 1000, 1),
    "nested quotes": ("a.md", "> " * 1000 + "# x\n\n# y\n", 1),
}


@pytest.mark.parametrize(("path", "source", "count"), DEEP.values(), ids=DEEP.keys())
def test_deep_nesting(path: str, source: str, count: int) -> None:
    assert len(outline_text(path, source.encode()).symbols) == count


@pytest.mark.parametrize(
    ("path", "line", "count"),
    [
        ("a.py", "def f{0}(): return {0}\n", 50_000),
        ("a.cu", "int f{0}() {{ return {0}; }}\n", 50_000),
        ("a.rs", "#[a]\nfn f{0}() {{}}\n", 25_000),
        ("a.md", "# H{0}\n", 50_000),
        ("a.rst", "H{0}\n----------\n", 25_000),
    ],
)
def test_long_generated_files(path: str, line: str, count: int) -> None:
    source = "".join(line.format(number) for number in range(count))
    assert len(outline_text(path, source.encode()).symbols) == count


def test_names_that_would_exhaust_memory_are_left_out() -> None:
    outline = outline_text("a.rs", b"mod a {\n" * 20_000 + b"}" * 20_000)
    assert "nested too deep; what is inside is left out" in outline.warnings
    assert len(outline.symbols) < 2_000


def test_source_that_a_grammar_is_quadratic_on_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.outline.parsing._SECONDS", 0.0)
    outline = outline_text("a.py", b"\\\n" * 40_000)
    assert outline.warnings == ("takes too long to parse; not outlined",)
