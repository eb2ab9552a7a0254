"""Large repositories, large files, many anchors: what a check says, what it costs. The figures are those of the README.

The short forms are large enough that what they look for would show: a search that keeps what it read, a cost that grows
with the repository instead of with what changed.
"""

import os
from pathlib import Path

import pytest

from annotator.outline.engine import SIZE_LIMIT
from tests.scale.measuring import measured_check
from tests.scale.monorepo import FUNCTIONS, UNITS, make_repository, make_study, path_of, text_of

pytestmark = pytest.mark.skipif(os.name != "posix", reason="memory of a process is measured")
_OTHERS = [k for k in range(FUNCTIONS) if k != 1]


def _search(tmp_path: Path, files: int, step: int) -> tuple[Path, Path]:
    """A repository in which every so many-th file changes, and two symbols are lost, of which one moved."""

    def changed(number: int) -> bytes:
        return text_of(
            number, _OTHERS if number in {30, 40} else range(FUNCTIONS), "    total += 1\n"
        )

    before = ((path_of(n), text_of(n)) for n in range(files))
    after = [(path_of(n), changed) for n in range(0, files, step)]
    repository = make_repository(
        tmp_path,
        [
            before,
            [("pkg/moved.py", text_of(40, [1]))],
            (
                (path, change(number))
                for number, (path, change) in zip(range(0, files, step), after, strict=True)
            ),
        ],
    )
    targets = [f"{path_of(n)}::work_{n}_{k}" for n in range(100, 200) for k in (0, 2)]
    targets += [f"{path_of(30)}::work_30_1", f"{path_of(40)}::work_40_1"]
    return repository, make_study(tmp_path / "study", targets)


@pytest.mark.parametrize(
    ("files", "step", "megabytes", "seconds"),
    [
        pytest.param(20_000, 10, 130, 6, id="a tenth of the files changed"),
        pytest.param(20_000, 1, 200, 15, id="all files changed"),
        pytest.param(100_000, 10, 200, 10, id="100,000 files", marks=pytest.mark.long),
        pytest.param(100_000, 1, 300, 60, id="100,000 changed files", marks=pytest.mark.long),
    ],
)
def test_a_lost_symbol_in_a_large_repository(
    files: int, step: int, megabytes: int, seconds: float, tmp_path: Path
) -> None:
    repository, study = _search(tmp_path, files, step)
    cold = measured_check(study, repository, "v3")
    outcomes = list(cold.outcomes.values())
    changed = 100 // step
    assert outcomes[:200].count("changed") == changed
    assert outcomes[:200].count("ok") == 200 - changed
    assert outcomes[200:] == ["gone", "moved"]
    assert cold.megabytes < megabytes
    assert cold.cpu < seconds
    warm = measured_check(study, repository, "v3")
    assert warm.outcomes == cold.outcomes
    assert warm.cpu < 1


@pytest.mark.parametrize("language", UNITS)
@pytest.mark.parametrize(
    "size", [1_000_000, pytest.param(10_000_000, marks=pytest.mark.long)], ids=["1 MB", "10 MB"]
)
def test_a_large_file(language: str, size: int, tmp_path: Path) -> None:
    unit = UNITS[language]

    def change(number: int, text: str) -> str:
        if number == 5:
            return text.replace("MORE", unit.more)
        return (
            text.replace("work_9(", "work_nine(").replace("Section 9\n", "Section nine\n")
            if number == 9
            else text
        )

    repository = make_repository(
        tmp_path, [[(unit.path, unit.text(size))], [(unit.path, unit.text(size, change))]]
    )
    study = make_study(tmp_path / "study", [*map(unit.target.format, (3, 5, 9)), unit.path])
    done = measured_check(study, repository, "v2")
    assert list(done.outcomes.values()) == ["ok", "changed", "moved", "changed"]
    # a bare syntax tree takes 35 to 70 times as much memory as its text
    assert done.megabytes < 100 + 90 * size / 1_000_000
    assert done.cpu < 3 + 3 * size / 1_000_000


@pytest.mark.parametrize("larger", ["baseline", "target"])
def test_what_is_too_large_is_said_and_never_gone(larger: str, tmp_path: Path) -> None:
    small = text_of(1)
    large = small + b"# and so on\n" * (SIZE_LIMIT // 12)
    trees = [large, small + b"# more\n"] if larger == "baseline" else [small, large]
    repository = make_repository(tmp_path, [[("a.py", data)] for data in trees])
    study = make_study(tmp_path / "study", ["a.py::work_1_1"])
    done = measured_check(study, repository, "v2")
    [result] = done.report["anchors"]
    assert result["resolution"]["outcome"] == "error"
    at = "v1" if larger == "baseline" else "v2"
    assert f"a.py could not be searched at {at}: larger than" in result["resolution"]["reason"]
    assert done.report["exit_code"] == 3


@pytest.mark.parametrize(
    ("anchors", "megabytes", "seconds"),
    [
        (2_000, 200, 20),
        pytest.param(20_000, 450, 120, marks=pytest.mark.long),
    ],
)
def test_many_anchors(anchors: int, megabytes: int, seconds: float, tmp_path: Path) -> None:
    files = anchors // FUNCTIONS + 1
    repository = make_repository(
        tmp_path,
        [
            ((path_of(n), text_of(n)) for n in range(files)),
            ((path_of(n), text_of(n, _OTHERS, "    total += 1\n")) for n in range(0, files, 2)),
        ],
    )
    targets = [f"{path_of(n)}::work_{n}_{k}" for n in range(files) for k in range(FUNCTIONS)]
    study = make_study(tmp_path / "study", targets[:anchors])
    cold = measured_check(study, repository, "v2")
    assert len(cold.outcomes) == anchors
    assert list(cold.outcomes.values())[:4] == ["ok", "gone", "changed", "ok"]
    assert cold.megabytes < megabytes
    assert cold.cpu < seconds
    warm = measured_check(study, repository, "v2")
    assert warm.outcomes == cold.outcomes
    assert warm.cpu < 1 + anchors / 5_000
