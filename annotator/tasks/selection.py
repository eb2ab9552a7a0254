"""Which anchors and upstreams words on the command line mean."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from annotator.model.failures import UserMistake

if TYPE_CHECKING:  # loads pydantic, which a trace does without
    from annotator.model.study import PlacedAnchor, Study


def select(study: "Study", word: str) -> "tuple[PlacedAnchor, ...]":
    """The anchors of a question (number or id), of a resource (id), or the one anchor of that id.

    Raises:
        UserMistake: if it is none of these; near ids are listed.
    """
    chosen = select_ids(
        {question.number: question.id for question in study.questions},
        {placed.anchor.id: placed.owner for placed in study.anchors},
        word,
    )
    return tuple(placed for placed in study.anchors if placed.anchor.id in chosen)


def select_ids(
    questions: Mapping[int, str], owners: Mapping[str, str], word: str
) -> tuple[str, ...]:
    """The ids of the anchors that `select` gives.

    Args:
        questions: ids of questions, by number.
        owners: ids of questions and resources, by anchor.
        word: the word.

    Raises:
        UserMistake: as `select` does.
    """
    owner = word
    if word.isdecimal():
        number = int(word)
        if number not in questions:
            raise UserMistake(
                f"the route has no question {word}",
                hint=f"it has {min(questions)} to {max(questions)}" if questions else "it has none",
            )
        owner = questions[number]
    chosen = tuple(id_ for id_, of in owners.items() if of.lower() == owner.lower() or id_ == word)
    if chosen:
        return chosen
    import difflib  # noqa: PLC0415 - only a mistyped id needs it

    near = difflib.get_close_matches(word, sorted({*owners, *owners.values()}), 3)
    raise UserMistake(
        f"no question, resource or anchor is called {word!r}",
        hint=f"near: {', '.join(near)}" if near else "`annot list` shows them all",
    )


def refuse_unknown(upstreams: Collection[str], name: str) -> None:
    """Refuses an upstream that the study does not have.

    Args:
        upstreams: names of those that it has.
        name: the word.

    Raises:
        UserMistake: if it is none of them.
    """
    if name not in upstreams:
        raise UserMistake(
            f"the study has no upstream {name!r}", hint=f"it has {', '.join(upstreams)}"
        )
