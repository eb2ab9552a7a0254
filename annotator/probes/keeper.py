"""Runs one command, watches it, and leaves nothing of it behind. A script of its own, standard library only.

It stands between annot and upstream's code so that the cleaning up happens whatever becomes of annot: its standard
input is a lifeline, and when that ends the keeper kills everything, removes the folder and goes. It reads the folder's
path and, once that is filled, a plan (each one line of JSON) from standard input, and writes a report (one line of
JSON) to standard output.

What it starts cannot get away: it is a child subreaper (Linux), so processes that lose their parent become its own
children and are found as its descendants; where a PID namespace is used they end with the namespace as well.
"""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import deque
from typing import Any, BinaryIO

_TICK = 0.05
_SIZE_EVERY = 0.4
"""Seconds between two measurements of the folder."""
_KILL_SECONDS = 10.0
_PR_SET_CHILD_SUBREAPER = 36
_HAS_PROC = sys.platform == "linux"
_PIECE = 65536


def main() -> None:
    """Minds the folder, then follows the plan."""
    folder = json.loads(sys.stdin.buffer.readline())
    line = sys.stdin.buffer.readline()
    if line.endswith(b"\n"):
        report = _follow(json.loads(line))
        report["left"] = remove_folder(folder)
        sys.stdout.write(json.dumps(report) + "\n")
        with contextlib.suppress(OSError):  # nobody may be there to read it
            sys.stdout.flush()
    else:
        remove_folder(folder)
    os._exit(0)  # the thread on the lifeline would keep the interpreter


def _follow(plan: dict[str, Any]) -> dict[str, Any]:
    lost = threading.Event()
    threading.Thread(target=_wait_for_end, args=(sys.stdin.buffer, lost), daemon=True).start()
    try:
        return _run(plan, lost)
    except OSError as error:
        return {"how": "not-started", "output": str(error)}


def _run(plan: dict[str, Any], lost: threading.Event) -> dict[str, Any]:
    _become_subreaper()
    _limit(plan)
    started = time.monotonic()
    process = subprocess.Popen(
        plan["command"],
        cwd=plan["cwd"],
        env=plan["environment"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    output: deque[bytes] = deque()
    reader = threading.Thread(
        target=_keep_tail, args=(process.stdout, output, plan["output_bytes"]), daemon=True
    )
    reader.start()
    try:
        how, peak = _watch(process, plan, lost, started)
    finally:
        survivors = kill_all(process)
    reader.join(2)
    tail = b"".join(output)[-plan["output_bytes"] :].decode("utf-8", "replace")
    return {
        "how": how,
        "code": process.returncode if process.returncode is not None else -1,
        "seconds": round(time.monotonic() - started, 2),
        "megabytes": -(-peak >> 20),  # rounded up: more than a limit never looks like the limit
        "output": tail,
        "survivors": survivors,
        "result": _read_result(plan["result"], plan["result_bytes"]),
    }


def _watch(
    process: "subprocess.Popen[bytes]", plan: dict[str, Any], lost: threading.Event, started: float
) -> tuple[str, int]:
    """How it ended, and the most memory that its processes had at one moment, in bytes."""
    peak, measured = 0, started
    while True:
        try:
            process.wait(_TICK)
            return "exited", peak
        except subprocess.TimeoutExpired:
            pass
        now = time.monotonic()
        if lost.is_set():
            return "interrupted", peak
        if now - started > plan["seconds"]:
            return "time", peak
        family = descendants()
        resident = sum(family.values())
        peak = max(peak, resident)
        if resident > plan["megabytes"] << 20:
            return "memory", peak
        if len(family) > plan["processes"]:
            return "processes", peak
        if now - measured > _SIZE_EVERY:
            measured = now
            if exceeded := _too_large(plan):
                return exceeded, peak


def _too_large(plan: dict[str, Any]) -> str:
    size, count = folder_size(plan["folder"], plan["files"])
    if count > plan["files"]:
        return "files"
    return "folder" if size > plan["folder_megabytes"] << 20 else ""


def folder_size(folder: str, most: int) -> tuple[int, int]:
    """Bytes on disk and number of entries below a folder; counting stops beyond `most` entries."""
    size, count, waiting = 0, 0, [folder]
    while waiting and count <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    count += 1
                    if count > most:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                        continue
                    status = entry.stat(follow_symlinks=False)
                    # Blocks, since a sparse file takes up less than its length.
                    size += getattr(status, "st_blocks", 0) * 512 or status.st_size
        except OSError:
            continue  # gone meanwhile, or closed to us
    return size, count


def descendants() -> dict[int, int]:
    """Resident bytes of every process below this one, by process id."""
    table = _processes()
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found: dict[int, int] = {}
    waiting = list(children.get(os.getpid(), ()))
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found[pid] = table[pid][1]
            waiting.extend(children.get(pid, ()))
    return found


def _processes() -> dict[int, tuple[int, int]]:
    """Parent and resident bytes of all processes that can be seen, by process id."""
    if _HAS_PROC:
        return _processes_of_linux()
    if os.name != "posix":
        return {}
    listing = subprocess.run(  # the listing itself is a child too, gone by the time it is read
        ["/bin/ps", "-axo", "pid=,ppid=,rss="], capture_output=True, text=True, check=False
    )
    rows = (line.split() for line in listing.stdout.splitlines())
    return {int(pid): (int(parent), int(rss) * 1024) for pid, parent, rss in rows}


def _processes_of_linux() -> dict[int, tuple[int, int]]:
    page = os.sysconf("SC_PAGE_SIZE")
    table: dict[int, tuple[int, int]] = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The name in parentheses may hold anything, also parentheses.
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in b"ZX":  # the dead take no memory and cannot be killed again
            table[int(name)] = (int(fields[1]), int(fields[21]) * page)
    return table


def kill_all(process: "subprocess.Popen[bytes]") -> int:
    """Kills the process and all below this one; the number of those that would not go."""
    if os.name != "posix":
        process.kill()
        process.wait()
        return 0
    deadline = time.monotonic() + _KILL_SECONDS
    process.poll()
    left = descendants()
    while left and time.monotonic() < deadline:
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        process.poll()
        _reap(process.pid)
        time.sleep(0.01)
        left = descendants()
    process.poll()
    _reap(process.pid)
    return len(left)


def _reap(except_pid: int) -> None:
    """Collects what became our child by losing its parent; the process itself is its object's to collect."""
    for pid in list(_dead_children()):
        if pid != except_pid:
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                continue


def _dead_children() -> list[int]:
    if not _HAS_PROC:
        return []
    me, dead = os.getpid(), []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if fields[0] == b"Z" and int(fields[1]) == me:
                dead.append(int(name))
    return dead


def _become_subreaper() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _limit(plan: dict[str, Any]) -> None:
    """Limits that children inherit. The number of processes is watched: its limit counts all of a user's."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415 - not everywhere

    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: plan["folder_megabytes"] << 20,
        resource.RLIMIT_NOFILE: plan["open_files"],
    }
    for kind, value in wanted.items():
        _, hard = resource.getrlimit(kind)
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))


def _keep_tail(stream: BinaryIO, pieces: "deque[bytes]", limit: int) -> None:
    kept = 0
    while piece := stream.read1(_PIECE):  # type: ignore[attr-defined]
        pieces.append(piece)
        kept += len(piece)
        while kept - len(pieces[0]) > limit:
            kept -= len(pieces.popleft())


def _wait_for_end(stream: BinaryIO, lost: threading.Event) -> None:
    while stream.read(_PIECE):
        pass
    lost.set()


def _read_result(path: str, limit: int) -> str | None:
    """The text that was left as the result; none if there is no regular file, or too large a one."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    finally:
        os.close(descriptor)


def remove_folder(folder: str) -> bool:
    """Removes a folder whatever was done to it; whether anything of it is left."""
    try:
        for root, folders, _ in os.walk(folder):
            for name in folders:
                inside = os.path.join(root, name)
                if not os.path.islink(inside):
                    os.chmod(inside, 0o700)
        shutil.rmtree(folder)
    except (OSError, RecursionError):  # nested deeper than Python's stack, or names too long for it
        if os.name == "posix":
            subprocess.run(["/bin/rm", "-rf", "--", folder], capture_output=True, check=False)
    return os.path.lexists(folder)


if __name__ == "__main__":
    main()
