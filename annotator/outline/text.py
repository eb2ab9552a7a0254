"""Bytes of a source file to text and lines, without ever failing.

Lines are what git, editors and tree-sitter count: they end with a line feed, before which one carriage
return is dropped. A form feed, a lone carriage return or U+2028 does not end a line, so `str.splitlines`
must not be used on source.
"""

import codecs
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotator.model.symbol import Symbol

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_COOKIE_SKIP = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_ASCII = bytes(range(9, 14)) + bytes(range(32, 127))
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MASK = bytes(byte if byte < 0x80 else ord("_") for byte in range(256)).replace(b"\0", b" ")
_BINARY_PROBE = 8000


def is_binary(data: bytes) -> bool:
    """Whether git would call it binary: a NUL among the first 8000 bytes, and not UTF-16."""
    return b"\0" in data[:_BINARY_PROBE] and not data.startswith(_UTF16)


def count_lines(data: bytes) -> int:
    """Number of lines; a last line without a line feed counts."""
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def line_starts(data: bytes) -> list[int]:
    """Offset of the first byte of each line, in order."""
    starts = [0]
    at = data.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n", at + 1)
    return starts


def split_lines(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def encoding_of(data: bytes) -> str:
    """Name of the codec to read a source file with.

    In this order: a byte order mark; UTF-8 when the bytes are valid UTF-8; a coding cookie in one of the
    first two lines (PEP 263, used by other languages too) that names a codec compatible with ASCII;
    UTF-8 when at least half of the bytes beyond ASCII fit it; Latin-1.
    """
    if data.isascii():
        return "utf-8"
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if data.startswith(_UTF16):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _cookie(data) or _likeliest(data)
    return "utf-8"


def decode(data: bytes, encoding: str | None = None) -> str:
    """The text of source bytes; what does not fit the encoding becomes U+FFFD.

    Args:
        data: bytes of a file or of a part of one.
        encoding: what `encoding_of` said about the whole file; found from `data` if absent.
    """
    return data.decode(encoding or encoding_of(data), "replace")


def parseable(data: bytes) -> bytes:
    """Bytes of the same length and with the same lines that every grammar can read.

    Valid UTF-8 is returned as it is. Otherwise each byte beyond ASCII becomes an underscore, so that an
    identifier stays one. NULs become blanks, since grammars take them for the end of the text.
    """
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return data.translate(_MASK)
    return data.replace(b"\0", b" ") if b"\0" in data else data


def symbol_text(data: bytes, symbol: "Symbol", encoding: str | None = None) -> str:
    """The text of a symbol of the file `data`, moved to the left margin; see `dedented`."""
    return dedented(data, symbol.start_byte, symbol.end_byte, encoding)


def dedented(data: bytes, start_byte: int, end_byte: int, encoding: str | None = None) -> str:
    """The text of a byte range, moved to the left margin, with line feeds as line ends.

    Only the indentation of the first line is taken off, from each line that has it. A multi-line string
    that reaches further left than the definition therefore stays as it is, which
    `textwrap.dedent` cannot do.
    """
    line_start = data.rfind(b"\n", 0, start_byte) + 1
    encoding = encoding or encoding_of(data)
    lead = decode(data[line_start:start_byte], encoding)
    text = decode(data[start_byte:end_byte], encoding).replace("\r\n", "\n")
    if not lead or lead.strip(" \t\f"):
        return text
    return text.replace("\n" + lead, "\n")


def _cookie(data: bytes) -> str | None:
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            return _ascii_compatible(found[1].decode("ascii", "replace"))
        if not _COOKIE_SKIP.match(line.removesuffix(b"\r")):
            return None
    return None


def _ascii_compatible(name: str) -> str | None:
    """`name` if it is a codec that reads ASCII as ASCII, which rules out `rot13`, `utf-7` and the like."""
    try:
        codec = codecs.lookup(name).name
        return codec if _ASCII.decode(codec) == _ASCII.decode("ascii") else None
    except (LookupError, ValueError):
        return None


def _likeliest(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(char > "\x7f" for char in text) - bad
    return "utf-8" if good >= bad else "latin-1"
