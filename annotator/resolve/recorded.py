"""The short way for a place whose lines are as the lock recorded them: the baseline need not be parsed."""

from annotator.model.anchor import Quote
from annotator.model.lock import LockEntry
from annotator.model.resolution import Place, Resolution
from annotator.model.symbol import Symbol
from annotator.model.words import Outcome, SymbolKind
from annotator.outline.lookup import without_number
from annotator.outline.text import decode, encoding_of
from annotator.resolve.quotes import occurrences
from annotator.resolve.snapshot import Snapshot


def unchanged(
    base: Snapshot, target: Snapshot, path: str, recorded: LockEntry, quote: Quote | None
) -> Resolution | None:
    """The answer where the only symbol of the recorded name has the recorded lines; none where the long way is due.

    Args:
        base: the baseline.
        target: the commit in which the place is looked for.
        path: file of the place.
        recorded: what the lock says of the place at the baseline.
        quote: the statement meant inside it.
    """
    name, lines = recorded.symbol, (recorded.start, recorded.end)
    blobs = base.files.get(path), target.files.get(path)
    if not name or blobs[0] != recorded.blob or blobs[1] in {None, recorded.blob}:
        return None
    symbol = _only(target, path, name)
    if symbol is None:
        return None
    old, new = base.data(path), target.data(path)
    text = _text(old, lines)
    if not text or text != _text(new, (symbol.start, symbol.end)):
        return None
    encoding = "utf-8" if text.isascii() else encoding_of(new)
    if not text.isascii() and encoding != encoding_of(old):
        return None
    places = (lines, (symbol.start, symbol.end))
    shift = symbol.start - recorded.start
    if quote is not None:
        if recorded.quote is None:
            return None
        quoted = decode(_text(old, recorded.quote), encoding).replace("\r\n", "\n")
        if not occurrences(quoted, target.language(path), quote.exact):
            return None  # the quote was written anew since
        first, last = recorded.quote
        places = (recorded.quote, (first + shift, last + shift))
    return Resolution(
        outcome=Outcome.OK,
        old=_place(path, name, places[0], recorded.blob),
        new=_place(path, name, places[1], target.files[path]),
        evidence=("same path, same name, same text",),
    )


def _only(target: Snapshot, path: str, name: str) -> Symbol | None:
    """The symbol of a name, if no other of the file shares it."""
    plain = without_number(name)
    twins = [
        symbol
        for symbol in target.outline(path).symbols
        if symbol.kind is not SymbolKind.IMPORT and symbol.base_name == plain
    ]
    return twins[0] if len(twins) == 1 and twins[0].name == name else None


def _text(data: bytes, lines: tuple[int, int]) -> bytes:
    """Some lines of a file, without the end of the last one."""
    first, last = lines
    return b"\n".join(data.split(b"\n", last)[first - 1 : last]).rstrip(b"\r")


def _place(path: str, symbol: str, lines: tuple[int, int], blob: str) -> Place:
    return Place(path=path, symbol=symbol, start=lines[0], end=lines[1], blob=blob)
