"""Source on a worker's own machine."""

from contextlib import suppress

from annotator.model.failures import AnnotError
from annotator.model.upstream import Upstream
from annotator.upstream.sources import open_sources
from annotator.upstream.sync import sync_upstream


def fetch_where_missing(name: str, upstream: Upstream) -> None:
    """Fetches an upstream's source, with its history, on a machine that has none of it."""
    with open_sources(name) as sources:
        if sources.describe():
            return
    with suppress(AnnotError):  # what is missing then is said by whoever opens it
        sync_upstream(name, upstream, history=True)
