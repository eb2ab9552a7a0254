"""Which addresses are source, where they end, and what they name."""

import pytest

from annotator.model.mention import Mention, MentionKind
from annotator.notes.links import addresses_in
from annotator.notes.reading import read_note

HUB = "https://github.com/acme/demo"


def links(text: str, path: str = "note.txt") -> list[Mention]:
    found = read_note(path, text.encode()).mentions
    return [mention for mention in found if mention.kind is MentionKind.LINK]


FORMS = {
    # name: address, (repository, form, route, lines, fragment)
    "file": (f"{HUB}/blob/v1.0/src/a.py", ("acme/demo", "blob", "v1.0/src/a.py", None, "")),
    "line": (f"{HUB}/blob/v1.0/a.py#L10", ("acme/demo", "blob", "v1.0/a.py", (10, 10), "")),
    "lines": (f"{HUB}/blob/v1.0/a.py#L10-L20", ("acme/demo", "blob", "v1.0/a.py", (10, 20), "")),
    "lines the other way round": (
        f"{HUB}/blob/v1.0/a.py#L20-L10",
        ("acme/demo", "blob", "v1.0/a.py", (10, 20), ""),
    ),
    "lines with columns": (
        f"{HUB}/blob/v1.0/a.py#L10C3-L20C1",
        ("acme/demo", "blob", "v1.0/a.py", (10, 20), ""),
    ),
    "plain view": (
        f"{HUB}/blob/v1.0/a.md?plain=1#L10",
        ("acme/demo", "blob", "v1.0/a.md", (10, 10), ""),
    ),
    "heading": (
        f"{HUB}/blob/v1.0/a.md#quick%20start",
        ("acme/demo", "blob", "v1.0/a.md", None, "quick start"),
    ),
    "highlighted text is no place": (
        f"{HUB}/blob/v1.0/a.md#:~:text=abc",
        ("acme/demo", "blob", "v1.0/a.md", None, ""),
    ),
    "folder": (f"{HUB}/tree/main/src/", ("acme/demo", "tree", "main/src", None, "")),
    "root": (f"{HUB}/tree/v1.0", ("acme/demo", "tree", "v1.0", None, "")),
    "blame": (f"{HUB}/blame/v1.0/a.py#L3", ("acme/demo", "blame", "v1.0/a.py", (3, 3), "")),
    "percent-encoded": (
        f"{HUB}/blob/v1.0%2Blocal/a%20b.py",
        ("acme/demo", "blob", "v1.0+local/a b.py", None, ""),
    ),
    "raw host": (
        "https://raw.githubusercontent.com/acme/demo/refs/heads/main/a.py",
        ("acme/demo", "raw", "refs/heads/main/a.py", None, ""),
    ),
    "content network": (
        "https://cdn.jsdelivr.net/gh/acme/demo@v1.0/a.py",
        ("acme/demo", "raw", "v1.0/a.py", None, ""),
    ),
    "GitLab, with groups": (
        "https://gitlab.example.org/top/acme/demo/-/blob/v1.0/a.py#L10-20",
        ("acme/demo", "blob", "v1.0/a.py", (10, 20), ""),
    ),
    "Gitee": (
        "https://gitee.com/mirrors/demo/blob/v1.0/a.py#L5",
        ("mirrors/demo", "blob", "v1.0/a.py", (5, 5), ""),
    ),
    "Gitea": (
        "https://codeberg.org/acme/demo/src/tag/v1.0/a.py#L5",
        ("acme/demo", "src/tag", "v1.0/a.py", (5, 5), ""),
    ),
    "notebook viewer": (
        "https://nbviewer.org/github/acme/demo/blob/v1.0/a.ipynb",
        ("acme/demo", "blob", "v1.0/a.ipynb", None, ""),
    ),
}


@pytest.mark.parametrize(("address", "wanted"), FORMS.values(), ids=FORMS.keys())
def test_forms_of_links(address: str, wanted: tuple[object, ...]) -> None:
    (link,) = links(f"see {address} there")
    assert (link.repository, link.form, link.words, link.lines, link.fragment) == wanted
    assert link.text == address


NO_SOURCE = [
    f"{HUB}",
    f"{HUB}/pull/12/files",
    f"{HUB}/commit/0123456789",
    f"{HUB}/issues/1#issuecomment-2",
    f"{HUB}/blob/",
    "https://example.org/blob/v1/a.py",
]


@pytest.mark.parametrize("address", NO_SOURCE)
def test_other_addresses_are_no_source(address: str) -> None:
    assert links(address) == []


ENDS = {
    # name: what stands around the address
    "full stop": ("see ", ".", "note.txt"),
    "Chinese full stop": ("见", "。", "note.txt"),
    "Chinese bracket": ("（", "）说明", "note.txt"),
    "parentheses": ("(", ")", "note.md"),
    "Markdown link": ("[x](", ") and", "note.md"),
    "link in a link": ("[x]([y](", "))", "note.md"),
    "reference definition": ("[x]: ", ' "title"', "note.md"),
    "bold": ("**", "**", "note.md"),
    "italic": ("_", "_", "note.md"),
    "autolink": ("<", ">", "note.md"),
    "code": ("`", "`", "note.md"),
    "table": ("| ", "|", "note.md"),
    "double quotes": ('<a href="', '">', "note.html"),
    "single quotes": ("<a href='", "'>", "note.html"),
    "named link": ("`x <", ">`_", "note.rst"),
    "another address behind a comma": ("", ",https://example.org", "note.txt"),
}


@pytest.mark.parametrize(("before", "behind", "path"), ENDS.values(), ids=ENDS.keys())
def test_where_an_address_ends(before: str, behind: str, path: str) -> None:
    address = f"{HUB}/blob/v1.0/a.py#L10-L20"
    (link,) = links(before + address + behind, path)
    assert (link.text, link.lines) == (address, (10, 20))
    assert link.column == len(before) + 1


def test_a_bracket_that_the_address_opens_belongs_to_it() -> None:
    (address,) = addresses_in("(https://example.org/a_(b))")
    assert address == (1, 26)


def test_a_long_text_without_an_end_costs_little() -> None:
    assert links("https://github.com/" + "a/" * 50_000) == []
