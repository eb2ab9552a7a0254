"""What the outline of C, C++ and CUDA source contains."""

import pytest

from annotator.model.symbol import Outline
from annotator.model.words import SymbolKind
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
            ("Foo::x", "attribute", 8, 8),
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
            ("S::field", "attribute", 5, 5),
        ],
    ),
    "data members, but no parameters and no locals": (
        """\
struct S : Base {
  using Base::Base;
  size_t slice_size = 65536;
  int a, *b = nullptr, c[3];
  unsigned low : 3, high : 2;
  int : 0;
  void (*callback)(int code) = nullptr;
  std::atomic<int> busy{0},
      done{1};
  alignas(64) mutable std::mutex mutex;
  std::function<void(int)> hook = [](int x) { int y = x; };
  void run(int parameter) { int local = parameter; }
  friend class T;
};
""",
        [
            ("S", "class", 1, 14),
            ("S::slice_size", "attribute", 3, 3),
            ("S::a", "attribute", 4, 4),
            ("S::b", "attribute", 4, 4),
            ("S::c", "attribute", 4, 4),
            ("S::low", "attribute", 5, 5),
            ("S::high", "attribute", 5, 5),
            ("S::callback", "attribute", 7, 7),
            ("S::busy", "attribute", 8, 9),
            ("S::done", "attribute", 8, 9),
            ("S::mutex", "attribute", 10, 10),
            ("S::hook", "attribute", 11, 11),
            ("S::run", "method", 12, 12),
        ],
    ),
    "static members where they are defined, else where they are declared": (
        """\
struct S {
  static int defined;
  static int declared;
  static inline int both = 1;
  static const int limit;
};
int S::defined = 1;
const int S::limit = 2;
""",
        [
            ("S", "class", 1, 6),
            ("S::declared", "attribute", 3, 3),
            ("S::both", "attribute", 4, 4),
            ("S::defined", "attribute", 7, 7),
            ("S::limit", "constant", 8, 8),
        ],
    ),
    "members of types without a name": (
        """\
struct S {
  union {
    int a;
    struct { int x; } point;
  };
  struct Named { int b; } first, *second;
};
typedef struct { int c; } T;
static struct { int d; } options;
struct { int e; };
""",
        [
            ("S", "class", 1, 7),
            ("S::a", "attribute", 3, 3),
            ("S::point", "attribute", 4, 4),
            ("S::point::x", "attribute", 4, 4),
            ("S::first", "attribute", 6, 6),
            ("S::second", "attribute", 6, 6),
            ("S::Named", "class", 6, 6),
            ("S::Named::b", "attribute", 6, 6),
            ("T", "type", 8, 8),
            ("T::c", "attribute", 8, 8),
            ("options::d", "attribute", 9, 9),
        ],
    ),
    "what a comment calls a namespace is none": (
        """\
namespace a {
}  // namespace

Service::Service() {}
auto Service::put(int key) -> expected<void, Error> { return {}; }
// The namespace Other is gone.
int Other::get() { return 1; }
""",
        [
            ("Service::Service", "method", 4, 4),
            ("Service::put", "method", 5, 5),
            ("Other::get", "method", 7, 7),
        ],
    ),
    "namespaces opened behind what they qualify, used, or aliased": (
        """\
int a::b::f() { return 1; }
int used::g() { return 1; }
int alias::h() { return 1; }
int other::i() { return 1; }
using namespace far::used;
using other::j;
namespace alias = far::away;
extern "C++" { namespace a { inline namespace b {} } }
""",
        [
            ("f", "function", 1, 1),
            ("g", "function", 2, 2),
            ("h", "function", 3, 3),
            ("other::i", "method", 4, 4),
        ],
    ),
    "namespaces that are never closed": (
        """\
namespace a {
int a::f() { return 1; }
namespace b {
int b::g() { return 1; }
""",
        [("f", "function", 2, 2), ("g", "function", 4, 4)],
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
            ("Point::x", "attribute", 4, 4),
            ("Node", "class", 5, 5),
            ("Node::x", "attribute", 5, 5),
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
    "macros between `class` and the name": (
        """\
class CAPABILITY("mutex") EXPORT_API Mutex final : public Base {
 public:
  void lock() noexcept { lock_.lock(); }

 private:
  std::mutex lock_;
};
struct PACKED_ATTR Header { int id; };
""",
        [
            ("Mutex", "class", 1, 7),
            ("Mutex::lock", "method", 3, 3),
            ("Mutex::lock_", "attribute", 6, 6),
            ("Header", "class", 8, 8),
            ("Header::id", "attribute", 8, 8),
        ],
    ),
    "annotations for Clang's thread safety analysis": (
        """\
struct S {
  explicit S(Mutex& m) ACQUIRE(m) : m_(m) {}
  ~S() RELEASE() {}
  void f() const override REQUIRES(m_) EXCLUDES(other(), m_);
  int g() NO_THREAD_SAFETY_ANALYSIS { return 1; }
  Mutex& m_;
  int count GUARDED_BY(m_) = 0;
  std::map<int, int> table
      PT_GUARDED_BY(m_);
};
void RELEASE(int a);
""",
        [
            ("S", "class", 1, 10),
            ("S::S", "method", 2, 2),
            ("S::~S", "method", 3, 3),
            ("S::f", "method", 4, 4),
            ("S::g", "method", 5, 5),
            ("S::m_", "attribute", 6, 6),
            ("S::count", "attribute", 7, 7),
            ("S::table", "attribute", 8, 9),
            ("RELEASE", "function", 11, 11),
        ],
    ),
    "macros that open and close": (
        """\
LIB_BEGIN_NAMESPACE
namespace detail {
void f() {
  Py_BEGIN_ALLOW_THREADS for (int i = 0; i < 3; i++) {
    work(i);
  }
  Py_END_ALLOW_THREADS
}
}
LIB_END_NAMESPACE
struct S { int a; };
""",
        [
            ("f", "function", 3, 8),
            ("S", "class", 11, 11),
            ("S::a", "attribute", 11, 11),
        ],
    ),
    "templates in templates are no comparisons, shifts or launches": (
        """\
tl::expected<std::vector<std::vector<Slice>>, Error>
slices(const std::vector<std::vector<void*>>& buffers, int n) {
  return {};
}
tl::expected<
    std::unordered_map<UUID, std::vector<std::string>, boost::hash<UUID>>,
    Error>
Client::query(const std::vector<UUID>& ids) {
  return {};
}
std::vector<std::vector<std::vector<tl::expected<int, Error>>>>
Client::read(int n) {
  kernel<Pair<A<int>>><<<grid, block>>>(n);
  return {};
}
[[maybe_unused]] std::optional<std::vector<Info>> infos(int n) { return {}; }
Vec<Pair<int, A<int>>>::Vec() {}
""",
        [
            ("slices", "function", 1, 4),
            ("Client::query", "method", 5, 10),
            ("Client::read", "method", 11, 15),
            ("infos", "function", 16, 16),
            ("Vec<Pair<int, A<int>>>::Vec", "method", 17, 17),
        ],
    ),
    "what the grammar misreads is no data member": (
        """\
struct S {
  LIB_DEVICE
  result_type operator()(int a) const { return a; }
  __vector float values;
};
""",
        [("S", "class", 1, 5), ("S::operator()", "method", 3, 3)],
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


@pytest.mark.parametrize(
    ("text", "macros"),
    [
        ("#define A 1\n#define B 2", ["A", "B"]),
        ("\t# define A 1\r\n", ["A"]),
        ("int a; #define A 1\n", []),
        ("/* c */ #define A 1\n", []),
        ("/*\n#define A 1\n*/\n#define B 2\n", ["B"]),
        ("// c \n#define A 1\n", ["A"]),
        ('const char* s = "\\\n#define A 1";\n', []),
    ],
    ids=["first and last line", "indented", "behind code", "behind a comment", "in a comment",
         "below a comment", "in a string"],
)  # fmt: skip
def test_a_macro_is_defined_at_the_start_of_a_line(text: str, macros: list[str]) -> None:
    symbols = outline_text("a.cpp", text.encode()).symbols
    assert [symbol.name for symbol in symbols if symbol.kind is SymbolKind.MACRO] == macros
    data = text.encode()
    for symbol in symbols:
        if symbol.kind is SymbolKind.MACRO:
            assert data[symbol.start_byte : symbol.end_byte].startswith(b"#")
