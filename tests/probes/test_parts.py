"""The runner's smaller parts: trees, the probe's own code, fresh processes, calls, lock files."""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.model.failures import Incomplete, UserMistake
from annotator.probes import fresh, setup
from annotator.probes.contract import CannotAdapt, Context
from annotator.probes.known import load_probe, probe_names
from annotator.probes.own_code import code_of
from annotator.probes.packages import package_of
from annotator.probes.seen import lacking_library, lacking_module
from annotator.probes.trees import blob_id, files_under, lay_out, make_up_version, version_of
from annotator.upstream.repository import open_repository


@pytest.mark.parametrize(
    ("label", "version"),
    [
        ("v0.32.0", "0.32.0"),
        ("0.5.6", "0.5.6"),
        ("v0.3.13.post1", "0.3.13.post1"),
        ("v1.0rc2", "1.0rc2"),
        ("0123456789ab", "0.0.0.dev0+gffffffff0"),
        ("123456789012", "0.0.0.dev0+gffffffff0"),
        ("main", "0.0.0.dev0+gffffffff0"),
        ("v1.0-" + "1.a" * 3000 + "!", "0.0.0.dev0+gffffffff0"),
    ],
)
def test_version_of_a_commit(label: str, version: str) -> None:
    assert version_of(label, "ffffffff0" * 5) == version


def test_a_made_up_version_is_what_python_finds(tmp_path: Path) -> None:
    (tmp_path / "vllm").mkdir()
    make_up_version(tmp_path, package_of("vllm"), "0.32.0", "cpu")
    made: dict[str, object] = {}
    exec((tmp_path / "vllm" / "_version.py").read_text(), made)  # noqa: S102 - our own text
    assert (made["__version__"], made["__version_tuple__"]) == ("0.32.0", (0, 32, 0))
    [metadata] = tmp_path.glob("*.dist-info/METADATA")
    assert "Version: 0.32.0+cpu\n" in metadata.read_text()


def test_only_the_named_paths_are_laid_out(
    make_repository: Callable[..., Path], tmp_path: Path
) -> None:
    tree = {"a/x.py": "1", "a/b/y.py": "2", "ab/z.py": "3", "setup.py": b"\xff\r\n"}
    target = tmp_path / "target"
    target.mkdir()
    with open_repository(make_repository(tree)) as repository:
        commit = repository.resolve("v1")
        files = files_under(repository, commit, ("a", "setup.py"))
        lay_out(repository, files, target)
        with pytest.raises(Incomplete, match="has none of nothing"):
            files_under(repository, commit, ("nothing",))
    found = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert found == {"a/x.py", "a/b/y.py", "setup.py"}
    assert (target / "setup.py").read_bytes() == b"\xff\r\n"
    assert all(blob_id((target / path).read_bytes(), 40) == blob for path, blob in files.items())


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a\\x", "a//x", "./x"])
def test_a_path_out_of_the_tree_is_refused(
    path: str, make_repository: Callable[..., Path], tmp_path: Path
) -> None:
    target = tmp_path / "deep" / "target"
    target.mkdir(parents=True)
    with open_repository(make_repository({"f": "x"})) as repository:
        blob = repository.tree(repository.resolve("v1")).files["f"]
        with pytest.raises(Incomplete, match="cannot be laid out"):
            lay_out(repository, {path: blob}, target)
    assert not [p for p in tmp_path.rglob("*") if p.is_file() and p.name == "x"]


def test_blob_ids_are_gits_own() -> None:
    assert blob_id(b"", 40) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"", 64) == hashlib.sha256(b"blob 0\0").hexdigest()


class TestCatalogue:
    @pytest.mark.parametrize("name", probe_names())
    def test_each_probe_is_complete(self, name: str) -> None:
        probe = load_probe(name)
        assert probe.name == name
        assert probe.zh
        assert probe.en
        assert probe.paths or probe.tiers == ("engine",)
        assert probe.tiers
        ids = [check.id for check in probe.checks]
        assert len(ids) == len(set(ids)) > 0
        assert all(check.zh.strip() and check.en.strip() for check in probe.checks)

    def test_an_unknown_probe_is_named(self) -> None:
        with pytest.raises(UserMistake, match="there is no probe 'nothing'"):
            load_probe("nothing")

    def test_own_code_is_what_is_imported(self) -> None:
        code = code_of("apc-hash")
        assert "annotator/probes/catalogue/apc_hash.py" in code
        assert "annotator/probes/reference/hash_chain.py" in code
        assert "annotator/probes/child.py" in code
        assert "annotator/probes/runner.py" not in code
        assert code["annotator/__init__.py"] == b""


class TestFresh:
    def test_variables_are_set_and_taken_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GOES", "1")
        environment = {"COMES": "2", "GOES": None}
        answer = fresh.call_in_fresh_process(os.getenv, ("COMES",), environment, 30)
        assert answer == "2"
        assert fresh.call_in_fresh_process(os.getenv, ("GOES",), environment, 30) is None

    def test_a_failure_is_told(self) -> None:
        with pytest.raises(RuntimeError, match="getenv in a fresh process ended with"):
            fresh.call_in_fresh_process(os.getenv, (1, 2, 3), {}, 30)


class TestCalls:
    def _context(self) -> Context:
        return Context(tier="source", device="cpu", seed=0, folder="")

    def test_unknown_arguments_are_dropped_and_recorded(self) -> None:
        context = self._context()
        assert context.call(lambda a, b=2: (a, b), 1, c=3) == (1, 2)
        assert len(context.adaptations) == 1
        assert context.adaptations[0].endswith("dropped c")

    def test_renamed_arguments_are_passed_and_recorded(self) -> None:
        context = self._context()
        assert context.call(lambda new: new, old=1, renamed={"old": ["new"]}) == 1
        assert context.adaptations[0].endswith("old is called new")

    @pytest.mark.parametrize(
        "call",
        [
            lambda context: context.call(lambda a: a, a=1, b=2, required=["b"]),
            lambda context: context.call(lambda a, b: a, a=1),
        ],
        ids=["a required one is unknown", "one is missing"],
    )
    def test_what_cannot_fit_is_refused(self, call: Callable[[Context], object]) -> None:
        with pytest.raises(CannotAdapt):
            call(self._context())

    def test_refuted_once_stays_refuted(self) -> None:
        context = self._context()
        context.verdict("c", False, "seen")
        context.verdict("c", True, "not seen")
        assert context.verdicts["c"] == ("refuted", "seen")


class TestWhatIsMissing:
    @pytest.mark.parametrize(
        ("reason", "module", "library"),
        [
            ("ModuleNotFoundError: No module named 'torch'", "torch", ""),
            ("ModuleNotFoundError: No module named 'torch.nn'", "torch", ""),
            ("ModuleNotFoundError: No module named 'vllm.new'", "", ""),
            ("ModuleNotFoundError: No module named 'annotator.x'", "", ""),
            (
                "ImportError: libibverbs.so.1: cannot open shared object file: No …",
                "",
                "libibverbs.so.1",
            ),
            ("OSError: libc++.so: cannot open shared object file: No such file", "", "libc++.so"),
            ("ImportError: cannot import name 'x' from 'y'", "", ""),
            ("ValueError: it said ImportError: liba.so: cannot open shared object file", "", ""),
        ],
    )
    def test_a_module_or_a_library(self, reason: str, module: str, library: str) -> None:
        assert (lacking_module(reason, "vllm"), lacking_library(reason)) == (module, library)


class TestSetup:
    @pytest.mark.parametrize("kind", ["source", "engine-cpu", "engine-cuda"])
    def test_lock_files_pin_everything_by_hash_and_name_no_index(self, kind: str) -> None:
        lock = setup.lock_file(kind)
        text = lock.read_text(encoding="utf-8")
        names = [line.split("==")[0] for line in text.splitlines() if "==" in line]
        assert text.count("--hash=sha256:") > len(names) > 50
        assert "://" not in text
        assert "--index" not in text
        assert "--find-links" not in text

    def test_pinned_reads_markers(self, tmp_path: Path) -> None:
        lock = tmp_path / "lock.txt"
        here, there = sys.platform, "win32" if sys.platform != "win32" else "linux"
        lock.write_text(
            "# a comment\n"
            "A.b==1.0 \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n"
            f"c==2 ; sys_platform == '{here}' \\\n    --hash=sha256:02\n"
            f"d==3 ; sys_platform == '{there}' \\\n    --hash=sha256:03\n"
        )
        assert setup.pinned(lock) == {"a-b": "1.0", "c": "2"}

    def test_what_is_missing_comes_with_the_command(self, tmp_path: Path) -> None:
        [line] = setup.missing_in(tmp_path, "engine-cpu")
        assert line.endswith("→ annot probe setup --engine")

    def test_pure_python_on_a_gpu_is_refused(self) -> None:
        with pytest.raises(UserMistake):
            setup.kind_of(cpu=False, engine=False)

    def test_a_wrong_interpreter_is_refused(self, tmp_path: Path) -> None:
        base = tmp_path / "python"
        base.write_text("#!/bin/sh\necho 3 9\n")
        base.chmod(0o755)
        with pytest.raises(UserMistake, match=r"is Python 3\.9"):
            setup.set_up(tmp_path, "source", base=base, tell=lambda line: None)
