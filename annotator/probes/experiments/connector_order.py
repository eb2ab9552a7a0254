"""The order of a connector's hooks: one request for each way in which KV is loaded, kept or given up."""

from collections.abc import Iterable
from typing import Any

from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.experiments.hook_steps import calls_in_order, recorded_steps
from annotator.probes.reference import connector_order as reference
from annotator.probes.rigs.recording_connector import Call, Plan
from annotator.probes.rigs.vllm_connector import LAYERS, ConnectorRig, make_connector_rig
from annotator.probes.rigs.vllm_scheduler import Settings

BLOCK = 16


def observe_order(context: Context) -> None:
    """Plays the scenarios on the worker's wrapper of each model runner."""
    for runner in ("V1", "V2"):
        _observe_runner(context, runner)


def _observe_runner(context: Context, runner: str) -> None:
    rig = make_connector_rig(context, Settings(blocks=20, block_size=BLOCK), runner)
    context.saw(f"order.{runner}.setup", calls_in_order(rig.tape, 0))
    for scenario in (_no_load, _sync_load, _async_load, _delayed_free, _abort, _preemption):
        rig.renew()
        name = scenario.__name__.strip("_").replace("_", "-")
        try:
            scenario(context, rig, f"{runner}.{name}")
        except CannotAdapt:
            raise
        except Exception as error:  # upstream's own: whatever it raises is a finding
            said = f"{name}: {type(error).__name__}: {error}"[:300]
            context.verdict("lives-raise-nothing", False, said)
        context.saw(f"order.{runner}.{name}", recorded_steps(rig.tape))
        _judge_worker(context, rig)
        _judge_scheduler(context, rig)
    _check_unbound_layers(context, rig)


def _no_load(context: Context, rig: ConnectorRig, key: str) -> None:
    rig.scheduler.add_request(rig.rig.request("r", range(100, 140), outputs=2))
    _run(rig, 3)
    context.saw(f"start_load_kv.{key}", _load_position(rig, 1))
    _judge_placements(context, rig, "r", 1)


def _sync_load(context: Context, rig: ConnectorRig, key: str) -> None:
    rig.script.plans["r"] = Plan("sync", 32)
    rig.scheduler.add_request(rig.rig.request("r", range(100, 140), outputs=2))
    scheduled, _ = rig.step()
    context.saw(f"first-step-tokens.{key}", dict(scheduled.num_scheduled_tokens))
    _run(rig, 2)
    context.saw(f"start_load_kv.{key}", _load_position(rig, 1))
    _judge_placements(context, rig, "r", 1)


def _async_load(context: Context, rig: ConnectorRig, key: str) -> None:
    prompt = range(100, 148)
    rig.script.plans["r"] = Plan("async", len(prompt))
    request = rig.rig.request("r", prompt, outputs=2)
    rig.scheduler.add_request(request)
    scheduled, _ = rig.step()
    held = len(rig.scheduler.kv_cache_manager.get_block_ids("r")[0])
    context.verdict(
        "waiting-holds-blocks",
        request.status.name == "WAITING_FOR_REMOTE_KVS"
        and request not in rig.scheduler.running
        and held == len(prompt) // BLOCK
        and scheduled.total_num_scheduled_tokens == 0,
        f"status {request.status.name}, {held} blocks for {len(prompt)} tokens, "
        f"{scheduled.total_num_scheduled_tokens} tokens scheduled",
    )
    early = _hit_of_twin(rig, prompt, "twin1")
    events = _events(rig, request)
    rig.script.arrived.add("r")
    _run(rig, 1)
    scheduled, _ = rig.step()
    context.verdict(
        "last-token-recomputed",
        scheduled.num_scheduled_tokens.get("r") == 1,
        f"after a load of all {len(prompt)} tokens the next step computes {dict(scheduled.num_scheduled_tokens)}",
    )
    context.verdict(
        "no-scheduled-event-while-loading",
        "SCHEDULED" not in events and "SCHEDULED" in _events(rig, request),
        f"events while loading {events}, afterwards {_events(rig, request)}",
    )
    late = _hit_of_twin(rig, prompt, "twin2")
    context.verdict(
        "loading-blocks-not-shared",
        early == 0 and late == len(prompt) // BLOCK * BLOCK - BLOCK,
        f"a request with the same prompt hits {early} tokens during the load and {late} after it",
    )
    _run(rig, 2)
    context.saw(f"start_load_kv.{key}", _load_position(rig, 1))
    _judge_placements(context, rig, "r", 2)


def _delayed_free(context: Context, rig: ConnectorRig, key: str) -> None:
    rig.script.plans["r"] = Plan(delays_free=True)
    before = rig.rig.free_blocks()
    rig.scheduler.add_request(rig.rig.request("r", range(100, 140), outputs=1))
    _run(rig, 3)
    kept = rig.rig.free_blocks()
    if "r" in rig.scheduler.requests:
        rig.script.sent.add("r")
    _run(rig, 1)
    after = rig.rig.free_blocks()
    context.saw(f"free-blocks.{key}", [before, kept, after])
    context.verdict(
        "true-keeps-blocks",
        kept == before - 3 and after == before,
        f"free blocks: {before} before, {kept} after the request's end, {after} once it was reported as sent",
    )


def _abort(context: Context, rig: ConnectorRig, key: str) -> None:
    from vllm.v1.request import RequestStatus

    rig.script.plans["r"] = Plan("async", 48)
    before = rig.rig.free_blocks()
    rig.scheduler.add_request(rig.rig.request("r", range(100, 150), outputs=1))
    _run(rig, 1)
    rig.scheduler.finish_requests(["r"], RequestStatus.FINISHED_ABORTED)
    _run(rig, 2)
    kept = rig.rig.free_blocks()
    if "r" in rig.scheduler.requests:
        rig.script.arrived.add("r")
    _run(rig, 2)
    after = rig.rig.free_blocks()
    context.saw(f"free-blocks.{key}", [before, kept, after])
    context.verdict(
        "aborted-load-frees-late",
        kept == before - 3 and after == before,
        f"free blocks: {before} before, {kept} after the abort, {after} once the load was reported as done",
    )


def _preemption(context: Context, rig: ConnectorRig, key: str) -> None:
    # 19 blocks that can be used; two requests of 9 blocks each that grow: the later one has to give way.
    for name, base in (("old", 100), ("young", 400)):
        rig.scheduler.add_request(rig.rig.request(name, range(base, base + 9 * BLOCK), outputs=24))
    _run(rig, 60)
    context.saw(f"about-the-preempted.{key}", [call.hook for call in rig.tape.of("young")])
    questions = sum(c.hook == "get_num_new_matched_tokens" for c in rig.tape.of("young"))
    preempted = any(c.hook == "preempted" and c.request == "young" for c in rig.tape.calls)
    context.verdict(
        "preempted-asks-again",
        preempted and questions >= 2,
        f"{'preempted once' if preempted else 'never preempted'}, asked about {questions} times",
    )


def _run(rig: ConnectorRig, steps: int) -> None:
    for _ in range(steps):
        scheduled, _ = rig.step()
        if not rig.scheduler.requests and not scheduled.total_num_scheduled_tokens:
            break


def _load_position(rig: ConnectorRig, step: int) -> str:
    hooks = rig.tape.hooks("worker", step)
    if "start_load_kv" not in hooks:
        return "not called"
    if "forward" not in hooks:
        return "step without forward"
    return (
        "before forward"
        if hooks.index("start_load_kv") < hooks.index("forward")
        else "after forward"
    )


def _events(rig: ConnectorRig, request: Any) -> list[str]:
    return [*rig.events.get(request.request_id, ()), *(event.type.name for event in request.events)]


def _hit_of_twin(rig: ConnectorRig, prompt: Iterable[int], name: str) -> int:
    twin = rig.rig.request(name, list(prompt))
    return int(rig.scheduler.kv_cache_manager.get_computed_blocks(twin)[1])


def _judge_placements(context: Context, rig: ConnectorRig, request: str, expected: int) -> None:
    told = [c["external"] for c in rig.tape.of(request) if c.hook == "update_state_after_alloc"]
    context.verdict(
        "async-placed-twice",
        len(told) == expected,
        f"told of {told} external tokens, {expected} calls expected",
    )


def _judge_worker(context: Context, rig: ConnectorRig) -> None:
    for step in range(1, rig.tape.step + 1):
        seen = reference.essential(rig.tape.hooks("worker", step))
        forward = "forward" in seen
        load_first = any(
            c["external"] and c.request not in _asynchronous(rig, step)
            for c in _placements(rig, step)
        )
        expected = reference.worker_step(LAYERS, forward, load_first)
        if forward:
            check = "sync-load-before-forward" if load_first else "async-load-after-forward"
            before = "start_load_kv" in seen and seen.index("start_load_kv") < seen.index("forward")
            context.verdict(
                check,
                before is load_first and "start_load_kv" in seen,
                f"{rig.worker.runner}: {' '.join(seen)}",
            )
        rest = [hook for hook in seen if hook != "start_load_kv"]
        context.verdict(
            "worker-order",
            rest == [hook for hook in expected if hook != "start_load_kv"],
            f"{rig.worker.runner}, step {'with' if forward else 'without'} forward pass: {' '.join(rest)}",
        )
        if forward:
            layers = [
                hook
                for hook in seen
                if hook in ("wait_for_layer_load", "attention", "save_kv_layer")
            ]
            context.verdict(
                "hooks-around-attention",
                layers == ["wait_for_layer_load", "attention", "save_kv_layer"] * len(LAYERS),
                " ".join(layers),
            )


def _placements(rig: ConnectorRig, step: int) -> list[Call]:
    return [c for c in rig.tape.calls if c.hook == "update_state_after_alloc" and c.step == step]


def _asynchronous(rig: ConnectorRig, step: int) -> set[str]:
    asked = [c for c in rig.tape.calls if c.hook == "get_num_new_matched_tokens" and c.step == step]
    return {c.request for c in asked if c["asynchronous"]}


def _judge_scheduler(context: Context, rig: ConnectorRig) -> None:
    for step in range(1, rig.tape.step + 1):
        wrong = reference.scheduler_step(
            [c.hook for c in rig.tape.calls if c.side == "scheduler" and c.step == step]
        )
        context.verdict("one-sheet-a-step", wrong is None, wrong or "one order sheet in every step")


def _check_unbound_layers(context: Context, rig: ConnectorRig) -> None:
    """Without bound metadata the decorator leaves the connector alone, as in a profiling run."""
    rig.renew()
    with rig.worker.forward_context():
        rig.worker.attention(LAYERS[0])
    seen = [c.hook for c in rig.tape.calls if c.side != "scheduler"]
    context.verdict(
        "hooks-around-attention", seen == ["attention"], f"without bound metadata: {' '.join(seen)}"
    )
