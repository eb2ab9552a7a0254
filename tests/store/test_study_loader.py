"""Loading a study: every mistake of every file, in plain words, at its place."""

import os

import pytest

from annotator.model.study import FileLine
from annotator.store.problems import ProblemsFound
from annotator.store.study_loader import load_study

ROUTE, UPSTREAMS = "route/01-cache.yaml", "upstreams.yaml"


def problems_of(study, **arguments):
    with pytest.raises(ProblemsFound) as caught:
        load_study(study.folder, **arguments)
    return [str(problem) for problem in caught.value.problems]


def test_a_valid_study_is_read_whole(study):
    loaded = load_study(study.folder)
    assert list(loaded.upstreams) == ["engine"]
    assert [question.id for question in loaded.questions] == ["q01"]
    assert [(upstream, resource.id) for upstream, resource in loaded.resources] == [
        ("engine", "V1")
    ]
    assert loaded.handbook is not None
    assert [
        (placed.anchor.id, placed.owner, placed.upstream, placed.file, placed.line)
        for placed in loaded.anchors
    ] == [
        ("q01-free", "q01", "engine", "route/01-cache.yaml", 9),
        ("v1-page", "V1", "engine", "resources/engine.yaml", 8),
    ]
    assert loaded.where["claim", "q01-order"] == FileLine("route/01-cache.yaml", 15)
    assert loaded.where["upstream", "engine"] == FileLine("upstreams.yaml", 3)


def test_questions_stand_in_route_order_whatever_their_files_are_called(study):
    study.write("route/00-z.yaml", study_question(7))
    study.write("route/99-a.yaml", study_question(0).replace("number: 0", "number: 3"))
    loaded = load_study(study.folder)
    assert [question.number for question in loaded.questions] == [1, 3, 7]
    assert [placed.owner for placed in loaded.anchors] == ["q01", "q0", "q7", "V1"]


def study_question(number):
    return (
        f"schema: 1\nid: q{number}\nnumber: {number}\nupstream: engine\n"
        "title: {zh: a}\nquestion: {zh: b}\n"
        f"anchors: [{{id: q{number}-a, target: a.py, note: {{zh: c}}}}]\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param("note:\n", "notes:\n", [
            "9:5: missing key 'note' (what to notice there)",
            "11:5: unknown key 'notes'; did you mean 'note'? (allowed keys: id, target, quote, watch, severity, note, reason, claims)",
        ], id="misspelt-key"),
        pytest.param("target: engine/pool.py::Pool.free ", "watch: existence ", [
            "9:5: missing key 'target' (`path::Qual.name` for a definition, `path#heading` for a section of a page, or `path` for a whole file; never line numbers)",
        ], id="missing-key"),
        pytest.param("number: 1", "number: one", ["3:9: 'number' must be a whole number, not text"], id="text-for-a-number"),
        pytest.param("number: 1", "number: 0", ["3:9: 'number' is 0; the least is 1"], id="number-too-small"),
        pytest.param("number: 1", "number: 1000", ["3:9: 'number' is 1000; the most is 999"], id="number-too-large"),
        pytest.param("schema: 1", "schema: 2", ["1:9: 'schema' cannot be 2 (allowed: 1)"], id="newer-schema"),
        pytest.param("upstream: engine", "upstream: 7", ["4:11: 'upstream' must be text, not a number (put it in double quotes)"], id="number-for-text"),
        pytest.param("id: q01\n", "id: q01\nid: q02\n", ["3:1: the key 'id' is there twice (first in line 2)"], id="twice"),
        pytest.param("id: q01\n", "id: Q_1\n", ["2:5: 'Q_1' is no id; write lower-case words joined by hyphens"], id="bad-id"),
        pytest.param("id: q01\n", "id:\n", ["2:4: 'id' is empty (write it, or leave the key out)"], id="empty-value"),
        pytest.param("    note:\n", "    watch: boddy\n    note:\n", ["11:12: 'watch' cannot be 'boddy'; did you mean 'body'? (allowed: existence, signature, body, quote)"], id="unknown-watch"),
        pytest.param("    note:\n", "    watch: quote\n    note:\n", ["9:5: it watches its quote but has none; add quote.exact or change watch"], id="watch-without-quote"),
        pytest.param("[V1]", "[V1, paper]", ["7:17: entry 2 of 'resources' does not have the right form: 'paper' (write it like 'V4')"], id="bad-resource-id"),
        pytest.param("[V1]", "V1", ["7:12: 'resources' must be a list, not text (begin each entry with '- ', or write [one, two])"], id="text-for-a-list"),
        pytest.param('{zh: "缓存设计", en: "Cache design"}', "Cache design", ["5:8: 'title' must be a mapping, not text (keys: zh, en)"], id="text-for-a-mapping"),
        pytest.param('{zh: "缓存设计", en: "Cache design"}', "{}", ["5:8: no language is given; write zh and en"], id="no-language"),
        pytest.param('zh: "归还。"', 'zh: " "', ["12:11: the text is empty; write a sentence or leave the key out"], id="blank-text"),
        pytest.param("engine/pool.py::Pool.free", "engine/pool.py:12", ["10:13: 'engine/pool.py:12' points at line numbers, which rot; write path::Qual.name with a quote"], id="line-numbers"),
        pytest.param("engine/pool.py::Pool.free", "/engine/pool.py", ["10:13: '/engine/pool.py' is absolute; write it from the root of the source tree"], id="absolute-path"),
        pytest.param("engine/pool.py::Pool.free", "a/../../b.py", ["10:13: 'a/../../b.py' has empty, '.' or '..' parts; write the plain path"], id="path-out-of-the-tree"),
        pytest.param("upstream: engine", "upstream: enigne", ["4:11: there is no upstream 'enigne'; did you mean 'engine'? (there are: engine)"], id="unknown-upstream"),
        pytest.param("[V1]", "[V1, V2]", ["7:17: there is no resource 'V2' (there are: V1)"], id="unknown-resource"),
        pytest.param("- id: q01-order\n", "- id: q01-order\n        probe: order\n", ["16:16: there is no probe 'order' (there are: none)"], id="unknown-probe"),
        pytest.param("id: q01-free", "id: v1-page", [], id="anchor-id-of-another-file"),
        pytest.param("zh: \"归还。\"", "zh: `x`", ["12:11: text cannot begin with this character (put the text in double quotes)"], id="no-yaml"),
    ],
)  # fmt: skip
def test_mistakes_in_a_question(study, old, new, told):
    study.replace(ROUTE, old, new)
    found = problems_of(study)
    if not told:
        told = [f"8:13: the anchor 'v1-page' is there twice (first in {ROUTE}:9)"]
        assert found == [f"anchors/resources/engine.yaml:{one}" for one in told]
    else:
        assert found == [f"anchors/{ROUTE}:{one}" for one in told]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        pytest.param("  engine:\n", "  The Engine:\n", ["3:3: 'The Engine' is no id; write lower-case words joined by hyphens"], id="bad-name"),
        pytest.param('{release: v1.0.0, date: "2026-10-23"}', '{date: "2026-10-23"}', ["8:10: a pin is either a commit or a release; write exactly one of them"], id="no-pin"),
        pytest.param('{release: v1.0.0, date: "2026-10-23"}', '{commit: abc, date: 2026, bracket: [a]}', [
            "8:19: 'commit' does not have the right form: 'abc' (write it like '0123456789abcdef0123456789abcdef01234567')",
            "8:30: 'date' must be text, not a number (put it in double quotes)",
            "8:45: 'bracket' needs another entry",
        ], id="bad-pin"),
        pytest.param('{release: v1.0.0,', '{release: v1.0.0, bracket: [a, b, c],', ["8:37: 'bracket' has more than 2 entries"], id="long-bracket"),
        pytest.param("upstreams:\n  engine:", "upstreams:\n  - engine:", [None], id="list-for-a-mapping"),
        pytest.param("https://example.org/engine.git", "ext::sh -c x", ["6:10: 'ext::sh -c x' is not an address annot clones from; write https://… or a path"], id="hostile-address"),
    ],
)  # fmt: skip
def test_mistakes_in_upstreams(study, old, new, told):
    study.replace(UPSTREAMS, old, new)
    found = problems_of(study)
    if told == [None]:
        assert "this does not fit" in found[0] or "must be a mapping" in found[0]
    else:
        assert found == [f"anchors/{UPSTREAMS}:{one}" for one in told]


def test_all_mistakes_of_all_files_are_told_in_order(study):
    study.replace(ROUTE, "number: 1", "number: none")
    study.replace(ROUTE, "target:", "targett:")
    study.replace("resources/engine.yaml", 'zh: "缓存", ', "zh: 3, ")
    study.write("route/02-broken.yaml", "a: `\n")
    study.write("route/03-empty.yaml", "# nothing yet\n")
    study.write("route/04-unknown.yaml", study_question(4).replace("engine", "motor"))
    assert [problem.split(": ")[0] for problem in problems_of(study)] == [
        "anchors/resources/engine.yaml:5:17",
        "anchors/route/01-cache.yaml:3:9",
        "anchors/route/01-cache.yaml:9:5",
        "anchors/route/01-cache.yaml:10:5",
        "anchors/route/02-broken.yaml:1:4",
        "anchors/route/03-empty.yaml:1:1",
        "anchors/route/04-unknown.yaml:4:11",
    ]


def test_a_list_of_broken_entries_is_not_also_called_too_short(study):
    study.replace(ROUTE, "id: q01-free", "id: Q!")
    assert len(problems_of(study)) == 1


def test_an_empty_list_of_anchors_is_told(study):
    study.write(ROUTE, study_question(1).split("anchors:")[0] + "anchors: []\n")
    assert problems_of(study) == [f"anchors/{ROUTE}:7:10: 'anchors' needs at least 1 entry"]


def test_names_that_a_broken_file_may_give_are_not_missed(study):
    study.replace("resources/engine.yaml", "schema: 1", "schema: 9")
    study.replace(UPSTREAMS, "schema: 1", "schema: 9")
    assert [problem.split(":")[0] for problem in problems_of(study)] == [
        "anchors/resources/engine.yaml",
        "anchors/upstreams.yaml",
    ]


def test_a_resource_may_be_named_that_only_the_handbook_has(study):
    entry = "  - {id: P1, title: {zh: a}, focus: {zh: b}}\n"
    study.replace("handbook.yaml", "resources:\n", "resources:\n" + entry)
    study.replace(ROUTE, "[V1]", "[P1]")
    assert load_study(study.folder).questions[0].resources == ("P1",)


def test_known_probes_are_accepted(study):
    study.replace(ROUTE, "- id: q01-order\n", "- id: q01-order\n        probe: order\n")
    assert load_study(study.folder, probes={"order"}).questions


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("route/02-x.yaml", "id: q2\n", "id: q01\n", "route/02-x.yaml:2:5: the question 'q01' is there twice (first in route/01-cache.yaml:2)"),
        ("route/02-x.yaml", "number: 2", "number: 1", "route/02-x.yaml:3:9: the question number '1' is there twice (first in route/01-cache.yaml:3)"),
        ("route/02-x.yaml", "id: q2-a", "id: q01-free", "route/02-x.yaml:7:16: the anchor 'q01-free' is there twice (first in route/01-cache.yaml:9)"),
        ("route/02-x.yaml", "note: {zh: c}", "note: {zh: c}, claims: [{id: q01-order, text: {zh: d}}]", "route/02-x.yaml:7:65: the claim 'q01-order' is there twice (first in route/01-cache.yaml:15)"),
    ],
    ids=["question", "number", "anchor", "claim"],
)  # fmt: skip
def test_what_has_to_be_unique(study, name, old, new, told):
    text = study_question(2)
    assert old in text
    study.write(name, text.replace(old, new))
    assert problems_of(study) == [f"anchors/{told}"]


def test_a_handbook_with_repeated_rows_is_told(study):
    row = '  - number: 1\n    documents: {zh: "缓存设计"}\n    question: {zh: "缓存如何配合？"}\n'
    study.replace("handbook.yaml", row, row + row)
    assert problems_of(study) == [
        "anchors/handbook.yaml:8:13: the route row '1' is there twice (first in handbook.yaml:5)"
    ]


def test_without_upstreams_there_is_no_study(study):
    (study.folder / UPSTREAMS).unlink()
    assert problems_of(study) == [
        "anchors/upstreams.yaml:1:1: the file is missing (it names the annotated projects and their pins)"
    ]


def test_other_files_are_left_alone_but_yml_is_told(study):
    study.write("route/notes.txt", "`")
    study.write("route/.#01-cache.yaml", "`")
    study.write("more.yaml", "`")
    study.write("schema/x.yaml", "`")
    assert load_study(study.folder)
    study.write("route/02-x.yml", "`")
    study.write("handbook.YAML", "`")
    assert problems_of(study) == [
        "anchors/handbook.YAML:1:1: files in .YAML are not read (rename it to handbook.yaml)",
        "anchors/route/02-x.yml:1:1: files in .yml are not read (rename it to 02-x.yaml)",
    ]


def test_links_out_of_the_study_are_refused(study, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text(study_question(5), encoding="utf-8")
    link = study.folder / "route" / "05-x.yaml"
    try:
        link.symlink_to(outside)
    except OSError:
        pytest.skip("no symbolic links here")
    told = "this is a link to a place outside the study (put the file itself there)"
    assert problems_of(study) == [f"anchors/route/05-x.yaml:1:1: {told}"]
    link.unlink()
    (study.folder / "kept.txt").write_text(study_question(5), encoding="utf-8")
    link.symlink_to(os.path.join("..", "kept.txt"))
    assert load_study(study.folder).question(5)
    link.unlink()
    link.symlink_to("05-x.yaml")  # a loop
    assert "05-x.yaml" in problems_of(study)[0]


def test_a_folder_of_files_behind_a_link_is_refused(study, tmp_path):
    os.rename(study.folder / "route", tmp_path / "elsewhere")
    try:
        (study.folder / "route").symlink_to(tmp_path / "elsewhere")
    except OSError:
        pytest.skip("no symbolic links here")
    assert "outside the study" in problems_of(study)[0]
