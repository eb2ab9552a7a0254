"""Notes to HTML: CommonMark without raw HTML."""

from functools import lru_cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from annotator.site_pages.escaping import printable

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")


@lru_cache(maxsize=4096)
def prose(text: str) -> Markup:
    """Paragraphs of a note as HTML. Raw HTML in it is shown, not run; links can only be http, https or mailto."""
    return _inert(_MARKDOWN.render(printable(text, "\n")))


@lru_cache(maxsize=4096)
def phrase(text: str) -> Markup:
    """A note that fits into a line: only code, emphasis and links."""
    return _inert(_MARKDOWN.renderInline(printable(text.strip(), "\n")))


def _inert(html: str) -> Markup:
    """What markdown-it made of text, with nothing left that a second Markdown or template pass could read.

    The result goes into an HTML block of a Markdown page, which no pass is meant to read; this makes sure of it.
    """
    safe = html.replace("{", "&#123;").replace("}", "&#125;").replace("`", "&#96;")
    return Markup(safe.strip().replace("\n", "&#10;"))  # noqa: S704 - markdown-it escaped it
