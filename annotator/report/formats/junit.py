"""JUnit XML, as Jenkins, GitLab and others read it: one test case a finding, one suite a group."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from annotator.model.finding import About, Finding
from annotator.report.formats.telling import sentence
from annotator.report.markdown import one_line


def render(findings: Sequence[Finding], about: About) -> str:
    """What makes the command fail is a failure; what could not be checked an error; what is accepted, skipped.

    What could not be checked is never `skipped`, which test reports show as green.
    """
    root = ET.Element("testsuites", {"name": about.command, **_numbers(findings)})
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.group, []).append(finding)
    for group, members in groups.items():
        suite = ET.SubElement(root, "testsuite", {"name": one_line(group), **_numbers(members)})
        for finding in members:
            _case(suite, finding, about)
    ET.indent(root)
    text: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return text.decode()


def _numbers(findings: Sequence[Finding]) -> dict[str, str]:
    kinds = [_kind(finding) for finding in findings]
    return {
        "tests": str(len(findings)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": f"{sum(finding.seconds for finding in findings):.3f}",
    }


def _kind(finding: Finding) -> str:
    """The element that says how a test went, or nothing if it passed."""
    if finding.is_incomplete:
        return "error"
    if finding.accepted is not None:
        return "skipped"
    return "failure" if finding.fails else ""


def _case(suite: ET.Element, finding: Finding, about: About) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        {
            "classname": one_line(finding.group),
            "name": one_line(finding.subject),
            "time": f"{finding.seconds:.3f}",
        },
    )
    if finding.spot is not None:
        case.attrib |= {"file": one_line(finding.spot.file), "line": str(finding.spot.line)}
    if finding.is_ok:
        return
    properties = ET.SubElement(case, "properties")
    ET.SubElement(properties, "property", {"name": "annot.finding", "value": finding.id})
    message = sentence(finding, about)
    kind = _kind(finding)
    if not kind:
        ET.SubElement(case, "system-out").text = message
        return
    if finding.accepted is not None and kind == "skipped":
        reason = one_line(finding.accepted.in_language(about.language))
        ET.SubElement(case, kind, {"message": f"{message} ({reason})"})
        return
    outcome = ET.SubElement(case, kind, {"type": finding.rule.id, "message": message})
    lines = [message, finding.rule.help.in_language(about.language), finding.link]
    outcome.text = "\n".join(line for line in lines if line)
