"""A study tried before it is written: nothing of the study itself changes."""

from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.store.problems import Problem, ProblemsFound, shown
from annotator.store.rehearsal import rehearsed
from annotator.store.whole_change import FileChange


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "anchors" / "route").mkdir(parents=True)
    (tmp_path / "anchors" / "route" / "a.yaml").write_text("old\n", encoding="utf-8")
    return tmp_path / "anchors"


CHANGES = [
    FileChange("route/a.yaml", "old\n", "new\n"),
    FileChange("made/b.yaml", None, "made\n"),
]


def test_the_copy_has_the_changes_and_the_study_has_not(folder: Path) -> None:
    with rehearsed(folder, CHANGES) as copy:
        assert (copy / "route/a.yaml").read_text(encoding="utf-8") == "new\n"
        assert (copy / "made/b.yaml").read_text(encoding="utf-8") == "made\n"
    assert not copy.exists()
    assert (folder / "route/a.yaml").read_text(encoding="utf-8") == "old\n"
    assert not (folder / "made").exists()


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_nothing_is_written_through_a_link(
    folder: Path, tmp_path: Path, change: FileChange
) -> None:
    (folder / "route").rename(folder / "real")
    for name in ("route", "made"):
        (folder / name).symlink_to(folder / "real", target_is_directory=True)
    with pytest.raises(UserMistake, match="leads out of the study"), rehearsed(folder, [change]):
        pass
    assert [path.name for path in (folder / "real").iterdir()] == ["a.yaml"]
    assert (folder / "real" / "a.yaml").read_text(encoding="utf-8") == "old\n"


def test_problems_are_told_of_the_study_itself(folder: Path) -> None:
    with pytest.raises(ProblemsFound) as told, rehearsed(folder, CHANGES) as copy:
        raise ProblemsFound([Problem((copy / "route/a.yaml").as_posix(), 1, 1, "broken")])
    assert [problem.file for problem in told.value.problems] == [f"{shown(folder)}/route/a.yaml"]
