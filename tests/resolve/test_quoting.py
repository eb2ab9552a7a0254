"""The quote that is proposed for lines: it stands once, and there."""

import inspect
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.model.anchor import Quote
from annotator.resolve import quotes, quoting, resolver
from annotator.resolve.quotes import line_range, occurrences
from annotator.resolve.quoting import header_end, propose_quote

LOOP = """\
def f(xs):
    # adds up what is there
    total = 0
    for x in xs:
        total += x
    if total:
        total += x
    return total
"""
CALL = """\
def f():
    return call(
        first,  # the first
        second,
    )
"""
DOCUMENTED = '''\
def f():
    """One line.

    Keeps the order of the blocks.
    Says nothing of their number.
    """
    return None
'''
PAGE = "# Title\n\nBlocks are freed in reverse.\nThe tail goes first.\n"
C = "void f() {\n  // the way back\n  queue.remove(block);\n  queue.append(block);\n}\n"
TABLE = "X = call([\n" + "".join(f"    entry_{n},\n" for n in range(30)) + "])\n"


@pytest.mark.parametrize(
    ("text", "language", "lines", "expected"),
    [
        pytest.param(LOOP, "python", (3, 3), Quote(exact="total = 0"), id="statement"),
        pytest.param(LOOP, "python", (2, 2), Quote(exact="# adds up what is there"), id="comment"),
        pytest.param(LOOP, "python", (5, 5), Quote(exact="total += x", prefix=":\n".strip(), suffix="if"), id="twice"),
        pytest.param(LOOP, "python", (3, 4), Quote(exact="total = 0\nfor x in xs:"), id="two-statements"),
        pytest.param(CALL, "python", (3, 3), Quote(exact="return call( first, second, )"), id="over-lines-without-comments"),
        pytest.param(DOCUMENTED, "python", (4, 4), Quote(exact="Keeps the order of the blocks."), id="docstring"),
        pytest.param(PAGE, "markdown", (4, 4), Quote(exact="The tail goes first."), id="prose"),
        pytest.param(C, "cpp", (3, 3), Quote(exact="queue.remove(block);"), id="c"),
        pytest.param(C, "cpp", (2, 2), Quote(exact="// the way back"), id="c-comment"),
        pytest.param(TABLE, "python", (20, 20), Quote(exact="entry_18,"), id="line-of-a-long-statement"),
        pytest.param("def f():\n    pass\n    x()\n", "python", (2, 2), Quote(exact="pass\nx()"), id="too-short-alone"),
    ],
)  # fmt: skip
def test_a_quote_is_the_statement_with_the_least_context(text, language, lines, expected):
    proposal = propose_quote(text, language, *lines)
    assert proposal is not None
    assert proposal.quote.exact == expected.exact
    spots = occurrences(
        text, language, proposal.quote.exact, proposal.quote.prefix, proposal.quote.suffix
    )
    assert len(spots) == 1
    first, last = line_range(text, spots[0], 1)
    assert first <= lines[1]
    assert last >= lines[0]


def test_of_equal_statements_the_neighbour_tells_which_one():
    first, second = propose_quote(LOOP, "python", 5, 5), propose_quote(LOOP, "python", 7, 7)
    assert first is not None
    assert second is not None
    assert first.quote.exact == second.quote.exact == "total += x"
    assert (first.quote.prefix, first.quote.suffix) == ("", "if")
    assert (second.quote.prefix, second.quote.suffix) == ("", "return")


@pytest.mark.parametrize(
    ("text", "line"),
    [("a = 1\n\nb = 2\n", 2), ("x\n" * 60, 30)],
    ids=["blank-line", "nothing-tells-it-apart"],
)
def test_there_is_no_quote_of_what_cannot_be_quoted(text, line):
    assert propose_quote(text, "python", line, line) is None


def test_many_lines_are_stood_for_by_the_first_statement():
    text = "".join(f"name_{n} = {n}\n" for n in range(40))
    proposal = propose_quote(text, "python", 5, 30)
    assert proposal is not None
    assert proposal.quote.exact == "name_4 = 4"
    assert not proposal.whole


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(): pass\n", 1),
        ("@a\n@b(1)\ndef f(\n    x,\n):\n    pass\n", 5),
        ("class A(\n    B\n):\n    x = 1\n", 3),
    ],
    ids=["one-line", "decorated", "class"],
)
def test_a_declaration_ends_where_its_body_begins(text, line):
    assert header_end(text, "python") == line


SOURCES = [
    textwrap.dedent(inspect.getsource(part))
    for part in (quotes.edited_form, quotes.statements, quoting, resolver)
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SOURCES), st.data())
def test_whatever_is_pointed_at_the_quote_stands_there_and_nowhere_else(text, data):
    count = text.count("\n")
    first = data.draw(st.integers(1, count))
    last = data.draw(st.integers(first, min(count, first + 8)))
    proposal = propose_quote(text, "python", first, last)
    if proposal is None:
        return
    quote = proposal.quote
    (spot,) = occurrences(text, "python", quote.exact, quote.prefix, quote.suffix)
    start, end = line_range(text, spot, 1)
    assert start <= last
    assert end >= first
