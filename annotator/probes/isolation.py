"""What a child gives up before it runs upstream's code. Standard library only; runs in the probe's interpreter.

Namespaces are entered before the child starts (see `sandbox`); what is left to do inside is to bring up the loopback
of the empty network, to cover the shared memory with a private one, and to give up writing outside its own folder.
Landlock does the last without any privilege (Linux 5.13 and later). Each step is a bonus where the system allows it,
and what was reached is reported.
"""

import ctypes
import glob
import os
import sys

_NO_NEW_PRIVILEGES = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_WRITE_FILE, _REMOVE_AND_MAKE, _REFER, _TRUNCATE = 1 << 1, 0b1_1111_1111 << 4, 1 << 13, 1 << 14
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "nvidia*", "nvidia-caps/*", "dri/*")
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the system's own name
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 1
_NO_SUID_NO_DEVICES = 2 | 4
_CAPABILITY_VERSION = 0x20080522


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def isolate(folder: str, *, own_network: bool, own_mounts: bool) -> list[str]:
    """Gives up what can be given up; what was reached, in a word each.

    Args:
        folder: the only folder to stay writable.
        own_network: whether this process is in a network namespace of its own.
        own_mounts: whether its mounts are its own.
    """
    if sys.platform != "linux":
        return []
    reached = []
    if own_network and bring_up_loopback():
        reached.append("loopback")
    if own_mounts and _private_shared_memory():
        reached.append("shared memory")
    if write_only_below(folder):
        reached.append("files")
        if drop_capabilities():
            reached.append("capabilities")
    return reached


def bring_up_loopback() -> bool:
    """Makes 127.0.0.1 usable in a fresh network namespace."""
    import fcntl  # noqa: PLC0415 - not everywhere
    import socket  # noqa: PLC0415
    import struct  # noqa: PLC0415

    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            request = struct.pack("16sH14x", b"lo", 0)
            answer = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)
            flags = struct.unpack("16sH14x", answer)[1]
            fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
    except OSError:
        return False
    return True


def write_only_below(folder: str) -> bool:
    """Forbids this process and all it starts to change files outside `folder`, for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    abi = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)
    if abi < 1:
        return False
    everything = _WRITE_FILE | _REMOVE_AND_MAKE
    everything |= _REFER if abi >= 2 else 0
    on_files = _WRITE_FILE | (_TRUNCATE if abi >= 3 else 0)
    everything |= on_files
    attributes = _RulesetAttributes(everything)
    rules = libc.syscall(
        _CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)), 0
    )
    if rules < 0:
        return False
    try:
        for path in (folder, _SHARED_MEMORY):
            _allow(libc, rules, path, everything)
        for pattern in _DEVICES:
            for path in glob.glob(f"/dev/{pattern}"):
                _allow(libc, rules, path, on_files)
        if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def drop_capabilities() -> bool:
    """Gives up what root has beyond other users, for good once no new privileges can be had.

    Landlock keeps a process from looking into others, but not one that may read any process's memory.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    nothing = (ctypes.c_uint32 * 6)()
    return bool(libc.capset(header, nothing) == 0)


def _allow(libc: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rule = _PathBeneath(access, descriptor)
    libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(descriptor)


def _private_shared_memory() -> bool:
    """A shared memory of its own, which goes away with the child. Ours would keep what it left there."""
    libc = ctypes.CDLL(None, use_errno=True)
    mounted = libc.mount(
        b"annot", _SHARED_MEMORY.encode(), b"tmpfs", _NO_SUID_NO_DEVICES, b"size=2g"
    )
    return bool(mounted == 0)
