"""A recording KV connector, generated from upstream's base class.

It is made from whatever members the base class of the probed version has: every public method is wrapped and written
to a tape. What it *answers* comes from a script, so that a probe decides what is to be loaded, how, and when a
transfer is done.
"""

import inspect
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

MODULE = "annot_recording_connector"
"""Name of the made-up module that upstream imports the connector from."""

QUERIES = frozenset({"has_connector_metadata"})
"""Members that ask the connector about itself. They are no hooks and are not recorded."""

Load = Literal["none", "sync", "async"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a hook.

    Attributes:
        hook: name of the method, or `forward` for the pretended forward pass.
        side: `scheduler`, `worker`, or `class` for class methods.
        step: engine step in which it came, counted from 1; 0 before the first.
        request: id of the request it was about, or an empty string.
        detail: what else matters, as sorted pairs.
        nested: made by the base class itself from within another hook.
    """

    hook: str
    side: str
    step: int
    request: str = ""
    detail: tuple[tuple[str, Any], ...] = ()
    nested: bool = False

    def __getitem__(self, key: str) -> Any:
        return dict(self.detail)[key]


@dataclass(slots=True)
class Plan:
    """What the connector does for one request.

    Attributes:
        load: whether and how KV comes from outside.
        tokens: how many prompt tokens are available outside, counted from the prompt's start.
        undecided: how often the connector first answers that it does not know yet.
        delays_free: whether it keeps the blocks after the request has finished.
    """

    load: Load = "none"
    tokens: int = 0
    undecided: int = 0
    delays_free: bool = False


@dataclass(slots=True)
class Script:
    """What the connector answers. The probe changes it as the run goes on.

    Attributes:
        plans: request id → its plan.
        default: the plan of all other requests.
        arrived: requests whose load the worker reports as done when it is asked next.
        sent: requests whose blocks it reports as sent when it is asked next.
        failed_blocks: blocks that it reports as broken when it is asked next.
        arrives_at_once: every asynchronous load is done within the step that starts it.
    """

    plans: dict[str, Plan] = field(default_factory=dict)
    default: Plan = field(default_factory=Plan)
    arrived: set[str] = field(default_factory=set)
    sent: set[str] = field(default_factory=set)
    failed_blocks: set[int] = field(default_factory=set)
    arrives_at_once: bool = False

    def plan(self, request_id: str) -> Plan:
        """The plan of a request."""
        return self.plans.get(request_id, self.default)


@dataclass(slots=True)
class Tape:
    """All calls in the order in which they came."""

    calls: list[Call] = field(default_factory=list)
    step: int = 0
    depth: int = 0

    def note(self, hook: str, side: str, request: str = "", **detail: Any) -> None:
        """Writes down one call."""
        pairs = tuple(sorted(detail.items()))
        self.calls.append(Call(hook, side, self.step, request, pairs, nested=self.depth > 0))

    def hooks(self, side: str, step: int | None = None) -> list[str]:
        """Names of the calls of one side, those that upstream made itself, in order."""
        return [
            call.hook
            for call in self.calls
            if call.side in (side, "driver") and not call.nested and step in (None, call.step)
        ]

    def of(self, request: str) -> list[Call]:
        """The calls about one request."""
        return [call for call in self.calls if call.request == request and not call.nested]


def connector_base() -> Any:
    """Upstream's base class for connectors."""
    from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorBase_V1

    return KVConnectorBase_V1


def public_members(base: type) -> dict[str, Any]:
    """Name → raw member of everything a connector's author can see, inherited members of upstream included."""
    found: dict[str, Any] = {}
    for cls in reversed(base.__mro__):
        if cls.__module__.startswith("vllm"):
            found.update({name: member for name, member in vars(cls).items() if name[0] != "_"})
    return found


def recording_class(base: type, tape: Tape, script: Script, handles_groups: bool = False) -> type:
    """Makes a connector class that records every public method of `base` and answers from the script.

    Args:
        base: upstream's base class, or a connector of upstream's, which then gives its own answers.
        tape: where calls are written to.
        script: what to answer.
        handles_groups: also implement the interface for several cache groups.
    """
    bases: tuple[type, ...] = (base,)
    answers = _answers(script) if inspect.isabstract(base) else {}
    if handles_groups:
        from vllm.distributed.kv_transfer.kv_connector.v1.base import SupportsHMA

        bases = (base, SupportsHMA)
    namespace: dict[str, Any] = {}
    for name, member in public_members(base).items():
        if name in QUERIES:
            continue
        if isinstance(member, classmethod):
            namespace[name] = classmethod(_recorded(name, member.__func__, tape, answers.get(name)))
        elif inspect.isfunction(member):
            namespace[name] = _recorded(name, member, tape, answers.get(name))
    if handles_groups:
        name = "request_finished_all_groups"
        namespace[name] = _recorded(name, lambda *args, **kwargs: None, tape, answers.get(name))
    return type("RecordingConnector", bases, namespace)


def install(base: type, tape: Tape, script: Script, **kwargs: Any) -> dict[str, Any]:
    """Makes the connector importable for upstream.

    Returns:
        The fields of the KV transfer configuration that select it.
    """
    module = types.ModuleType(MODULE)
    vars(module)["RecordingConnector"] = recording_class(base, tape, script, **kwargs)
    sys.modules[MODULE] = module
    return {
        "kv_connector": "RecordingConnector",
        "kv_connector_module_path": MODULE,
        "kv_role": "kv_both",
    }


def _recorded(
    name: str, member: Callable[..., Any], tape: Tape, answer: Callable[..., Any] | None
) -> Callable[..., Any]:
    signature = inspect.signature(member)

    def hook(self: Any, *args: Any, **kwargs: Any) -> Any:
        side = "class" if isinstance(self, type) else self.role.name.lower()
        given = signature.bind(self, *args, **kwargs).arguments
        request, detail = _what_matters(name, given)
        abstract = getattr(member, "__isabstractmethod__", False)
        position = len(tape.calls)
        tape.note(name, side, request, **detail)
        tape.depth += 1
        try:
            result = None if abstract else member(self, *args, **kwargs)
            if answer is not None:
                result = answer(self, result, *args, **kwargs)
        finally:
            tape.depth -= 1
        returned = _what_was_returned(name, result)
        if returned:
            call = tape.calls[position]
            pairs = tuple(sorted({**dict(call.detail), **returned}.items()))
            tape.calls[position] = Call(
                call.hook, call.side, call.step, call.request, pairs, call.nested
            )
        return result

    hook.__name__ = name
    vars(hook)["__signature__"] = signature  # upstream looks at parameters
    return hook


def _what_matters(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Who a call is about, and what of its arguments a model of the protocol can predict."""
    request = getattr(given.get("request"), "request_id", "")
    if name == "get_num_new_matched_tokens":
        return request, {"computed": given["num_computed_tokens"]}
    if name == "update_state_after_alloc":
        blocks = len(given["blocks"].get_block_ids()[0])
        return request, {"external": given["num_external_tokens"], "blocks": blocks}
    return request, {"layer": given["layer_name"]} if "layer_name" in given else {}


def _what_was_returned(name: str, result: Any) -> dict[str, Any]:
    if name == "get_num_new_matched_tokens":
        return {"found": result[0], "asynchronous": result[1]}
    if name in ("request_finished", "request_finished_all_groups"):
        return {"delays_free": result[0]}
    return {}


def _answers(script: Script) -> dict[str, Callable[..., Any]]:
    """Hook → what it returns, given what the base class returned."""

    def get_num_new_matched_tokens(
        _self: Any, _base: Any, request: Any, num_computed_tokens: int
    ) -> tuple[int | None, bool]:
        plan = script.plan(request.request_id)
        if plan.load == "none":
            return 0, False
        if plan.undecided:
            plan.undecided -= 1
            return None, False
        # A prompt that is available as a whole is still offered up to its last token but one when it is loaded
        # synchronously: this step's forward pass needs something to compute.
        limit = request.num_tokens - (1 if plan.load == "sync" else 0)
        new = max(0, min(plan.tokens, limit) - num_computed_tokens)
        return new, plan.load == "async" and new > 0

    def update_state_after_alloc(
        _self: Any, _base: Any, request: Any, _blocks: Any, num_external_tokens: int
    ) -> None:
        loads = script.plan(request.request_id).load == "async" and num_external_tokens > 0
        if loads and script.arrives_at_once:
            script.arrived.add(request.request_id)

    def build_connector_meta(_self: Any, _base: Any, scheduled: Any) -> Any:
        from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorMetadata

        return type("RecordedMetadata", (KVConnectorMetadata,), {})()

    def request_finished(_self: Any, _base: Any, request: Any, *_: Any) -> tuple[bool, None]:
        return script.plan(request.request_id).delays_free, None

    def get_finished(_self: Any, _base: Any, *_: Any) -> tuple[set[str], set[str]]:
        sent, arrived = set(script.sent), set(script.arrived)
        script.sent.clear()
        script.arrived.clear()
        return sent, arrived

    def get_block_ids_with_load_errors(_self: Any, _base: Any) -> set[int]:
        failed = set(script.failed_blocks)
        script.failed_blocks.clear()
        return failed

    return {
        "get_num_new_matched_tokens": get_num_new_matched_tokens,
        "update_state_after_alloc": update_state_after_alloc,
        "build_connector_meta": build_connector_meta,
        "request_finished": request_finished,
        "request_finished_all_groups": request_finished,
        "get_finished": get_finished,
        "get_block_ids_with_load_errors": get_block_ids_with_load_errors,
    }
