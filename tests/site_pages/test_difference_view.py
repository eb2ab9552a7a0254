import re

import pytest

from annotator.site_pages.difference_view import difference_view
from annotator.tasks.site import Excerpt


def excerpt(text: str, start: int = 1) -> Excerpt:
    lines = tuple(text.split("\n"))
    return Excerpt("v1", "a.py", "f", "python", start, lines, len(lines), None, "", "")


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("a\nb\nc", "a\nzz\nc", ["same", "removed", "added", "same"]),
        ("x = f(1, 2)", "x = f(1, 3)", ["changed"]),
        ("a", "a\nb", ["same", "added"]),
        ("a\nb", "b", ["removed", "same"]),
        (
            "\n".join("abcdefghijk") + "\nz1",
            "\n".join("abcdefghijk") + "\nq",
            ["gap", "same", "same", "same", "removed", "added"],
        ),
    ],
    ids=["unlike lines", "a changed word", "added", "removed", "equal lines are left out"],
)
def test_rows(old: str, new: str, kinds: list[str]) -> None:
    made = difference_view(excerpt(old), excerpt(new), "{count} equal")
    assert made is not None
    assert re.findall(r'<tr class="(\w+)"', made.html) == kinds


def test_equal_texts_have_no_difference() -> None:
    assert difference_view(excerpt("a"), excerpt("a", 7), "") is None


def test_line_numbers_are_those_of_the_files() -> None:
    made = difference_view(excerpt("a\nb", 10), excerpt("a\nb\nc", 20), "")
    assert made is not None
    assert re.findall(r'data-n="(\d+)"', made.html) == ["10", "20", "11", "21", "22"]


def test_words_that_differ_are_marked_and_escaped() -> None:
    made = difference_view(excerpt("x = f(a < 1)"), excerpt("x = f(a > 1)"), "")
    assert made is not None
    assert "<del>&#60;</del>" in made.html
    assert "<ins>&#62;</ins>" in made.html


def test_common_indentation_is_taken_off() -> None:
    made = difference_view(excerpt("    a\n        b"), excerpt("    a\n        c"), "")
    assert made is not None
    assert '<td class="o">a</td>' in made.html
