"""Token-level comparison of C++, CUDA and Rust, and of prose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.words import SymbolKind
from annotator.resolve.compare import compare_texts
from annotator.resolve.lexing import lex
from annotator.resolve.similarity import name_similarity, sketch, token_similarity

KERNEL = "template <typename T>\n__global__ void f(T* a, int n) {\n  a[n] = 1;  // one\n}\n"

CASES = {
    "same": ("cpp", KERNEL, KERNEL, set()),
    "laid out anew": ("cpp", KERNEL, KERNEL.replace("{\n", "\n{\n"), {"formatting"}),
    "comment": ("cpp", KERNEL, KERNEL.replace("// one", "/* two */"), {"comments"}),
    "parameter": ("cpp", KERNEL, KERNEL.replace("int n", "long n"), {"signature"}),
    "body": ("cpp", KERNEL, KERNEL.replace("= 1", "= 2"), {"body"}),
    "renamed": ("cpp", KERNEL, KERNEL.replace("void f", "void g"), set()),
    "comment sign in a string": (
        "cpp",
        'void f() { p("//a"); }',
        'void f() { p("//b"); }',
        {"body"},
    ),
    "raw string": ("rust", 'fn f() { r#"a " b"# }', 'fn f() { r#"a " c"# }', {"body"}),
    "lifetime is no character": (
        "rust",
        "fn f<'a>(x: &'a str) -> &'a str { x }",
        "fn f<'a>(x: &'a str) -> &'a str { &x[1..] }",
        {"body"},
    ),
    "visibility": ("rust", "fn f() {}", "pub fn f() {}", {"signature"}),
}


@pytest.mark.parametrize(("language", "old", "new", "kinds"), CASES.values(), ids=CASES.keys())
def test_comparison(language: str, old: str, new: str, kinds: set[str]) -> None:
    names = ("f", "g" if "void g" in new else "f")
    changes = compare_texts(old, new, language, SymbolKind.FUNCTION, names)
    assert {change.kind.value for change in changes} == kinds


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("# A\n\nOne two.\n", "# A\n\nOne\ntwo.\n", {"formatting"}),
        ("# A\n\nOne two.\n", "## B\n\nOne two.\n", set()),
        ("# A\n\nOne two.\n", "# A\n\nOne three.\n", {"body"}),
        ("# A\n\nOne. <!-- x -->\n", "# A\n\nOne. <!-- y -->\n", {"comments"}),
        ("A\n=\n\nOne.\n", "B\n=\n\nOne.\n", set()),
    ],
    ids=["wrapped", "heading", "words", "comment", "setext"],
)
def test_prose(old: str, new: str, kinds: set[str]) -> None:
    changes = compare_texts(old, new, "markdown", SymbolKind.HEADING)
    assert {change.kind.value for change in changes} == kinds


@given(st.text(max_size=300), st.sampled_from(["python", "cpp", "rust", "markdown"]))
def test_lexing_keeps_every_visible_character_once(text: str, language: str) -> None:
    lexed = lex(text, language)
    kept = "".join(lexed.code) + "".join(lexed.comments)
    visible = {char for char in text if not char.isspace() and char != "\\"}
    assert visible <= set(kept) | {"\\"}
    assert len(kept) <= len(text)


@pytest.mark.parametrize(
    ("old", "new", "low", "high"),
    [
        ("touch", "touch", 1.0, 1.0),
        ("_prepare_block_sizes", "prepare_block_sizes", 0.95, 0.99),
        ("getBlockHash", "get_block_hash", 0.95, 0.99),
        ("get_sw_clipped_blocks", "get_exchange_clipped_blocks", 0.6, 0.95),
        ("close", "shutdown", 0.0, 0.2),
        ("", "f", 0.0, 0.0),
    ],
)
def test_likeness_of_names(old: str, new: str, low: float, high: float) -> None:
    assert low <= name_similarity(old, new) <= high


def test_a_mere_rename_leaves_a_sketch_as_it_is() -> None:
    old = sketch("def f(n):\n    return n * f(n - 1)\n", "python", "f")
    new = sketch("def g(n):\n    return n * g(n - 1)\n", "python", "g")
    assert token_similarity(old, new) == 1.0
