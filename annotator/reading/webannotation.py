"""W3C Web Annotations (https://www.w3.org/TR/annotation-model/): every anchor as an annotation, in JSON-LD."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from annotator.model.anchor import Anchor, Claim
from annotator.model.study import PlacedAnchor
from annotator.model.written import Bilingual
from annotator.tasks.views import View

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
LINES_OF_TEXT = "http://tools.ietf.org/rfc/rfc5147"
"""What a selector by lines conforms to: fragments of text/plain, which count the ends of lines from 0."""

_CONTEXT_CHARACTERS = 64


def collection(
    placed: Sequence[tuple[PlacedAnchor, View]], *, label: str, source: str
) -> dict[str, Any]:
    """An annotation collection with one page that holds every anchor.

    Args:
        placed: the anchors with their places.
        label: what the collection is called.
        source: web address of the annotated project; ids are made from it, the same on every machine.
    """
    items = [annotation(one.anchor, one.owner, view, source) for one, view in placed]
    here = _id(source, "collection")
    return {
        "@context": CONTEXT,
        "id": here,
        "type": "AnnotationCollection",
        "label": label,
        "total": len(items),
        "first": {
            "id": _id(source, "page"),
            "type": "AnnotationPage",
            "partOf": here,
            "startIndex": 0,
            "items": items,
        },
    }


def annotation(anchor: Anchor, owner: str, view: View, source: str) -> dict[str, Any]:
    """One anchor: its note and claims as bodies, its lines (and its statement inside them) as target."""
    return {
        "id": _id(source, anchor.id),
        "type": "Annotation",
        "motivation": "commenting",
        "body": [
            *_bodies(anchor.note, "commenting"),
            *(body for claim in anchor.claims for body in _claim(claim)),
            {"type": "TextualBody", "value": owner, "purpose": "tagging", "format": "text/plain"},
        ],
        "target": {
            "type": "SpecificResource",
            "source": view.source or quote(view.path),
            "selector": _selector(view),
        },
    }


def _selector(view: View) -> dict[str, Any]:
    lines: dict[str, Any] = {
        "type": "FragmentSelector",
        "conformsTo": LINES_OF_TEXT,
        "value": f"line={view.start - 1},{view.end}",
    }
    if view.quote is not None:
        first, last = view.quote
        inside = view.lines[first - 1 : last]
        before = "\n".join(view.lines[view.start - 1 : first - 1])
        after = "\n".join(view.lines[last : view.end])
        lines["refinedBy"] = {
            "type": "TextQuoteSelector",
            "exact": "\n".join(inside),
            "prefix": f"{before}\n"[-_CONTEXT_CHARACTERS:] if before else "",
            "suffix": f"\n{after}"[:_CONTEXT_CHARACTERS] if after else "",
        }
    return lines


def _bodies(text: Bilingual, purpose: str) -> Iterable[dict[str, Any]]:
    for language, value in (("zh", text.zh), ("en", text.en)):
        if value:
            yield {
                "type": "TextualBody",
                "value": value,
                "format": "text/markdown",
                "language": language,
                "purpose": purpose,
            }


def _claim(claim: Claim) -> Iterable[dict[str, Any]]:
    return _bodies(claim.text, "assessing")


def _id(source: str, name: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{source}#{name}").urn
