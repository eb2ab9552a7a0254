"""How a quoted statement reads at another commit, written so that it is found there once."""

from collections.abc import Iterator

from annotator.model.anchor import Quote
from annotator.resolve.quotes import Spot, edited_form, line_range, occurrences

_NEIGHBOURS = 3
"""Most lines above or below a statement that are taken to tell it from others."""


def quote_now(
    text: str,
    language: str,
    quote: Quote,
    *,
    old_text: str = "",
    first_line: int = 1,
    wanted_line: int = 0,
) -> Quote | None:
    """The quote as it reads in a new text, or none if nothing like it is there.

    Args:
        text: the place at the new commit.
        language: its language.
        quote: the statement so far.
        old_text: the place at the old commit; statements that stood there already are not its edited form.
        first_line: number of the text's first line.
        wanted_line: number of the line that the statement was found on, where several read the same; else 0.
    """
    spots = occurrences(text, language, quote.exact, quote.prefix, quote.suffix)
    if len(spots) == 1:
        return quote
    if spots:
        here = [spot for spot in spots if line_range(text, spot, first_line)[0] == wanted_line]
        return _told_apart(text, language, here[0], quote.exact) if here else None
    edited = edited_form(text, language, quote.exact, old_text)
    if edited is None:
        return None
    return _told_apart(text, language, edited, _tidy(edited.text)) or _told_apart(
        text, language, edited, edited.text
    )


def _told_apart(text: str, language: str, spot: Spot, exact: str) -> Quote | None:
    """A quote that means this spot and no other."""
    for prefix, suffix in _contexts(text, spot):
        found = occurrences(text, language, exact, prefix, suffix)
        if [one.start for one in found] == [spot.start]:
            return Quote(exact=exact, prefix=prefix, suffix=suffix)
    return None


def _contexts(text: str, spot: Spot) -> Iterator[tuple[str, str]]:
    """Neighbouring code, from none to more."""
    above = [line.strip() for line in text[: spot.start].split("\n") if line.strip()]
    below = [line.strip() for line in text[spot.end :].split("\n") if line.strip()]
    yield "", ""
    for count in range(1, _NEIGHBOURS + 1):
        yield "\n".join(above[-count:]), ""
        yield "\n".join(above[-count:]), "\n".join(below[:count])


def _tidy(text: str) -> str:
    """Without the indentation of its lines."""
    return "\n".join(line.strip() for line in text.split("\n"))
