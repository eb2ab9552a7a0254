"""A new record: every field of the template, filled where a fact was found, marked where it has to be written."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from annotator.model.experiment import ExperimentFile
from annotator.model.failures import AnnotError
from annotator.model.record import NOT_USED, TO_FILL, Record, SoftwareFacts
from annotator.store.json_schema import schema_of
from annotator.store.yaml_source import Loc
from annotator.tasks.records.found import Found
from annotator.tasks.workspace import Workspace

HEADINGS = {
    "software": "release / commit / in-process 或 MP",
    "model": "模型仓库 / revision / tokenizer / chat template",
    "gpu": "GPU 型号与数量 / 显存 / GPU-NIC 拓扑",
    "system": "OS / driver / CUDA / PyTorch / NCCL",
    "attention": "attention backend / dtype / KV dtype / KV layout",
    "parallel": "TP / PP / DP / EP",
    "connector": "connector 名称与完整配置",
    "blocks": "block size / 实际协商后的 chunk size",
    "host": "CPU / NUMA / 主存与 pinned-memory 预算",
    "network": "网络 / 介质 / 有效吞吐",
    "workload": "压测输入输出分布 / 并发或到达率 / SLO",
    "runs": "warmup / 缓存冷热 / 重复次数",
}
"""The lines of the handbook's template, by section of a record."""


class Draft(NamedTuple):
    """A record to be written.

    Attributes:
        data: what it says.
        above: the template's words above each section.
        beside: behind each value, where it was found or what to write.
        missing: paths of the facts that are still to be filled.
    """

    data: dict[str, Any]
    above: dict[Loc, str]
    beside: dict[Loc, str]
    missing: tuple[str, ...]


def draft(name: str, date: str, experiments: ExperimentFile, found: Mapping[str, Found]) -> Draft:
    """The record of an experiment, as far as facts were found.

    Args:
        name: name of the experiment.
        date: its day.
        experiments: what the study knows about its experiments.
        found: facts by path.
    """
    data: dict[str, Any] = {"schema": 1, "name": name, "date": date, "software": {}}
    beside: dict[Loc, str] = {}
    missing: list[str] = []

    def fill(section: Loc, model: type[BaseModel], into: dict[str, Any], keys: list[str]) -> None:
        said = schema_of(model)["properties"]
        for key in keys:
            path = ".".join(map(str, (*section, key)))
            one = found.get(path)
            into[key] = one.value if one else TO_FILL
            beside[*section, key] = (
                one.where if one else f"to fill: {said[key]['description'].rstrip('.')}"
            )
            if one is None:
                missing.append(path)

    def took_no_part(program: str, keys: list[str]) -> None:
        for key in keys:
            data["software"][program][key] = NOT_USED
            beside["software", program, key] = "it took no part"
            path = f"software.{program}.{key}"
            if path in missing:
                missing.remove(path)

    for program, one in experiments.software.items():
        keys = ["release", "commit", *(["mode"] if one.modes else [])]
        data["software"][program] = {}
        fill(("software", program), SoftwareFacts, data["software"][program], keys)
        if data["software"][program]["release"] == NOT_USED:
            took_no_part(program, keys[1:])
        elif one.modes and data["software"][program]["mode"] == TO_FILL:
            beside["software", program, "mode"] = f"to fill: {' or '.join(one.modes)}"
    for section, model in _sections():
        data[section] = {}
        fill((section,), model, data[section], list(model.model_fields))
    above: dict[Loc, str] = {(section,): text for section, text in HEADINGS.items()}
    return Draft(data, above, beside, tuple(missing))


def commits_of_releases(
    workspace: Workspace, experiments: ExperimentFile, found: Mapping[str, Found]
) -> Iterator[Found]:
    """The commits of releases whose environment names none, from the source at hand."""
    for program, one in experiments.software.items():
        release = found.get(f"software.{program}.release")
        if one.upstream is None or release is None or release.value == NOT_USED:
            continue
        if commit := release_commit(workspace, one.upstream, release.value):
            where = f"source of {one.upstream} {release.value}"
            yield Found(f"software.{program}.commit", commit, where)


def release_commit(workspace: Workspace, upstream: str, release: str) -> str:
    """As much of the commit's id of a release as the source at hand tells; maybe nothing."""
    tag = f"v{release.removeprefix('v').partition('+')[0]}"
    try:
        repository, commit = workspace.sources(upstream).find(tag)
        return repository.upstream_commit(commit)
    except AnnotError:
        return ""


def _sections() -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in Record.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield name, field.annotation
