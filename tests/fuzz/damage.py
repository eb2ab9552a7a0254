"""Strategies that damage what was valid, and the bounds that any answer has to keep."""

import contextlib
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from hypothesis import strategies as st

TROUBLE: Sequence[str] = (
    "", " ", "\t", "\n", "\r", "\r\n", "\0", "\ufeff", "\u2028", "\u202e", "\x85", "\x1b[31m", "é", "e\u0301", "𝒳",
    "null", "~", "true", "-1", "0", "1e999", "9" * 400, ".nan", "[]", "{}", "[", "{", "]", "}", "'", '"', '"""', "\\",
    "&a", "*a", "!!python/object/apply:os.system", "<<: *a", "- ", "? ", ": ", "|", ">-", "#", "---\n", "...\n", "%YAML",
    "../", "/etc/passwd", "..\\", "file:///etc", "ext::sh", "--upload-pack=x", "a" * 5000, "::", "#L1", "path::X.y",
    "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "<!--", "-->", "```", "](", "[[", "$(", "`",
    "&#0;", "&#1114112;", "&amp;", "\\u0000", "\\ud800", "def ", "class ", "async ", "@", "lambda: ", "(" * 300,
)  # fmt: skip
"""Pieces of text that parsers trip over."""


@st.composite
def damaged(draw: st.DrawFn, texts: Sequence[str]) -> str:
    """One of the texts with a few things cut out, doubled, swapped or put in."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        match draw(st.sampled_from(["cut", "double", "put", "replace", "tail"])):
            case "cut":
                text = text[:start] + text[end:]
            case "double":
                text = text[:end] + text[start:end] * draw(st.integers(1, 3)) + text[end:]
            case "put":
                text = text[:start] + draw(st.sampled_from(TROUBLE)) + text[start:]
            case "replace":
                text = text[:start] + draw(st.text(max_size=6)) + text[end:]
            case _:
                text = text[:start]
    return text


def damaged_bytes(texts: Sequence[str]) -> st.SearchStrategy[bytes]:
    """The same as bytes, some of which are no text any more."""

    @st.composite
    def cut(draw: st.DrawFn) -> bytes:
        data = draw(damaged(texts)).encode("utf-8", "surrogatepass")
        at = draw(st.integers(0, len(data)))
        return data[:at] + draw(st.binary(max_size=4)) + data[at:]

    return damaged(texts).map(lambda text: text.encode("utf-8", "surrogatepass")) | cut()


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Ends what hangs, where signals can."""
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"no end within {seconds:g} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
