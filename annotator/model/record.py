"""Experiment records: everything without which a measured figure says nothing to anybody else."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from annotator.model.written import Date, Slug, Written

TO_FILL = "?"
"""A fact that somebody still has to write down."""

NOT_USED = "none"
"""A fact that does not apply: the software is not part of the experiment, there is no such part."""


def _as_text(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _some_text(value: str) -> str:
    if not value.strip():
        raise ValueError("the value is empty; write '?' for what is not known yet")
    return value.strip()


Fact = Annotated[
    str,
    BeforeValidator(_as_text),
    AfterValidator(_some_text),
    WithJsonSchema({"type": ["string", "number"]}),
]
"""One entry; `?` where it is still to be filled, `none` where there is nothing."""


class SoftwareFacts(Written):
    """Which build of one program took part.

    Attributes:
        release: its version, or none if it took no part.
        commit: full id of the commit it was built from.
        mode: how it ran, where there are several ways.
    """

    release: Fact = TO_FILL
    commit: Fact = TO_FILL
    mode: Fact | None = None


class ModelFacts(Written):
    """The model that was served.

    Attributes:
        repository: where it comes from, as owner/name.
        revision: commit id of the weights.
        tokenizer: where the tokenizer comes from.
        tokenizer_revision: commit id of the tokenizer.
        chat_template: hash of the template, as sha256:…, or none.
    """

    repository: Fact = TO_FILL
    revision: Fact = TO_FILL
    tokenizer: Fact = TO_FILL
    tokenizer_revision: Fact = TO_FILL
    chat_template: Fact = TO_FILL


class GpuFacts(Written):
    """The accelerators.

    Attributes:
        model: product name.
        count: how many of them the experiment used.
        memory: memory of each, with unit.
        topology: how they are connected with each other and with network cards.
    """

    model: Fact = TO_FILL
    count: Fact = TO_FILL
    memory: Fact = TO_FILL
    topology: Fact = TO_FILL


class SystemFacts(Written):
    """What lies between the hardware and the programs.

    Attributes:
        os: distribution and kernel.
        driver: version of the accelerator's driver.
        cuda: version of CUDA that the programs run with.
        pytorch: version of PyTorch.
        nccl: version of NCCL.
        python: version of Python.
    """

    os: Fact = TO_FILL
    driver: Fact = TO_FILL
    cuda: Fact = TO_FILL
    pytorch: Fact = TO_FILL
    nccl: Fact = TO_FILL
    python: Fact = TO_FILL


class AttentionFacts(Written):
    """How attention is computed and KV is kept.

    Attributes:
        backend: attention backend that was chosen.
        dtype: type of weights and activations.
        kv_dtype: type of the KV cache.
        kv_layout: order of the dimensions of the KV cache.
    """

    backend: Fact = TO_FILL
    dtype: Fact = TO_FILL
    kv_dtype: Fact = TO_FILL
    kv_layout: Fact = TO_FILL


class ParallelFacts(Written):
    """How the model is spread over accelerators.

    Attributes:
        tp: tensor parallel size.
        pp: pipeline parallel size.
        dp: data parallel size.
        ep: expert parallel size, or none.
    """

    tp: Fact = TO_FILL
    pp: Fact = TO_FILL
    dp: Fact = TO_FILL
    ep: Fact = TO_FILL


class ConnectorFacts(Written):
    """How KV leaves and enters the engine.

    Attributes:
        name: name of the connector, or none.
        config: its whole configuration, as JSON text.
    """

    name: Fact = TO_FILL
    config: Fact = TO_FILL


class BlockFacts(Written):
    """In which units KV is kept and moved.

    Attributes:
        block_size: tokens of a block of the engine.
        chunk_size: tokens of a chunk of the external cache, as negotiated at run time.
    """

    block_size: Fact = TO_FILL
    chunk_size: Fact = TO_FILL


class HostFacts(Written):
    """The machine around the accelerators.

    Attributes:
        cpu: processor and number of cores.
        numa: NUMA nodes and their cores, and how processes are bound to them.
        memory: main memory, with unit.
        pinned_memory: budget of pinned memory, with unit.
    """

    cpu: Fact = TO_FILL
    numa: Fact = TO_FILL
    memory: Fact = TO_FILL
    pinned_memory: Fact = TO_FILL


class NetworkFacts(Written):
    """What KV travels over and is stored on.

    Attributes:
        link: network between the machines, or none.
        medium: storage medium, or none.
        throughput: throughput that was measured, not the nominal one, with unit.
    """

    link: Fact = TO_FILL
    medium: Fact = TO_FILL
    throughput: Fact = TO_FILL


class WorkloadFacts(Written):
    """What was asked of the system.

    Attributes:
        lengths: distribution of input and output lengths, and the data set.
        arrival: concurrency, or arrival rate and process.
        slo: targets of latency that count as served.
    """

    lengths: Fact = TO_FILL
    arrival: Fact = TO_FILL
    slo: Fact = TO_FILL


class RunFacts(Written):
    """How it was measured.

    Attributes:
        warmup: what ran before measuring.
        cache_state: cold, warm, and how that was made sure.
        repetitions: how often it was measured.
    """

    warmup: Fact = TO_FILL
    cache_state: Fact = TO_FILL
    repetitions: Fact = TO_FILL


class Record(Written):
    """A file anchors/records/NAME.yaml: one experiment, by the handbook's template.

    Attributes:
        schema_: version of the file format (key `schema`).
        name: name of the experiment, unique in the study.
        date: day of the experiment, as YYYY-MM-DD.
        software: which builds took part, by name.
        model: the model that was served.
        gpu: the accelerators.
        system: what lies between the hardware and the programs.
        attention: how attention is computed and KV is kept.
        parallel: how the model is spread over accelerators.
        connector: how KV leaves and enters the engine.
        blocks: in which units KV is kept and moved.
        host: the machine around the accelerators.
        network: what KV travels over and is stored on.
        workload: what was asked of the system.
        runs: how it was measured.
    """

    schema_: Literal[1] = Field(alias="schema")
    name: Slug
    date: Date
    software: dict[Slug, SoftwareFacts]
    model: ModelFacts
    gpu: GpuFacts
    system: SystemFacts
    attention: AttentionFacts
    parallel: ParallelFacts
    connector: ConnectorFacts
    blocks: BlockFacts
    host: HostFacts
    network: NetworkFacts
    workload: WorkloadFacts
    runs: RunFacts

    def facts(self) -> Iterator[tuple[str, str]]:
        """Every fact with its dotted path (`software.NAME.release`, `gpu.model`), in the template's order."""
        data = self.model_dump(exclude={"schema_", "name"}, exclude_none=True)
        yield "date", data.pop("date")
        for name, facts in data.pop("software").items():
            yield from ((f"software.{name}.{key}", value) for key, value in facts.items())
        for section, facts in data.items():
            yield from ((f"{section}.{key}", value) for key, value in facts.items())
