"""One run of a probe, given out to a worker: all that it has to know, and what it does."""

import hashlib
import json
import socket
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from annotator.model.failures import AnnotError, Incomplete
from annotator.model.probe import ProbeRun
from annotator.model.upstream import Upstream
from annotator.probes.choice import Reach
from annotator.probes.contract import Probe
from annotator.probes.environments import find_environments
from annotator.probes.known import load_probe
from annotator.probes.own_code import code_of
from annotator.probes.results import Results, TravellingResults, result_key
from annotator.probes.runner import Runner, Source
from annotator.probes.trees import files_under
from annotator.tasks.crew_source import fetch_where_missing
from annotator.tasks.probe import source_of
from annotator.tasks.workspace import Workspace
from annotator.upstream.folders import cache_folder


class ProbePart(NamedTuple):
    """One run.

    Attributes:
        at: its number among all runs.
        skipped: the run as it is if it cannot be had, but for the reason.
        reach: whether with compiled code.
        device: what that is to run on.
        options: settings for the probe.
        code: digest of the probe's code where the run was asked for.
        ref: the commit: its id where that is the same on every machine.
        label: tag or short id for people; empty where the worker has to say what there is.
        files: digest of the files that the probe runs, where `ref` is only a name.
        upstream: what the study says of the upstream, so that its source can be fetched.
        repo: a repository to read before the synced source, if one is given.
        pythons: interpreters to run it under, if not those that the worker finds.
        brought: earlier results by their keys; none to run again what was run before.
    """

    at: int
    skipped: ProbeRun
    reach: Reach
    device: str
    options: Mapping[str, Any]
    code: str
    ref: str
    label: str
    files: str
    upstream: Upstream | None
    repo: str | None
    pythons: tuple[str, ...]
    brought: Mapping[str, ProbeRun] | None


class PartRun(NamedTuple):
    """What came of it.

    Attributes:
        run: the run.
        key: what its result is kept under; empty if it is not to be kept.
        worker: the machine.
    """

    run: ProbeRun
    key: str
    worker: str


def run_probe_part(part: ProbePart) -> PartRun:
    """Runs a probe under the environments of this machine. What the machine lacks is the run's reason."""
    results = None
    if part.brought is not None:
        results = TravellingResults(part.brought, Results(cache_folder()))
    try:
        run = _run(part, results)
    except AnnotError as error:
        run = replace(part.skipped, reason=str(error), hint=error.hint)
    key = results.key if results is not None and run.is_complete else ""
    return PartRun(run, key, socket.gethostname())


def _run(part: ProbePart, results: TravellingResults | None) -> ProbeRun:
    name, upstream = part.skipped.probe, part.skipped.upstream
    if code_digest(name) != part.code:
        raise Incomplete(
            f"the probe {name} is another one here",
            hint="give every worker the same version of annot",
        )
    each = load_probe(name)
    repo = Path(part.repo) if part.repo else None
    if repo is None and part.upstream is not None and each.paths:
        fetch_where_missing(upstream, part.upstream, part.ref)
    environments = find_environments(cache_folder(), [Path(python) for python in part.pythons])
    runner = Runner(environments, results, device=part.device, options=part.options)
    with Workspace(cache_folder(), repo) as workspace:
        source = source_of(workspace, runner, each, part.ref)
        if part.files and files_digest(each, source) != part.files:
            raise Incomplete(
                f"{part.ref} of {upstream} has other files here",
                hint="give every worker the same source",
            )
        labelled = source._replace(label=part.label) if part.label else source
        return runner.run(each, labelled, part.reach)


@cache
def code_digest(name: str) -> str:
    """Digest of all the code of ours that a probe runs."""
    return result_key(code_of(name).items(), {})


def files_digest(each: Probe, source: Source) -> str:
    """Digest of the names and contents of upstream's files that a probe runs; empty if there are none."""
    if source.repository is None or not each.paths:
        return ""
    files = files_under(source.repository, source.commit, each.paths)
    return hashlib.blake2b(json.dumps(sorted(files.items())).encode(), digest_size=12).hexdigest()
