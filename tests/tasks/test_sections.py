"""Notes cut into sections and blocks; tours too."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.model.target import Target
from annotator.notes.reading import read_note
from annotator.tasks.authoring.sections import (
    Pointer,
    Section,
    sections_of,
    with_inline_links,
    with_replaced,
)
from annotator.tasks.authoring.tours import tour_section

LINK = "https://host.org/o/r/blob/v1/a.py#L1"


def sections(text: str) -> list[Section]:
    return sections_of("n.md", "n", text, read_note("n.md", text.encode()).mentions)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Text.\n", [("n", ["Text."])], id="no-heading"),
        pytest.param("# A\n\nx\n\n## B\n\ny\nz\n", [("A", ["x"]), ("B", ["y\nz"])], id="headings"),
        pytest.param("A\n=\n\nx\n", [("A", ["x"])], id="underlined-heading"),
        pytest.param("# A\n\n- x\n  - y\n- z\n", [("A", ["- x\n  - y", "- z"])], id="list-items"),
        pytest.param("# A\n\n1. x\n\n   more\n2. z\n", [("A", ["1. x\n\n   more", "2. z"])], id="loose-list"),
        pytest.param("# A\n\n> # no\n> x\n", [("A", ["> # no\n> x"])], id="quotation"),
        pytest.param("# A\n\n```sh\n# no\n```\n", [("A", ["```sh\n# no\n```"])], id="code"),
        pytest.param("# A\n\n| a |\n|---|\n| b |\n", [("A", ["| a |\n|---|\n| b |"])], id="table"),
        pytest.param("---\ntitle: 'T'\n---\nx\n", [("T", ["x"])], id="front-matter"),
        pytest.param("# A [b](http://c) **d**\n\nx\n", [("A b d", ["x"])], id="marks-in-heading"),
        pytest.param("# A\n## B\n\nx\n", [("A", []), ("B", ["x"])], id="heading-without-text"),
        pytest.param("", [], id="empty"),
    ],
)  # fmt: skip
def test_blocks_stand_under_their_heading(text: str, expected: list[tuple[str, list[str]]]) -> None:
    found = [(one.title, [block.text for block in one.blocks]) for one in sections(text)]
    assert found == expected


def test_a_block_knows_what_it_points_at_and_where() -> None:
    (section,) = sections(f"# A\n\nx\n\n- see {LINK}\n- and [b]({LINK})\n")
    pointers = [[(p.text, p.line) for p in block.pointers] for block in section.blocks]
    assert pointers == [[], [(LINK, 5)], [(LINK, 6)]]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["# A", "## B", "x", "- y", "  z", "", "> q", "```", "| t |"]), max_size=12))  # fmt: skip
def test_no_line_of_text_is_lost(lines: list[str]) -> None:
    found = sections("\n".join(lines))
    kept = "\n".join([s.title + "\n" + "\n".join(b.text for b in s.blocks) for s in found])
    for line in lines:
        assert line.strip(" #") in kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a][1]\n\n[1]: http://x\n", "[a](http://x)\n\n[1]: http://x\n"),
        ("[a][] and [a]\n\n[A]: <http://x> 'T'\n", "[a](http://x) and [a](http://x)\n\n[A]: <http://x> 'T'\n"),
        ("[a](http://y) [b]\n\n[1]: http://x\n", "[a](http://y) [b]\n\n[1]: http://x\n"),
    ],
)  # fmt: skip
def test_links_by_reference_are_written_out(text: str, expected: str) -> None:
    assert with_inline_links(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"see [the `f`]({LINK}) here", "see the `f` here"),
        (f"see [x]({LINK} 'T')", "see x"),
        (f"see [{LINK}]({LINK})", "see `a.py::f`"),
        (f"see <{LINK}>.", "see `a.py::f`."),
        (f"see `{LINK}`", "see `a.py::f`"),
        (f"see {LINK}", "see `a.py::f`"),
        ("nothing", "nothing"),
    ],
)
def test_a_link_keeps_its_label(text: str, expected: str) -> None:
    assert with_replaced(text, [Pointer(LINK, 1)], lambda _: "`a.py::f`") == expected


def test_a_tour_is_a_section() -> None:
    tour = {
        "title": "6 - Blocks",
        "description": "How?",
        "ref": "v1",
        "steps": [
            {"title": "Intro", "description": "Read this."},
            {"file": "a.py", "line": 3, "description": "Here.\n\n[a.py:3](https://x/a.py#L3)"},
            {
                "file": "./b.py",
                "selection": {"start": {"line": 4}, "end": {"line": 2}},
                "title": "T",
            },
            {"file": "c.py", "pattern": "^def c", "description": "C"},
            {"file": "../out.py", "line": 1, "description": "Out"},
            "no step",
        ],
    }
    text = json.dumps(tour, indent=1)
    section = tour_section("t.tour", text.encode())
    assert section.title == "Blocks"
    assert [block.text for block in section.blocks] == [
        "How?",
        "**Intro**\n\nRead this.",
        "Here.",
        "T",
        "C",
        "Out\n\n`../out.py`",
    ]
    pointers = [pointer for block in section.blocks for pointer in block.pointers]
    assert [(p.target, p.ref, p.pattern) for p in pointers] == [
        (Target("a.py", start=3, end=3), "v1", ""),
        (Target("b.py", start=2, end=4), "v1", ""),
        (Target("c.py"), "v1", "^def c"),
    ]
    assert text.split("\n")[pointers[0].line - 1].strip() == '"file": "a.py",'
