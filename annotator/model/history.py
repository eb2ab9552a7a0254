"""The history of one place: which commits did what to it."""

from annotator.model.resolution import Answer, Change, Place
from annotator.model.words import Outcome


class Step(Answer, frozen=True, kw_only=True):
    """One commit that touched a place.

    Attributes:
        commit: full id in the repository that was read.
        upstream_commit: upstream's own id, as much of it as is known.
        label: tag or short id, for people.
        date: when it was written, ISO 8601.
        author: its author's name.
        subject: first line of its message.
        pull_request: number of the pull request it came from, if its subject names one.
        link: web address of the pull request, else of the commit.
        outcome: what this commit alone means for a reader of the place.
        changes: what it did to the place.
        old: the place before.
        new: the place after, none if it is gone.
    """

    commit: str
    upstream_commit: str
    label: str
    date: str
    author: str
    subject: str
    pull_request: int | None = None
    link: str = ""
    outcome: Outcome
    changes: tuple[Change, ...]
    old: Place
    new: Place | None = None


class History(Answer, frozen=True, kw_only=True):
    """The history of one place between two commits, oldest step first.

    Attributes:
        id: the anchor, or the target as written.
        upstream: the upstream.
        from_ref: where it begins.
        to_ref: where it ends.
        compare_link: web address that compares the two.
        start: the place at the beginning.
        end: the place at the end, none if it is gone.
        steps: the commits that touched it.
        commits: number of commits between the two along first parents.
        warnings: what could not be seen, and how to see it.
    """

    id: str
    upstream: str
    from_ref: str
    to_ref: str
    compare_link: str
    start: Place
    end: Place | None
    steps: tuple[Step, ...]
    commits: int
    warnings: tuple[str, ...] = ()

    @property
    def first_turn(self) -> Step | None:
        """The first commit at which the place drifted, if any did."""
        return next((step for step in self.steps if step.outcome is not Outcome.OK), None)
