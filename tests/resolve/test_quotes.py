"""Statements found again inside a text: (old text, new text, quote, outcome, lines)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.model.anchor import Quote
from annotator.resolve.passages import find_passage
from annotator.resolve.quotes import edited_form, occurrences

OLD = """def touch(self, blocks):
    for block in blocks:
        if block.ref_cnt == 0 and not block.is_null:
            self.free_block_queue.remove(block)
        block.ref_cnt += 1
"""
QUOTE = "self.free_block_queue.remove(block)"

CASES: dict[str, tuple[str, str | None, tuple[int, int] | None]] = {
    "same": (OLD, None, (4, 4)),
    "lines added above": (OLD.replace("    for", "    count = 0\n    for"), None, (5, 5)),
    "deeper by a new if": (
        OLD.replace("            self.", "            if True:\n                self."),
        None,
        (5, 5),
    ),
    "wrapped": (
        OLD.replace("remove(block)", "remove(\n                block,\n            )"),
        None,
        (4, 6),
    ),
    "argument added": (OLD.replace("remove(block)", "remove(block, now)"), "changed", (4, 4)),
    "local renamed": (OLD.replace("block", "blk"), "changed", (4, 4)),
    "removed": (OLD.replace(f"            {QUOTE}\n", "            pass\n"), "gone", None),
    "twice, between the same lines once": (OLD + f"        {QUOTE}\n", None, (4, 4)),
}


@pytest.mark.parametrize(("new", "outcome", "lines"), CASES.values(), ids=CASES.keys())
def test_passage(new: str, outcome: str | None, lines: tuple[int, int] | None) -> None:
    passage = find_passage("python", OLD, 1, new, 1, Quote(exact=QUOTE))
    assert (passage.outcome, passage.new) == (outcome, lines)
    assert passage.old == (4, 4)


def test_a_like_statement_that_stood_there_before_is_no_edited_form() -> None:
    old = 'specs: list[dict[str, float]] = [\n    {key: 1.0} for key in keys\n]\nspecs[0][f"node:{ip}"] = 0.001\n'
    new = "specs: list[dict[str, float]] = [\n    {key: 1.0} for key in keys\n]\n"
    passage = find_passage("python", old, 1, new, 1, Quote(exact='specs[0][f"node:{ip}"] = 0.001'))
    assert passage.outcome == "gone"


def test_equal_statements_without_telling_context_are_ambiguous() -> None:
    old = "def f():\n    step()\n"
    new = "def f():\n    step()\n    step()\n    step()\n"
    passage = find_passage("python", old, 1, new, 1, Quote(exact="step()"))
    assert passage.outcome in {"ambiguous", None}
    assert passage.new is not None


def test_an_edit_shows_both_texts() -> None:
    new = OLD.replace("remove(block)", "remove(block, now)")
    (change,) = find_passage("python", OLD, 1, new, 1, Quote(exact=QUOTE)).changes
    assert change.detail == f"{QUOTE} → self.free_block_queue.remove(block, now)"


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        (Quote(exact="nowhere(at_all)"), "is not in its target"),
        (Quote(exact="block"), "occurs 5 times"),
    ],
)
def test_a_quote_that_is_not_clear_is_an_error(quote: Quote, reason: str) -> None:
    assert reason in find_passage("python", OLD, 1, OLD, 1, quote).reason


def test_prefix_and_suffix_tell_equal_statements_apart() -> None:
    text = "a = 1\nstep()\nb = 2\nstep()\nc = 3\n"
    assert len(occurrences(text, "python", "step()")) == 2
    (spot,) = occurrences(text, "python", "step()", prefix="b = 2")
    assert text.count("\n", 0, spot.start) == 3
    (spot,) = occurrences(text, "python", "step()", suffix="b = 2")
    assert text.count("\n", 0, spot.start) == 1


def test_a_comma_at_the_end_of_a_quote_may_be_the_one_that_formatters_add() -> None:
    assert len(occurrences("f(\n    a * b,\n)", "python", "a * b,")) == 1
    assert len(occurrences("f(a * b, c)", "python", "a * b,")) == 1


def test_a_quote_from_a_docstring_is_found_over_wrapped_lines() -> None:
    text = 'def f():\n    """Returns the number of\n    tokens to compute."""\n'
    assert len(occurrences(text, "python", "the number of tokens to compute")) == 1


LINES = st.lists(
    st.sampled_from(["a = f(b)", "if a:", "    b += 1", "return [a, b]", "# note", "g(x, y)"]),
    min_size=1,
    max_size=12,
)


@given(LINES, LINES)
def test_a_quote_survives_any_lines_around_it(above: list[str], below: list[str]) -> None:
    text = "\n".join([*above, "special(call, 17)", *below])
    (spot,) = occurrences(text, "python", "special( call , 17 )")
    assert spot.text == "special(call, 17)"
    assert text.count("\n", 0, spot.start) == len(above)


@given(st.text(max_size=200), st.text(max_size=40))
def test_no_text_is_too_strange(text: str, quote: str) -> None:
    for language in ("python", "cpp", "markdown", ""):
        for spot in occurrences(text, language, quote):
            assert 0 <= spot.start < spot.end <= len(text)
        edited = edited_form(text, language, quote)
        assert edited is None or 0 <= edited.start <= edited.end <= len(text)


def test_a_long_passage_is_aligned_statement_by_statement() -> None:
    body = [f"    step_{number}(state, {number})" for number in range(60)]
    old = "def f(state):\n" + "\n".join(body) + "\n    return state\n"
    edited = [*body[:20], "    fresh(state)", *body[21:]]
    new = "def g():\n    return 1\n\n\ndef f(state):\n" + "\n".join(edited) + "\n    return state\n"
    passage = find_passage("python", old, 1, new, 1, Quote(exact="\n".join(body[5:50])))
    assert (passage.outcome, passage.new) == ("changed", (11, 55))


def test_a_short_statement_without_a_name_in_common_is_no_edited_form() -> None:
    old = "def f(self):\n    self._start_engine_loop()\n"
    new = "def f(self):\n    self.reset_mm_cache()\n"
    passage = find_passage("python", old, 1, new, 1, Quote(exact="self._start_engine_loop()"))
    assert passage.outcome == "gone"


def test_a_passage_of_comments_alone_is_found_edited() -> None:
    old = "def f():\n    # Warm up the sampler and set memory aside.\n    go()\n"
    new = "def f():\n    # V1: warm up the sampler and set memory aside.\n    go()\n"
    quote = Quote(exact="# Warm up the sampler and set memory aside.")
    passage = find_passage("python", old, 1, new, 1, quote)
    assert (passage.outcome, passage.new) == ("changed", (2, 2))
