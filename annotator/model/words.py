"""The vocabulary: outcomes, kinds of change, what an anchor watches, how sure a baseline is."""

from collections.abc import Mapping
from enum import StrEnum


class Outcome(StrEnum):
    """What the reader of an anchor has to do.

    `ok` means nothing, `moved` a new citation, `changed` a new reading, `gone` a decision, and
    `ambiguous` a choice between candidates. `error` and `skipped` say that the anchor could not be
    checked; neither ever counts as ok.
    """

    OK = "ok"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"
    ERROR = "error"
    SKIPPED = "skipped"


WORST_FIRST: tuple[Outcome, ...] = (
    Outcome.ERROR,
    Outcome.SKIPPED,
    Outcome.GONE,
    Outcome.AMBIGUOUS,
    Outcome.CHANGED,
    Outcome.MOVED,
    Outcome.OK,
)
"""Outcomes, the one to look at first in front."""


class Severity(StrEnum):
    """How much it matters that something has to be done.

    `note`: good to know. `warning`: somebody has to look. `error`: the note cannot be relied on.
    """

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


DRIFT: frozenset[Outcome] = frozenset(
    {Outcome.MOVED, Outcome.CHANGED, Outcome.GONE, Outcome.AMBIGUOUS}
)
"""Outcomes that ask the reader for something."""


OUTCOME_SEVERITY: Mapping[Outcome, Severity] = {
    Outcome.OK: Severity.NOTE,
    Outcome.MOVED: Severity.NOTE,
    Outcome.CHANGED: Severity.WARNING,
    Outcome.AMBIGUOUS: Severity.WARNING,
    Outcome.GONE: Severity.ERROR,
    Outcome.SKIPPED: Severity.ERROR,
    Outcome.ERROR: Severity.ERROR,
}
"""How much an outcome matters where the anchor does not say otherwise."""


class FailOn(StrEnum):
    """What makes a check fail: an outcome, or everything of a severity and above.

    `error` is the severity: what could not be checked is never a mere failure, it makes the check incomplete.
    """

    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    AMBIGUOUS = "ambiguous"
    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    def meets(self, outcome: Outcome, severity: Severity) -> bool:
        """Whether something with this outcome and severity fails."""
        if outcome in {Outcome.OK, Outcome.ERROR, Outcome.SKIPPED}:
            return False
        order = [each.value for each in Severity]
        if self.value in order:
            return order.index(severity.value) >= order.index(self.value)
        return outcome.value == self.value


DEFAULT_FAIL_ON = (FailOn.WARNING,)
"""What makes a check fail where nobody says otherwise."""


class ChangeKind(StrEnum):
    """One way in which a place differs from what it was, in the words of refactoring literature."""

    LINES_SHIFTED = "lines-shifted"
    FORMATTING = "formatting"
    COMMENTS = "comments"
    DOCSTRING = "docstring"
    DECORATORS = "decorators"
    BASES = "bases"
    SIGNATURE = "signature"
    RETURN_ANNOTATION = "return-annotation"
    BODY = "body"
    VALUE = "value"
    QUOTE = "quote"
    RENAMED = "renamed"
    MOVED_FILE = "moved-file"
    MOVED_SCOPE = "moved-scope"
    SPLIT = "split"
    MERGED = "merged"
    RE_EXPORTED = "re-exported"
    DELETED = "deleted"
    BEHAVIOUR = "behaviour"


SILENT_CHANGES: frozenset[ChangeKind] = frozenset(
    {
        ChangeKind.LINES_SHIFTED,
        ChangeKind.FORMATTING,
        ChangeKind.COMMENTS,
        ChangeKind.DOCSTRING,
    }
)
"""Changes that never make an anchor drift."""

PLACE_CHANGES: frozenset[ChangeKind] = frozenset(
    {
        ChangeKind.RENAMED,
        ChangeKind.MOVED_FILE,
        ChangeKind.MOVED_SCOPE,
        ChangeKind.RE_EXPORTED,
        ChangeKind.SPLIT,
        ChangeKind.MERGED,
    }
)
"""Changes of where a thing is and how it is called, not of what it says."""


class Watch(StrEnum):
    """What an anchor cares about. Each level includes the ones before it, except `quote`.

    `existence`: the place can be found. `signature`: also its decorators, bases, parameters and
    return annotation. `body`: also its code, without formatting, comments and docstring. `quote`: only
    the quoted statement.
    """

    EXISTENCE = "existence"
    SIGNATURE = "signature"
    BODY = "body"
    QUOTE = "quote"


class Sureness(StrEnum):
    """How sure a lock entry speaks for the pin.

    `exact`: recorded from the pinned commit itself. `bracketed`: the same in the releases on both sides of
    the pin, so the same at the pin unless changed and changed back. `stand-in`: recorded from the release
    next to the pin, and different on one of its sides.
    """

    EXACT = "exact"
    BRACKETED = "bracketed"
    STAND_IN = "stand-in"


class SymbolKind(StrEnum):
    """What an outline entry is."""

    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    ATTRIBUTE = "attribute"
    CONSTANT = "constant"
    IMPORT = "import"
    MACRO = "macro"
    TYPE = "type"
    HEADING = "heading"
