"""What a valid study still lacks: in its files alone, and against the source that it is about."""

from typing import NamedTuple

from annotator.model.study import Study
from annotator.tasks.lint.findings import Finding, Level
from annotator.tasks.lint.handbook import handbook_findings, open_entries, open_numbers
from annotator.tasks.lint.places import is_document, place_findings
from annotator.tasks.lint.probes import probe_findings
from annotator.tasks.lint.texts import text_findings


class Summary(NamedTuple):
    """A study in numbers.

    Attributes:
        questions: questions of the route.
        route_rows: rows of the handbook's route.
        resources: resources that have an anchor.
        resource_rows: entries of the handbook's lists of resources.
        uncovered: what of the handbook has no question or no anchor, by number or id.
        document_anchors: anchors at pages and headings.
        code_anchors: all other anchors.
        claims: checkable sentences.
        probed_claims: claims that name a probe.
    """

    questions: int
    route_rows: int
    resources: int
    resource_rows: int
    uncovered: tuple[str, ...]
    document_anchors: int
    code_anchors: int
    claims: int
    probed_claims: int


def lint(study: Study) -> list[Finding]:
    """Everything to improve that the files alone show, in their order."""
    return sorted(
        [
            *handbook_findings(study),
            *text_findings(study),
            *place_findings(study),
            *probe_findings(study),
        ]
    )


def summary(study: Study) -> Summary:
    """`study` in numbers."""
    claims = [claim for placed in study.anchors for claim in placed.anchor.claims]
    documents = sum(is_document(placed.anchor) for placed in study.anchors)
    handbook = study.handbook
    return Summary(
        questions=len(study.questions),
        route_rows=len(handbook.route) if handbook else 0,
        resources=sum(bool(resource.anchors) for _, resource in study.resources),
        resource_rows=len(handbook.resources) if handbook else 0,
        uncovered=tuple(str(name) for name in (*open_numbers(study), *open_entries(study))),
        document_anchors=documents,
        code_anchors=len(study.anchors) - documents,
        claims=len(claims),
        probed_claims=sum(claim.probe is not None for claim in claims),
    )


__all__ = ["Finding", "Level", "Summary", "is_document", "lint", "summary"]
