"""What the outline of C, C++ and CUDA source contains."""

import pytest

from annotator.model.symbol import Outline
from annotator.outline.engine import outline_text

Row = tuple[str, str, int, int]


def rows(outline: Outline) -> list[Row]:
    return [
        (symbol.name, symbol.kind.value, symbol.start, symbol.end) for symbol in outline.symbols
    ]


CASES: dict[str, tuple[str, list[Row]]] = {
    "namespaces are left out of names": (
        """\
namespace a::b { namespace {
int f() { return 1; }
}}
int a::b::g() { return 2; }
""",
        [("f", "function", 2, 2), ("g", "function", 4, 4)],
    ),
    "CUDA kernels from template on": (
        """\
// what it does
template <typename T, int N>
__global__ void __launch_bounds__(
    N * sizeof(T))
    kernel(T* out) {
  out[0] = 0;
}
extern "C" __global__ void plain() {}
""",
        [("kernel", "function", 2, 7), ("plain", "function", 8, 8)],
    ),
    "methods inside and outside their class, constructors, destructors, operators": (
        """\
struct Foo : public Base<int> {
  Foo() = default;
  ~Foo();
  int get() const { return x; }
  int set(int v);
  operator bool() const { return true; }
  Foo& operator+=(int v) { return *this; }
  int x;
  struct Inner { void g() {} };
  enum class Mode { A, B };
};
Foo::~Foo() {}
int Foo::set(int v) {
  return v;
}
template <typename T>
void Bar<T>::run(int (*callback)(int)) {}
bool operator==(const Foo& a, const Foo& b) { return true; }
Foo::operator int() const { return 0; }
""",
        [
            ("Foo", "class", 1, 11),
            ("Foo::Foo", "method", 2, 2),
            ("Foo::get", "method", 4, 4),
            ("Foo::operator bool", "method", 6, 6),
            ("Foo::operator+=", "method", 7, 7),
            ("Foo::Inner", "class", 9, 9),
            ("Foo::Inner::g", "method", 9, 9),
            ("Foo::Mode", "class", 10, 10),
            ("Foo::~Foo", "method", 12, 12),
            ("Foo::set", "method", 13, 15),
            ("Bar::run", "method", 16, 17),
            ("operator==", "function", 18, 18),
            ("Foo::operator int", "method", 19, 19),
        ],
    ),
    "specialisations keep their arguments, in one spelling": (
        """\
template <typename T, int N> struct Vec {};
template <> struct Vec< float,4 > { int get() { return 1; } };
template <typename T> struct Vec<T*, 2> {};
template <> void f<int>() {}
""",
        [
            ("Vec", "class", 1, 1),
            ("Vec<float, 4>", "class", 2, 2),
            ("Vec<float, 4>::get", "method", 2, 2),
            ("Vec<T*, 2>", "class", 3, 3),
            ("f<int>", "function", 4, 4),
        ],
    ),
    "overloads": (
        "int f(int a) { return a; }\nint f(float a) { return 1; }\n",
        [("f", "function", 1, 1), ("f#2", "function", 2, 2)],
    ),
    "prototypes only of what the file does not define": (
        """\
int declared(int a);
int defined(int a);
int defined(int a) { return a; }
extern "C" int exported(void);
int (*pointer)(int);
""",
        [
            ("declared", "function", 1, 1),
            ("defined", "function", 3, 3),
            ("exported", "function", 4, 4),
        ],
    ),
    "constants": (
        """\
constexpr int A = 1;
static const char* const B = "b", *C = nullptr;
template <typename T> inline constexpr bool D = false;
__constant__ float E[3];
struct S { static constexpr int F = 2; int field; };
int variable = 1;
""",
        [
            ("A", "constant", 1, 1),
            ("B", "constant", 2, 2),
            ("C", "constant", 2, 2),
            ("D", "constant", 3, 3),
            ("E", "constant", 4, 4),
            ("S", "class", 5, 5),
            ("S::F", "constant", 5, 5),
        ],
    ),
    "type names": (
        """\
using Index = int64_t;
template <typename T> using Ptr = T*;
typedef int (*Callback)(int);
typedef struct { int x; } Point;
typedef struct Node { int x; } Node;
template <typename T> concept Small = sizeof(T) < 4;
""",
        [
            ("Index", "type", 1, 1),
            ("Ptr", "type", 2, 2),
            ("Callback", "type", 3, 3),
            ("Point", "type", 4, 4),
            ("Node", "class", 5, 5),
            ("Small", "type", 6, 6),
        ],
    ),
    "macros, also inside functions, but not inside comments and strings": (
        """\
#pragma once
#define LIMIT 8
#  define MAX(a, b) \\
    ((a) > (b)     \\
         ? (a) : (b))
/*
#define NOT_THIS 1
*/
void f() {
#define LOCAL(x) use(x)
  LOCAL(1);
}
""",
        [
            ("LIMIT", "macro", 2, 2),
            ("MAX", "macro", 3, 5),
            ("f", "function", 9, 12),
            ("LOCAL", "macro", 10, 10),
        ],
    ),
    "both branches of a conditional": (
        """\
#ifdef USE_A
int f() { return 1; }
#else
int f() { return 2; }
#endif
""",
        [("f", "function", 2, 2), ("f#2", "function", 4, 4)],
    ),
    "conditionals that split a function do not swallow the next one": (
        """\
#if ARCH >= 900
void f(int a) {
#else
void f(float a) {
#endif
  use(a);
}
void g() {
#if 0
  while (x) {
#elif defined(B)
  if (a) {
#else
  if (b) {
#endif
  }
}
void h() {}
""",
        [("f", "function", 2, 7), ("g", "function", 8, 17), ("h", "function", 18, 18)],
    ),
    "functions defined through macros": (
        """\
TORCH_LIBRARY(name, ops) {
  ops.def("x");
}
struct S {
  FORCE_INLINE static std::pair<int, int> f(int a) { return {}; }
  __my_inline__ S(int a) : a_(a) {}
  __my_inline__ S() {}
};
""",
        [
            ("TORCH_LIBRARY", "function", 1, 3),
            ("S", "class", 4, 8),
            ("S::f", "method", 5, 5),
            ("S::S", "method", 6, 6),
            ("S::S#2", "method", 7, 7),
        ],
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_symbols(source: str, expected: list[Row]) -> None:
    assert rows(outline_text("csrc/kernels.cu", source.encode())) == expected


@pytest.mark.parametrize(
    "suffix", ["cu", "cuh", "h", "hpp", "hh", "cc", "cpp", "cxx", "c", "inl", "hip"]
)
def test_suffixes(suffix: str) -> None:
    assert rows(outline_text(f"a/b.{suffix}", b"int f() { return 1; }\n")) == [
        ("f", "function", 1, 1)
    ]


def test_range_starts_at_a_macro_before_the_declaration() -> None:
    source = b"struct S {\n  FORCE_INLINE static std::pair<int, int> f() { return {}; }\n};\n"
    method = outline_text("a.h", source).symbols[1]
    assert source[method.start_byte : method.end_byte].startswith(b"FORCE_INLINE static")
