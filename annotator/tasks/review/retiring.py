"""Retiring an anchor: out of its file, with a record of what it was and why it went."""

from pathlib import Path

from annotator.model.failures import UserMistake
from annotator.model.review import Retired
from annotator.probes.known import probe_names
from annotator.store.edit import anchor_loc
from annotator.store.rehearsal import rehearsed
from annotator.store.reshape import without_item
from annotator.store.review_files import with_decision
from annotator.store.study_loader import load_study
from annotator.store.whole_change import FileChange, file_change
from annotator.store.yaml_source import YamlSource, read_yaml
from annotator.tasks.review.accepting import Verdict
from annotator.tasks.review.queue import Pending, lasting_ref
from annotator.tasks.workspace import Workspace


def retirement(
    workspace: Workspace, folder: Path, pending: Pending, ref: str, verdict: Verdict
) -> tuple[FileChange, ...]:
    """The changes that take an anchor out of the study in `folder` and record that.

    Raises:
        UserMistake: if it is its question's only anchor.
        ProblemsFound: if something else in the study still names it.
    """
    placed, result = pending
    anchor = placed.anchor
    path = folder / placed.file
    source = read_yaml(path)
    loc = anchor_loc(source, anchor.id)
    if len(_list(source, loc[:-1])) == 1:
        raise UserMistake(
            f"{anchor.id} is the only anchor of {placed.owner}",
            hint="give it another target (m), or take the whole question out by hand",
        )
    now = workspace.revision(placed.upstream, ref)
    before = workspace.revision(placed.upstream, result.baseline)
    record = Retired(
        owner=placed.owner,
        target=anchor.target,
        note=anchor.note,
        from_ref=lasting_ref(before),
        ref=lasting_ref(now),
        drift=result.resolution.outcome,
        by=verdict.by,
        date=verdict.date,
        reason=verdict.reason,
    )
    changes = (
        file_change(folder, placed.file, without_item(source, loc).text),
        with_decision(folder, placed.upstream, anchor.id, record),
    )
    with rehearsed(folder, changes) as copy:
        load_study(copy, probe_names())
    return changes


def _list(source: YamlSource, loc: tuple[str | int, ...]) -> list[object]:
    value = source.value_at(loc)
    return list(value) if isinstance(value, list) else []
