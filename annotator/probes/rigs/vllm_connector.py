"""Scheduler and worker of vLLM joined by a recording connector, without a model.

The worker's side is upstream's own wrapper around the forward pass; only the forward pass itself is pretended, layer
by layer, through upstream's own decorator.
"""

import contextlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.rigs.recording_connector import (
    MODULE,
    Call,
    Plan,
    Script,
    Tape,
    connector_base,
    install,
    recording_class,
)
from annotator.probes.rigs.vllm_scheduler import Rig, Settings, make_rig

LAYERS = ("layers.0.attention", "layers.1.attention")
"""Names of the two attention layers that the pretended forward pass has."""


@dataclass(slots=True)
class Worker:
    """The worker's side of a step: upstream's wrapper around a pretended forward pass.

    Attributes:
        config: upstream's configuration.
        connector: the worker's connector.
        tape: where the pretended forward pass is noted.
        runner: `V1` for the mixin of the older model runner, `V2` for the newer one's wrapper.
        wrapper: the newer runner's wrapper object.
        attention: upstream's decorator around a pretended attention layer.
    """

    config: Any
    connector: Any
    tape: Tape
    runner: str
    wrapper: Any
    attention: Callable[[str], None]

    def step(self, scheduled: Any) -> Any:
        """Runs one step and returns what the worker reports about its transfers."""
        return self._step_v1(scheduled) if self.runner == "V1" else self._step_v2(scheduled)

    def _step_v1(self, scheduled: Any) -> Any:
        from vllm.v1.worker.kv_connector_model_runner_mixin import KVConnectorModelRunnerMixin

        mixin = KVConnectorModelRunnerMixin
        if not scheduled.total_num_scheduled_tokens:
            return mixin.kv_connector_no_forward(scheduled, self.config).kv_connector_output
        with self.forward_context(), mixin.maybe_get_kv_connector_output(scheduled) as output:
            self._forward()
        return output

    def _step_v2(self, scheduled: Any) -> Any:
        if not scheduled.total_num_scheduled_tokens:
            return self.wrapper.no_forward(scheduled).kv_connector_output
        with self.forward_context():
            self.wrapper.pre_forward(scheduled)
            self._forward()
            if hasattr(self.wrapper, "finish_forward"):
                self.wrapper.finish_forward()
        takes_ids = "finished_req_ids" in inspect.signature(self.wrapper.post_forward).parameters
        return self.wrapper.post_forward(scheduled.finished_req_ids if takes_ids else scheduled)

    def _forward(self) -> None:
        self.tape.note("forward", "driver")
        for layer in LAYERS:
            self.attention(layer)

    @contextlib.contextmanager
    def forward_context(self) -> Iterator[None]:
        """Upstream's context of a forward pass, with metadata for every layer."""
        from vllm.forward_context import set_forward_context

        metadata = {layer: object() for layer in LAYERS}
        parameters = inspect.signature(set_forward_context).parameters
        slots: dict[str, Any] = {"slot_mapping": {}} if "slot_mapping" in parameters else {}
        with set_forward_context(metadata, self.config, **slots):
            yield


@dataclass(slots=True)
class ConnectorRig:
    """Scheduler and worker, joined by one recording connector each.

    Attributes:
        rig: the scheduler's rig.
        worker: the worker's side.
        tape: what was called.
        script: what the connectors answer.
        events: request id → names of the events that the scheduler has handed out for it.
    """

    rig: Rig
    worker: Worker
    tape: Tape
    script: Script
    events: dict[str, list[str]] = field(default_factory=dict)

    @property
    def scheduler(self) -> Any:
        """Upstream's scheduler."""
        return self.rig.scheduler

    def renew(self) -> None:
        """Starts again with a fresh scheduler, an empty tape and an empty script; the worker stays."""
        self.tape.calls.clear()
        self.tape.step = 0
        self.script.plans.clear()
        self.script.default = Plan()
        self.script.arrived.clear()
        self.script.sent.clear()
        self.script.failed_blocks.clear()
        self.events.clear()
        self.rig.renew()

    def step(self) -> tuple[Any, Any]:
        """One whole engine step: schedule, worker, update.

        Returns:
            What was scheduled and the outputs by client.
        """
        self.tape.step += 1
        decision = self.rig.schedule()
        scheduled = decision.raw
        for request_id in sorted(decision.preempted):
            self._note_before_questions("preempted", request_id)
        for request_id in sorted(self.script.arrived):
            self.tape.note("arrived", "driver", request_id)
        outputs = self.rig.update(scheduled, connector_output=self.worker.step(scheduled))
        for client in outputs.values():
            for one in client.outputs:
                names = [event.type.name for event in one.events or ()]
                self.events.setdefault(one.request_id, []).extend(names)
        return scheduled, outputs

    def loads_under_way(self) -> list[str]:
        """Requests with an asynchronous load that no worker has reported as done."""
        asynchronous: dict[str, bool] = {}
        loading: list[str] = []
        for call in self.tape.calls:
            if call.hook == "get_num_new_matched_tokens":
                asynchronous[call.request] = call["asynchronous"]
            elif call.hook == "update_state_after_alloc" and call["external"]:
                loading += [call.request] if asynchronous[call.request] else []
            elif call.hook == "arrived":
                loading.remove(call.request)
        return loading

    def _note_before_questions(self, hook: str, request_id: str) -> None:
        """Notes something that the scheduler did without a hook, before what it asked about the request afterwards."""
        calls = self.tape.calls
        position = next(
            (
                index
                for index, call in enumerate(calls)
                if call.step == self.tape.step and call.request == request_id
            ),
            len(calls),
        )
        calls.insert(position, Call(hook, "driver", self.tape.step, request_id))


def make_connector_rig(
    context: Context,
    settings: Settings,
    runner: str = "V1",
    handles_groups: bool = False,
    **transfer: Any,
) -> ConnectorRig:
    """Builds a scheduler and a worker's side with a recording connector in both.

    Args:
        context: the probe's context.
        settings: how the scheduler is set up, without its connector.
        runner: whose wrapper is driven, `V1` or `V2`.
        handles_groups: whether the connector implements the interface for several cache groups.
        **transfer: further fields of the KV transfer configuration.
    """
    from vllm.distributed.kv_transfer import kv_transfer_state
    from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
    from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorRole

    tape, script = Tape(), Script()
    fields = install(connector_base(), tape, script, handles_groups=handles_groups)
    rig = make_rig(context, replace(settings, connector={**fields, **transfer}))
    connector = KVConnectorFactory.create_connector(
        rig.config, KVConnectorRole.WORKER, rig.cache_config
    )
    kv_transfer_state._KV_CONNECTOR_AGENT = connector
    layers = rig.config.compilation_config.static_forward_context
    for layer in LAYERS:
        layers[layer] = types.SimpleNamespace(kv_cache=[None])
    wrapper = None
    if runner == "V2":
        from vllm.v1.worker.gpu.kv_connector import ActiveKVConnector

        wrapper = ActiveKVConnector(rig.config, {})
    worker = Worker(rig.config, connector, tape, runner, wrapper, _attention(tape))
    return ConnectorRig(rig, worker, tape, script)


def make_multi_rig(
    context: Context, settings: Settings, offers: tuple[int, ...]
) -> tuple[Rig, list[Tape]]:
    """A scheduler with upstream's `MultiConnector` over several recording connectors.

    Args:
        context: the probe's context.
        settings: how the scheduler is set up, without its connector.
        offers: how many tokens each child has of every request.
    """
    tapes: list[Tape] = []
    children: list[dict[str, Any]] = []
    module = types.ModuleType(MODULE)
    for index, offer in enumerate(offers):
        plan = Plan("sync", offer) if offer else Plan()
        tapes.append(Tape())
        name = f"RecordingConnector{index}"
        cls = recording_class(connector_base(), tapes[-1], Script(default=plan))
        vars(module)[name] = cls
        children.append(
            {"kv_connector": name, "kv_connector_module_path": MODULE, "kv_role": "kv_both"}
        )
    sys.modules[MODULE] = module
    transfer = {
        "kv_connector": "MultiConnector",
        "kv_role": "kv_both",
        "kv_connector_extra_config": {"connectors": children},
    }
    return make_rig(context, replace(settings, connector=transfer)), tapes


def _attention(tape: Tape) -> Callable[[str], None]:
    from vllm.model_executor.layers.attention.kv_transfer_utils import maybe_transfer_kv_layer

    def attention(layer_name: str) -> None:
        tape.note("attention", "driver", layer=layer_name)

    decorated: Callable[[str], None] = maybe_transfer_kv_layer(attention)
    return decorated
