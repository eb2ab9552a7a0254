"""What `annot doctor` found: how things stand, and what mends what does not."""

from typing import Literal

from msgspec import field

from annotator.model.resolution import Answer

State = Literal["ok", "note", "attention"]


class Condition(Answer, frozen=True, kw_only=True):
    """How one thing stands.

    Attributes:
        section: what it belongs to.
        name: the thing.
        state: `ok`; `note`, which somebody may want to change; `attention`, with which checks are wrong, old or not
            possible.
        text: how it stands.
        mend: the command or step that changes it, may be empty.
    """

    section: str
    name: str
    state: State
    text: str
    mend: str = ""


class Diagnosis(Answer, frozen=True, kw_only=True):
    """The result of `annot doctor`.

    Attributes:
        schema_: version of this format (key `schema`).
        version: version of annot.
        conditions: section by section.
    """

    schema_: Literal[1] = field(name="schema", default=1)
    version: str
    conditions: tuple[Condition, ...]

    @property
    def exit_code(self) -> int:
        """0 if nothing needs attention, else 3."""
        return 3 if any(one.state == "attention" for one in self.conditions) else 0
