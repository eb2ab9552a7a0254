"""What upstream's code may try, and what comes of it: always a clean result, and nothing left behind."""

import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotator.model.probe import ProbeStatus
from annotator.probes.sandbox import Limits, namespaces
from tests.probes.conftest import GOOD, make_probe, processes_with

if TYPE_CHECKING:
    from tests.probes.conftest import RunDemo

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="watched through /proc")
needs_namespaces = pytest.mark.skipif(
    not namespaces().network, reason="this system gives no network namespaces"
)


def test_a_well_behaved_upstream_is_confirmed(run_demo: "RunDemo") -> None:
    run = run_demo(f'{GOOD}\ncontext.saw("a.b", [1, None])\nprint("chatter")')
    assert run.status is ProbeStatus.CONFIRMED
    assert [(v.check, v.verdict, v.evidence) for v in run.verdicts] == [
        ("good", "confirmed", "seen")
    ]
    assert run.observations == {"a.b": [1, None]}
    assert (run.tier, run.device, run.label) == ("source", "cpu", "v1.0")
    assert run.versions["demo"] == "1.0"
    assert run.output == ""
    assert run.seconds > 0


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('raise ValueError("boom")', "ValueError: boom"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def deep(): deep()\ndeep()", "RecursionError"),
        ("import sys\nsys.exit(0)", "upstream called sys.exit(0)"),
        ('import sys\nsys.exit("no")', "upstream called sys.exit('no')"),
        ("import os\nos._exit(0)", "exit code 0 and left no result"),
        ("import os\nos._exit(7)", "exit code 7 and left no result"),
        ("import ctypes\nctypes.string_at(0)", "left no result"),
        ("import os\nos.abort()", "left no result"),
        ("import demo.missing", "No module named 'demo.missing'"),
        ("from demo import missing", "ImportError"),
        ("pass", "came to no verdict"),
        ('context.verdict("stranger", True, "")', "checks that it does not have: stranger"),
        (f'{GOOD}\ncontext.saw("k", {{1, 2}})', "TypeError"),
        (f'{GOOD}\ncontext.saw("k", float("nan"))', "ValueError"),
        (f'{GOOD}\ncontext.saw("k", 1)\ncontext.saw("k", 2)', "k was observed already"),
        (f"{GOOD}\ncontext.versions[1] = 2", "not valid"),
        (f'{GOOD}\ncontext.verdicts["good"] = ("splendid", "")', "not valid"),
        (f'{GOOD}\ncontext.observations["k"] = "x" * 5_000_000', "left no result"),
        (
            "from annotator.probes.contract import CannotAdapt\nraise CannotAdapt('f has no g')",
            "does not fit this version: f has no g",
        ),
    ],
    ids=lambda value: value.splitlines()[-1][:50],
)
def test_what_goes_wrong_is_an_error_with_its_reason(
    body: str, reason: str, run_demo: "RunDemo"
) -> None:
    run = run_demo(body)
    assert run.status is ProbeStatus.ERROR
    assert reason in run.reason
    assert not run.observations
    assert not run.is_complete


RESULT = "import os, json\nfrom pathlib import Path\nresult = Path(context.folder).parent / 'result.json'\n"


@pytest.mark.parametrize(
    "leave",
    [
        "result.write_bytes(b'\\xff\\x00garbage')",
        "result.write_text('[' * 100_000)",
        "result.write_text('{}')",
        "result.write_text('null')",
        "result.symlink_to('/etc/hostname')",
        "result.mkdir()",
        "os.mkfifo(result)",
        "result.write_text(' ' * 5_000_000)",
    ],
)
def test_a_forged_result_is_an_error(leave: str, run_demo: "RunDemo") -> None:
    run = run_demo(f"{RESULT}{leave}\nos._exit(0)")
    assert run.status is ProbeStatus.ERROR
    assert "result" in run.reason


def test_the_tail_of_the_output_is_shown(run_demo: "RunDemo") -> None:
    run = run_demo(
        """
        import os, sys
        for _ in range(300):
            sys.stdout.write("x" * 100_000)
        os.write(2, b"the end \\xff\\x1b[31m")
        raise ValueError("boom")
        """
    )
    assert run.reason == "ValueError: boom"
    assert "the end" in run.output
    assert len(run.output) <= Limits().output_bytes


@pytest.mark.parametrize(
    "body",
    [
        "import time\ntime.sleep(60)",
        "while True: pass",
        "import signal, time\nfor s in (2, 15):\n    signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])",
    ],
    ids=["sleeps", "spins", "ignores signals", "waits for a child"],
)
def test_a_hang_ends_at_the_time_limit(body: str, run_demo: "RunDemo") -> None:
    run = run_demo(body, probe=make_probe(seconds=1))
    assert run.status is ProbeStatus.ERROR
    assert run.reason == "it took longer than 1 seconds"
    assert run.seconds < 5


def test_threads_left_behind_do_not_hold_it_up(run_demo: "RunDemo") -> None:
    run = run_demo(
        f"import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n{GOOD}"
    )
    assert run.status is ProbeStatus.CONFIRMED
    assert run.seconds < 10


@linux_only
@pytest.mark.parametrize(
    "body",
    [
        "held = bytearray(300_000_000)\ntime.sleep(60)",
        """
        for _ in range(4):
            if os.fork() == 0:
                held = bytearray(60_000_000)
                time.sleep(60)
        time.sleep(60)
        """,
    ],
    ids=["one process", "several together"],
)
def test_memory_is_limited(body: str, run_demo: "RunDemo") -> None:
    import textwrap

    run = run_demo(f"import os, time\n{textwrap.dedent(body)}", probe=make_probe(megabytes=200))
    assert run.reason == "it used more than 200 MB of memory"
    assert run.megabytes > 200


@linux_only
def test_processes_are_limited_and_all_killed(run_demo: "RunDemo") -> None:
    run = run_demo(
        """
        import subprocess, sys
        code = "import time; 'annot-test-swarm'; time.sleep(60)"
        while True:
            subprocess.Popen([sys.executable, "-c", code])
        """,
        limits=Limits(processes=20),
    )
    assert run.reason == "it had more than 20 processes"
    assert processes_with("annot-test-swarm") == []


@linux_only
def test_a_daemon_does_not_outlive_its_run(run_demo: "RunDemo") -> None:
    run = run_demo(
        f"""
        import os, subprocess, sys
        code = "import time; 'annot-test-daemon'; time.sleep(60)"
        if os.fork() == 0:
            os.setsid()
            subprocess.Popen([sys.executable, "-c", code], start_new_session=True, env={{}})
            os._exit(0)
        os.wait()
        {GOOD}
        """
    )
    assert run.status is ProbeStatus.CONFIRMED
    assert processes_with("annot-test-daemon") == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("open('big', 'wb').write(b'x' * 30_000_000)", "File too large"),
        (
            "import itertools, time\n"
            "for n in itertools.count():\n"
            "    open(f'{n}', 'wb').write(b'x' * 1_000_000)\n"
            "    time.sleep(0.005)",
            "it wrote more than 20 MB",
        ),
        (
            "import itertools\nfor n in itertools.count():\n    open(f'{n}', 'w').close()",
            "it wrote more than 500 files",
        ),
    ],
    ids=["one large file", "many files", "empty files"],
)
def test_disk_is_limited(body: str, reason: str, run_demo: "RunDemo") -> None:
    run = run_demo(body, limits=Limits(folder_megabytes=20, files=500))
    assert reason in run.reason


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos.makedirs('a/b')\nos.chmod('a/b', 0)\nos.chmod('a', 0)",
        "import os\nfor _ in range(1100):\n    os.mkdir('d')\n    os.chdir('d')",
        "import os\nos.symlink('/', 'root')\nos.symlink('loop', 'loop')",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('sock')",
    ],
    ids=["closed folders", "deep folders", "links", "a socket"],
)
def test_its_folder_goes_whatever_is_in_it(body: str, run_demo: "RunDemo") -> None:
    run = run_demo(f"{body}\n{GOOD}")
    assert run.status is ProbeStatus.CONFIRMED  # `scratch` looks at what is left


@needs_namespaces
def test_the_network_is_cut_off_but_loopback_works(run_demo: "RunDemo") -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        run = run_demo(
            f"""
            import socket
            for address in (("127.0.0.1", {port}), ("192.0.2.1", 80)):
                try:
                    socket.create_connection(address, 2).close()
                    context.saw(address[0], "reached")
                except OSError as error:
                    context.saw(address[0], type(error).__name__)
            with socket.create_server(("127.0.0.1", 0)) as own:
                socket.create_connection(own.getsockname()).close()
            {GOOD}
            """
        )
    assert run.status is ProbeStatus.CONFIRMED
    assert run.observations == {"127.0.0.1": "ConnectionRefusedError", "192.0.2.1": "OSError"}
    assert run.isolation["network"].startswith("cut off")


def test_a_network_that_is_not_cut_off_is_said(
    run_demo: "RunDemo", monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.probes import runner, sandbox

    nothing = sandbox.Namespaces((), False, False)
    monkeypatch.setattr(sandbox, "namespaces", lambda: nothing)
    monkeypatch.setattr(runner, "namespaces", lambda: nothing)
    run = run_demo(GOOD)
    assert run.status is ProbeStatus.CONFIRMED
    assert run.isolation["network"] == "not cut off"
    assert run.isolation["processes"] == "watched"


@linux_only
@pytest.mark.parametrize("how", ["swarm", "daemon"])
def test_nothing_outlives_a_run_without_namespaces(
    how: str, run_demo: "RunDemo", monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.probes import runner, sandbox

    nothing = sandbox.Namespaces((), False, False)
    monkeypatch.setattr(sandbox, "namespaces", lambda: nothing)
    monkeypatch.setattr(runner, "namespaces", lambda: nothing)
    {
        "swarm": test_processes_are_limited_and_all_killed,
        "daemon": test_a_daemon_does_not_outlive_its_run,
    }[how](run_demo)


def test_it_cannot_write_outside_its_folder(run_demo: "RunDemo", tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    run = run_demo(
        f"""
        import os
        from pathlib import Path
        outside = Path({str(outside)!r})
        for name, attempt in (
            ("write", lambda: (outside / "new").write_text("x")),
            ("overwrite", lambda: (outside / "kept").write_text("x")),
            ("truncate", lambda: os.truncate(outside / "kept", 0)),
            ("remove", lambda: (outside / "kept").unlink()),
            ("link", lambda: os.link(outside / "kept", "mine")),
        ):
            try:
                attempt()
                context.saw(name, "done")
            except OSError as error:
                context.saw(name, type(error).__name__)
        Path(os.environ["HOME"], "mine").write_text("x")
        Path(os.devnull).write_text("x")
        {GOOD}
        """
    )
    assert run.status is ProbeStatus.CONFIRMED
    if run.isolation["files"] != "writes only to its folder":
        pytest.skip("this system has no Landlock")
    assert "done" not in run.observations.values()
    assert [(path.name, path.read_text()) for path in outside.iterdir()] == [("kept", "kept")]


def test_it_sees_none_of_the_users_variables(
    run_demo: "RunDemo", monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_TOKEN", "AWS_SECRET_ACCESS_KEY", "PYTHONSTARTUP", "LD_PRELOAD_NOT"):
        monkeypatch.setenv(name, "user's own")
    monkeypatch.setenv("PYTHONHASHSEED", "12345")
    run = run_demo(
        f"""
        import os, sys
        context.saw("own", sorted(k for k, v in os.environ.items() if v == "user's own"))
        context.saw("seed", os.environ["PYTHONHASHSEED"])
        context.saw("home", os.path.dirname(os.environ["HOME"]) == os.path.dirname(context.folder))
        context.saw("empty", os.listdir(context.folder))
        context.saw("offline", [os.environ[k] for k in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")])
        context.saw("input", sys.stdin.read())
        context.saw("ours", [m for m in ("pydantic", "click", "git") if m in sys.modules])
        {GOOD}
        """
    )
    assert run.observations == {
        "own": [],
        "seed": "0",
        "home": True,
        "empty": [],
        "offline": ["1", "1"],
        "input": "",
        "ours": [],
    }
