"""Source on a worker's own machine."""

from contextlib import suppress

from annotator.model.failures import AnnotError
from annotator.model.upstream import Upstream
from annotator.upstream.refs import is_id_or_prefix
from annotator.upstream.sources import open_sources
from annotator.upstream.sync import sync_upstream


def fetch_where_missing(name: str, upstream: Upstream, ref: str = "") -> None:
    """Fetches an upstream's source, with its history, on a machine that has none of it, or lacks a commit.

    Args:
        name: name of the upstream.
        upstream: what the study says of it.
        ref: a commit that is needed, if it must be that.
    """
    if _is_here(name, ref):
        return
    with suppress(AnnotError):  # what is missing then is said by whoever opens it
        sync_upstream(name, upstream, history=True)
    if ref and not is_id_or_prefix(ref) and not _is_here(name, ref):
        with suppress(AnnotError):  # a ref that is no release either
            sync_upstream(name, upstream, releases=ref)


def _is_here(name: str, ref: str) -> bool:
    with open_sources(name) as sources:
        if not sources.describe() or not ref:
            return bool(sources.describe())
        try:
            sources.find(ref)
        except AnnotError:
            return False
        return True
