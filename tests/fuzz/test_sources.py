"""Sources of each language, damaged: outlined, compared and resolved without a crash or a hang."""

import textwrap
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator import api
from annotator.model.failures import AnnotError
from annotator.model.words import Outcome, SymbolKind
from annotator.outline.engine import outline_text
from annotator.resolve.compare import compare_texts
from annotator.resolve.definitions import Unparsable, compare_definitions, fingerprint_words
from tests.fuzz.damage import at_most, damaged, damaged_bytes

PYTHON = '''\
"""Module."""
from . import other as alias
import os.path

VALUE: int = 3
first, *rest = [1, 2]

@decorated(x=[1])
class Pool(Base, metaclass=Meta):
    """Doc."""

    free: "list[int]" = []

    @property
    async def take(self, count: int = 1, /, *args, key: str | None = None, **more) -> list[int]:
        match count:
            case {"a": [x, *_]} if x > 1:
                yield f"{x!r:>{count}}"
        return [y := 1, lambda z: z]

    if VALUE:
        def hidden(self): ...
    else:
        hidden = None

type Alias[T] = list[T]
'''
CPP = """\
#pragma once
#include <a.h>
#define CHECK(x) \\
  do { x; } while (0)
namespace a::b {
template <typename T, int N = 3>
class API Pool final : public Base<T> {
 public:
  explicit Pool(int x) : x_(x) {}
  ~Pool() override = default;
  T operator()(const T& t) const noexcept { return t; }
#if defined(A) && 0
  int gone();
#else
  int here() GUARDED_BY(m_);
#endif
 private:
  std::map<int, std::vector<T>> x_{};
};
enum class Kind : int { A, B };
}  // namespace
extern "C" __global__ void kernel(float* __restrict__ x) { x[threadIdx.x] = 1; }
"""
RUST = """\
#![allow(dead_code)]
use std::{fmt, io as other};
/// Doc
#[derive(Debug)]
pub struct Pool<'a, T: Copy + 'a> where T: Send { free: Vec<&'a T>, }
impl<'a, T> fmt::Debug for Pool<'a, T> { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) } }
mod inner { pub(crate) async unsafe fn f() {} macro_rules! m { ($x:expr) => { $x } } }
pub enum E { A(i32), B { x: u8 }, }
const X: &str = r#"raw"#;
"""
MARKDOWN = """\
---
title: x
---
# Title {#top}

Setext
======

## Same
```python
# no heading
```
> ### Quoted
- #### In a list

<h2>HTML</h2>
## Same
[link]: https://example.org
"""
RST = """\
=====
Title
=====

Part
----
.. note:: text

   Inner
   ^^^^^
.. _label:

Part
----
::

  # code
"""
SOURCES = {"a.py": PYTHON, "a.cu": CPP, "a.h": CPP, "a.rs": RUST, "a.md": MARKDOWN, "a.rst": RST}


@pytest.mark.parametrize("path", SOURCES)
def test_outlines(path: str) -> None:
    @settings(deadline=None)
    @given(data=damaged_bytes([SOURCES[path]]))
    def outline(data: bytes) -> None:
        with at_most(10):
            found = outline_text(path, data)
        names = [symbol.name for symbol in found.symbols]
        assert len(set(names)) == len(names)
        assert all(1 <= symbol.start <= symbol.end <= found.lines for symbol in found.symbols)
        assert all(0 <= s.start_byte < s.end_byte <= len(data) for s in found.symbols)

    outline()


DEFINITION = textwrap.dedent(
    '''\
    @decorated
    async def take(self, count: int = 1, /, *args, key=None, **more) -> list[int]:
        """Doc."""
        # comment
        for x in args:
            if x > count: return [x]
        return f"{key!r}"
    '''
)


@settings(deadline=None)
@given(old=damaged([DEFINITION, PYTHON]), new=damaged([DEFINITION, PYTHON]))
def test_definitions_of_python(old: str, new: str) -> None:
    with at_most(20):
        assert compare_definitions(old, old) == []
        with suppress(Unparsable):
            compare_definitions(old, new)
        with suppress(Unparsable):
            fingerprint_words(new)


@pytest.mark.parametrize("path", SOURCES)
def test_texts_of_any_language(path: str) -> None:
    language = outline_text(path, SOURCES[path].encode()).language

    @settings(deadline=None)
    @given(
        old=damaged([SOURCES[path]]),
        new=damaged([SOURCES[path]]),
        kind=st.sampled_from([None, *SymbolKind]),
    )
    def compare(old: str, new: str, kind: SymbolKind | None) -> None:
        with at_most(20):
            compare_texts(old, new, language, kind)
            assert compare_texts(old, old, language, kind) == []

    compare()


@pytest.mark.parametrize("path", SOURCES)
def test_places_are_found_or_not(
    path: str, make_repository: Callable[..., Path], is_long: bool
) -> None:
    """A whole search, between a source and a damaged one."""
    symbols = [symbol.name for symbol in outline_text(path, SOURCES[path].encode()).symbols]
    sign = "#" if path.endswith((".md", ".rst")) else "::"

    @settings(deadline=None, max_examples=300 if is_long else 8)
    @given(new=damaged_bytes([SOURCES[path]]), symbol=st.sampled_from(symbols))
    def find(new: bytes, symbol: str) -> None:
        repository = make_repository(
            {path: SOURCES[path]}, {f"moved/{path}": new, "x.py": "X = 1\n"}
        )
        with at_most(20):
            try:
                found = api.where(f"{path}{sign}{symbol}", repo=repository, start="v1", end="v2")
            except AnnotError:
                return
        assert found.outcome in set(Outcome)
        if found.outcome in {Outcome.OK, Outcome.MOVED, Outcome.CHANGED}:
            assert found.new is not None
        assert found.outcome is not Outcome.GONE or found.new is None

    find()
