"""What happens to prompts on their way to the engine, and to the outputs of a request that is sampled several times."""

from collections.abc import Mapping, Sequence

Prompt = str | Sequence[int]


def prompts_of(given: Prompt | Sequence[Prompt]) -> list[Prompt]:
    """What a call is about: one text or one list of token ids is one prompt, any other list is several."""
    if isinstance(given, str) or (given and all(isinstance(each, int) for each in given)):
        return [given]  # type: ignore[list-item]
    return list(given)  # type: ignore[arg-type]


def takes_parameters(prompts: int, parameters: int | None) -> bool:
    """Whether parameters go with prompts: one for all (None), or exactly one each."""
    return parameters is None or parameters == prompts


def told_after(finished: Sequence[int], outputs: Mapping[int, str]) -> list[list[str]]:
    """What the caller gets as the samples of one request finish, if only final outputs are wanted.

    Args:
        finished: indices of the samples in the order in which they finish, all of them.
        outputs: index → output.

    Returns:
        After each: nothing until the last, then all in the order of their index.
    """
    nothing: list[list[str]] = [[] for _ in finished[:-1]]
    return [*nothing, [outputs[index] for index in sorted(outputs)]]
