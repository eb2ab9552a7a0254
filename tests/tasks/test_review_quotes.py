"""How a quoted statement reads later on, written so that it is found once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.anchor import Quote
from annotator.resolve.quotes import occurrences
from annotator.tasks.review.quotes import quote_now

OLD = "def f(a):\n    limit = a - 1\n    return limit\n"


@pytest.mark.parametrize(
    ("quote", "new", "line", "expected"),
    [
        pytest.param(Quote(exact="limit = a - 1"), OLD, 0, Quote(exact="limit = a - 1"), id="the-same"),
        pytest.param(
            Quote(exact="limit = a - 1"), "def f(a):\n    limit  =  a-1\n", 0,
            Quote(exact="limit = a - 1"), id="only-its-layout",
        ),
        pytest.param(
            Quote(exact="limit = a - 1"), "def f(a, b):\n    limit = a - b\n    return limit\n", 0,
            Quote(exact="limit = a - b"), id="edited",
        ),
        pytest.param(
            Quote(exact="limit = a - 1"), "def f(a):\n    return 5\n", 0, None, id="gone",
        ),
        pytest.param(
            Quote(exact="x = 1"), "def f():\n    if a:\n        x = 1\n    else:\n        x = 1\n", 5,
            Quote(exact="x = 1", prefix="else:"), id="twice-and-the-line-is-known",
        ),
        pytest.param(
            Quote(exact="x = 1"), "def f():\n    if a:\n        x = 1\n    else:\n        x = 1\n", 0,
            None, id="twice-and-it-is-not",
        ),
        pytest.param(
            Quote(exact="call(a)"), "def f(a):\n    call(\n        a,\n        b=2,\n    )\n", 0,
            Quote(exact="call(\na,\nb=2,\n)"), id="over-several-lines",
        ),
    ],
)  # fmt: skip
def test_a_quote_at_another_commit(quote, new, line, expected):
    found = quote_now(new, "python", quote, old_text=OLD, wanted_line=line)
    assert found == expected
    if found is not None:
        assert len(occurrences(new, "python", found.exact, found.prefix, found.suffix)) == 1


LINES = st.lists(st.sampled_from(["x = 1", "y = 2", "x = 1 + y", "if y:", "call(x)"]), min_size=1)


@given(LINES, st.integers(0, 20))
def test_a_quote_that_is_given_means_one_place(lines, wanted):
    text = "\n".join(lines)
    found = quote_now(text, "python", Quote(exact="x = 1"), wanted_line=wanted)
    if found is not None:
        assert len(occurrences(text, "python", found.exact, found.prefix, found.suffix)) == 1
