"""What a KV connector may and must implement, and which connectors upstream accepts and combines."""

import inspect
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference import connector_order as reference
from annotator.probes.rigs.recording_connector import connector_base, public_members
from annotator.probes.rigs.vllm_connector import make_connector_rig, make_multi_rig
from annotator.probes.rigs.vllm_scheduler import Settings


def observe_surface(context: Context) -> None:
    """Every public member of the base class, what the factory accepts, and who loads among several connectors."""
    _observe_members(context)
    _check_groups(context)
    _check_several(context)


def _observe_members(context: Context) -> None:
    base = connector_base()
    members = public_members(base)
    abstract = set(base.__abstractmethods__)
    for name, member in sorted(members.items()):
        context.saw(f"surface.{name}", _describe(name, member, abstract))
    context.verdict(
        "abstract-hooks",
        abstract == reference.ABSTRACT_HOOKS,
        f"abstract: {', '.join(sorted(abstract))}",
    )


def _describe(name: str, member: Any, abstract: set[str]) -> str:
    kind = "abstract " if name in abstract else ""
    if isinstance(member, property):
        return f"{kind}property"
    if isinstance(member, classmethod):
        return f"{kind}class method {_parameters(member.__func__)}"
    if inspect.isfunction(member):
        return f"{kind}method {_parameters(member)}"
    return "attribute"


def _parameters(function: Any) -> str:
    """Names, kinds and whether there is a default; annotations differ too often to mean anything."""
    shown = []
    stars_of: dict[Any, str] = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    for parameter in inspect.signature(function).parameters.values():
        stars = stars_of.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else "=…"
        shown.append(f"{stars}{parameter.name}{default}")
    return f"({', '.join(shown)})"


def _check_groups(context: Context) -> None:
    from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
    from vllm.distributed.kv_transfer.kv_connector.v1.base import KVConnectorRole

    seen: dict[bool, str] = {}
    for handles_groups in (False, True):
        rig = make_connector_rig(context, Settings(block_size=16), "V1", handles_groups).rig
        # The configuration switches the hybrid manager off for a connector that does not handle groups: on again.
        rig.config.scheduler_config.disable_hybrid_kv_cache_manager = False
        try:
            KVConnectorFactory.create_connector(
                rig.config, KVConnectorRole.WORKER, rig.cache_config
            )
            seen[handles_groups] = "accepted"
        except ValueError:
            seen[handles_groups] = "ValueError"
    context.saw("hma.without-support", seen[False])
    context.saw("hma.with-support", seen[True])
    context.verdict(
        "hma-needs-support",
        seen == {False: "ValueError", True: "accepted"},
        f"a connector without support: {seen[False]}; with it: {seen[True]}",
    )


def _check_several(context: Context) -> None:
    rig, tapes = make_multi_rig(context, Settings(blocks=20, block_size=16), offers=(0, 16, 32))
    rig.scheduler.add_request(rig.request("r", range(100, 150), outputs=1))
    scheduled = rig.scheduler.schedule()
    asked = [sum(c.hook == "get_num_new_matched_tokens" for c in tape.calls) for tape in tapes]
    told = [
        [c["external"] for c in tape.calls if c.hook == "update_state_after_alloc"]
        for tape in tapes
    ]
    context.saw("multi.asked", asked)
    context.saw("multi.told", told)
    computed = scheduled.num_scheduled_tokens["r"]
    context.verdict(
        "multi-first-hit",
        asked == [1, 1, 1] and told == [[0], [16], [0]] and computed == 50 - 16,
        f"children offer 0, 16 and 32 tokens: asked {asked}, told {told}, {computed} of 50 tokens computed",
    )
