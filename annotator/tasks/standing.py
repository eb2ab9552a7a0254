"""Reports of earlier checks that still stand: a check with nothing to do does not read the study's files as YAML."""

import os
from collections.abc import Sequence
from pathlib import Path

from annotator.model.report import CheckReport
from annotator.model.words import Outcome
from annotator.store.study_digest import study_digest
from annotator.tasks.kept import Kept
from annotator.upstream.state import source_states

_REPORTS = 24
"""Reports kept; one of the whole route has some 400 kB."""


class Standing(Kept[CheckReport]):
    """The report of a check, in the cache folder.

    Args:
        cache: the cache folder.
        study: the study's folder.
        repo: repository that is read instead of the synced sources, if any.
        settings: everything else that the report depends on; plain data.
    """

    def __init__(
        self, cache: Path, study: Path, repo: Path | None, settings: Sequence[object]
    ) -> None:
        try:
            digest = study_digest(study)
        except OSError:  # a file that cannot be read: whoever loads the study says so
            digest = os.urandom(16).hex()
        super().__init__(cache / "reports.sqlite", CheckReport, _REPORTS, repo, (digest, settings))

    def put(self, answer: CheckReport) -> None:
        """Keeps a report that was made since `begin`, unless something in it could change by itself."""
        if not answer.probes and not self._may_be_mended(answer):
            super().put(answer)

    def _may_be_mended(self, report: CheckReport) -> bool:
        """Whether something could not be read that is there: it may be mended without any ref's changing."""
        skipped = {
            anchor.upstream
            for anchor in report.anchors
            if anchor.resolution.outcome is Outcome.SKIPPED
        }
        return bool(report.counts[Outcome.ERROR]) or any(
            any(source_states([name], self._repo).values()) for name in skipped
        )
