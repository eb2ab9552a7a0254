"""A matrix of probes, commits and devices, given out to a crew run by run."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from annotator.model.failures import Incomplete
from annotator.model.probe import ProbeRun, ProbeStatus
from annotator.model.upstream import Upstream
from annotator.probes.results import Results
from annotator.tasks.crew import Crew, run_shared
from annotator.tasks.probe import ProbeWork
from annotator.tasks.probe_part import (
    PartRun,
    ProbePart,
    code_digest,
    files_digest,
    run_probe_part,
)
from annotator.tasks.progress import Progress


class ProbeCrew:
    """Has the workers of a crew do runs: a `RunAll` of `annotator.tasks.probe`.

    Each run is a part of its own. A worker finds environments and source on its own machine, as annot does on any. What
    it sees is kept here as soon as it is known, so that a matrix that was broken off goes on where it was.

    Args:
        crew: the workers.
        results: where results are kept; none to run everything again.
        upstreams: what the study says of upstreams, so that workers can fetch their source.
        repo_of: gives the repository to read before an upstream's synced source, if there is one.
        pythons: interpreters that workers use, if not those that they find.
        options: settings for the probes.
    """

    def __init__(
        self,
        crew: Crew,
        results: Results | None,
        *,
        upstreams: Mapping[str, Upstream],
        repo_of: Callable[[str], Path | None] = lambda upstream: None,
        pythons: Sequence[Path] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._crew = crew
        self._results = results
        self._upstreams = upstreams
        self._repo_of = repo_of
        self._pythons = tuple(str(python.absolute()) for python in pythons)
        self._options = dict(options or {})

    def __call__(self, work: Sequence[ProbeWork], progress: Progress) -> Sequence[ProbeRun]:
        """Does the runs.

        Raises:
            UserMistake: if what a cluster needs is not installed.
            Incomplete: if the cluster does not answer, or its workers are lost again and again.
        """
        parts = list(self._parts(work))
        runs: dict[int, ProbeRun] = {}
        lack = self._gpu_lack() if any(map(_may_have_gpu, parts)) else None
        share, gpu_share = [], []
        for part in parts:
            if not self._crew.cluster or not _may_have_gpu(part):
                share.append(part)
            elif lack is None:
                gpu_share.append(part)
            elif part.device == "cuda":
                runs[part.at] = replace(part.skipped, reason=str(lack), hint=lack.hint)
            else:
                share.append(part)
        progress("", len(runs), len(work))
        shares = [(self._crew, share), (self._crew._replace(gpu=True), gpu_share)]
        for part, came in run_shared(run_probe_part, shares):
            runs[part.at] = self._received(part, came)
            progress(f"{part.skipped.probe} {part.skipped.label}", len(runs), len(work))
        return [runs[at] for at in range(len(work))]

    def _gpu_lack(self) -> Incomplete | None:
        """Why no worker of the cluster runs anything on a GPU, if none does."""
        if not self._crew.cluster:
            return None
        with self._crew._replace(gpu=True).executor() as workforce:
            try:
                workforce.look(patience=0)
            except Incomplete as lack:
                return lack
        return None

    def _parts(self, work: Sequence[ProbeWork]) -> Iterator[ProbePart]:
        known: dict[tuple[str, str], dict[str, ProbeRun]] = defaultdict(dict)
        for key, run in self._results.runs() if self._results else ():
            known[run.probe, run.label][key] = run
        digests: dict[tuple[str, tuple[str, ...]], str] = {}
        for at, (each, reach, source, ref, device) in enumerate(work):
            # Ids of imported releases depend on what else was imported; a probe without paths needs no source.
            named = source.repository is not None and source.repository.is_release_import
            if named and (source.commit, each.paths) not in digests:
                digests[source.commit, each.paths] = files_digest(each, source)
            repo = self._repo_of(each.upstream)
            yield ProbePart(
                at=at,
                skipped=_skipped(work[at]),
                reach=reach,
                device=device,
                options=self._options,
                code=code_digest(each.name),
                ref=(source.label if named or not each.paths else source.commit)
                if source.commit
                else ref,
                label=source.label if source.commit else "",
                files=digests[source.commit, each.paths] if named else "",
                upstream=self._upstreams.get(each.upstream),
                repo=str(repo.absolute()) if repo else None,
                pythons=self._pythons,
                brought=known[each.name, source.label] if self._results else None,
            )

    def _received(self, part: ProbePart, came: PartRun) -> ProbeRun:
        run = came.run
        if self._results and came.key not in {"", *(part.brought or ())}:
            self._results.put(came.key, replace(run, remembered=False))
        if part.skipped.commit:
            run = replace(run, commit=part.skipped.commit)
        if self._crew.cluster and run.status is ProbeStatus.SKIPPED and not run.is_complete:
            run = replace(run, reason=f"on {came.worker}: {run.reason}")
        return run


def _may_have_gpu(part: ProbePart) -> bool:
    return part.reach == "compiled" and part.device != "cpu"


def _skipped(work: ProbeWork) -> ProbeRun:
    each, on_gpu = work.probe, work.reach == "compiled" and work.device == "cuda"
    return ProbeRun(
        probe=each.name,
        version=each.version,
        upstream=each.upstream,
        commit=work.source.commit,
        label=work.source.label,
        tier="source" if work.reach == "source" else each.tiers[-1],
        device="cuda" if on_gpu else "cpu",
        status=ProbeStatus.SKIPPED,
    )
