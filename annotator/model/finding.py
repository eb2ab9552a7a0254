"""Findings: what a command says of each thing that it looked at, in the form that other tools take over.

Every machine format of `annot check`, `annot notes check` and `annot probe` is made from these alone.
"""

import hashlib
from collections.abc import Iterable
from typing import Literal

from annotator.model.history import Step
from annotator.model.resolution import Answer, Place
from annotator.model.words import Outcome, Severity

_ID_BYTES = 16


class Wording(Answer, frozen=True, kw_only=True):
    """One text in both languages; both are there.

    Attributes:
        zh: the text in Chinese.
        en: the same in English.
    """

    zh: str
    en: str

    def in_language(self, language: Literal["zh", "en"]) -> str:
        """The text in `language`."""
        return self.zh if language == "zh" else self.en


class Rule(Answer, frozen=True, kw_only=True):
    """A kind of finding.

    Attributes:
        id: lower-case words joined by hyphens; other tools select and silence findings by it.
        title: what such a finding says, in a few words.
        help: what a reader does about it.
        severity: how much such a finding matters where nobody says otherwise.
    """

    id: str
    title: Wording
    help: Wording
    severity: Severity


class Spot(Answer, frozen=True, kw_only=True):
    """A range of text in a file of the notes.

    Attributes:
        file: path below the project's folder (the repository that the notes are kept in), with forward slashes.
        line: first line, 1-based.
        column: first character in it, 1-based and counted in code points; 0 if the whole line is meant.
        end_line: last line, inclusive; 0 if it is the first.
        end_column: column behind the last character; 0 if the whole line is meant.
    """

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    @property
    def last_line(self) -> int:
        """Last line, inclusive."""
        return self.end_line or self.line


class Suggestion(Answer, frozen=True, kw_only=True):
    """A correction that a machine can make, inside one line.

    Attributes:
        spot: what is replaced; it has columns.
        lead: the text in front of it in its line, for formats that count bytes.
        old: the text that is replaced.
        new: what stands there instead.
    """

    spot: Spot
    lead: str
    old: str
    new: str


class Finding(Answer, frozen=True, kw_only=True):
    """What a command says of one thing that it looked at: also that it is in order, which `outcome` tells.

    Attributes:
        id: stays the same while the same thing is said of the same subject, whatever else changes around it
            (`finding_id`).
        rule: the kind of finding.
        severity: how much it matters; means nothing where the outcome is ok.
        outcome: what the reader has to do.
        subject: what it is about: an anchor, a link in notes, a probe's check.
        group: what the subject belongs to: a question, a file of notes, a probe.
        message: what happened, one plain sentence without upstream's words in it.
        detail: what changed, or why nothing could be found out, with upstream's words in it: never to be trusted.
        spot: where the subject is written, if it is written in the notes.
        upstream: name of the upstream that the subject points into, may be empty.
        place: where the subject is in upstream's source, or last was; none if it is nowhere.
        link: web address of that place, may be empty.
        suggestion: the correction, where a machine can make it.
        blame: the upstream commits behind it, oldest first, where that was asked for.
        fails: whether it makes the command fail.
        accepted: why it does not count, where it is known and accepted already.
        seconds: how long it took to find out, 0 where that was not measured.
    """

    id: str
    rule: Rule
    severity: Severity
    outcome: Outcome
    subject: str
    group: str
    message: Wording
    detail: str = ""
    spot: Spot | None = None
    upstream: str = ""
    place: Place | None = None
    link: str = ""
    suggestion: Suggestion | None = None
    blame: tuple[Step, ...] = ()
    fails: bool = False
    accepted: Wording | None = None
    seconds: float = 0.0

    @property
    def is_ok(self) -> bool:
        """Whether there is nothing to do."""
        return self.outcome is Outcome.OK

    @property
    def is_incomplete(self) -> bool:
        """Whether nothing could be found out."""
        return self.outcome in {Outcome.ERROR, Outcome.SKIPPED}


class About(Answer, frozen=True, kw_only=True):
    """What findings are the result of.

    Attributes:
        command: the command, as `annot check`.
        version: version of annot.
        language: language of all texts for people.
        compared: what was compared with what, one phrase an upstream.
        warnings: what else there is to know.
        exit_code: exit code of the command.
    """

    command: str
    version: str
    language: Literal["zh", "en"] = "en"
    compared: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exit_code: int = 0


def finding_id(subject: str, outcome: Outcome, state: Iterable[str] = ()) -> str:
    """An id for what is said of a subject: 32 hexadecimal digits.

    It depends on neither lines nor commits nor the wording of messages, so the same drift has the same id on the next
    commit; a further change of the place (another `state`) has another.

    Args:
        subject: what the finding is about, with its kind in front (`anchor q01-f`).
        outcome: what the reader has to do.
        state: what the subject is now, as far as it is watched.
    """
    text = "\0".join((subject, outcome.value, *state))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_ID_BYTES).hexdigest()
