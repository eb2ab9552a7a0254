"""What a valid study still lacks, and the study in numbers."""

import pytest

from annotator.model.anchor import NOTE_LIMIT
from annotator.store.study_loader import load_study
from annotator.tasks.lint import Finding, Summary, lint, summary
from annotator.tasks.lint.texts import ANSWER_LIMIT

COMPLETE = {
    "upstreams.yaml": """\
schema: 1
upstreams:
  engine:
    title: Engine
    web: https://example.org/engine
    git: https://example.org/engine.git
    licence: Apache-2.0
    pin: {release: v1.0.0, date: "2026-10-23"}
""",
    "handbook.yaml": """\
schema: 1
title: {zh: "手册"}
retrieved: "2026-10-23"
route:
  - {number: 1, documents: {zh: "缓存", en: "Cache"}, question: {zh: "如何？", en: "How?"}}
resources:
  - {id: V1, title: {zh: "页"}, focus: {zh: "驱逐"}}
""",
    "route/01.yaml": """\
schema: 1
id: q01
number: 1
upstream: engine
title: {zh: "缓存", en: "Cache"}
question: {zh: "如何？", en: "How?"}
answer: {zh: "这样。", en: "Like this."}
resources: [V1]
anchors:
  - {id: doc, target: docs/cache.md, note: {zh: "总览。", en: "Overview."}, reason: {zh: "先", en: "F"}}
  - {id: one, target: "e/pool.py::Pool.get", note: {zh: "取。", en: "Takes."}, claims: [
      {id: a, text: {zh: "甲", en: "A"}}, {id: b, text: {zh: "乙", en: "B"}}]}
  - {id: two, target: "e/pool.py::Pool.free", note: {zh: "还。", en: "Gives back."}, reason: {zh: "因", en: "R"}}
  - {id: three, target: e/build.txt, note: {zh: "建。", en: "Builds."}, reason: {zh: "由", en: "Why"}}
exercises:
  - {id: ex-1, task: {zh: "数", en: "Count"}, answer: {zh: "一", en: "One"}}
  - {id: ex-2, task: {zh: "再数", en: "Again"}, answer: {zh: "二", en: "Two"}}
read_first: {zh: "先读页", en: "The page first"}
""",
    "resources/engine.yaml": """\
schema: 1
upstream: engine
resources:
  - id: V1
    title: {zh: "页", en: "Page"}
    focus: {zh: "驱逐", en: "Eviction"}
    anchors:
      - {id: page, target: docs/cache.md, note: {zh: "总览。", en: "Overview."}}
""",
}
COMPLETE["glossary.yaml"] = """\
schema: 1
terms:
  - {id: pool, term: {zh: "池", en: "pool"}, meaning: {zh: "块。", en: "Blocks."}, anchors: [one]}
"""
ROUTE, RESOURCES, HANDBOOK = "route/01.yaml", "resources/engine.yaml", "handbook.yaml"
GLOSSARY = "glossary.yaml"


@pytest.fixture
def loaded(tmp_path):
    """Loads the complete study with some texts replaced: (file, old, new)."""

    def load(*changes):
        files = dict(COMPLETE)
        for name, old, new in changes:
            assert files.get(name, "").count(old) == 1 or not old
            files[name] = files[name].replace(old, new) if old else new
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return load_study(tmp_path)

    return load


def told(study):
    return [f"{one.file}:{one.line}: {one.level} [{one.rule}] {one.message}" for one in lint(study)]


def test_a_complete_study_has_no_findings(loaded):
    assert lint(loaded()) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "findings"),
    [
        pytest.param(HANDBOOK, "route:\n", 'route:\n  - {number: 2, documents: {zh: "x"}, question: {zh: "y"}}\n',
            ["handbook.yaml:5: warning [coverage] no question answers row 2 of the route"], id="row-without-a-question"),
        pytest.param(HANDBOOK, "resources:\n", 'resources:\n  - {id: P1, title: {zh: "x"}, focus: {zh: "y"}}\n',
            ["handbook.yaml:7: warning [coverage] no file of resources/ describes P1"], id="entry-not-described"),
        pytest.param(RESOURCES, COMPLETE[RESOURCES][COMPLETE[RESOURCES].index("    anchors:"):], "",
            ["resources/engine.yaml:4: warning [coverage] the resource V1 has no anchors"], id="resource-without-anchors"),
        pytest.param(HANDBOOK, "number: 1", "number: 9", [
            "handbook.yaml:5: warning [coverage] no question answers row 9 of the route",
            "route/01.yaml:2: warning [coverage] the handbook's route has no row 1",
        ], id="question-not-in-the-handbook"),
        pytest.param(HANDBOOK, "id: V1", "id: V2", [
            "handbook.yaml:7: warning [coverage] no file of resources/ describes V2",
            "resources/engine.yaml:4: warning [coverage] the handbook has no resource V1",
        ], id="resource-not-in-the-handbook"),
        pytest.param(ROUTE, 'question: {zh: "如何？"', 'question: {zh: "为何？"',
            ["route/01.yaml:2: error [wording] question.zh is '为何？', in the handbook '如何？'"], id="other-question"),
        pytest.param(ROUTE, 'en: "How?"', 'en: "In what way?"',
            ["route/01.yaml:2: info [wording] question.en is 'In what way?', in the handbook 'How?'"], id="other-translation"),
        pytest.param(ROUTE, 'title: {zh: "缓存"', 'title: {zh: "缓冲"',
            ["route/01.yaml:2: error [wording] title.zh is '缓冲', in the handbook '缓存'"], id="other-title"),
        pytest.param(RESOURCES, 'focus: {zh: "驱逐"', 'focus: {zh: "淘汰"',
            ["resources/engine.yaml:4: error [wording] focus.zh is '淘汰', in the handbook '驱逐'"], id="other-focus"),
        pytest.param(ROUTE, 'answer: {zh: "这样。", en: "Like this."}\n', "",
            ["route/01.yaml:2: warning [thin-question] the question has no answer"], id="no-answer"),
        pytest.param(ROUTE, 'read_first: {zh: "先读页", en: "The page first"}\n', "",
            ["route/01.yaml:2: warning [thin-question] the question has no read_first"], id="nothing-to-read-first"),
        pytest.param(ROUTE, ', {id: b, text: {zh: "乙", en: "B"}}', "",
            ["route/01.yaml:2: warning [thin-question] the question has too few claims: 1, not 2 to 6"], id="one-claim"),
        pytest.param(ROUTE, '{id: b, text: {zh: "乙", en: "B"}}', ", ".join(f'{{id: b-{n}, text: {{zh: "乙", en: "B"}}}}' for n in range(6)),
            ["route/01.yaml:2: warning [thin-question] the question has too many claims: 7, not 2 to 6"], id="seven-claims"),
        pytest.param(ROUTE, '  - {id: ex-2, task: {zh: "再数", en: "Again"}, answer: {zh: "二", en: "Two"}}\n', "",
            ["route/01.yaml:2: warning [thin-question] the question has too few exercises: 1, not 2 to 4"], id="one-exercise"),
        pytest.param(ROUTE, 'en: "Two"', f'en: "{"x" * (ANSWER_LIMIT + 1)}"',
            ["route/01.yaml:17: warning [long-answer] the English answer has 2001 characters, more than 2000"], id="long-answer"),
        pytest.param(ROUTE, 'en: "Again"', f'en: "{"x" * (ANSWER_LIMIT + 1)}"', [], id="a-task-may-be-long"),
        pytest.param(ROUTE, ', reason: {zh: "因", en: "R"}', "",
            ["route/01.yaml:13: error [no-reason] the anchor has neither a claim nor a reason to be in the study"], id="no-reason"),
        pytest.param(GLOSSARY, "anchors: [one]", "anchors: []",
            ["glossary.yaml:3: warning [term-without-anchor] no anchor shows the term pool in the source"], id="term-without-anchor"),
        pytest.param(ROUTE, 'note: {zh: "还。", en: "Gives back."}', 'note: {zh: "由 `Pool.free` 还。", en: "`Pool` gives back, see `free`."}', [
            "route/01.yaml:13: error [same-names] only the Chinese note of the anchor two names `Pool.free`",
            "route/01.yaml:13: error [same-names] only the English note of the anchor two names `Pool`, `free`",
        ], id="other-names-in-english"),
        pytest.param(GLOSSARY, 'zh: "块。"', 'zh: "`BLOCK_SIZE` 块。"',
            ["glossary.yaml:3: error [same-names] only the Chinese meaning of the term pool names `BLOCK_SIZE`"], id="name-in-chinese-only"),
        pytest.param(ROUTE, 'task: {zh: "数", en: "Count"}', 'task: {zh: "`n=3`，`(模块, get_x)`", en: "`(module, get_x)`"}', [], id="made-up-values-may-differ"),
        pytest.param(ROUTE, 'note: {zh: "取。", en: "Takes."}', 'note: {zh: "取。"}',
            ["route/01.yaml:11: warning [translation] the note of the anchor one is not there in English"], id="no-english-note"),
        pytest.param(RESOURCES, 'title: {zh: "页", en: "Page"}', 'title: {en: "Page"}',
            ["resources/engine.yaml:4: warning [translation] the title of the resource V1 is not there in Chinese"], id="no-chinese-title"),
        pytest.param(ROUTE, '{id: b, text: {zh: "乙", en: "B"}}', '{id: b, text: {en: "B"}}',
            ["route/01.yaml:12: warning [translation] the text of the claim b is not there in Chinese"], id="no-chinese-claim"),
        pytest.param(ROUTE, '"Takes."', f'"{"x" * (NOTE_LIMIT + 1)}"',
            ["route/01.yaml:11: warning [long-note] the English note has 1201 characters, more than 1200"], id="long-note"),
        pytest.param(ROUTE, '"取。"', f'"{"字" * NOTE_LIMIT}"', [], id="note-of-just-the-limit"),
        pytest.param(ROUTE, "Pool.free", "Pool.get",
            ["route/01.yaml:13: error [repeated-place] one already points to this place"], id="place-twice-in-a-question"),
        pytest.param(ROUTE, 'Pool.free"', 'Pool.get", quote: {exact: "return block"}', [], id="another-statement-there"),
        pytest.param(ROUTE, "  - {id: three,", "  - {id: tree, target: docs/cache.md#Free, note: {zh: a, en: b}}\n  - {id: three,", [], id="heading-of-the-page"),
        pytest.param(ROUTE, "e/build.txt", "e/build.md",
            ["route/01.yaml:2: warning [balance] the question has 2 code anchors, fewer than 3"], id="little-code"),
        pytest.param(ROUTE, "docs/cache.md", "docs/cache.txt",
            ["route/01.yaml:2: warning [balance] the question has no document anchor"], id="no-document"),
        pytest.param("upstreams.yaml", "upstreams:\n", COMPLETE["upstreams.yaml"].partition("\n")[2].replace("engine:", "other:"),
            ["upstreams.yaml:3: warning [unused-upstream] no anchor points into the upstream other"], id="unused-upstream"),
        pytest.param(ROUTE, 'Pool.get"', 'Pool.get", quote: {exact: "x  =\\n 1"}',
            ["route/01.yaml:11: warning [short-quote] the quote 'x  =\\n 1' is shorter than 8 characters"], id="short-quote"),
        pytest.param(ROUTE, 'Pool.get"', 'Pool.get", quote: {exact: "x += 100"}', [], id="quote-of-just-the-limit"),
    ],
)  # fmt: skip
def test_one_thing_is_wrong(loaded, name, old, new, findings):
    assert told(loaded((name, old, new))) == findings


def test_a_place_in_two_questions_is_only_told(loaded):
    second = COMPLETE[ROUTE].replace("q01", "q02").replace("number: 1", "number: 2")
    for name in ("doc", "one", "two", "three", "a", "b", "ex-1", "ex-2"):
        second = second.replace(f"id: {name},", f"id: {name}-again,")
    second = second.replace("Pool.free", "Pool.more").replace("e/build.txt", "e/b.txt")
    row = '  - {number: 2, documents: {zh: "缓存"}, question: {zh: "如何？"}}\n'
    study = loaded(("route/02.yaml", "", second), (HANDBOOK, "route:\n", "route:\n" + row))
    assert told(study) == [
        "route/02.yaml:10: info [repeated-place] doc in route/01.yaml points to this place too",
        "route/02.yaml:11: info [repeated-place] one in route/01.yaml points to this place too",
    ]


def test_without_a_handbook_nothing_is_uncovered(loaded, tmp_path):
    loaded()
    (tmp_path / HANDBOOK).unlink()
    assert lint(load_study(tmp_path)) == []


def test_findings_come_in_the_order_of_the_files(loaded):
    found = lint(
        loaded(
            (ROUTE, 'note: {zh: "还。", en: "Gives back."}', "note: {zh: b}"),
            (ROUTE, 'answer: {zh: "这样。", en: "Like this."}\n', ""),
            (RESOURCES, 'title: {zh: "页", en: "Page"}', "title: {zh: 页}"),
        )
    )
    assert [(one.file, one.line) for one in found] == [(RESOURCES, 4), (ROUTE, 2), (ROUTE, 12)]
    assert all(isinstance(one, Finding) for one in found)


def test_a_study_in_numbers(loaded):
    study = loaded(
        (HANDBOOK, "route:\n", "route:\n  - {number: 2, documents: {zh: x}, question: {zh: y}}\n"),
        (HANDBOOK, "resources:\n", "resources:\n  - {id: P1, title: {zh: x}, focus: {zh: y}}\n"),
    )
    assert summary(study) == Summary(
        questions=1,
        route_rows=2,
        resources=1,
        resource_rows=2,
        uncovered=("2", "P1"),
        document_anchors=2,
        code_anchors=3,
        claims=2,
        probed_claims=0,
    )
