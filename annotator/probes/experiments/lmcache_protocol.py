"""LMCache's scheduler half with a stand-in for the connection: what it asks a server, and in which order."""

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

from annotator.probes.contract import Context
from annotator.probes.drawn_sequences import compare
from annotator.probes.reference.chunk_negotiation import starts
from annotator.probes.reference.lookup_protocol import Lookup
from annotator.probes.rigs import lmcache_tree


class Recorder:
    """Stands for the connection to a server: notes every call and answers with a future that others may settle."""

    def __init__(self, adapters: Any, chunk: int) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.futures: dict[str, Any] = {}
        self._future = adapters.MessagingFuture
        self._known = {"get_chunk_size": chunk, "get_experimental": [], "ping": True}

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.calls.append((name, arguments[0] if arguments else None))
            future = self.futures[name] = self._future()
            if name in self._known:
                future.set_result(self._known[name])
            return future

        return call

    def close(self) -> None:
        """There is nothing to close."""


def _scheduler_half(adapters: Any, recorders: dict[str, Recorder], block: int) -> Any:
    made = SimpleNamespace(create=lambda url, context: recorders[url])
    with mock.patch.object(adapters, "RequestClientFactory", made):
        return adapters.LMCacheMPSchedulerAdapter(
            list(recorders),
            None,
            "m",
            block,
            lmcache_tree.one_worker(adapters),
            heartbeat_interval=3600,
        )


def multiples(context: Context, adapters: Any) -> None:
    """Every chunk against every block size, without a server."""
    questions: set[str] = set()

    def accepts(half: str, chunk: int, block: int) -> bool:
        recorder = Recorder(adapters, chunk)
        made = SimpleNamespace(create=lambda url, context: recorder)
        where = ["url"] if half == "LMCacheMPSchedulerAdapter" else "url"
        with mock.patch.object(adapters, "RequestClientFactory", made):
            try:
                getattr(adapters, half)(where, None, "m", block, lmcache_tree.one_worker(adapters))
            except ValueError:
                return False
            finally:
                questions.update(name for name, _ in recorder.calls)
        return True

    sizes = (16, 32, 48, 96, 256, 784)
    wrong = [
        f"{half} with chunks of {chunk} and a block of {block}"
        for half in ("LMCacheMPSchedulerAdapter", "LMCacheMPWorkerAdapter")
        for chunk in sizes
        for block in sizes
        if accepts(half, chunk, block) != starts(chunk, block)
    ]
    evidence = f"{len(sizes) ** 2} pairs of sizes, both adapters: started just where the chunk is a multiple"
    context.verdict("chunk-multiple", not wrong, f"unexpected: {wrong[0]}" if wrong else evidence)
    context.saw("start.questions_to_the_server", sorted(questions))


def protocol(context: Context, adapters: Any) -> None:
    """Acknowledgements and answers of several servers, in any order, against the scheduler half."""
    if not hasattr(adapters, "_LookupAck"):
        why = "this version waits for the acknowledgement when it sends the LOOKUP"
        context.not_applicable("status-after-ack", why)
        context.saw("lookup.acknowledgement", "waited for")
    else:
        context.saw("lookup.acknowledgement", "polled")
        what = "orders of acknowledgements, polls and answers of three servers end as in the model"
        compare(context, "status-after-ack", _draw_events, lambda e: _play(adapters, e), 60, what)
    ranges = set()
    for length in range(0, 100, 7):
        recorder = Recorder(adapters, 16)
        recorder._known["lookup"] = None
        half = _scheduler_half(adapters, {"url": recorder}, 16)
        half.maybe_submit_lookup_request("r", list(range(length)))
        half.shutdown()
        ranges |= {(length, key.start, key.end) for name, key in recorder.calls if name == "lookup"}
    wrong = [r for r in sorted(ranges) if r[1] != 0 or r[2] != r[0] // 16 * 16]
    evidence = f"prompts of {len(ranges)} lengths are looked up from 0 to the last whole chunk"
    context.verdict(
        "lookup-from-zero", not wrong, f"(length, start, end) is {wrong[0]}" if wrong else evidence
    )


def _draw_events(generator: random.Random) -> list[tuple[str, str, int | None]]:
    """Draws what happens to one request: (event, server, hit)."""
    events: list[tuple[str, str, int | None]] = []
    for _ in range(generator.randrange(4, 30)):
        kind = generator.choice(("acknowledge", "answer", "poll", "poll"))
        hit = generator.choice((None, 0, 1, 2, 3)) if kind == "answer" else None
        events.append((kind, generator.choice("abc"), hit))
    return events


def _play(adapters: Any, events: Sequence[tuple[str, str, int | None]]) -> str | None:
    chunk = 16
    recorders = {name: Recorder(adapters, chunk) for name in "abc"}
    half = _scheduler_half(adapters, recorders, chunk)
    model = Lookup("abc", chunk)
    half.maybe_submit_lookup_request("r", list(range(4 * chunk)))
    try:
        for kind, name, hit in events:
            if kind == "acknowledge":
                model.acknowledge(name)
                recorders[name].futures["lookup"].set_result(None)
            elif kind == "answer" and name in model.asked:
                model.answer(name, hit)
                recorders[name].futures["query_prefetch_status"].set_result(hit)
            elif kind == "poll":
                found, expected = half.check_lookup_result("r"), model.poll()
                if found != expected:
                    return f"a poll gives {found}, not {expected}"
            for server_name, recorder in recorders.items():
                asked = sum(name == "query_prefetch_status" for name, _ in recorder.calls)
                if asked != model.questions.get(server_name, 0):
                    return f"server {server_name} was asked for its result {asked} times"
        freed = {
            s: (key.start, key.end)
            for s, r in recorders.items()
            for name, key in r.calls
            if name == "free_lookup_locks"
        }
        expected_freed = model.surplus() if len(model.hits) == 3 else {}
        return (
            None
            if freed == expected_freed
            else f"locks given back for {freed}, not {expected_freed}"
        )
    finally:
        half.shutdown()
