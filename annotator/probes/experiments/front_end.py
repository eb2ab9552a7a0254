"""Upstream's way from a call to requests and from outputs back, without an engine, against the model."""

from itertools import permutations, product
from types import SimpleNamespace
from typing import Any

from annotator.probes.contract import Context
from annotator.probes.reference import front_end as reference


def observe_prompts(context: Context) -> None:
    """Texts and token ids, alone and in lists."""
    from vllm.renderers.inputs.preprocess import prompt_to_seq

    given: tuple[Any, ...] = (
        "text",
        ["text"],
        ["one", "two"],
        [1, 2, 3],
        [[1, 2, 3]],
        [[1, 2], [3]],
        ["text", [1, 2]],
        [7],
        [],
    )
    wrong = []
    for each in given:
        seen, expected = list(prompt_to_seq(each)), reference.prompts_of(each)
        if seen != expected:
            wrong.append(f"{each!r} is {seen}, expected {expected}")
    said = wrong[0] if wrong else f"{len(given)} forms of one and several prompts agree"
    context.verdict("ids-are-one-prompt", not wrong, said)


def observe_parameters(context: Context) -> None:
    """As many parameters as prompts, more, fewer, and one for all."""
    try:
        pair = _params_to_seq()
    except ImportError as error:
        why = f"it is a method of a class whose module cannot be loaded here: {error}"
        context.not_applicable("lengths-must-match", why)
        return
    wrong: list[str] = []
    raised: set[str] = set()
    for prompts, parameters in product(range(4), (None, 0, 1, 2, 3, 4)):
        given: Any = object() if parameters is None else list(range(parameters))
        try:
            seen = len(pair(None, given, prompts)) == prompts
        except Exception as error:  # which class it is has changed
            seen = False
            raised.add(type(error).__name__)
        if seen is not reference.takes_parameters(prompts, parameters):
            wrong.append(f"{parameters} parameters for {prompts} prompts: taken {seen}")
    context.saw("parameters.error", sorted(raised))
    said = wrong[0] if wrong else f"24 pairs agree; what does not match raises {sorted(raised)}"
    context.verdict("lengths-must-match", not wrong, said)


def observe_samples(context: Context) -> None:
    """Three and four samples of one request that finish in every order."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind
    from vllm.v1.engine.parallel_sampling import ParentRequest

    wrong: list[str] = []
    tried = 0
    for count in (1, 3, 4):
        parameters = SamplingParams(n=count, output_kind=RequestOutputKind.FINAL_ONLY)
        outputs = {index: f"output {index}" for index in range(count)}
        for order in permutations(range(count)):
            front = SimpleNamespace(
                request_id="r", external_req_id="r", params=parameters, sampling_params=parameters
            )
            parent = ParentRequest(front)
            names = [parent.get_child_info(index)[0] for index in range(count)]
            seen = [_told(parent, names[index], index, outputs[index]) for index in order]
            if seen != (expected := reference.told_after(order, outputs)):
                wrong.append(f"finished in the order {order}: told {seen}, expected {expected}")
            tried += 1
        context.saw(f"samples.names-of-{count}", list(names))
    said = wrong[0] if wrong else f"{tried} orders: all outputs at the end, by index"
    context.verdict("told-when-all-are-done", not wrong, said)


def _told(parent: Any, name: str, index: int, text: str) -> list[str]:
    """What the caller is told when a sample has finished."""
    output = SimpleNamespace(index=index, text=text, finished=lambda: True)
    told, _ = parent.get_outputs(name, output)
    return [each.text for each in told]


def observe_defaults(context: Context) -> None:
    """How much is generated if nobody says."""
    from vllm import SamplingParams

    most = SamplingParams().max_tokens
    context.verdict("sixteen-tokens", most == 16, f"`max_tokens` is {most}")


def observe_wire(context: Context) -> None:
    """What of a request and of a step's outputs goes over the wire."""
    import msgspec
    from vllm.v1.engine import EngineCoreOutputs, EngineCoreRequest

    fields = set(EngineCoreRequest.__struct_fields__)
    texts = sorted(fields & {"prompt", "prompt_text", "text"})
    as_array = bool(EngineCoreRequest.__struct_config__.array_like)
    context.saw("request.fields", sorted(fields))
    context.verdict(
        "request-without-text",
        not texts and as_array,
        f"fields for text: {texts or 'none'}; encoded as an array: {as_array}",
    )
    first = EngineCoreOutputs()
    wire = msgspec.msgpack.encode(first)
    again = [msgspec.msgpack.decode(wire, type=EngineCoreOutputs).timestamp for _ in range(3)]
    given = EngineCoreOutputs(timestamp=12.5).timestamp
    context.verdict(
        "stamped-once",
        first.timestamp > 0 and set(again) == {first.timestamp} and given == 12.5,
        f"decoded three times: {'the same' if len({first.timestamp, *again}) == 1 else 'another'} "
        f"time; a given time of 12.5 is {given}",
    )


def _params_to_seq() -> Any:
    """The method, which has moved from class to class."""
    try:
        from vllm.entrypoints.common.offline import OfflineInferenceMixin as Owner
    except ImportError:
        try:
            from vllm.entrypoints.offline_utils import OfflineInferenceMixin as Owner
        except ImportError:
            from vllm import LLM as Owner  # noqa: N811 - until 0.20 it was the class's own
    return Owner._params_to_seq
