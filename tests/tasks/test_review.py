"""Accepting, retiring and moving the pin, as a user does it, on real repositories."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.app import run

V1 = {
    "a.py": "def f(a):\n    return a\n\n\ndef g(a):\n    return a * 2\n",
    "b.py": "def h(a):\n    b = a + 1\n    return b\n\n\ndef pin(a):\n    spec = a\n    return spec\n",
    "doc.md": "# Title\n\n## Part\n\nText of a part.\n",
}
V2 = {
    "c.py": "# moved here\n\n\ndef f(a):\n    return a\n",
    "a.py": "def g(a, b):\n    return a * b\n",
    "b.py": "def h(a):\n    b = a + 10\n    return b\n\n\ndef pin(a):\n    return a\n",
    "doc.md": "# Title\n\n## Part\n\nOther words entirely.\n",
}
V3 = {**V2, "a.py": "def g(a, b):\n    return a * b + 1\n"}
ANCHORS = """\
  # about f
  - id: q01-f
    target: a.py::f   # the first
    note: {zh: "记", en: "Note on f"}
  - id: q01-g
    target: a.py::g
    note: {zh: "记", en: "Note on g"}
    claims:
      - {id: q01-g-doubles, text: {zh: "倍", en: "It doubles."}}
  - {id: q01-h, target: "b.py::h", quote: {exact: "b = a + 1"}, note: {zh: "记", en: "Note on h"}}
  - id: q01-pin
    target: b.py::pin
    quote:
      exact: "spec = a"
    note: {zh: "记", en: "Note on pin"}
  # the page
  - {id: q01-doc, target: "doc.md#Part", note: {zh: "记", en: "Note on the page"}}
"""
DRIFT = {"q01-f": "moved", "q01-g": "changed", "q01-h": "changed", "q01-pin": "gone", "q01-doc": "changed"}  # fmt: skip


@pytest.fixture
def repository(make_repository: Callable[..., Path]) -> Path:
    return make_repository(V1, V2, V3, subjects={2: "Rework (#12)", 3: "More (#13)"})


@pytest.fixture
def folder(make_study: Callable[[str], Path]) -> Path:
    return make_study(ANCHORS)


@pytest.fixture
def annot(folder: Path, repository: Path, capsys: pytest.CaptureFixture[str]):
    """Runs a command on the study; returns its exit code and all it said."""

    def call(command: str, *arguments: str) -> tuple[int, str]:
        options = ["--study", str(folder), "--repo", str(repository)]
        by = ["--by", "Li Lei"] if command == "accept" else []
        code = run([command, *arguments, *options, *by])
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def outcomes(annot, commit="v2", *arguments):
    _, said = annot("check", "--commit", commit, "--format", "json", *arguments)
    return {one["id"]: one["resolution"]["outcome"] for one in json.loads(said)["anchors"]}


def review_of(folder: Path, anchor: str) -> str:
    return (folder / "anchors/reviews/demo" / f"{anchor}.yaml").read_text(encoding="utf-8")


def accept_everything(annot, commit="v2"):
    assert annot("accept", "--all-moved", "--commit", commit)[0] == 0
    same = ["--commit", commit, "--reason", "the note holds"]
    assert annot("accept", "q01-g", "q01-h", "q01-doc", *same)[0] == 0
    place = ["--target", "b.py::pin", "--quote", "return a"]
    assert (
        annot("accept", "q01-pin", *place, "--commit", commit, "--reason", "returned as it is")[0]
        == 0
    )


def test_the_example_drifts_in_every_way(annot):
    assert outcomes(annot) == DRIFT


def test_what_is_left_is_listed_most_severe_first(annot):
    code, said = annot("review", "--list", "--commit", "v2")
    assert code == 1
    listed = [line.split()[2] for line in said.splitlines() if "route/01-q.yaml" in line]
    assert listed == ["q01-pin", "q01-g", "q01-h", "q01-doc", "q01-f"]
    assert "5 of 5 anchors left to review" in said


def test_accepted_drift_is_quiet_until_the_next_change(annot, folder):
    assert annot("accept", "q01-g", "--commit", "v2", "--reason", "b is 2 by default")[0] == 0
    assert outcomes(annot)["q01-g"] == "ok"
    assert outcomes(annot, "v3")["q01-g"] == "changed"
    assert outcomes(annot, "v2", "--baseline", "pin")["q01-g"] == "changed"
    said = annot("check", "--commit", "v2")[1]
    assert "1 accepted since the pin" in said
    written = review_of(folder, "q01-g")
    for line in (
        "decision: still-true",
        "from_ref: v1",
        "ref: v2",
        "drift: changed",
        'by: "Li Lei"',
        'reason: "b is 2 by default"',
    ):
        assert line in written


@pytest.mark.parametrize(("edited", "outcome"), [(False, "ok"), (True, "changed")])
def test_going_back_to_the_pin_is_as_true_as_the_pin_was(annot, edited, outcome):
    """A note that holds before and after holds after a revert; one that was edited may not."""
    flag = ["--edited"] if edited else []
    annot("accept", "q01-g", "--commit", "v2", "--reason", "looked at", *flag)
    assert outcomes(annot, "v1")["q01-g"] == outcome


def test_every_decision_stays_with_its_reason(annot, folder):
    annot("accept", "q01-g", "--commit", "v2", "--reason", "first")
    annot("accept", "q01-g", "--commit", "v3", "--reason", "second")
    annot("accept", "q01-g", "--commit", "v3", "--reason", "never", "--dry-run")
    written = review_of(folder, "q01-g")
    assert written.index("reason: first") < written.index("reason: second")
    assert "from_ref: v2" in written
    assert outcomes(annot, "v3")["q01-g"] == "ok"


def test_a_quote_is_followed_to_how_it_reads_now(annot, folder):
    annot("accept", "q01-h", "--commit", "v2", "--reason", "only the number")
    assert 'exact: "b = a + 10"' in review_of(folder, "q01-h")
    assert outcomes(annot, "v3")["q01-h"] == "ok"


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["q01-g"], 2, "say why"),
        ([], 2, "name anchors"),
        (["q01-g", "--all-moved", "--reason", "x"], 2, "name anchors"),
        (["1", "--reason", "x"], 2, "is not an anchor"),
        (["q01-gg", "--reason", "x"], 2, "q01-g"),
        (["q01-g", "--upstream", "other", "--reason", "x"], 2, "points into demo, not other"),
        (["q01-g", "--commit", "v1", "--reason", "x"], 2, "nothing to accept"),
        (["q01-g", "--commit", "v9", "--reason", "x"], 2, "'v9' is no commit"),
        (["q01-pin", "--commit", "v2", "--reason", "x"], 2, "no clear successor"),
        (["q01-pin", "--commit", "v2", "--reason", "x", "--target", "b.py::pin"], 2, "--quote"),
        (["q01-pin", "--commit", "v2", "--reason", "x", "--target", "b.py::no"], 2, "no symbol 'no'"),
        (["q01-pin", "--commit", "v2", "--reason", "x", "--target", "/b.py"], 2, "absolute"),
        (["q01-h", "--commit", "v2", "--reason", "x", "--quote", "b"], 2, "stands there 2 times"),
        (["q01-g", "--commit", "v2", "--reason", "x", "--quote", "b"], 2, "quotes nothing"),
        (["q01-g", "q01-h", "--reason", "x", "--target", "a.py"], 2, "about one anchor"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_cannot_be_accepted(annot, folder, arguments, code, complaint):
    found, said = annot("accept", *arguments)
    assert found == code
    assert complaint in said
    assert not (folder / "anchors/reviews").exists()


def test_nobody_decides_namelessly(folder, repository, capsys):
    options = ["--study", str(folder), "--repo", str(repository), "--commit", "v2"]
    assert run(["accept", "q01-g", "--reason", "x", *options]) == 2
    assert "--by" in capsys.readouterr().err


def test_a_study_that_is_not_the_users_own_is_not_written_to(tmp_path, folder, repository, capsys):
    shipped = tmp_path / "_study"
    shipped.mkdir()
    (folder / "anchors").rename(shipped / "anchors")
    options = ["--study", str(shipped), "--repo", str(repository)]
    assert run(["accept", "q01-g", "--reason", "x", *options]) == 2
    assert run(["pin", "v2", *options]) == 2
    assert "not yours to write into" in capsys.readouterr().err


def test_the_pin_stays_while_anything_is_unreviewed(annot, folder):
    before = (folder / "anchors/upstreams.yaml").read_bytes()
    code, said = annot("pin", "v2")
    assert code == 1
    assert all(anchor in said for anchor in DRIFT)
    assert "5 to review" in said
    assert (folder / "anchors/upstreams.yaml").read_bytes() == before


def test_the_pin_moves_as_a_whole(annot, folder):
    assert annot("lock")[0] == 0
    linted = annot("lint", "--no-source")
    accept_everything(annot)
    code, said = annot("pin", "v2")
    assert code == 0, said
    anchors = folder / "anchors"
    question = (anchors / "route/01-q.yaml").read_text(encoding="utf-8")
    expected = (
        ANCHORS.replace("target: a.py::f   #", "target: c.py::f   #")
        .replace('exact: "b = a + 1"', 'exact: "b = a + 10"')
        .replace('exact: "spec = a"', 'exact: "return a"')
    )
    assert question.endswith(expected), "comments, order and style stay"
    assert "pin: {release: v2, date: " in (anchors / "upstreams.yaml").read_text(encoding="utf-8")
    assert not (anchors / "reviews/demo").exists()
    lock = json.loads((anchors / "locks/demo.json").read_text(encoding="utf-8"))
    assert lock["recorded_from"] == "v2"
    assert {entry["sureness"] for entry in lock["entries"].values()} == {"exact"}
    assert annot("check", "--commit", "v2", "--fail-on", "moved,changed,gone")[0] == 0
    assert annot("lint", "--no-source") == linted
    assert annot("pin", "v2")[0] == 2


def test_the_changelog_tells_what_a_reader_has_to_know(annot, folder):
    accept_everything(annot)
    annot("accept", "q01-g", "--commit", "v3", "--edited", "--reason", "it says `+ 1` now")
    assert annot("pin", "v3")[0] == 0
    log = (folder / "anchors/changelogs/demo-v3.md").read_text(encoding="utf-8")
    chinese, english = log.split("## English")
    for half in (chinese, english):
        assert "[`a.py::f`](https://example.org/demo/blob/" in half
        assert "`c.py::f`" in half
        assert "it says `+ 1` now" in half
        assert "Rework (#12)" in half
        assert "https://example.org/demo/pull/13" in half
        assert "Li Lei" in half
        assert "`return a`" in half
    assert "5 anchors: 0 unchanged, 1 only at another place, 3 where" in english
    assert "**Read again first:** Question 1." in english
    assert "**先重读：** 问题 1。" in chinese
    assert "pin: {release: v1" in english


def test_a_dry_run_writes_nothing_but_where_it_is_told(annot, folder, tmp_path):
    accept_everything(annot)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, said = annot("pin", "v2", "--dry-run", "--output", str(tmp_path / "log.md"))
    assert (code, "would be written" in said) == (0, True)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert (tmp_path / "log.md").read_text(encoding="utf-8").startswith("# Demo: v1 → v2")


def test_a_commit_without_a_tag_is_pinned_by_its_id(make_study, make_repository, capsys):
    folder = make_study('  - {id: q01-f, target: "a.py::f", note: {en: "N"}}\n')
    repository = make_repository(V1, V1)
    subprocess.run(["git", "-C", repository, "tag", "-d", "v2"], check=True, capture_output=True)
    head = subprocess.run(
        ["git", "-C", repository, "rev-parse", "main"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert run(["pin", "main", "--study", str(folder), "--repo", str(repository)]) == 0
    pins = (folder / "anchors/upstreams.yaml").read_text(encoding="utf-8")
    assert f"    pin:\n      commit: {head}\n" in pins or f'commit: "{head}"' in pins


def test_what_probes_saw_at_the_old_pin_is_not_taken_for_the_new_one(annot, folder):
    annot("lock")
    path = folder / "anchors/locks/demo.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    lock["behaviour"] = {"p/source": {"version": 1, "tier": "source", "observations": {"x": 1}}}
    path.write_text(json.dumps(lock), encoding="utf-8")
    accept_everything(annot)
    code, said = annot("pin", "v2")
    assert code == 0
    assert "what probes saw at v1 says nothing about the new pin" in said
    assert json.loads(path.read_text(encoding="utf-8"))["behaviour"] == {}


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    settings = ["-c", "user.name=Test", "-c", "user.email=test@localhost"]
    return subprocess.run(
        ["git", *settings, *arguments], cwd=folder, check=check, capture_output=True, text=True
    )


def test_two_people_on_two_branches(annot, folder):
    """Different anchors merge by themselves; the same anchor is one small conflict in its own file."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "study")
    git(folder, "checkout", "-qb", "hers")
    annot("accept", "q01-g", "q01-doc", "--commit", "v2", "--reason", "hers")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "hers")
    git(folder, "checkout", "-q", "main")
    annot("accept", "q01-h", "q01-f", "--commit", "v2", "--reason", "his")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "his")
    git(folder, "merge", "-q", "--no-edit", "hers")
    assert outcomes(annot) == {**dict.fromkeys(DRIFT, "ok"), "q01-pin": "gone"}

    git(folder, "checkout", "-qb", "third", "hers~1")
    annot("accept", "q01-g", "--commit", "v2", "--reason", "third")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "third")
    merge = git(folder, "merge", "main", check=False)
    assert merge.returncode == 1
    assert merge.stdout.count("CONFLICT") == 1
    conflict = review_of(folder, "q01-g")
    between = conflict[conflict.index("<<<<<<<") : conflict.index(">>>>>>>")].splitlines()
    assert between[1:] == ["    reason: third", "=======", "    reason: hers"]
    code, said = annot("check", "--commit", "v2")
    assert code == 2
    assert "conflict" in said
