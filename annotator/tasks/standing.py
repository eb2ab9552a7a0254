"""Reports of earlier checks that still stand.

A report is kept with the state of everything it was made from, and stands while none of that is different
("verifying traces" in Mokhov et al., Build Systems à la Carte, ICFP 2018). A check with nothing to do then
neither reads the study's files as YAML nor resolves anything.
"""

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from annotator.model.report import CheckReport
from annotator.model.version import ANSWERS
from annotator.model.words import Outcome
from annotator.store.study_digest import study_digest
from annotator.upstream.state import source_states

_KEPT = 24
"""Reports kept; a report of the whole route has some 400 kB."""


class Standing:
    """Reports in the cache folder. Losing them costs time only, so every database error is ignored.

    Args:
        cache: the cache folder.
        study: the study's folder.
        repo: repository that is read instead of the synced sources, if any.
        settings: everything else that the report depends on; plain data.
    """

    def __init__(
        self, cache: Path, study: Path, repo: Path | None, settings: Sequence[object]
    ) -> None:
        self._file = cache / "reports.sqlite"
        self._repo = repo.absolute() if repo is not None else None
        self._upstreams: tuple[str, ...] = ()
        self._states: dict[str, str] | None = None
        try:
            parts = [ANSWERS, str(cache), study_digest(study), str(self._repo), settings]
        except OSError:  # a file that cannot be read: whoever loads the study says so
            parts = [secrets.token_hex()]
        text = json.dumps(parts, sort_keys=True, default=str)
        self._key = hashlib.blake2b(text.encode(), digest_size=20).hexdigest()

    def get(self) -> CheckReport | None:
        """The report of an equal check, if nothing that it was made from has changed."""
        try:
            with closing(sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True)) as database:
                query = "SELECT made_from, report FROM reports WHERE key = ?"
                row = database.execute(query, (self._key,)).fetchone()
            if row is None:
                return None
            made_from = json.loads(row[0])
            if source_states(made_from["upstreams"], self._repo) != made_from["states"]:
                return None
            return msgspec.json.decode(row[1], type=CheckReport)
        except (sqlite3.Error, ValueError, KeyError, TypeError):
            return None

    def begin(self, upstreams: Iterable[str]) -> None:
        """Notes the state of what a report is going to be made from.

        It has to be called before the report is made: what changes meanwhile must not be taken for what was read.

        Args:
            upstreams: names of the upstreams that are asked for.
        """
        self._upstreams = tuple(upstreams)
        self._states = source_states(self._upstreams, self._repo)

    def put(self, report: CheckReport) -> None:
        """Keeps a report that was made since `begin`, unless something in it could change by itself."""
        if self._states is None or report.probes or self._may_be_mended(report):
            return
        made_from = json.dumps({"upstreams": self._upstreams, "states": self._states})
        try:
            with closing(sqlite3.connect(self._file, timeout=5)) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS reports"
                    " (key TEXT PRIMARY KEY, made_from TEXT, report BLOB, at INTEGER)"
                )
                database.execute(
                    "INSERT OR REPLACE INTO reports VALUES"
                    " (?, ?, ?, (SELECT 1 + COALESCE(MAX(at), 0) FROM reports))",
                    (self._key, made_from, msgspec.json.encode(report)),
                )
                database.execute(
                    "DELETE FROM reports WHERE key NOT IN"
                    " (SELECT key FROM reports ORDER BY at DESC LIMIT ?)",
                    (_KEPT,),
                )
        except (sqlite3.Error, OSError, UnicodeEncodeError):
            return

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
