"""What probes saw, from a report or from the locks."""

from pathlib import Path

import pytest

from annotator.model.failures import UserMistake
from annotator.model.lock import Behaviour, Lock
from annotator.model.probe import ProbeStatus, Verdict
from annotator.site_pages.behaviour import Seen, probe_tables, read_probe_report, recorded_runs


def lock(**verdicts: Verdict) -> dict[str, Lock]:
    behaviour = Behaviour(
        version=2,
        tier="source",
        observations={"order.V1.no-load": [{"calls": ["worker load"]}]},
        verdicts={name.replace("_", "-"): verdict for name, verdict in verdicts.items()},
    )
    return {
        "vllm": Lock(
            upstream="vllm",
            pin="abc",
            recorded_from="v1",
            commit="0",
            entries={},
            behaviour={"connector-hooks/source": behaviour},
        )
    }


def test_a_lock_stands_in_for_a_report() -> None:
    seen = recorded_runs(lock(abstract_hooks=Verdict.CONFIRMED, finished_once=Verdict.REFUTED))
    assert seen.recorded
    (run,) = seen.runs
    assert (run.probe, run.label, run.status) == ("connector-hooks", "v1", ProbeStatus.REFUTED)
    table = next(each for each in probe_tables(seen.runs) if each.probe.name == "connector-hooks")
    assert [(c.label, c.tier, c.device) for c in table.columns] == [("v1", "source", "cpu")]
    verdicts = {row.id: row.cells[0].verdict for row in table.rows if row.cells[0]}
    assert verdicts == {
        "abstract-hooks": Verdict.CONFIRMED,
        "finished-once": Verdict.REFUTED,
    }


def test_every_probe_has_a_table_without_any_run() -> None:
    tables = probe_tables(Seen().runs)
    assert len(tables) > 3
    assert all(row.cells == () for table in tables for row in table.rows)


def test_claims_speak_of_the_target_or_else_of_the_baseline() -> None:
    recorded = recorded_runs(lock(abstract_hooks=Verdict.CONFIRMED))
    assert list(recorded.at(["v2"])) == ["connector-hooks"]
    reported = Seen(recorded.runs)
    assert reported.at(["v2"]) == {}
    assert list(reported.at(["v2", "v1"])) == ["connector-hooks"]


def test_a_lock_without_verdicts_says_nothing_of_claims() -> None:
    assert recorded_runs(lock()).at(["v1"]) == {}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"runs": 1}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserMistake, match=r"other\.json is no result of `annot probe"):
        read_probe_report(file)
