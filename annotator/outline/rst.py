"""Section titles of reStructuredText documents."""

from collections.abc import Iterator

from tree_sitter import Node

from annotator.outline.parsing import parse
from annotator.outline.reading import Reading, Source
from annotator.outline.sections import Heading, read_sections


def read(source: Source) -> Reading:
    """Titles with their adornments; a style of adornment gets its level when it is first used."""
    tree = parse("tree_sitter_rst", source.data)
    return read_sections(source, _headings(tree.root_node, source))


def _headings(root: Node, source: Source) -> Iterator[Heading]:
    styles: list[tuple[str, bool]] = []
    for node in root.children:
        if node.type != "section":
            continue
        title = next((child for child in node.children if child.type == "title"), None)
        if title is None:
            continue
        text = " ".join(source.text(title.start_byte, title.end_byte).split())
        overlined = title.start_point.row > node.start_point.row
        style = (source.text(node.end_byte - 1, node.end_byte), overlined)
        if style not in styles:
            styles.append(style)
        if text:
            yield Heading(text, styles.index(style) + 1, node.start_point.row)
