"""Quoted statements under generated edits: found where they should be, and what happened said rightly."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.model.anchor import Quote
from annotator.model.resolution import Resolution
from annotator.model.target import parse_target
from annotator.model.words import Outcome, Watch
from annotator.resolve.passages import find_passage
from annotator.tasks.workspace import Workspace

QUOTE = "queue.remove(block, limit - 1)"
BODY = [
    "total = 0",
    "for index, block in enumerate(blocks):",
    "    if block.ref_count == 0 and not block.is_null:",
    f"        {QUOTE}",
    "        total += block.size * index",
    "    block.ref_count += 1",
    "return total",
]


def source(lines: list[str], name: str = "touch") -> str:
    return f"def {name}(blocks, queue, limit):\n" + "".join(f"    {line}\n" for line in lines)


def resolve(workspace: Workspace, quote: str = QUOTE) -> Resolution:
    resolver = workspace.resolver(workspace.revision("u", "v1"), workspace.revision("u", "v2"))
    return resolver.resolve(parse_target("a.py::touch"), Watch.QUOTE, Quote(exact=quote))


CASES: dict[str, tuple[dict[str, str], Outcome, str | None, str]] = {
    # name: after, outcome, symbol, text of the first line
    "the block moved up": (
        {"a.py": source([*BODY[1:6], BODY[0], BODY[6]])},
        Outcome.OK,
        "touch",
        QUOTE,
    ),
    "its function was split, the statement in the part": (
        {
            "a.py": source(
                [
                    "total = 0",
                    "for index, block in enumerate(blocks):",
                    "    _release(block, queue, limit)",
                    "return total",
                ]
            )
            + "\n\ndef _release(block, queue, limit):\n    if block.ref_count == 0 and not block.is_null:\n"
            f"        {QUOTE}\n    block.ref_count += 1\n"
        },
        Outcome.MOVED,
        "_release",
        QUOTE,
    ),
    "it went to a new file": (
        {
            "a.py": source(
                [
                    "total = 0",
                    "for block in blocks:",
                    "    release(block, queue, limit)",
                    "return total",
                ]
            ),
            "b.py": f"def release(block, queue, limit):\n    if not block.is_null:\n        {QUOTE}\n",
        },
        Outcome.MOVED,
        "release",
        QUOTE,
    ),
    "an argument added": (
        {"a.py": source(BODY).replace(QUOTE, "queue.remove(block, limit - 1, now)")},
        Outcome.CHANGED,
        "touch",
        "queue.remove(block, limit - 1, now)",
    ),
    "removed": (
        {"a.py": source([*BODY[:3], *(line for line in BODY[4:])])},
        Outcome.GONE,
        None,
        "",
    ),
    "its function renamed": ({"a.py": source(BODY, "mark")}, Outcome.MOVED, "mark", QUOTE),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_statement(
    case: tuple[dict[str, str], Outcome, str | None, str], workspace_on: Callable[..., Workspace]
) -> None:
    after, outcome, symbol, text = case
    found = resolve(workspace_on({"a.py": source(BODY)}, after))
    assert (found.outcome, found.new and found.new.symbol) == (outcome, symbol), found.evidence
    if found.new:
        lines = after[found.new.path].split("\n")
        assert lines[found.new.start - 1].strip() == text


def test_there_twice_where_once_it_was(workspace_on: Callable[..., Workspace]) -> None:
    twice = source(["step(queue, limit)", "step(queue, limit)", "step(queue, limit)"])
    workspace = workspace_on({"a.py": source(["step(queue, limit)"])}, {"a.py": twice})
    assert resolve(workspace, "step(queue, limit)").outcome is Outcome.AMBIGUOUS


FILLER = st.lists(
    st.sampled_from(
        ["check(queue)", "count += 1", "if limit:\n    pass", "# a remark", "log('x')"]
    ),
    max_size=4,
)


@given(before=FILLER, after=FILLER, levels=st.integers(0, 3), wrapped=st.booleans())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_an_untouched_statement_stands_whatever_is_done_around_it(
    before: list[str], after: list[str], levels: int, wrapped: bool
) -> None:
    statement = QUOTE.replace("(", "(\n    ").replace(")", ",\n)") if wrapped else QUOTE
    inner = "\n".join([*before, statement, *after])
    for _ in range(levels):
        inner = "if ready:\n" + "\n".join(f"    {line}" for line in inner.split("\n"))
    new = "def touch(blocks, queue, limit):\n" + "\n".join(
        f"    {line}" for line in inner.split("\n")
    )
    passage = find_passage("python", source(BODY), 1, new, 1, Quote(exact=QUOTE))
    assert passage.outcome is None
    assert passage.new is not None
    assert new.split("\n")[passage.new[0] - 1].strip().startswith("queue.remove(")


NAMES = st.sampled_from(["blk", "item", "cache_block", "b"])


@given(name=NAMES, extra=st.sampled_from(["", ", now", ", reason='free'"]))
def test_an_edited_statement_is_changed_and_shows_both_texts(name: str, extra: str) -> None:
    edited = QUOTE.replace("block", name).replace(")", f"{extra})")
    new = source(BODY).replace("block", name).replace(QUOTE.replace("block", name), edited)
    passage = find_passage("python", source(BODY), 1, new, 1, Quote(exact=QUOTE))
    assert passage.outcome is Outcome.CHANGED
    assert passage.changes[0].detail == f"{QUOTE} → {edited}"
    assert passage.new == passage.old
