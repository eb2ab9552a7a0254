"""What the outline of Rust source contains."""

import pytest

from annotator.model.symbol import Outline
from annotator.outline.engine import outline_text

Row = tuple[str, str, int, int]


def rows(outline: Outline) -> list[Row]:
    return [
        (symbol.name, symbol.kind.value, symbol.start, symbol.end) for symbol in outline.symbols
    ]


CASES: dict[str, tuple[str, list[Row]]] = {
    "items of all kinds": (
        """\
pub struct S { a: u8 }
enum E { A, B }
union U { a: u8 }
type Alias = u8;
const A: u8 = 1;
static mut B: u8 = 2;
macro_rules! m { () => {} }
pub async fn f() {}
mod elsewhere;
extern "C" { fn c(x: u8); }
""",
        [
            ("S", "class", 1, 1),
            ("E", "class", 2, 2),
            ("U", "class", 3, 3),
            ("Alias", "type", 4, 4),
            ("A", "constant", 5, 5),
            ("B", "constant", 6, 6),
            ("m", "macro", 7, 7),
            ("f", "function", 8, 8),
            ("c", "function", 10, 10),
        ],
    ),
    "attributes and doc comments above belong to the range, ordinary comments do not": (
        """\
//! of the file
#![allow(dead_code)]

// ordinary
/// doc
#[derive(Debug)]
// between
pub struct S;

/** block
 * doc */
fn f() {}
// ordinary
fn g() {}
""",
        [("S", "class", 5, 8), ("f", "function", 10, 12), ("g", "function", 14, 14)],
    ),
    "methods of inherent and trait implementations": (
        """\
impl<T> S<T> {
    /// doc
    pub fn a(&self) {}
    const K: u8 = 1;
}
impl<'a> fmt::Display for crate::x::S<'a> { type Out = u8; fn fmt(&self) {} }
impl Trait for &mut R { fn a(&self) {} }
impl dyn Shape { fn a(&self) {} }
impl S<u8> { fn a(&self) {} }
""",
        [
            ("S::a", "method", 2, 3),
            ("S::K", "constant", 4, 4),
            ("S::Out", "type", 6, 6),
            ("S::fmt", "method", 6, 6),
            ("R::a", "method", 7, 7),
            ("Shape::a", "method", 8, 8),
            ("S::a#2", "method", 9, 9),
        ],
    ),
    "traits": (
        "pub trait T: A {\n    fn required(&self);\n    fn given(&self) {}\n    type Out;\n}\n",
        [
            ("T", "class", 1, 5),
            ("T::required", "method", 2, 2),
            ("T::given", "method", 3, 3),
            ("T::Out", "type", 4, 4),
        ],
    ),
    "inline modules and functions prefix what is inside": (
        """\
mod outer {
    mod inner { fn f() {} }
    impl S { fn g() { fn local() {} } }
}
#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
""",
        [
            ("outer", "class", 1, 4),
            ("outer::inner", "class", 2, 2),
            ("outer::inner::f", "function", 2, 2),
            ("outer::S::g", "method", 3, 3),
            ("outer::S::g::local", "function", 3, 3),
            ("tests", "class", 5, 9),
            ("tests::works", "function", 7, 8),
        ],
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_symbols(source: str, expected: list[Row]) -> None:
    outline = outline_text("src/lib.rs", source.encode())
    assert rows(outline) == expected
    assert outline.warnings == ()


def test_items_around_broken_syntax_are_found() -> None:
    outline = outline_text("lib.rs", b"fn before() {}\nfn ( { = ;\nfn after() {}\n")
    assert {"before", "after"} <= {symbol.name for symbol in outline.symbols}
    assert outline.warnings
