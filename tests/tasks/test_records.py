"""Experiment records: what is filled in, what is refused, what differs."""

import contextlib
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.cli.app import run
from annotator.model.experiment import ExperimentFile
from annotator.model.failures import Incomplete, UserMistake
from annotator.model.record import Record
from annotator.store.study_entries import read_record
from annotator.store.validation import validate
from annotator.store.yaml_source import parse_yaml
from annotator.store.yaml_writer import yaml_text
from annotator.tasks.records.checks import check_record
from annotator.tasks.records.differences import record_differences
from annotator.tasks.records.environment import environment_facts, facts_from
from annotator.tasks.records.fill import HEADINGS, draft
from annotator.tasks.records.found import Found, first_of_each
from annotator.tasks.records.given import command_facts, config_facts, log_facts, model_facts
from annotator.tasks.records.machine import gpu_facts, machine_facts, numa_nodes, topology_matrix

EXPERIMENTS = """\
schema: 1
software:
  engine: {title: Engine, packages: [demo-engine], upstream: demo}
  cache: {title: Cache, packages: [demo-cache], modes: [in-process, MP]}
flags:
  - {fact: model.revision, flags: ["--revision"]}
  - {fact: parallel.tp, flags: ["--tensor-parallel-size", "-tp"]}
  - {fact: blocks.block_size, flags: ["--block-size"]}
  - {fact: connector.config, flags: ["--kv-transfer-config"]}
logs:
  - {fact: blocks.chunk_size, pattern: 'chunk_size: (\\d+)', source: cache.py}
  - {fact: attention.backend, pattern: 'Using (\\w+) attention backend', source: engine.py}
compatibility:
  - when: {engine: "==1.2.*"}
    needs: {system.pytorch: "==2.14.0", cache: ">=0.5"}
    note: {zh: "编译时的 torch", en: "built against it"}
    source: requirements of engine 1.2
  - when: {engine: ">=1", system.cuda: "<13"}
    needs: {cache: "==0.4.4"}
    level: warning
    note: {en: "wheels"}
    source: requirements for CUDA 12
"""

SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def experiments() -> ExperimentFile:
    return validate(ExperimentFile, parse_yaml(EXPERIMENTS, "experiments.yaml"))


COMPLETE = {
    "software.engine.release": "1.2.3",
    "software.engine.commit": SHA,
    "software.cache.release": "0.5.6",
    "software.cache.commit": SHA,
    "software.cache.mode": "MP",
    "model.revision": SHA,
    "model.tokenizer_revision": SHA,
    "model.chat_template": f"sha256:{'0' * 64}",
    "system.driver": "580.95.05",
    "system.cuda": "13.0",
    "system.pytorch": "2.14.0+cu130",
    "system.nccl": "2.28.3",
    "system.python": "3.12.4",
    "connector.name": "DemoConnector",
    "connector.config": '{"kv_connector": "DemoConnector", "extra": {"a": 1}}',
}


def record(experiments: ExperimentFile, **changes: str) -> Record:
    """A record that is complete, pinned and consistent, but for `changes` (`__` for dots)."""
    facts = COMPLETE | {name.replace("__", "."): value for name, value in changes.items()}
    made = draft("x", "2026-11-30", experiments, {})
    for path in made.missing:
        facts.setdefault(path, "something")
    found = {path: Found(path, value, "here") for path, value in facts.items()}
    made = draft("x", "2026-11-30", experiments, found)
    return validate(Record, parse_yaml(yaml_text(made.data), "x.yaml"))


# The handbook's template, line by line (its section 6), and where a record has it.
TEMPLATE = {
    "日期": ["date"],
    "vLLM release / commit": ["software.engine.release", "software.engine.commit"],
    "LMCache release / commit / in-process 或 MP": [
        *("software.cache.release", "software.cache.commit", "software.cache.mode")
    ],
    "模型仓库 / revision / tokenizer / chat template": [
        *("model.repository", "model.revision", "model.tokenizer", "model.chat_template")
    ],
    "GPU 型号与数量 / 显存 / GPU-NIC 拓扑": [
        "gpu.model",
        "gpu.count",
        "gpu.memory",
        "gpu.topology",
    ],
    "OS / driver / CUDA / PyTorch / NCCL": [
        *("system.os", "system.driver", "system.cuda", "system.pytorch", "system.nccl")
    ],
    "attention backend / dtype / KV dtype / KV layout": [
        *("attention.backend", "attention.dtype", "attention.kv_dtype", "attention.kv_layout")
    ],
    "TP / PP / DP / EP": ["parallel.tp", "parallel.pp", "parallel.dp", "parallel.ep"],
    "connector 名称与完整配置": ["connector.name", "connector.config"],
    "block size / 实际协商后的 chunk size": ["blocks.block_size", "blocks.chunk_size"],
    "CPU / NUMA / 主存与 pinned-memory 预算": [
        *("host.cpu", "host.numa", "host.memory", "host.pinned_memory")
    ],
    "网络 / 介质 / 有效吞吐": ["network.link", "network.medium", "network.throughput"],
    "压测输入输出分布 / 并发或到达率 / SLO": [
        "workload.lengths",
        "workload.arrival",
        "workload.slo",
    ],
    "warmup / 缓存冷热 / 重复次数": ["runs.warmup", "runs.cache_state", "runs.repetitions"],
}


@pytest.mark.parametrize("line", TEMPLATE)
def test_every_field_of_the_template_is_there(experiments, line):
    facts = dict(record(experiments).facts())
    assert all(path in facts for path in TEMPLATE[line])


def test_the_templates_words_stand_above_their_sections():
    assert set(HEADINGS.values()) >= set(list(TEMPLATE)[3:])


class TestFilling:
    """What a new record says, and where it has that from."""

    def test_what_is_not_known_is_marked_with_what_to_write(self, experiments):
        made = draft("x", "2026-11-30", experiments, {})
        assert made.data["gpu"]["model"] == "?"
        assert made.beside["gpu", "model"] == "to fill: product name"
        assert "gpu.model" in made.missing
        assert made.beside["software", "cache", "mode"] == "to fill: in-process or MP"

    def test_software_that_took_no_part_has_nothing_to_fill(self, experiments):
        none = {"software.cache.release": Found("software.cache.release", "none", "not installed")}
        made = draft("x", "2026-11-30", experiments, none)
        assert set(made.data["software"]["cache"].values()) == {"none"}
        assert not [path for path in made.missing if path.startswith("software.cache")]

    def test_the_better_source_wins(self):
        facts = first_of_each(
            [Found("a.b", " ", "log"), Found("a.b", "1", "command"), Found("a.b", "2", "model")]
        )
        assert facts["a.b"].value == "1"

    @pytest.mark.parametrize(
        ("command", "expected"),
        [
            ("engine serve org/model -tp 2", {"parallel.tp": "2", "model.repository": "org/model"}),
            ("engine serve --tensor-parallel-size=4", {"parallel.tp": "4"}),
            ("engine serve --tensor_parallel_size 4", {"parallel.tp": "4"}),
            ("X=1 engine --block-size 32 --flag  # talk", {"blocks.block_size": "32"}),
            (
                """engine --kv-transfer-config '{"kv_connector": "C", "kv_role": "kv_both"}'""",
                {
                    "connector.name": "C",
                    "connector.config": '{"kv_connector": "C", "kv_role": "kv_both"}',
                },
            ),
            (
                "engine --kv-transfer-config.kv_connector C --kv-transfer-config.x.y 1",
                {
                    "connector.name": "C",
                    "connector.config": '{"kv_connector": "C", "x": {"y": "1"}}',
                },
            ),
            ("engine", {}),
        ],
    )
    def test_command_lines(self, experiments, command, expected):
        found = command_facts(command, experiments.flags)
        assert {one.fact: one.value for one in found} == expected

    def test_a_command_line_with_an_open_quote_is_refused(self, experiments):
        with pytest.raises(UserMistake, match="cannot be read"):
            list(command_facts("engine 'x", experiments.flags))

    @given(st.text())
    def test_no_command_line_breaks_it(self, command):
        flags = validate(ExperimentFile, parse_yaml(EXPERIMENTS, "f")).flags
        with contextlib.suppress(UserMistake):
            list(command_facts(command, flags))

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (
                "tensor-parallel-size: 2\nblock_size: 16\n",
                {"parallel.tp": "2", "blocks.block_size": "16"},
            ),
            (
                '{"kv_connector": "C"}',
                {"connector.name": "C", "connector.config": '{"kv_connector": "C"}'},
            ),
            (
                "kv-transfer-config: {kv_connector: C}\n",
                {"connector.name": "C", "connector.config": '{"kv_connector": "C"}'},
            ),
        ],
        ids=["options", "a connector's own", "a connector's inside options"],
    )
    def test_configuration_files(self, experiments, tmp_path, text, expected):
        file = tmp_path / "serve.yaml"
        file.write_text(text, encoding="utf-8")
        found = config_facts(file, experiments.flags)
        assert {one.fact: one.value for one in found} == expected

    def test_of_a_log_the_latest_run_counts(self, experiments, tmp_path):
        log = tmp_path / "server.log"
        log.write_bytes(
            b"chunk_size: 128\n\xff\xfe\nUsing FLASH attention backend\nchunk_size: 256\n"
        )
        found = {one.fact: one for one in log_facts(log, experiments.logs)}
        assert found["blocks.chunk_size"] == Found("blocks.chunk_size", "256", "server.log:4")
        assert found["attention.backend"].value == "FLASH"

    def test_a_hubs_snapshot_names_repository_and_revision(self, tmp_path):
        folder = tmp_path / "models--org--name" / "snapshots" / SHA
        folder.mkdir(parents=True)
        (folder / "tokenizer_config.json").write_text('{"chat_template": "T"}', encoding="utf-8")
        (folder / "config.json").write_text('{"torch_dtype": "bfloat16"}', encoding="utf-8")
        found = {one.fact: one.value for one in model_facts(folder)}
        assert found["model.repository"] == "org/name"
        assert found["model.revision"] == found["model.tokenizer_revision"] == SHA
        assert found["model.chat_template"] == f"sha256:{hashlib.sha256(b'T').hexdigest()}"
        assert found["attention.dtype"] == "bfloat16"

    def test_a_download_names_its_revision(self, tmp_path):
        marks = tmp_path / ".cache" / "huggingface" / "download"
        marks.mkdir(parents=True)
        (marks / "config.json.metadata").write_text(f"{SHA}\netag\n1.0\n", encoding="utf-8")
        assert next(iter(model_facts(tmp_path))).value == SHA

    def test_a_clone_names_its_commit(self, tmp_path):
        git = ["git", "-C", str(tmp_path), "-c", "user.name=T", "-c", "user.email=t@localhost"]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
        head = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
        assert next(iter(model_facts(tmp_path))).value == head

    @pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
    def test_a_damaged_model_folder_says_nothing(self, tmp_path, text):
        (tmp_path / "config.json").write_text(text, encoding="utf-8")
        (tmp_path / "tokenizer_config.json").write_text(text, encoding="utf-8")
        found = first_of_each(model_facts(tmp_path))
        assert set(found) == {"model.chat_template"}


class TestMachine:
    """What the machine says."""

    LISTING = "NVIDIA H200, 143771 MiB, 580.95.05\nNVIDIA H200, 143771 MiB, 580.95.05\n"

    def test_gpus(self):
        found = first_of_each(gpu_facts(self.LISTING, ""))
        assert {fact: one.value for fact, one in found.items()} == {
            "gpu.model": "NVIDIA H200",
            "gpu.count": "2",
            "gpu.memory": "143771 MiB",
            "system.driver": "580.95.05",
        }

    @pytest.mark.parametrize("listing", ["", "No devices were found\n", "Failed, to\n"])
    def test_without_gpus_nothing_is_said(self, listing):
        assert list(gpu_facts(listing, "")) == []

    def test_the_topology_keeps_the_matrix_and_the_names_of_network_cards(self):
        printed = (
            "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\x1b[0m\n"
            "GPU0\t X \tNV18\tPIX\t0-63\nGPU1\tNV18\t X \tSYS\t0-63\n\n"
            "Legend:\n\n  X    = Self\n  SYS  = traversing PCIe\n\n"
            "NIC Legend:\n\n  NIC0: mlx5_0\n"
        )
        assert topology_matrix(printed) == (
            "GPU0 GPU1 NIC0 CPU Affinity\nGPU0 X NV18 PIX 0-63\nGPU1 NV18 X SYS 0-63\nNIC0: mlx5_0"
        )

    def test_numa_nodes_come_in_order(self, tmp_path):
        for node, cores in ((10, "8-9"), (2, "4-7"), (0, "0-3")):
            (tmp_path / f"node{node}").mkdir()
            (tmp_path / f"node{node}" / "cpulist").write_text(f"{cores}\n", encoding="ascii")
        assert numa_nodes(tmp_path) == "node0: 0-3, node2: 4-7, node10: 8-9"
        assert numa_nodes(tmp_path / "nothing") == ""

    def test_this_machine_tells_its_system_and_processor(self):
        found = first_of_each(machine_facts())
        assert "system.os" in found
        assert "logical cores" in found["host.cpu"].value


class TestEnvironment:
    """What a Python environment says, asked through its own interpreter."""

    def test_packages_with_their_commits(self, experiments, tmp_path, make_environment):
        python = make_environment(
            {"demo_engine": ("1.2.3", f"__commit_id__ = commit_id = 'g{SHA[:9]}'\n")}
        )
        found = first_of_each(environment_facts(python, experiments.software))
        assert found["software.engine.release"].value == "1.2.3"
        assert found["software.engine.commit"].value == SHA[:9]
        assert found["software.cache.release"].value == "none"
        assert found["system.python"].value == ".".join(map(str, sys.version_info[:3]))

    def test_pytorch_tells_cuda_and_nccl(self, experiments):
        answer = {
            "python": "3.12.1",
            "packages": {},
            "torch": {"version": "2.14.0+cu130", "cuda": "13.0", "nccl": "2.28.3"},
        }
        found = first_of_each(facts_from(answer, experiments.software))
        assert found["system.cuda"].value == "13.0"
        assert found["system.nccl"].value == "2.28.3"
        assert found["software.engine.release"].value == "none"

    def test_an_environment_without_any_of_it_says_nothing(self, experiments):
        answer = {"python": "3.12.1", "packages": {}, "torch_error": "no module"}
        assert list(facts_from(answer, experiments.software)) == []

    def test_what_is_no_interpreter_is_told(self, experiments, tmp_path):
        with pytest.raises(UserMistake, match="cannot be run"):
            list(environment_facts(str(tmp_path / "python"), experiments.software))
        with pytest.raises(Incomplete, match="did not say"):
            list(environment_facts("git", experiments.software))

    @pytest.fixture
    def make_environment(self, tmp_path) -> Callable[[dict[str, tuple[str, str]]], str]:
        """Makes a virtual environment with packages: their versions and the text of `_version.py`."""

        def make(packages):
            folder = tmp_path / "venv"
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
            python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
            ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
            site = Path(subprocess.check_output([python, "-c", ask], text=True).strip())
            for name, (version, text) in packages.items():
                (site / name).mkdir()
                (site / name / "_version.py").write_text(text, encoding="utf-8")
                info = site / f"{name}-{version}.dist-info"
                info.mkdir()
                metadata = (
                    f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n"
                )
                (info / "METADATA").write_text(metadata, encoding="utf-8")
                (info / "RECORD").write_text(f"{name}/_version.py,,\n", encoding="utf-8")
            return str(python)

        return make


class TestChecking:
    """Complete, pinned, consistent."""

    def test_a_good_record_has_no_findings(self, experiments):
        assert check_record(record(experiments), experiments) == []

    @pytest.mark.parametrize(
        ("fact", "value", "rule"),
        [
            ("gpu__model", "?", "complete"),
            ("software__engine__release", "latest", "pinned"),
            ("software__engine__release", "stable", "pinned"),
            ("software__engine__release", ">=1.2", "pinned"),
            ("software__engine__release", "main", "pinned"),
            ("software__engine__release", "releases/v1.2", "pinned"),
            ("software__engine__commit", "main", "pinned"),
            ("software__engine__commit", "HEAD", "pinned"),
            ("software__engine__commit", "v1.2.3", "pinned"),
            ("model__revision", "main", "pinned"),
            ("model__revision", "refs/pr/1", "pinned"),
            ("model__tokenizer_revision", "latest", "pinned"),
            ("model__chat_template", "default", "pinned"),
            ("system__cuda", "13.x", "pinned"),
            ("system__nccl", "Latest", "pinned"),
            ("system__driver", "newest", "pinned"),
            ("connector__config", '{"image": "org/engine:latest"}', "pinned"),
            ("connector__config", '{"from": "org/engine@main"}', "pinned"),
            ("connector__config", "kv_both", "consistent"),
            ("connector__name", "OtherConnector", "consistent"),
            ("software__cache__mode", "mp", "consistent"),
            ("software__cache__release", "0.4.0", "consistent"),
            ("system__pytorch", "2.13.0", "consistent"),
        ],
    )
    def test_errors(self, experiments, fact, value, rule):
        findings = check_record(record(experiments, **{fact: value}), experiments)
        assert [(f.level, f.rule) for f in findings] == [("error", rule)]

    @pytest.mark.parametrize(
        ("fact", "value"),
        [
            ("software__engine__commit", SHA[:9]),
            ("attention__kv_dtype", "auto"),
            ("system__cuda", "12.9"),
        ],
    )
    def test_warnings(self, experiments, fact, value):
        findings = check_record(record(experiments, **{fact: value}), experiments)
        assert [f.level for f in findings] == ["warning"]

    @pytest.mark.parametrize(
        ("fact", "value"),
        [
            ("software__engine__release", "v1.2.4"),
            ("software__engine__release", "1.2.4.dev3+g0123456"),
            ("system__pytorch", "2.14.0"),
            ("model__repository", "org/main-model"),
            ("workload__arrival", "the latest trace"),
            ("runs__cache_state", "none"),
        ],
    )
    def test_what_is_fine(self, experiments, fact, value):
        assert check_record(record(experiments, **{fact: value}), experiments) == []

    def test_software_that_is_left_out_is_missed(self, experiments):
        one = record(experiments)
        one = one.model_copy(update={"software": {"engine": one.software["engine"]}})
        (finding,) = check_record(one, experiments)
        assert (finding.fact, finding.rule) == ("software.cache", "complete")

    def test_a_rule_says_why_in_the_readers_language_and_where_that_is_written(self, experiments):
        bad = record(experiments, system__pytorch="2.13.0")
        (finding,) = check_record(bad, experiments, "zh")
        assert finding.message == "is 2.13.0+cu130; engine ==1.2.* needs ==2.14.0".replace(
            "+cu130", ""
        )
        assert finding.hint == "编译时的 torch (requirements of engine 1.2)"

    @pytest.mark.parametrize(
        ("known", "count"), [("", 0), (SHA, 0), (SHA[:9], 0), ("f" * 40, 1), ("f" * 9, 1)]
    )
    def test_release_and_commit_have_to_be_the_same(self, experiments, known, count):
        findings = check_record(record(experiments), experiments, "en", lambda name, tag: known)
        assert len(findings) == count


def test_differences_reach_into_the_connectors_configuration(experiments):
    old = record(experiments)
    config = '{"kv_connector": "DemoConnector", "extra": {"a": 2}, "b": true}'
    new = record(experiments, connector__config=config, parallel__tp="4")
    assert [tuple(one) for one in record_differences(old, new)] == [
        ("parallel.tp", "something", "4"),
        ("connector.config.extra.a", "1", "2"),
        ("connector.config.b", "", "true"),
    ]
    assert record_differences(old, old) == []


class TestCommands:
    """`annot record` as a user runs it."""

    @pytest.fixture
    def study(self, make_study) -> Path:
        anchor = '  - {id: q01-f, target: "a.py::f", note: {zh: "记", en: "Note"}}\n'
        project = make_study(anchor)
        (project / "anchors" / "experiments.yaml").write_text(EXPERIMENTS, encoding="utf-8")
        return project

    def test_new_check_diff(self, study, make_repository, tmp_path, capsys):
        repository = make_repository({"a.py": "def f(): ...\n"})
        options = ["--study", str(study)]
        new = ["record", "new", "first", "--date", "2026-11-30", "--command", "engine -tp 2"]
        assert run([*new, "--no-machine", "--repo", str(repository), *options]) == 0
        assert "facts are still to be filled" in capsys.readouterr().out
        made = read_record(study / "anchors", "first")
        assert made.parallel.tp == "2"
        assert run(["record", "check", *options]) == 2
        assert "first: error: gpu.model is still to be filled [complete]" in capsys.readouterr().out
        text = (study / "anchors" / "records" / "first.yaml").read_text(encoding="utf-8")
        assert "# GPU 型号与数量 / 显存 / GPU-NIC 拓扑\ngpu:\n" in text
        assert 'tp: "2"  # the command line' in text
        other = text.replace("name: first", "name: second").replace('tp: "2"', "tp: 8")
        (study / "anchors" / "records" / "second.yaml").write_text(other, encoding="utf-8")
        assert run(["record", "diff", "first", "second", "--format", "json", *options]) == 0
        assert json.loads(capsys.readouterr().out) == [
            {"fact": "parallel.tp", "old": "2", "new": "8"}
        ]

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["new", "Not_A_Slug"], "lower-case words"),
            (["new", "x", "--date", "yesterday"], "no day"),
            (["check", "nothing"], "there is no record 'nothing'"),
            (["diff", "a", "b"], "there is no record 'a'"),
        ],
    )
    def test_mistakes(self, study, capsys, arguments, complaint):
        assert run(["record", *arguments, "--study", str(study)]) == 2
        assert complaint in capsys.readouterr().err

    def test_a_complete_record_passes(self, study, experiments, capsys):
        one = record(experiments)
        folder = study / "anchors" / "records"
        folder.mkdir()
        data = one.model_dump(by_alias=True, exclude_none=True)
        (folder / "x.yaml").write_text(yaml_text(data), encoding="utf-8")
        assert run(["record", "check", "x", "--study", str(study)]) == 0
        assert "complete, pinned, consistent" in capsys.readouterr().out


class TestThisStudy:
    """The data that the study of this repository has about its experiments."""

    @pytest.fixture
    def ours(self) -> ExperimentFile:
        from annotator.store.study_entries import read_experiments

        return read_experiments(Path(__file__).parents[2] / "anchors")

    def test_its_facts_are_fields_of_a_record(self, ours):
        made = draft("x", "2026-11-30", ours, {})
        known = {*made.missing, *(f"software.{name}.release" for name in ours.software)}
        assert {one.fact for one in (*ours.flags, *ours.logs)} <= known
        subjects = {name for rule in ours.compatibility for name in (*rule.when, *rule.needs)}
        assert subjects <= known | set(ours.software)

    @pytest.mark.parametrize(
        ("versions", "misfits"),
        [
            ({"vllm": "0.32.0", "lmcache": "0.5.6", "pytorch": "2.13.0", "cuda": "13.0"}, []),
            (
                {"vllm": "0.33.0", "lmcache": "0.5.6", "pytorch": "2.14.0", "cuda": "13.0"},
                ["warning"],
            ),
            (
                {"vllm": "0.33.0", "lmcache": "0.5.5", "pytorch": "2.14.0", "cuda": "13.0"},
                ["error", "warning"],
            ),
            (
                {"vllm": "0.32.0", "lmcache": "0.5.6", "pytorch": "2.13.0", "cuda": "12.9"},
                ["error"],
            ),
            ({"vllm": "0.28.0", "lmcache": "none", "pytorch": "2.11.0", "cuda": "13.0"}, ["error"]),
        ],
    )
    def test_known_combinations(self, ours, versions, misfits):
        values = {
            "software.vllm.release": versions["vllm"],
            "software.lmcache.release": versions["lmcache"],
            "software.mooncake.release": "0.3.13.post1",
            "system.pytorch": versions["pytorch"],
            "system.cuda": versions["cuda"],
            "system.python": "3.12.4",
        }
        found = {path: Found(path, value, "") for path, value in values.items()}
        made = draft("x", "2026-11-30", ours, found)
        one = validate(Record, parse_yaml(yaml_text(made.data), "x.yaml"))
        findings = [f for f in check_record(one, ours) if f.rule == "consistent"]
        assert sorted(finding.level for finding in findings) == misfits

    @pytest.mark.parametrize(
        ("line", "fact", "value"),
        [
            (
                "INFO [core.py:134] Initializing a V1 LLM engine (v0.32.0) with config: model='m',"
                " dtype=torch.bfloat16, tensor_parallel_size=2, kv_cache_dtype=fp8",
                "attention.kv_dtype",
                "fp8",
            ),
            (
                "Using FLASH_ATTN attention backend out of potential backends: ['FLASH_ATTN'].",
                "attention.backend",
                "FLASH_ATTN",
            ),
            (
                "num_layer: 36, chunk_size: 256, num_kv_head (per gpu): 4, head_size: 128",
                "blocks.chunk_size",
                "256",
            ),
            (
                "Setting kv cache block size to 64 for FLASHMLA backend(s).",
                "blocks.block_size",
                "64",
            ),
        ],
    )
    def test_log_lines(self, ours, tmp_path, line, fact, value):
        log = tmp_path / "log"
        log.write_text(line, encoding="utf-8")
        assert {one.fact: one.value for one in log_facts(log, ours.logs)}[fact] == value
