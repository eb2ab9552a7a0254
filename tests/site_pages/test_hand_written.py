"""Pages that people write go through as they are, in both languages."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.model.report import CheckReport
from annotator.model.study import Study
from annotator.site_pages.hand_written import hand_written
from annotator.site_pages.site_folder import SiteFolder, find_site_folder
from annotator.site_pages.writer import write_pages
from annotator.tasks.drift_map import DriftMap
from annotator.tasks.site import SiteMaterial

ROOT = Path(__file__).parents[2]
PAGES = {
    "guide/index.zh.md": "# 入门\n\n看[第一步](first.md)。\n",
    "guide/index.en.md": "# Getting started\n\nSee [the first step](first.md).\n",
    "guide/first.zh.md": "---\nhide: [toc]\n---\n# 第一步 #\n",
    "guide/first.en.md": "# The first step\n\n{{ 7*7 }} {% raw %} `a|b`\n",
    "reference/check.zh.md": "没有标题\n",
    "reference/check.en.md": "no heading\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(
        ROOT / "site", tmp_path / "site", ignore=shutil.ignore_patterns("guide", "reference")
    )
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    for name, text in PAGES.items():
        file = tmp_path / "site" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def test_pages_are_in_order_and_named_by_their_heading(project: Path) -> None:
    site = SiteFolder(project / "site", project / "mkdocs.yml")
    assert [(page.path, page.title) for page in hand_written(site, "zh")] == [
        ("guide/index", "入门"),
        ("guide/first", "第一步"),
        ("reference/check", "check"),
    ]


def test_a_page_without_its_translation_is_a_mistake(project: Path) -> None:
    (project / "site" / "guide" / "first.en.md").unlink()
    with pytest.raises(UserMistake, match=r"first\.en\.md is missing"):
        hand_written(find_site_folder(project), "zh")


def test_they_are_pages_of_the_site_in_both_languages(project: Path) -> None:
    study = Study(upstreams={}, questions=(), anchors=())
    report = CheckReport(version="0", upstreams=(), groups=(), anchors=(), fail_on=())
    material = SiteMaterial(study, report, DriftMap(version="0", upstreams=()), {})
    output = project / "build"
    configs = write_pages(material, find_site_folder(project), project / "anchors", output)
    for name, text in PAGES.items():
        path, language, _ = name.split(".")
        assert (output / "pages" / language / f"{path}.md").read_text(encoding="utf-8") == text
    for config in configs:
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-f", str(config)]
        subprocess.run(command, check=True, capture_output=True)
    first = (output / "site" / "en" / "guide" / "first.html").read_text(encoding="utf-8")
    assert "{{ 7*7 }} {% raw %}" in first
    assert 'href="../../guide/first.html"' in first, "the switch leads to the same page"
    home = (output / "site" / "index.html").read_text(encoding="utf-8")
    assert home.index("指南") < home.index("参考") < home.index("关于")
