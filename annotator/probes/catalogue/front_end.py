"""From a call to requests for EngineCore, and from its outputs back: what the front end does without an engine."""

from annotator.probes.contract import Check, Context, Probe
from annotator.probes.experiments.front_end import (
    observe_defaults,
    observe_parameters,
    observe_prompts,
    observe_samples,
    observe_wire,
)

CHECKS = (
    Check(
        "ids-are-one-prompt",
        "`prompt_to_seq` 把一个字符串或一个整数列表当作一个 prompt，其他列表当作多个。",
        "`prompt_to_seq` takes a text or a list of integers for one prompt, any other list for several.",
    ),
    Check(
        "lengths-must-match",
        "`_params_to_seq` 接受一个共用的参数或与 prompt 一样多的参数，否则抛错。",
        "`_params_to_seq` takes one parameter for all or as many as prompts, and raises otherwise.",
    ),
    Check(
        "told-when-all-are-done",
        "`FINAL_ONLY` 下，`ParentRequest.get_outputs` 在最后一个子请求结束前返回空列表，之后按下标返回全部输出。",
        "With `FINAL_ONLY`, `ParentRequest.get_outputs` returns an empty list until the last child has finished, and then all outputs by index.",
    ),
    Check(
        "sixteen-tokens",
        "`SamplingParams()` 的 `max_tokens` 为 16。",
        "`SamplingParams()` has `max_tokens` 16.",
    ),
    Check(
        "request-without-text",
        "`EngineCoreRequest` 没有存放 prompt 文本的字段，按数组编码。",
        "`EngineCoreRequest` has no field for the text of a prompt and is encoded as an array.",
    ),
    Check(
        "stamped-once",
        "`EngineCoreOutputs` 只在没有时间戳时取时间，解码不会重打。",
        "`EngineCoreOutputs` takes the time only where it has none; decoding does not stamp it again.",
    ),
)


def observe(context: Context) -> None:
    """Runs the parts."""
    observe_prompts(context)
    observe_parameters(context)
    observe_samples(context)
    observe_defaults(context)
    observe_wire(context)


PROBE = Probe(
    name="front-end",
    zh="从一次调用到发给 EngineCore 的请求，再从它的输出返回：前端在没有引擎时做什么。",
    en="From a call to requests for EngineCore, and from its outputs back: what the front end does without an engine.",
    upstream="vllm",
    tiers=("source",),
    paths=("vllm",),
    checks=CHECKS,
    version=1,
    observe=observe,
    megabytes=2000,
)
