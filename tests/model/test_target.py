"""Targets as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.target import Target, TargetError, parse_target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/b.py", Target("a/b.py")),
        ("a/b.py::f", Target("a/b.py", "f")),
        ("a/b.py::C.f#2", Target("a/b.py", "C.f#2")),
        ("a.rs::Type::f", Target("a.rs", "Type::f")),
        ("a.cu::Vec<float, 4>::get", Target("a.cu", "Vec<float, 4>::get")),
        ("d/x.md#A > B", Target("d/x.md", "A > B", heading=True)),
        ("d/x.md#Uses `a::b`", Target("d/x.md", "Uses `a::b`", heading=True)),
        ("a.py:7", Target("a.py", start=7, end=7)),
        ("a.py:7-9", Target("a.py", start=7, end=9)),
        ("v1:2/a.py", Target("v1:2/a.py")),
    ],
)
def test_reads(text: str, expected: Target) -> None:
    assert parse_target(text) == expected
    assert parse_target(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "what_to_write"),
    [
        ("", "from the root"),
        ("/etc/passwd", "from the root"),
        ("~/a.py", "from the root"),
        ("C:/a.py", "from the root"),
        ("a\\b.py", "forward slashes"),
        ("a/../b.py", "plain path"),
        ("./a.py", "plain path"),
        ("a//b.py", "plain path"),
        ("a.py::", "path::Qual.name"),
        ("a.py:: f", "path::Qual.name"),
        ("a.md#", "path#Heading"),
        ("a.py:9-7", "START-END"),
        ("a\x00.py", "control characters"),
        ("a.py::f\ng", "control characters"),
    ],
)
def test_says_what_to_write_instead(text: str, what_to_write: str) -> None:
    with pytest.raises(TargetError, match=what_to_write):
        parse_target(text)


@given(st.text(max_size=60))
def test_reads_or_refuses_and_never_leaves_the_tree(text: str) -> None:
    try:
        target = parse_target(text)
    except TargetError:
        return
    assert not target.path.startswith("/")
    assert ".." not in target.path.split("/")
    assert parse_target(str(target)) == target
