"""The state of a drifted place: the same until what is watched of it changes again."""

from collections.abc import Callable

import pytest

from annotator.model.anchor import Quote
from annotator.model.target import parse_target
from annotator.model.words import Outcome, Watch
from annotator.tasks.workspace import Workspace

PINNED = 'def f(a):\n    """Says."""\n    total = a + 1\n    return total\n'
DRIFTED = 'def f(a, b):\n    """Says."""\n    total = a + 2\n    return total\n'

SAME = {
    "a comment": DRIFTED.replace("total = a", "# why\n    total = a"),
    "the docstring": DRIFTED.replace("Says.", "Says more."),
    "formatting": DRIFTED.replace("a + 2", "(a +\n        2)"),
    "lines above": "import os\n\n\n" + DRIFTED,
}
BODY = DRIFTED.replace("a + 2", "a + 3")
SIGNATURE = DRIFTED.replace("a, b", "a, b, c")


def state(
    workspace: Workspace, ref: str, watch: Watch, target: str = "a.py::f", quote: str = ""
) -> tuple[Outcome, str]:
    resolver = workspace.resolver(workspace.revision("u", "v1"), workspace.revision("u", ref))
    resolution = resolver.resolve_with_state(
        parse_target(target), watch, Quote(exact=quote) if quote else None
    )
    return resolution.outcome, resolution.state


@pytest.mark.parametrize("edit", SAME)
def test_what_is_not_watched_leaves_it(edit: str, workspace_on: Callable[..., Workspace]) -> None:
    workspace = workspace_on({"a.py": PINNED}, {"a.py": DRIFTED}, {"a.py": SAME[edit]})
    first, second = (state(workspace, ref, Watch.BODY) for ref in ("v2", "v3"))
    assert first == second
    assert first[0] is Outcome.CHANGED
    assert first[1]


@pytest.mark.parametrize(
    ("watch", "after", "same"),
    [
        (Watch.BODY, BODY, False),
        (Watch.BODY, SIGNATURE, False),
        (Watch.SIGNATURE, BODY, True),
        (Watch.SIGNATURE, SIGNATURE, False),
    ],
    ids=["body, body", "body, signature", "signature, body", "signature, signature"],
)
def test_a_further_change_is_told_where_it_is_watched(
    watch: Watch, after: str, same: bool, workspace_on: Callable[..., Workspace]
) -> None:
    workspace = workspace_on({"a.py": PINNED}, {"a.py": DRIFTED}, {"a.py": after})
    first, second = (state(workspace, ref, watch) for ref in ("v2", "v3"))
    assert first[0] is second[0] is Outcome.CHANGED
    assert (first == second) is same


@pytest.mark.parametrize(
    ("after", "same"),
    [
        (DRIFTED.replace("return total", "return  total  # now"), True),
        (DRIFTED.replace("a + 2", "a * 3"), False),
    ],
    ids=["beside the quote", "in the quote"],
)
def test_of_a_quote_its_own_lines_count(
    after: str, same: bool, workspace_on: Callable[..., Workspace]
) -> None:
    workspace = workspace_on({"a.py": PINNED}, {"a.py": DRIFTED}, {"a.py": after})
    first, second = (state(workspace, r, Watch.QUOTE, quote="total = a + 1") for r in ("v2", "v3"))
    assert first[0] is second[0] is Outcome.CHANGED
    assert (first == second) is same


def test_what_is_ok_or_gone_has_none(workspace_on: Callable[..., Workspace]) -> None:
    workspace = workspace_on({"a.py": PINNED}, {"a.py": PINNED}, {"b.py": "x = 1\n"})
    assert state(workspace, "v2", Watch.BODY) == (Outcome.OK, "")
    assert state(workspace, "v3", Watch.BODY) == (Outcome.GONE, "")


def test_a_whole_file_and_a_heading_have_one(workspace_on: Callable[..., Workspace]) -> None:
    before = {"a.md": "# Top\n\ntext\n\n## Part\n\nold words here\n"}
    after = {"a.md": "# Top\n\ntext\n\n## Part\n\nnew words here\n"}
    workspace = workspace_on(before, after)
    for target in ("a.md", "a.md#Part"):
        outcome, digest = state(workspace, "v2", Watch.BODY, target)
        assert outcome is Outcome.CHANGED
        assert digest
