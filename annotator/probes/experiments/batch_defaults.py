"""Upstream's limits of a step against the model: defaults on GPUs that are pretended, and limits that are refused."""

from itertools import product
from types import SimpleNamespace
from typing import Any
from unittest import mock

from annotator.probes.contract import Context
from annotator.probes.reference import batch_defaults as reference
from annotator.probes.reference.batch_defaults import Defaults

GIBIBYTE = 1 << 30
GPUS = (
    (24, "NVIDIA L4"),
    (69, "NVIDIA H100 PCIe"),
    (70, "NVIDIA H100 PCIe"),
    (79, "NVIDIA A100-SXM4-80GB"),
    (80, "NVIDIA H100 80GB HBM3"),
    (141, "NVIDIA H200"),
    (159, "NVIDIA H200"),
    (160, "NVIDIA B200"),
    (180, "NVIDIA B200"),
)
LONGEST = 512


def observe_defaults(context: Context) -> None:
    """What `EngineArgs.get_batch_defaults` says on GPUs of several sizes."""
    from vllm.engine import arg_utils
    from vllm.usage.usage_lib import UsageContext

    seen: dict[str, Defaults] = {}
    for memory, name in GPUS:
        with mock.patch.object(arg_utils, "current_platform", _platform(memory, name)):
            tokens, requests = arg_utils.EngineArgs.get_batch_defaults(world_size=1)
        both = {requests[UsageContext.LLM_CLASS], requests[UsageContext.OPENAI_API_SERVER]}
        seen[f"{name}, {memory} GiB"] = Defaults(
            tokens[UsageContext.LLM_CLASS], tokens[UsageContext.OPENAI_API_SERVER], max(both)
        )
    context.saw("defaults", {key: list(value) for key, value in seen.items()})
    wrong = [
        f"{name}, {memory} GiB: {found}"
        for (memory, name), found in zip(GPUS, seen.values(), strict=True)
        if found != reference.defaults_for(memory, name)
    ]
    said = wrong[0] if wrong else f"{len(GPUS)} GPUs, their memory and name pretended, agree"
    context.verdict("defaults-by-gpu", not wrong, said)


def observe_limits(context: Context) -> None:
    """Fewer tokens in a step than requests are refused."""
    from vllm.config import SchedulerConfig

    wrong: list[str] = []
    for tokens, requests in product((1, 4, 8, 64), repeat=2):
        try:
            made = context.call(
                SchedulerConfig,
                max_num_batched_tokens=tokens,
                max_num_seqs=requests,
                max_model_len=LONGEST,
                enable_chunked_prefill=True,
                is_encoder_decoder=False,
            )
            if hasattr(made, "verify_max_model_len"):  # a step of its own from 0.20
                made.verify_max_model_len(LONGEST)
            taken = True
        except ValueError:
            taken = False
        if taken is not reference.accepted(tokens, requests):
            wrong.append(f"{tokens} tokens and {requests} requests: {'' if taken else 'not '}taken")
    said = wrong[0] if wrong else "16 pairs of limits: refused exactly if there are fewer tokens"
    context.verdict("tokens-at-least-seats", not wrong, said)


def _platform(memory: int, name: str) -> Any:
    return SimpleNamespace(
        get_device_total_memory=lambda device_id=0: memory * GIBIBYTE,
        get_device_name=lambda device_id=0: name,
        is_tpu=lambda: False,
        is_cpu=lambda: False,
        is_device_capability=lambda *_: False,
        is_device_capability_family=lambda *_: False,
        get_device_capability=lambda device_id=0: None,
    )
