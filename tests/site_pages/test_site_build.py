"""The built site, without a browser."""

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from annotator.cli.app import run

PAGES = {
    "404.html", "about.html", "architecture.html", "behaviour.html", "drift.html", "glossary.html", "index.html",
    "records/index.html", "records/one.html", "resources/V1.html", "resources/index.html", "route/index.html",
    "route/q01.html", "route/q02.html", "sessions/2026-12-01-q01.html", "sessions/2026-12-08-q01-q02.html",
    "sessions/index.html",
}  # fmt: skip
SOURCE = Path(__file__).parents[2] / "site"
PAGES |= {
    path.relative_to(SOURCE).as_posix().replace(".zh.md", ".html")
    for path in [*SOURCE.glob("guide/*.zh.md"), *SOURCE.glob("reference/*.zh.md")]
} | {f"reference/{made}.html" for made in ("commands", "files", "changelog")}


def pages_of(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in site.rglob("*.html")
    }


def test_every_page_is_there_in_both_languages(site: Path) -> None:
    assert set(pages_of(site)) == PAGES | {f"en/{page}" for page in PAGES}


def test_pages_are_small(site: Path) -> None:
    assert max(len(text.encode()) for text in pages_of(site).values()) < 500_000


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for name, text in pages_of(site).items():
        loaded = re.findall(r'(?:src|<link[^>]*href)="?(https?:[^" >]*)', text)
        assert not loaded, name
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\(\s*[\"']?https?:", style.read_text(encoding="utf-8"))


def test_links_inside_the_site_lead_somewhere(site: Path) -> None:
    texts = pages_of(site)
    for name, text in texts.items():
        if name.endswith("404.html"):
            continue
        article = text[text.index("<article") : text.index("</article>")]
        for href in re.findall(r'href="([^"]+)"', article):
            page, _, fragment = html.unescape(href).partition("#")
            if page.startswith("http"):
                continue
            target = (site / name).parent.joinpath(page).resolve() if page else site / name
            assert target.is_file(), f"{name}: {href}"
            if fragment and target.suffix == ".html":
                found = target.read_text(encoding="utf-8")
                assert f'id="{fragment}"' in found, f"{name}: {href}"


def test_the_switch_leads_to_the_same_page(site: Path) -> None:
    texts = pages_of(site)
    assert re.search(r'href="\.\./en/route/q01\.html"[^>]*hreflang="en"', texts["route/q01.html"])
    assert re.search(
        r'href="\.\./\.\./route/q01\.html"[^>]*hreflang="zh"', texts["en/route/q01.html"]
    )


def test_real_line_numbers_mark_and_fold(site: Path) -> None:
    text = pages_of(site)["route/q02.html"]
    assert '<b data-n="102" class="q">' in text
    assert "展开第" in text
    assert 'href="https://example.org/demo/blob' in text


def test_home_says_what_changed_since_the_last_closed_session(site: Path) -> None:
    text = pages_of(site)["en/index.html"]
    latest = text[text.index('id="latest"') : text.index("</article>")]
    assert "2026-12-01-q01" in latest
    shown = re.findall(r'o-(\w+)".*?href="route/q01.html#([\w-]+)"', latest)
    assert shown == [("changed", "q01-take"), ("gone", "q01-gone")]


def test_without_session_and_probes_home_and_behaviour_say_what_there_is(
    hostile_study: tuple[Path, Path], tmp_path: Path
) -> None:
    study, repository = hostile_study
    own = shutil.copytree(study / "anchors", tmp_path / "study" / "anchors").parent
    shutil.rmtree(own / "anchors" / "sessions")
    arguments = ["--commit", "v1.1", "--repo", str(repository), "--study", str(own)]
    assert run(["site", "build", *arguments, "-o", str(tmp_path), "--builder", "none"]) == 0
    home = (tmp_path / "pages" / "en" / "index.md").read_text(encoding="utf-8")
    assert "v1.0 → v1.1: 3 anchors" in home
    behaviour = (tmp_path / "pages" / "en" / "behaviour.md").read_text(encoding="utf-8")
    assert "No recorded run is at hand" in behaviour
    assert "No probe was run" in behaviour
    assert "model runner" not in behaviour


def test_a_site_is_served_on_this_machine_only(
    hostile_study: tuple[Path, Path], tmp_path: Path
) -> None:
    study, repository = hostile_study
    command = [
        *(sys.executable, "-m", "annotator", "site", "serve", "--port", "0", "--commit", "v1.1"),
        *("--repo", str(repository), "--study", str(study), "-o", str(tmp_path)),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            _, said = server.stdout.readline(), server.stdout.readline().decode()
            address = re.match(r"http://127\.0\.0\.1:\d+/", said)
            assert address
            answer = requests.get(f"{address[0]}route/q01.html", timeout=30)
            assert 'id="q01-take"' in answer.text
        finally:
            server.terminate()


def test_a_handout_is_there_in_both_languages(site: Path) -> None:
    texts = pages_of(site)
    chinese, english = (
        texts["sessions/2026-12-08-q01-q02.html"],
        texts["en/sessions/2026-12-08-q01-q02.html"],
    )
    assert "0:06–0:26" in chinese
    assert "0:06–0:26" in english
    assert "从队首取块" in chinese
    assert "Takes blocks from the head" in english
    assert "Claims to argue about" in english
    assert 'id="since"' in english, "an open session says what drifted since the last one"
    assert 'id="since"' not in texts["en/sessions/2026-12-01-q01.html"]
    assert "What came of it" in texts["en/sessions/2026-12-01-q01.html"]


def test_code_stays_out_of_the_search(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "take_blocks" in index
    assert "x77" not in index


def test_zensical_makes_the_same_pages(
    site: Path, hostile_study: tuple[Path, Path], tmp_path: Path
) -> None:
    pytest.importorskip("zensical", reason="zensical is not installed")
    study, repository = hostile_study
    arguments = [
        "site",
        "build",
        "--commit",
        "v1.1",
        "--repo",
        str(repository),
        "--study",
        str(study),
    ]
    assert run([*arguments, "--output", str(tmp_path), "--builder", "zensical"]) == 0
    assert set(pages_of(tmp_path / "site")) == set(pages_of(site))


def test_shared_configuration_builds_alone(site: Path, tmp_path: Path) -> None:
    """The Chinese pages, with the repository's mkdocs.yml as it is."""
    config = Path(__file__).parents[2] / "mkdocs.yml"
    text = config.read_text(encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text(
        text.replace("build/pages/zh", str(site.parent / "pages" / "zh")).replace(
            "site/theme", str(site.parent / "theme")
        ),
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(tmp_path / "mkdocs.yml")]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "build" / "site" / "route" / "q01.html").is_file()
