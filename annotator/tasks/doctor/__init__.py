"""`annot doctor`: looks at everything that a check needs, and runs nothing that takes long."""

from pathlib import Path

from annotator.model.diagnosis import Diagnosis
from annotator.model.version import __version__
from annotator.tasks.doctor.machine import cache, extras, probes, programs
from annotator.tasks.doctor.study import study_state, upstream_state
from annotator.tasks.workspace import Workspace, chosen_upstreams


def diagnose(cache_folder: Path, repo: Path | None, study_dir: Path | None) -> Diagnosis:
    """How everything stands that annot works with.

    Args:
        cache_folder: folder of the caches and of synced sources.
        repo: repository to read before synced sources, if any.
        study_dir: the study that was named, if one was.
    """
    conditions = list(programs())
    study, folder, told = study_state(study_dir)
    conditions += told
    if study is not None and folder is not None:
        with Workspace(cache_folder, repo, study) as workspace:
            for name, upstream in chosen_upstreams(study).items():
                conditions += upstream_state(workspace, folder, study, name, upstream)
    conditions += [*cache(cache_folder), *probes(cache_folder), *extras()]
    return Diagnosis(version=__version__, conditions=tuple(conditions))


__all__ = ["diagnose"]
