"""Names on upstream's own pages that the code of the same commit lacks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.app import run
from annotator.store.study_loader import load_study
from annotator.tasks.lint.tree_words import ClassPlaces, TreeWords
from annotator.tasks.lint.vocabulary import Vocabulary
from annotator.tasks.notes.page_names import page_findings
from annotator.tasks.site import gather
from annotator.tasks.workspace import Workspace

FILES = {
    "demo/__init__.py": "from demo.box import Box\n",
    "demo/box.py": (
        "class Box:\n    def put(self): ...\n\n\nclass BigBox(Box): ...\n\n\n"
        "class BoxPool:\n    enable_sharing = True\n\n\nclass BoxContext: ...\n"
    ),
    "csrc/kernel.cu": "void kernel() {}\n",
}
CLASSES = ["Box", "BigBox", "BoxPool", "BoxContext"]


def vocabulary() -> Vocabulary:
    names = {
        *("Box", "BigBox", "BoxPool", "BoxContext"),
        *("put", "demo", "box", "kernel", "enable_sharing"),
    }
    words = TreeWords(
        names=frozenset(names),
        options=frozenset({"--enable-sharing"}),
        modules=frozenset({"torch"}),
        classes={name: ClassPlaces(("demo/box.py",), ()) for name in CLASSES},
        paths=frozenset(FILES),
        folders=frozenset({"demo", "csrc"}),
    )
    return Vocabulary("v1", words, lambda path: FILES[path].encode())


ABOUT_CODE = "It has `BigBox`, `BoxPool` and `BoxContext`.\n\n"
SENTENCES = {
    # name: sentence, the missing parts
    "a file that is there": ("See `csrc/kernel.cu`.", []),
    "a file that is gone": ("See `csrc/old_kernel.cu`.", ["csrc/old_kernel.cu"]),
    "a file of a machine": ("See `/etc/other.conf` and `home/me/x.py`.", []),
    "a class that is gone": ("The `BoxKeeper` does it.", ["BoxKeeper"]),
    "a member that is gone": ("Call `BoxPool.drain`.", ["drain"]),
    "classes in the plural": ("Two `BoxContexts`.", []),
    "a class to be made up": ("Write a `MyBoxKeeper`.", []),
    "a class that the page says is gone": ("`BoxKeeper` was removed.", []),
    "a built-in class": ("It raises `SystemError`.", []),
    "a part of a model's name": ("Use `acme/BoxModel-7B` or `BoxModel2.5`.", []),
    "a family of classes": ("All `BoxServing*` classes.", []),
    "an option that is there": ("Give `--enable-sharing`.", []),
    "an option that is gone": ("Give `--enable-caring`.", ["--enable-caring"]),
    "an option of another program": ("Run `docker run --gpus-all`.", []),
    "a module that is gone": ("See `demo.crate.Box`.", ["crate"]),
    "a reference to a module that is gone": ("See [it][demo.put.Box].", ["demo.put"]),
    "a reference to a name in a module": ("See [it][demo.box.Box].", []),
    "a link to code that is gone": ("See [it](../../demo/old.py).", ["demo/old.py"]),
    "code blocks make names up": ("```python\n`BoxKeeper`\n```", []),
    "comments": ("<!-- `BoxKeeper` -->", []),
    "plain identifiers": ("Set `some_thing`.", []),
}


@pytest.mark.parametrize(("sentence", "missing"), SENTENCES.values(), ids=SENTENCES.keys())
def test_page_findings(sentence: str, missing: list[str]) -> None:
    text = f"# Page\n\n{ABOUT_CODE}{sentence}\n"
    found = page_findings("docs/design/page.md", text, vocabulary(), pedantic=False)
    assert [finding.missing for finding in found] == missing
    for finding in found:
        line = text.split("\n")[finding.line - 1]
        assert line[finding.column - 1 : finding.end_column - 1] == finding.name


def test_classes_count_only_on_a_page_about_the_code() -> None:
    text = "Deploy a `ModelServing` with a `ModelRoute` and a `BoxKeeper`; it is no `BigBox`.\n"
    assert page_findings("docs/deploy.md", text, vocabulary(), pedantic=False) == []
    assert page_findings("docs/deploy.md", text, vocabulary(), pedantic=True)


def test_pedantic_tells_plain_identifiers() -> None:
    found = page_findings("docs/a.md", "Set `some_thing`.\n", vocabulary(), pedantic=True)
    assert [(finding.missing, finding.sure) for finding in found] == [("some_thing", False)]


def test_pages_of_a_commit_are_checked_with_their_links(
    make_repository: Callable[..., Path], make_study: Callable[[str], Path], tmp_path: Path
) -> None:
    page = "The kernel is `csrc/old.cu`.\n[code](https://github.com/acme/demo/blob/v1/demo/box.py#L1)\n"
    tree = {**FILES, "docs/design/a.md": page, "docs/other.md": "It was `csrc/old.cu`.\n"}
    study = make_study(
        '- id: q1-box\n  target: "demo/box.py::Box"\n  note: {zh: "注", en: "note"}\n'
        '  reason: {zh: "因", en: "why"}\n'
    )
    upstreams = study / "anchors" / "upstreams.yaml"
    text = upstreams.read_text(encoding="utf-8")
    upstreams.write_text(
        text.replace("https://example.org/demo\n", "https://github.com/acme/demo\n"),
        encoding="utf-8",
    )
    output = tmp_path / "out.json"
    code = run(
        [
            *("notes", "check", "--study", str(study), "--repo", str(make_repository(tree))),
            *("--upstream", "demo", "--commit", "v1", "docs/design"),
            *("--format", f"json={output}"),
        ]
    )
    report = json.loads(output.read_text(encoding="utf-8"))
    assert code == report["exit_code"] == 1
    assert [(one["page"], one["line"], one["name"]) for one in report["names"]] == [
        ("docs/design/a.md", 1, "csrc/old.cu")
    ]
    assert [one["resolution"]["outcome"] for one in report["results"]] == ["ok"]


def test_the_site_shows_the_names_of_an_anchors_own_section(
    make_repository: Callable[..., Path], make_study: Callable[[str], Path], tmp_path: Path
) -> None:
    page = "# A\n\n## Kernel\n\n`csrc/old.cu`\n\n## Other\n\n`csrc/older.cu`\n"
    study = load_study(
        make_study('- id: q1-page\n  target: "docs/a.md#Kernel"\n  note: {zh: "注", en: "note"}\n')
        / "anchors"
    )
    repository = make_repository({**FILES, "docs/a.md": page})
    with Workspace(tmp_path, repository) as workspace:
        material = gather(workspace, study, study.upstreams, {}, ref="v1")
    assert [name.name for name in material.anchors["q1-page"].names] == ["csrc/old.cu"]
