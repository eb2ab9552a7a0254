"""Colours and words shared by everything that is printed. Colour never carries a meaning alone."""

from rich.text import Text

from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.words import SILENT_CHANGES, ChangeKind, Outcome

OUTCOME_STYLE: dict[Outcome, str] = {
    Outcome.OK: "green",
    Outcome.MOVED: "cyan",
    Outcome.CHANGED: "yellow",
    Outcome.GONE: "bold red",
    Outcome.AMBIGUOUS: "magenta",
    Outcome.ERROR: "bold white on red",
    Outcome.SKIPPED: "bright_black",
}
OUTCOME_MARK: dict[Outcome, str] = {
    Outcome.OK: "✓",
    Outcome.MOVED: "→",
    Outcome.CHANGED: "~",
    Outcome.GONE: "✗",
    Outcome.AMBIGUOUS: "?",
    Outcome.ERROR: "!",
    Outcome.SKIPPED: "-",
}


def outcome_text(outcome: Outcome) -> Text:
    """The outcome with its mark and colour."""
    return Text(f"{OUTCOME_MARK[outcome]} {outcome.value}", style=OUTCOME_STYLE[outcome])


def sure(confidence: float) -> str:
    """A confidence in words; what is not certain never reads as certain."""
    return ">99% sure" if 0.995 <= confidence < 1 else f"{confidence:.0%} sure"


def printable(text: str) -> str:
    """Upstream's text without control characters, which could steer a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


def lines_of(place: Place) -> str:
    """`path:start-end`, as editors and terminals make it clickable."""
    if place.start == place.end:
        return f"{place.path}:{place.start}"
    return f"{place.path}:{place.start}-{place.end}"


def place_name(place: Place | Candidate) -> str:
    """`path::name`, or the path of a whole file."""
    return f"{place.path}::{place.symbol}" if place.symbol else place.path


def change_text(change: Change) -> str:
    """One change in a few words."""
    return f"lines {change.detail}" if change.kind is ChangeKind.LINES_SHIFTED else str(change)


def change_summary(resolution: Resolution, limit: int = 100) -> str:
    """What changed, the telling things first, cut to about `limit` characters."""
    if resolution.reason:
        return resolution.reason
    shown_elsewhere = {ChangeKind.MOVED_FILE, ChangeKind.DELETED}
    loud = [change for change in resolution.loud_changes if change.kind not in shown_elsewhere]
    quiet = [c for c in resolution.changes if c.kind in SILENT_CHANGES]
    text = "; ".join(change_text(change) for change in loud or quiet)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
