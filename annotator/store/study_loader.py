"""A study, read from its folder and valid as a whole."""

from collections.abc import Collection
from pathlib import Path

from annotator.model.study import PlacedAnchor, Study
from annotator.store.consistency import dangling_names, register
from annotator.store.problems import ProblemsFound
from annotator.store.study_files import anchors_in, read_files
from annotator.store.whole_change import refuse_unfinished


def load_study(folder: Path, probes: Collection[str] = ()) -> Study:
    """Reads the study in `folder`.

    Args:
        folder: the folder with upstreams.yaml in it.
        probes: names of the probes that claims may call for.

    Raises:
        ProblemsFound: with everything that is wrong in any of the files.
        UserMistake: if a change of several files was interrupted.
    """
    refuse_unfinished(folder)
    files = read_files(folder)
    where, repeated = register(files)
    problems = [*files.problems, *repeated, *dangling_names(files, where, probes)]
    if problems or files.upstreams is None:
        raise ProblemsFound(problems)
    return Study(
        upstreams=files.upstreams.content.upstreams,
        questions=tuple(file.content for file in files.questions),
        resources=tuple(
            (file.content.upstream, resource)
            for file in files.resources
            for resource in file.content.resources
        ),
        handbook=files.handbook.content if files.handbook else None,
        glossary=files.glossary.content if files.glossary else None,
        anchors=tuple(
            PlacedAnchor(
                anchor=anchor,
                upstream=file.content.upstream,
                owner=owner,
                file=file.name,
                line=where["anchor", anchor.id].line,
            )
            for file in files.with_anchors
            for owner, _, anchor in anchors_in(file.content)
        ),
        reviews={
            file.content.anchor: baseline
            for file in files.reviews
            if (baseline := file.content.baseline)
        },
        where=where,
    )
