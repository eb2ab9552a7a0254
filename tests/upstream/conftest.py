"""Real git repositories and a real (local) package index for the tests of where source comes from."""

import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from upstream_builders import LocalIndex, Worktree


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the settings of whoever runs the tests out of them."""
    settings = tmp_path / "gitconfig"
    settings.write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("ANNOT_CACHE_DIR", str(tmp_path / "cache"))
    for name in (
        "PIP_INDEX_URL",
        "UV_DEFAULT_INDEX",
        "UV_INDEX_URL",
        "ANNOT_INDEX_URL",
        "PIP_CERT",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def make_worktree(tmp_path: Path) -> Callable[..., Worktree]:
    def make(name: str = "work", *options: str) -> Worktree:
        path = tmp_path / name
        path.mkdir()
        worktree = Worktree(path)
        worktree.git("init", "--quiet", *options)
        for key in ("allowFilter", "allowAnySHA1InWant"):
            worktree.git("config", f"uploadpack.{key}", "true")
        return worktree

    return make


@pytest.fixture
def worktree(make_worktree: Callable[..., Worktree]) -> Worktree:
    return make_worktree()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalIndex]:
    local = LocalIndex()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = local.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        local.address = f"http://127.0.0.1:{server.server_port}/simple/"
        monkeypatch.setenv("ANNOT_INDEX_URL", local.address)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield local
        server.shutdown()
        thread.join()
