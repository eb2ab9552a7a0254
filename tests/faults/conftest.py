"""A place to work in, and how long to go on."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.faults.workplace import Workplace

MakeWorkplace = Callable[[], tuple[Workplace, str]]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def make_workplace(tmp_path: Path) -> Iterator[MakeWorkplace]:
    """Makes a place to work in; with it comes the address of its package index."""
    servers: list[tuple[ThreadingHTTPServer, threading.Thread]] = []

    def make() -> tuple[Workplace, str]:
        place = Workplace(tmp_path / "place")
        place.build()
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(place.index)))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return place, f"http://127.0.0.1:{server.server_port}/simple/"

    yield make
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()
