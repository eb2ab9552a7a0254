"""The built site in a real browser, opened from the file system as from a USB stick."""

import functools
import http.server
import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = os.environ.get("ANNOT_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium; name one with ANNOT_CHROMIUM"),
]
KINDS = (
    "index", "route/index", "route/q01", "route/q02", "drift", "behaviour", "architecture", "resources/index",
    "resources/V1", "glossary", "sessions/index", "sessions/2026-12-01-q01", "sessions/2026-12-08-q01-q02",
    "records/index", "records/one", "about",
)  # fmt: skip
COLOURED = ("route/q01", "drift", "behaviour", "architecture", "sessions/2026-12-08-q01-q02")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: "playwright.Browser") -> Iterator["playwright.Page"]:
    """A page that fails the test on a script error, a dialog or a request that leaves the machine."""
    context = browser.new_context(viewport={"width": 1300, "height": 900})
    page = context.new_page()
    seen: list[str] = []
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("dialog", lambda dialog: seen.append(f"dialog: {dialog.message}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("file:", "data:", "blob:"))
            else seen.append(f"request: {request.url}")
        ),
    )
    yield page
    context.close()
    assert seen == []


def visit(page: "playwright.Page", site: Path, name: str) -> None:
    page.goto((site / f"{name}.html").as_uri())


@pytest.mark.parametrize("name", [*KINDS, "en/route/q01", "en/index"])
def test_hostile_text_is_only_text(page: "playwright.Page", site: Path, name: str) -> None:
    visit(page, site, name)
    assert page.evaluate("window.pwned") is None
    inserted = "article script, article img, article iframe, article object, head title *, nav img"
    assert page.locator(inserted).count() == 0
    handlers = "[...document.querySelectorAll('article *')].filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length"
    assert page.evaluate(handlers) == 0
    assert page.locator('article a[href^="javascript"]').count() == 0
    assert "49" not in (page.title() + page.locator("h1").first.inner_text())


def test_hostile_code_is_shown_as_it_is(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "route/q01")
    shown = page.locator('[data-anchor="q01-page"] .an-code').inner_text()
    assert "<script>window.pwned=1</script>" in shown
    assert "```python" in shown
    assert page.locator("h2#q01-page").inner_text().startswith("3 One **two** </h2>")
    # everything behind the hostile anchors is still there, at its place in the tree
    assert page.locator("article > h2#exercises").count() == 1


WORDS = ("空闲", "take_blocks", "FreeQueue")


def q01_is_found(page: "playwright.Page") -> None:
    page.locator('.md-search-result__link[href*="q01.html"]').first.wait_for(state="visible")


@pytest.mark.parametrize("word", WORDS)
def test_search_finds_chinese_words_and_identifiers(
    page: "playwright.Page", site: Path, word: str
) -> None:
    visit(page, site, "index")
    page.get_by_placeholder("搜索").press_sequentially(word)
    q01_is_found(page)


@pytest.mark.parametrize("word", WORDS)
def test_search_finds_what_comes_without_keys(
    page: "playwright.Page", site: Path, word: str
) -> None:
    """Pasted, picked from an input method, dictated: the box changes and no key is released."""
    visit(page, site, "index")
    page.get_by_placeholder("搜索").click()
    page.get_by_text("键入以开始搜索").wait_for()
    page.keyboard.insert_text(word)
    q01_is_found(page)


def test_search_of_a_served_site(browser: "playwright.Browser", site: Path) -> None:
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.goto(f"http://127.0.0.1:{server.server_port}/en/index.html")
        page.get_by_placeholder("Search").press_sequentially("queue")
        q01_is_found(page)
        page.close()
        server.shutdown()


def test_switching_language_stays_on_the_page(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "route/q02")
    page.locator(".an-language").click()
    assert page.url.endswith("en/route/q02.html")
    assert page.locator("html").get_attribute("lang") == "en"
    page.locator(".an-language").click()
    assert page.url.endswith("site/route/q02.html")


def test_navigation_leads_through_the_route(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "index")
    page.get_by_role("link", name="从第一问开始").click()
    assert page.url.endswith("route/q01.html")
    page.locator(".md-footer__link--next").click()
    assert page.url.endswith("route/q02.html")
    page.locator(".md-footer__link--prev").click()
    assert page.url.endswith("route/q01.html")
    page.locator(".md-tabs").get_by_text("漂移").click()
    assert page.url.endswith("drift.html")


def test_ticks_are_kept_counted_exported_and_imported(
    page: "playwright.Page", site: Path, tmp_path: Path
) -> None:
    visit(page, site, "route/q01")
    page.locator('.an-tick input[value="q01-take"]').check()
    assert page.locator("[data-progress]").first.inner_text().endswith("1 / 3")
    visit(page, site, "about")
    with page.expect_download() as download:
        page.get_by_role("button", name="导出").click()
    kept = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert list(kept["read"]) == ["q01-take"]
    kept["read"] |= {"q02-long": "2026-12-01", "<b>": "x"}
    file = tmp_path / "ticks.json"
    file.write_text(json.dumps(kept), encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(file)
    page.get_by_text("导入了 2 个勾").wait_for()
    visit(page, site, "en/route/q02")
    assert page.locator('.an-tick input[value="q02-long"]').is_checked()


def test_a_file_that_is_no_ticks_is_refused(
    page: "playwright.Page", site: Path, tmp_path: Path
) -> None:
    visit(page, site, "about")
    file = tmp_path / "other.json"
    file.write_text("[1]", encoding="utf-8")
    page.locator('input[type="file"]').set_input_files(file)
    page.get_by_text("这不是 annot 的已读文件").wait_for()


def test_keys(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "route/q01")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "q01-take"
    difference = page.locator('[data-anchor="q01-take"] .an-difference')
    before = difference.get_attribute("open")
    page.keyboard.press("d")
    assert difference.get_attribute("open") != before
    page.keyboard.press("x")
    assert page.locator('.an-tick input[value="q01-take"]').is_checked()
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == "q01-take"


def test_filters_and_sorting_of_the_drift_table(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "drift")
    rows = page.locator("#drift tbody tr:visible")
    assert rows.count() == 3
    page.locator('.an-filters input[value="changed"]').uncheck()
    assert rows.count() == 1
    page.locator('.an-filters input[value="changed"]').check()
    page.locator(".an-filters input[type=search]").fill("FreeQueue.take nowhere")
    assert rows.count() == 0
    page.locator(".an-filters input[type=search]").fill("FreeQueue.take")
    assert rows.count() == 1
    page.locator(".an-filters input[type=search]").fill("")
    page.get_by_role("button", name="位置").click()
    names = [text.split("\n")[0] for text in rows.locator("td:nth-child(2)").all_inner_texts()]
    assert names == sorted(names)


def test_the_map_leads_to_the_anchor(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "drift")
    page.locator('.an-map a[aria-label^="q01-take"]').click()
    assert page.url.endswith("route/q01.html#q01-take")


def test_without_javascript(browser: "playwright.Browser", site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    visit(page, site, "route/q02")
    assert page.locator("[data-progress]").first.is_hidden()
    fold = page.locator("details.an-fold").first
    fold.locator("summary").click()
    assert fold.locator("pre").is_visible()
    page.locator(".an-language").click()
    assert page.url.endswith("en/route/q02.html")
    context.close()


def test_hooks_are_drawn_as_they_were_recorded(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "behaviour")
    picture = page.locator(".an-hooks svg").first
    texts = picture.locator("text").all_text_contents()
    assert texts[:4] == ["scheduler", "worker", "model", "第 1–2 步"]
    assert texts[4:6] == [
        "build_connector_meta",
        "start_load_kv <script>window.pwned=1</script>",
    ]


def test_a_printed_session_has_room_for_minutes(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "sessions/2026-12-08-q01-q02")
    assert page.locator(".an-room").is_hidden()
    page.emulate_media(media="print")
    assert page.locator(".an-room").is_visible()
    assert page.locator(".an-plan").is_visible()


def test_print_leaves_out_what_a_handout_does_not_need(page: "playwright.Page", site: Path) -> None:
    visit(page, site, "route/q01")
    page.emulate_media(media="print")
    assert page.locator(".md-header").is_hidden()
    assert page.locator(".an-tick").first.is_hidden()
    assert page.locator("details.an-answer").first.is_hidden()
    assert page.locator('[data-anchor="q01-take"] .an-code').is_visible()


@pytest.mark.parametrize(
    ("name", "scheme"),
    [*((name, "light") for name in KINDS), *((name, "dark") for name in COLOURED)],
)
def test_accessible(browser: "playwright.Browser", site: Path, name: str, scheme: str) -> None:
    """Nothing serious or critical by axe-core's rules, in either colour scheme."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe-core")
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1300, "height": 900})
    page = context.new_page()
    visit(page, site, name)
    found = axe.Axe().run(page).response["violations"]
    context.close()
    serious = [
        f"{each['id']}: {[node['target'] for node in each['nodes'][:3]]} {each['nodes'][0]['failureSummary'][:160]}"
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]
    assert serious == []


@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_wider_than_a_phone(
    browser: "playwright.Browser", site: Path, name: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    visit(page, site, name)
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert width <= 390
