"""Headings of Markdown documents."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from annotator.outline.parsing import parse
from annotator.outline.reading import Reading, Source
from annotator.outline.sections import Heading, read_sections

_HEADINGS = frozenset({"atx_heading", "setext_heading"})
_LEVEL = re.compile(r"_h([1-6])_")
_CLOSING = re.compile(r"(?:^|\s)#+\s*$")
_ATTRIBUTES = re.compile(r"\s*\{:?\s*(?P<list>[#.][^{}]*|[\w-]+=[^{}]*)\}\s*$")
_ID = re.compile(r"#([^\s.}]+)")
_SNIPPET_MARK = re.compile(r"-+8<-+")


def read(source: Source) -> Reading:
    """ATX and Setext headings of the document itself.

    Those in quotes, lists, code, comments, front matter, and the indented text of admonitions and tabs are
    passed over, and so are MkDocs snippet marks such as `# --8<-- [start:name]`. The name is
    the raw text without closing `#`s and attributes; an id among those (`{#id}`) becomes the symbol's detail.
    """
    tree = parse("tree_sitter_markdown", source.data)
    return read_sections(source, _headings(tree.root_node, source))


def _headings(root: Node, source: Source) -> Iterator[Heading]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in _HEADINGS:
            heading = _heading(node, source)
            if heading is not None:
                yield heading
        elif node.type in {"document", "section"}:
            todo.extend(reversed(node.children))


def _heading(node: Node, source: Source) -> Heading | None:
    level = next((found for child in node.children if (found := _LEVEL.search(child.type))), None)
    content = node.child_by_field_name("heading_content")
    if level is None or content is None:
        return None
    title = " ".join(source.text(content.start_byte, content.end_byte).split())
    if node.type == "atx_heading":
        title = _CLOSING.sub("", title)
    attributes = _ATTRIBUTES.search(title)
    anchor = _ID.search(attributes["list"]) if attributes else None
    title = title[: attributes.start()] if attributes else title
    if not title or _SNIPPET_MARK.match(title):
        return None
    return Heading(title, int(level[1]), node.start_point.row, anchor[1] if anchor else "")
