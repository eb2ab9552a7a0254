"""Addresses of git hosts and package indexes: which are used, how they are shown. Pure functions."""

import re
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

from annotator.model.failures import UserMistake

_SCP_ADDRESS = re.compile(r"[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[\w~][\w./~+-]*")


def split_address(address: str) -> SplitResult:
    """The parts of an address; all empty for a text that is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def without_password(address: str) -> str:
    """The address as it may be shown: without user name and password."""
    parts = split_address(address)
    if "@" not in parts.netloc:
        return address
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def check_clone_address(address: str) -> str:
    """Returns `address` if annot clones from it: https, ssh, or a plainly local absolute path.

    Raises:
        UserMistake: for anything else, such as helpers that run programs (`ext::…`) and options.
    """
    parts = split_address(address)
    is_plain = "::" not in address and all(32 < ord(char) < 127 for char in address)
    if is_plain and (
        (parts.scheme in {"https", "ssh"} and re.match(r"[A-Za-z0-9\[]", parts.hostname or "-"))
        or (parts.scheme == "file" and parts.path.startswith("/"))
        or _SCP_ADDRESS.fullmatch(address)
    ):
        return address
    if Path(address).is_absolute() and "\n" not in address:
        return address
    raise UserMistake(
        f"annot does not clone from {without_password(address)!r}",
        hint="write an https:// or ssh:// address, user@host:path, or an absolute path",
    )
