"""Reviews on disk: what was decided about each anchor since the pin, one file an anchor."""

from pathlib import Path
from typing import Any

from annotator.model.review import Accepted, Retired, ReviewFile
from annotator.store.problems import Problem, ProblemsFound
from annotator.store.validation import validate
from annotator.store.whole_change import FileChange, file_change
from annotator.store.yaml_source import read_yaml
from annotator.store.yaml_writer import yaml_text

_SCHEMA_LINE = "# yaml-language-server: $schema=../../schema/reviews.schema.json\n"


def review_name(upstream: str, anchor: str) -> str:
    """Path, below the study's folder, of an anchor's review."""
    return f"reviews/{upstream}/{anchor}.yaml"


def read_reviews(folder: Path, upstream: str) -> dict[str, ReviewFile]:
    """Every review of one upstream, by the name of its file below the study's folder.

    Raises:
        ProblemsFound: with what is wrong in any of the files.
    """
    found: dict[str, ReviewFile] = {}
    problems: list[Problem] = []
    for path in sorted((folder / "reviews" / upstream).glob("[!.]*.yaml")):
        try:
            review = validate(ReviewFile, read_yaml(path))
        except ProblemsFound as wrong:
            problems += wrong.problems
        else:
            found[path.relative_to(folder).as_posix()] = review
    if problems:
        raise ProblemsFound(problems)
    return found


def with_decision(
    folder: Path, upstream: str, anchor: str, decision: Accepted | Retired
) -> FileChange:
    """The change that adds a decision to an anchor's review.

    A decision about a commit that was decided about before takes the place of the earlier one.

    Raises:
        ProblemsFound: if the review that is there is wrong.
    """
    name = review_name(upstream, anchor)
    path = folder / name
    accepted: tuple[Accepted, ...] = ()
    retired: Retired | None = None
    if path.is_file():
        accepted = validate(ReviewFile, read_yaml(path)).accepted
    if isinstance(decision, Retired):
        retired = decision
    else:
        accepted = (*(one for one in accepted if one.ref != decision.ref), decision)
    review = ReviewFile(
        schema=1, upstream=upstream, anchor=anchor, accepted=accepted, retired=retired
    )
    data = _without_empty(review.model_dump(mode="json", by_alias=True))
    return file_change(folder, name, _SCHEMA_LINE + yaml_text(data))


def _without_empty(data: Any) -> Any:
    """`data` without keys that say nothing."""
    if isinstance(data, dict):
        kept = {key: _without_empty(value) for key, value in data.items()}
        return {key: value for key, value in kept.items() if value not in (None, "", [], {})}
    return [_without_empty(item) for item in data] if isinstance(data, list) else data
