"""The table of a check: what a reader finds in it, at any width, whatever upstream's text is."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console

from annotator.model.report import AnchorResult, CheckReport, QuestionTitle, UpstreamCheck
from annotator.model.resolution import Candidate, Change, Place, Resolution
from annotator.model.words import ChangeKind, FailOn, Outcome, Sureness, Watch
from annotator.report.table import print_check

OLD = Place(path="pkg/mod.py", symbol="C.f", start=3, end=9, blob="a" * 40)
NEW = replace(OLD, path="pkg/other.py", start=5, end=11)
HOSTILE = "[red]boo[/red]\x1b[31m\x07 [link=javascript:1]x[/link]"


def report(*resolutions: Resolution) -> CheckReport:
    anchors = tuple(
        AnchorResult(
            id=f"q01-{index}",
            owner="q01",
            number=1,
            upstream="demo",
            target="pkg/mod.py::C.f",
            watch=Watch.BODY,
            file="route/01.yaml",
            line=7,
            baseline="v1",
            sureness=Sureness.BRACKETED,
            resolution=resolution,
            new_link="https://example.org/x",
        )
        for index, resolution in enumerate(resolutions)
    )
    upstream = UpstreamCheck(
        name="demo",
        requested="HEAD",
        commit="b" * 40,
        label="v2",
        source="/s",
        pin="v1",
        baseline="v1",
        baseline_source="/s",
        exact=True,
    )
    return CheckReport(
        version="1",
        upstreams=(upstream,),
        groups=(QuestionTitle(id="q01", number=1, zh="题目", en="Title"),),
        anchors=anchors,
        fail_on=(FailOn.CHANGED,),
    )


def shown(
    checked: CheckReport, width: int = 100, language: str = "en", show_ok: bool = False
) -> str:
    file = io.StringIO()
    print_check(Console(file=file, width=width), checked, language=language, show_ok=show_ok)
    return file.getvalue()


def test_every_outcome_is_said_in_words() -> None:
    text = shown(
        report(*(Resolution(outcome=outcome, old=OLD, new=NEW) for outcome in Outcome)),
        show_ok=True,
    )
    for outcome in Outcome:
        assert outcome.value in text
    assert "7 anchors: 1 ok, 1 moved, 1 changed, 1 ambiguous, 1 gone, 1 skipped, 1 error" in text


def test_quiet_changes_are_not_given_as_the_reason_for_a_loud_one() -> None:
    changes = (
        Change(kind=ChangeKind.DOCSTRING),
        Change(kind=ChangeKind.SIGNATURE, detail="+limit=0"),
        Change(kind=ChangeKind.COMMENTS),
    )
    text = shown(report(Resolution(outcome=Outcome.CHANGED, old=OLD, new=NEW, changes=changes)))
    assert "signature: +limit=0" in text
    assert "docstring" not in text


def test_a_lost_place_names_its_best_candidate() -> None:
    candidate = Candidate(
        path="x.py", symbol="g", start=1, end=2, score=0.45, reason="code 60% alike"
    )
    text = shown(report(Resolution(outcome=Outcome.GONE, old=OLD, candidates=(candidate,))))
    assert "was pkg/mod.py:3-9" in text
    assert "x.py::g? code 60% alike" in text


def test_a_doubtful_answer_asks_to_look() -> None:
    text = shown(report(Resolution(outcome=Outcome.MOVED, old=OLD, new=NEW, confidence=0.74)))
    assert "look: 74% sure" in text


def test_titles_in_the_language_of_the_reader() -> None:
    checked = report(Resolution(outcome=Outcome.OK, old=OLD, new=OLD))
    assert "题目" in shown(checked, language="zh")
    assert "Title" in shown(checked, language="en")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_hostile_text_stays_text_at_any_width(width: int) -> None:
    change = Change(kind=ChangeKind.VALUE, detail=HOSTILE)
    place = replace(NEW, path=f"p/{HOSTILE}.py", symbol=HOSTILE)
    text = shown(
        report(Resolution(outcome=Outcome.CHANGED, old=OLD, new=place, changes=(change,))), width
    )
    assert "\x1b[31m" not in text
    assert "\x07" not in text
    if width == 200:
        assert "[red]boo[/red]" in text
