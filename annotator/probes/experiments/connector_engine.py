"""The order of a connector's hooks in a real engine: what the model runner adds to its wrapper."""

from typing import Any

from annotator.probes.contract import Context
from annotator.probes.experiments.hook_steps import calls_in_order, recorded_steps
from annotator.probes.reference import connector_order as reference
from annotator.probes.rigs.recording_connector import (
    Call,
    Plan,
    Script,
    Tape,
    connector_base,
    install,
)
from annotator.probes.rigs.vllm_engine import Engine, block_size, prepare, running_engine

BLOCKS = 12


def observe_engine(context: Context) -> None:
    """Plays one request without a load, one with a synchronous and one with an asynchronous load, and a preemption."""
    prepare(context)
    size = block_size(context)
    tape, script = Tape(), Script(arrives_at_once=True)
    transfer = install(connector_base(), tape, script)
    with running_engine(context, transfer=transfer, num_gpu_blocks_override=BLOCKS) as engine:
        runner = engine.runner_version
        context.saw(f"engine.{runner}.setup", calls_in_order(tape, 0))
        _mark_steps(engine, tape)
        outside = 2 * size
        _play(context, engine, tape, "no-load", [size * 2 + 6], tokens=3)
        script.default = Plan("sync", outside)
        _play(context, engine, tape, "sync-load", [size * 2 + 6], tokens=3)
        script.default = Plan("async", outside)
        _play(context, engine, tape, "async-load", [size * 2 + 6], tokens=3)
        script.default = Plan()
        # Four requests of four blocks each at their end, in eleven blocks: at least one has to give way.
        _play(context, engine, tape, "preemption", [size * 2] * 4, tokens=size + 8)


def _mark_steps(engine: Engine, tape: Tape) -> None:
    """Notes where a step begins, whom it preempts, and where the model runs."""
    schedule = engine.scheduler.schedule

    def marked(*args: Any, **kwargs: Any) -> Any:
        tape.step += 1
        scheduled = schedule(*args, **kwargs)
        for request_id in sorted(scheduled.preempted_req_ids or ()):
            tape.note("preempted", "driver", request_id)
        return scheduled

    engine.scheduler.schedule = marked
    engine.runner.model.register_forward_pre_hook(lambda *_: tape.note("forward", "driver"))


def _play(
    context: Context, engine: Engine, tape: Tape, name: str, lengths: list[int], tokens: int
) -> None:
    engine.reset_prefix_cache()
    tape.calls.clear()
    tape.step = 0
    engine.generate([range(100 * i, 100 * i + n) for i, n in enumerate(lengths, 1)], tokens)
    runner = engine.runner_version
    key = f"engine.{runner}.{name}"
    steps = [_worker_calls(tape, step) for step in range(1, tape.step + 1)]
    context.saw(f"{key}.steps", recorded_steps(tape))
    context.saw(f"{key}.start_load_kv", _load_position(steps[0]))
    context.saw(f"{key}.preempted", len({c.request for c in tape.calls if c.hook == "preempted"}))
    layers = list(engine.kv_tensors())
    for step, hooks in enumerate(steps, 1):
        _judge_worker(context, tape, step, hooks, layers)
        wrong = reference.scheduler_step([c.hook for c in _scheduler_calls(tape, step)])
        context.verdict("one-sheet-a-step", wrong is None, wrong or "one order sheet in every step")
    _judge_requests(context, tape, name)


def _worker_calls(tape: Tape, step: int) -> list[str]:
    return [c.hook for c in tape.calls if c.step == step and not c.nested and _is_workers(c)]


def _is_workers(call: Call) -> bool:
    return call.side == "worker" or call.hook == "forward"


def _scheduler_calls(tape: Tape, step: int) -> list[Call]:
    return [c for c in tape.calls if c.side == "scheduler" and c.step == step and not c.nested]


def _load_position(hooks: list[str]) -> str:
    if "start_load_kv" not in hooks:
        return "not called"
    if "forward" not in hooks:
        return "step without forward"
    before = hooks.index("start_load_kv") < hooks.index("forward")
    return "before forward" if before else "after forward"


def _judge_worker(
    context: Context, tape: Tape, step: int, hooks: list[str], layers: list[str]
) -> None:
    seen = reference.essential(hooks)
    forward = "forward" in seen
    questions = {
        c.request: c for c in _scheduler_calls(tape, step) if c.hook == "get_num_new_matched_tokens"
    }
    load_first = any(
        c["external"] and not questions[c.request]["asynchronous"]
        for c in _scheduler_calls(tape, step)
        if c.hook == "update_state_after_alloc"
    )
    expected = [h for h in reference.worker_step(layers, forward, load_first) if h != "attention"]
    where = f"{context.tier}, {context.device}: {' '.join(seen)}"
    if forward:
        check = "sync-load-before-forward" if load_first else "async-load-after-forward"
        before = (
            seen.index("start_load_kv") < seen.index("forward") if "start_load_kv" in seen else None
        )
        context.verdict(check, before is load_first, where)
        hooks_of_layers = [h for h in seen if h in ("wait_for_layer_load", "save_kv_layer")]
        context.verdict(
            "hooks-around-attention",
            hooks_of_layers == ["wait_for_layer_load", "save_kv_layer"] * len(layers),
            where,
        )
    rest = [h for h in seen if h != "start_load_kv"]
    context.verdict("worker-order", rest == [h for h in expected if h != "start_load_kv"], where)


def _judge_requests(context: Context, tape: Tape, name: str) -> None:
    requests = {c.request for c in tape.calls if c.request}
    preempted = {c.request for c in tape.calls if c.hook == "preempted"}
    for request in sorted(requests):
        hooks = [c.hook for c in tape.of(request)]
        ends = sum(hook in reference.FINISHING for hook in hooks)
        context.verdict("finished-once", ends == 1, f"{name}: asked {ends} times at the end")
        told = hooks.count("update_state_after_alloc")
        if request in preempted:
            asked = hooks.count("get_num_new_matched_tokens")
            context.verdict("preempted-asks-again", asked >= 2, f"{name}: asked {asked} times")
        else:
            expected = 2 if name == "async-load" else 1
            context.verdict("async-placed-twice", told == expected, f"{name}: told {told} times")
