"""Histories of earlier traces that still stand: to tell one again, no repository is opened and nothing is followed."""

from pathlib import Path

from annotator.model.history import History
from annotator.model.study_index import StudyIndex
from annotator.tasks.asked import Asked
from annotator.tasks.kept import Kept

_HISTORIES = 1000
"""Histories kept; one of a place that is often changed has some 10 kB."""


class StandingHistory(Kept[History]):
    """The history of a place, in the cache folder.

    It stands while the study has the same place, upstreams and anchored files, whatever else is edited.

    Args:
        cache: the cache folder.
        study: the study.
        asked: the place.
        repo: repository that is read instead of the synced source, if any.
        start: ref where the history begins, none for the pin.
        end: ref where it ends.
    """

    def __init__(
        self,
        cache: Path,
        study: StudyIndex,
        asked: Asked,
        repo: Path | None,
        start: str | None,
        end: str,
    ) -> None:
        # Whose clone a given repository is, is told by the anchored files of all upstreams.
        made_from = (asked, study.upstreams, start, end)
        super().__init__(cache / "histories.sqlite", History, _HISTORIES, repo, made_from)
