"""What is said of a changed body, however its head is written: the body is cut out of the definition's text."""

import pytest

from annotator.model.words import ChangeKind
from annotator.resolve.definitions import compare_definitions

HEADS = {
    "plain": "def f(a):\n",
    "comment-on-the-head": "def f(a):  # return 1\n",
    "decorated": "@cached\n# why\n@traced(level=1)\ndef f(a):\n",
    "over-several-lines": "def f(\n    a,  # the first\n    b=(1, 2),\n) -> dict[str, int]:\n",
    "async-and-odd-spaces": "async  def f ( a ) :\n",
    "string-default": 'def f(a="def g():\\n    pass"):\n',
    "type-parameters": "def f[T: (int, str)](a: T) -> T:\n",
}
BODIES = {
    "a-line": ("    return 1\n", "    return 2\n", "-1 +1 lines: -return 1 +return 2"),
    "one-more": ("    x()\n", "    x()\n    y()\n", "+1 line: +y()"),
    "after-a-docstring": (
        '    """D."""\n    x()\n',
        '    """D."""\n    y()\n',
        "-1 +1 lines: -x() +y()",
    ),
    "two-blanks-deep": ("  x()\n", "  y()\n", "-1 +1 lines: -x() +y()"),
    "nested": (
        "    def g():\n        pass\n    return g\n",
        "    def g():\n        return\n    return g\n",
        "-1 +1 lines: -pass +return",
    ),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize(("old", "new", "detail"), BODIES.values(), ids=BODIES)
def test_the_lines_of_the_body_are_named(head: str, old: str, new: str, detail: str) -> None:
    changes = compare_definitions(head + old, head + new)
    assert [(change.kind, change.detail) for change in changes] == [(ChangeKind.BODY, detail)]


@pytest.mark.parametrize("blank", ["", "\n", "# before\n\n"], ids=["no", "blank-line", "comment"])
def test_lines_before_the_head_do_not_matter(blank: str) -> None:
    changes = compare_definitions(blank + "def f(): return 1\n", blank + "def f(): return 2\n")
    assert [change.detail for change in changes] == ["-1 +1 lines: -return 1 +return 2"]


def test_a_changed_head_is_not_told_as_a_line_of_the_body() -> None:
    changes = compare_definitions("def f(a):\n    x()\n", "def f(a, b):\n    y()\n")
    assert {change.kind: change.detail for change in changes} == {
        ChangeKind.SIGNATURE: "+b",
        ChangeKind.BODY: "-1 +1 lines: -x() +y()",
    }
