"""Failures that end a command, each with the exit code it stands for."""


class AnnotError(Exception):
    """Something that the user can act on: the message says what is wrong and what to do.

    Attributes:
        exit_code: the process exit code (2 the user's mistake, 3 the check is incomplete).
        hint: the next step, or an empty string.
    """

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def with_hint(self) -> str:
        """What is wrong and what to do, in one line."""
        return f"{self}; {self.hint}" if self.hint else str(self)


class UserMistake(AnnotError):
    """Wrong arguments or wrong anchor files."""

    exit_code = 2


class Incomplete(AnnotError):
    """The work could not be done to its end: source missing, a tool failed."""

    exit_code = 3
