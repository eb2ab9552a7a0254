"""Notes as a reader sees them: headings, and under each the blocks of text with what they point at."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotator.model.mention import Mention
from annotator.model.target import Target

_DEFINITION = re.compile(
    r"^ {0,3}\[([^\]\n]+)\]:[ \t]*<?(\S+?)>?(?:[ \t]+[\"'(].*)?$", re.MULTILINE
)
_REFERENCE = re.compile(r"\[([^\[\]\n]+)\](?:\[([^\[\]\n]*)\])?(?![(:\[])")
_FRONT_MATTER = re.compile(r"\A---\r?\n.*?\n(?:---|\.\.\.)\r?(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:\s*[\"']?(.+?)[\"']?\s*$", re.MULTILINE)
_LISTS = frozenset({"bullet_list_open", "ordered_list_open"})
_ITEM = ("list_item_open", 1)
"""Type and level of an item of a list that is in nothing else."""


class Pointer(NamedTuple):
    """Something in a note that points at source.

    Attributes:
        text: as it is written in the block, empty if it stands beside it.
        line: line of the note, 1-based.
        mention: how it is written in a text.
        target: the place that a step of a tour names.
        ref: the commit of a tour, empty if it names none.
        pattern: a regular expression that a tour's line is found by, empty if it has none.
    """

    text: str
    line: int
    mention: Mention | None = None
    target: Target | None = None
    ref: str = ""
    pattern: str = ""


class Block(NamedTuple):
    """A paragraph, list item, table, quotation or piece of code.

    Attributes:
        text: its Markdown.
        pointers: in the order of the text.
    """

    text: str
    pointers: tuple[Pointer, ...] = ()


class Section(NamedTuple):
    """A heading and what stands under it, up to the next heading.

    Attributes:
        title: the heading's text.
        file: the note, as it is shown.
        line: line of the heading, 1-based.
        blocks: in order.
    """

    title: str
    file: str
    line: int
    blocks: tuple[Block, ...]


def with_inline_links(text: str) -> str:
    """Markdown whose links by reference (`[label][ref]`) are written out where they are used."""
    addresses = {found[1].casefold(): found[2] for found in _DEFINITION.finditer(text)}
    if not addresses:
        return text

    def written_out(found: re.Match[str]) -> str:
        address = addresses.get((found[2] or found[1]).casefold())
        return f"[{found[1]}]({address})" if address else found[0]

    return _REFERENCE.sub(written_out, text)


def sections_of(file: str, title: str, text: str, mentions: Iterable[Mention]) -> list[Section]:
    """The sections of a Markdown note.

    Args:
        file: the note, as it is shown.
        title: title of what stands before the first heading, unless front matter gives one.
        text: the note.
        mentions: what it points at.
    """
    text = text.replace("\r\n", "\n")
    matter = _FRONT_MATTER.match(text)
    if matter:
        named = _TITLE.search(matter[0])
        title = named[1] if named else title
        text = "\n" * matter[0].count("\n") + text[matter.end() :]  # lines stay what they are
    lines = text.split("\n")
    pointers = [Pointer(mention.text, mention.line, mention) for mention in mentions]
    sections: list[Section] = []
    blocks: list[Block] = []
    heading = (title, 0)

    def close() -> None:
        if blocks or heading[1]:
            sections.append(Section(heading[0], file, max(heading[1], 1), tuple(blocks)))
            blocks.clear()

    for first, last, named_by in _ranges(MarkdownIt("gfm-like", {"linkify": False}).parse(text)):
        inside = tuple(pointer for pointer in pointers if first < pointer.line <= last)
        if named_by is None:
            blocks.append(Block(_dedented(lines[first:last]), inside))
            continue
        close()
        heading = (_plain(named_by), first + 1)
        if inside:  # a heading that is itself a link
            blocks.append(Block(named_by, inside))
    close()
    return sections


def _ranges(tokens: list[Token]) -> Iterable[tuple[int, int, str | None]]:
    """Lines of each block, from 0 and the last excluded, with a heading's text.

    A list is a block an item; of nested lists the outermost counts.
    """
    for index, token in enumerate(tokens):
        is_block = token.level == 0 and token.nesting >= 0 and token.type not in _LISTS
        if token.map is None or not (is_block or (token.type, token.level) == _ITEM):
            continue
        first, last = token.map
        yield first, last, tokens[index + 1].content if token.type == "heading_open" else None


def _dedented(lines: list[str]) -> str:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    indent = len(lines[0]) - len(lines[0].lstrip()) if lines else 0
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)


def _plain(heading: str) -> str:
    """A heading without links and marks of emphasis."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"(\*{1,3}|_{2,3})(\S.*?)\1", r"\2", text).strip() or heading.strip()


def link_start(text: str, at: int) -> int:
    """Where the link begins whose address stands at `at`: at its label, if it has one."""
    if text[:at].rstrip("<").endswith("]("):
        depth = 0
        for index in range(text.rindex("](", 0, at), -1, -1):
            depth += (text[index] == "]") - (text[index] == "[")
            if depth == 0:
                return index
    return at


Replace = Callable[[Pointer], str | None]
"""What stands in a text for a pointer; none leaves it as it is."""


def with_replaced(text: str, pointers: Iterable[Pointer], replace: Replace) -> str:
    """A block's text with its links replaced: a link keeps its label, a bare one becomes what it means."""
    for pointer in pointers:
        meaning = replace(pointer) if pointer.text else None
        if meaning is None:
            continue
        address = re.escape(pointer.text)
        link = re.compile(rf"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(<?{address}>?(?:\s+[\"'(][^)]*)?\)")
        labelled = link.search(text)
        if labelled:
            label = labelled[1].strip()
            shown = meaning if not label or pointer.text in label else label
            text = text[: labelled.start()] + shown + text[labelled.end() :]
        else:
            bare = re.search(rf"<{address}>|`{address}`|{address}", text)
            if bare:
                text = text[: bare.start()] + meaning + text[bare.end() :]
    return text
