"""Which anchors a word on the command line means."""

from annotator.model.failures import UserMistake
from annotator.model.study import PlacedAnchor, Study


def select(study: Study, word: str) -> tuple[PlacedAnchor, ...]:
    """The anchors of a question (number or id), of a resource (id), or the one anchor of that id.

    Raises:
        UserMistake: if it is none of these; near ids are listed.
    """
    owner = word
    if word.isdigit():
        question = study.question(int(word))
        if question is None:
            numbers = [question.number for question in study.questions]
            raise UserMistake(
                f"the route has no question {word}",
                hint=f"it has {min(numbers)} to {max(numbers)}" if numbers else "it has none",
            )
        owner = question.id
    chosen = tuple(
        placed
        for placed in study.anchors
        if placed.owner.lower() == owner.lower() or placed.anchor.id == word
    )
    if chosen:
        return chosen
    import difflib  # noqa: PLC0415 - only a mistyped id needs it

    ids = {placed.anchor.id for placed in study.anchors} | {p.owner for p in study.anchors}
    near = difflib.get_close_matches(word, sorted(ids), 3)
    raise UserMistake(
        f"no question, resource or anchor is called {word!r}",
        hint=f"near: {', '.join(near)}" if near else "`annot list` shows them all",
    )
