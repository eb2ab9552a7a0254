"""The index of a study, kept in the cache folder while no file of the study is different.

To read all files of a study as YAML, to check them and to load what that needs takes longer than to follow one anchor.
So an index is made of a valid study and kept with a digest of its files, which are then only compared, not read again.
"""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from annotator.model.resolution import Answer
from annotator.model.study_index import IndexedAnchor, IndexedQuote, IndexedUpstream, StudyIndex
from annotator.model.version import ANSWERS
from annotator.store.atomic_file import replace_bytes
from annotator.store.study_digest import study_digest

if TYPE_CHECKING:  # loads pydantic, which an index that is there does without
    from annotator.model.study import PlacedAnchor, Study


class _Kept(Answer, frozen=True, kw_only=True):
    made_from: str
    index: StudyIndex


def read_index(folder: Path, cache: Path, load: "Callable[[], Study]") -> StudyIndex:
    """The index of the study in `folder`; losing a kept one costs time only.

    Args:
        folder: the study's folder.
        cache: the cache folder.
        load: reads the study itself, and raises what is wrong with it.
    """
    try:
        made_from = f"{ANSWERS} {study_digest(folder)}"
    except OSError:  # a file that cannot be read: whoever loads the study says so
        return index_of(load())
    name = hashlib.blake2b(str(folder.absolute()).encode("utf-8", "surrogateescape"), digest_size=8)
    file = cache / "studies" / f"{name.hexdigest()}.json"
    with suppress(OSError, ValueError):
        kept = msgspec.json.decode(file.read_bytes(), type=_Kept)
        if kept.made_from == made_from:
            return kept.index
    index = index_of(load())
    with suppress(OSError, ValueError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(file, msgspec.json.encode(_Kept(made_from=made_from, index=index)))
    return index


def index_of(study: "Study") -> StudyIndex:
    """The index of a study that is loaded."""
    return StudyIndex(
        upstreams={
            name: IndexedUpstream(
                web=upstream.web,
                refs=upstream.pin.refs,
                paths=tuple(sorted(study.paths_in(name))),
            )
            for name, upstream in study.upstreams.items()
        },
        questions={question.number: question.id for question in study.questions},
        anchors={placed.anchor.id: _indexed(placed) for placed in study.anchors},
    )


def _indexed(placed: "PlacedAnchor") -> IndexedAnchor:
    anchor = placed.anchor
    said = anchor.quote
    quote = None
    if said is not None:
        quote = IndexedQuote(exact=said.exact, prefix=said.prefix, suffix=said.suffix)
    return IndexedAnchor(
        owner=placed.owner,
        upstream=placed.upstream,
        target=anchor.target,
        watches=anchor.watches,
        quote=quote,
    )
