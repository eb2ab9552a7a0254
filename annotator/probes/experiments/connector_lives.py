"""Random lives of requests with a connector: loads that arrive or fail, aborts, preemptions, delayed frees."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference import connector_order as reference
from annotator.probes.rigs.recording_connector import Call, Load, Plan
from annotator.probes.rigs.vllm_connector import ConnectorRig, make_connector_rig
from annotator.probes.rigs.vllm_scheduler import Settings
from annotator.probes.sequences import Findings, Operation, Run

BLOCK = 16
LOADS: tuple[Load, ...] = ("none", "sync", "async")


def observe_lives(context: Context) -> None:
    """What becomes of a load that fails, and what holds whatever happens."""
    _check_failure_policy(context)
    settings = Settings(blocks=14, block_size=BLOCK, max_num_batched_tokens=64)
    rig = make_connector_rig(context, settings, "V1", kv_load_failure_policy="recompute")
    findings = Findings(context, raises="lives-raise-nothing")
    findings.explore(
        "lives of requests",
        _operations(),
        lambda sequence, run: _play(rig, sequence, run),
        longest=16,
    )
    findings.tell()


def _operations() -> Any:
    """`add LOAD PROMPT OUTSIDE OUTPUT UNDECIDED DELAYS`, `step N`, and what happens to the n-th request."""
    from hypothesis import strategies as st

    add = st.tuples(
        st.just("add"),
        st.integers(0, 2),
        st.integers(3, 70),
        st.integers(1, 4),
        st.integers(1, 30),
        st.integers(0, 1),
        st.integers(0, 1),
    )
    step = st.tuples(st.just("step"), st.integers(1, 3))
    event = st.tuples(st.sampled_from(["arrive", "fail", "abort", "sent"]), st.integers(0, 3))
    return st.one_of(add, add, step, step, event)


def _check_failure_policy(context: Context) -> None:
    seen: dict[str, Any] = {}
    loads: tuple[Load, ...] = ("sync", "async")
    for policy in ("default", "recompute"):
        transfer: dict[str, Any] = {} if policy == "default" else {"kv_load_failure_policy": policy}
        rig = make_connector_rig(context, Settings(blocks=20, block_size=BLOCK), "V1", **transfer)
        for load in loads:
            try:
                seen[f"{policy}.{load}"] = _play_failure(rig, load)
            except Exception as error:  # upstream's own: whatever it raises is a finding
                seen[f"{policy}.{load}"] = {"end": type(error).__name__, "computed": []}
    for key, value in seen.items():
        context.saw(f"load-error.{key}", value)
    context.verdict(
        "failure-policy-default",
        all(seen[f"default.{load}"]["end"] == "FINISHED_ERROR" for load in loads)
        and all(seen[f"recompute.{load}"]["end"] == "FINISHED_LENGTH_CAPPED" for load in loads)
        and all(sum(seen[f"recompute.{load}"]["computed"]) >= 24 for load in loads),
        "; ".join(
            f"{key}: {value['end']}, computed {value['computed']}" for key, value in seen.items()
        ),
    )


def _play_failure(rig: ConnectorRig, load: Load) -> dict[str, Any]:
    """Two of three prompt blocks come from outside and the second one turns out to be broken."""
    rig.renew()
    rig.script.plans["r"] = Plan(load, 32)
    request = rig.rig.request("r", range(100, 140), outputs=2)
    rig.scheduler.add_request(request)
    computed = []
    for step in range(8):
        if step == (0 if load == "sync" else 1):
            rig.script.failed_blocks.update(_second_block(rig, load))
            if load == "async":
                rig.script.arrived.add("r")
        scheduled, _ = rig.step()
        if scheduled.total_num_scheduled_tokens:
            computed.append(scheduled.num_scheduled_tokens.get("r", 0))
        if not rig.scheduler.requests:
            break
    return {
        "end": request.status.name,
        "computed": computed,
        "all-free": rig.rig.free_blocks() == 19,
    }


def _second_block(rig: ConnectorRig, load: str) -> set[int]:
    # A synchronous load has no blocks yet when the step begins: a fresh pool hands out 1, 2, 3.
    return {2} if load == "sync" else {rig.scheduler.kv_cache_manager.get_block_ids("r")[0][1]}


def _play(rig: ConnectorRig, sequence: list[Operation], run: Run) -> None:
    """Plays operations on upstream, lets everything come to its end, and reads the tape with the reference."""
    rig.renew()
    total = rig.rig.free_blocks()
    for operation in sequence:
        _perform(rig, operation)
    for _ in range(200):
        rig.script.sent.update(_delayed(rig))
        rig.script.arrived.update(rig.loads_under_way())
        rig.step()
        if not rig.scheduler.requests:
            break
    run.expect("all-blocks-return", sorted(rig.scheduler.requests), [], "requests that never end")
    run.expect("all-blocks-return", rig.rig.free_blocks(), total, "free blocks at the end")
    _read_lives(rig, run)
    for step in range(1, rig.tape.step + 1):
        hooks = [c.hook for c in rig.tape.calls if c.side == "scheduler" and c.step == step]
        run.expect("one-sheet-a-step", reference.scheduler_step(hooks), None, f"step {step}")


def _perform(rig: ConnectorRig, operation: Operation) -> None:
    kind, numbers = operation[0], operation[1:]
    loading = rig.loads_under_way()
    alive = [name for name, r in rig.scheduler.requests.items() if not r.is_finished()]
    if kind == "add":
        _add(rig, *numbers)
    elif kind == "step":
        for _ in range(numbers[0]):
            rig.step()
    elif kind in ("arrive", "fail") and loading:
        name = loading[numbers[0] % len(loading)]
        if kind == "fail":
            blocks = rig.scheduler.kv_cache_manager.get_block_ids(name)[0]
            rig.script.failed_blocks.add(blocks[-1])
            rig.tape.note("load failed", "driver", name)
        rig.script.arrived.add(name)
        rig.step()
    elif kind == "abort" and alive:
        _abort(rig, alive[numbers[0] % len(alive)])
    elif kind == "sent":
        rig.script.sent.update(_delayed(rig))


def _add(
    rig: ConnectorRig,
    load: int,
    prompt: int,
    outside: int,
    tokens: int,
    undecided: int,
    delays: int,
) -> None:
    name = f"r{len(rig.script.plans):02d}"
    kind = LOADS[load % len(LOADS)]
    # Which of two reported transfers frees the blocks of an aborted load is nobody's promise: not both at once.
    keeps = bool(delays) and kind != "async"
    rig.script.plans[name] = Plan(kind, outside * BLOCK, undecided, keeps)
    # All prompts start alike, so that the prefix cache has something to hit.
    request = rig.rig.request(name, range(100, 100 + max(prompt, 1)), outputs=max(tokens, 1))
    rig.scheduler.add_request(request)


def _abort(rig: ConnectorRig, name: str) -> None:
    from vllm.v1.request import RequestStatus

    rig.scheduler.finish_requests([name], RequestStatus.FINISHED_ABORTED)


def _delayed(rig: ConnectorRig) -> set[str]:
    """Requests that are finished and whose blocks the connector keeps."""
    return {
        name
        for name, request in rig.scheduler.requests.items()
        if request.is_finished() and rig.script.plan(name).delays_free
    }


def _read_lives(rig: ConnectorRig, run: Run) -> None:
    lives: dict[str, reference.Life] = {}
    for call in rig.tape.calls:
        if not call.request or call.nested:
            continue
        life = lives.setdefault(call.request, reference.Life(BLOCK))
        check = "finished-once" if call.hook in reference.FINISHING else "placed-as-offered"
        run.expect(check, _live(life, call), None, f"{call.request}, {call.hook}, step {call.step}")
    for name, life in lives.items():
        run.expect("finished-once", life.state, "finished", f"the end of {name}")


def _live(life: reference.Life, call: Call) -> str | None:
    """Feeds one call into the reference model."""
    if call.hook == "get_num_new_matched_tokens":
        return life.ask(call["computed"], call["found"], call["asynchronous"])
    if call.hook == "update_state_after_alloc":
        return life.place(call["external"], call["blocks"])
    if call.hook in reference.FINISHING:
        return life.finish(call["delays_free"])
    if call.hook == "preempted":
        life.preempt()
    elif call.hook == "arrived":
        life.arrive()
    elif call.hook == "load failed":
        life.fail_load()
    return None
