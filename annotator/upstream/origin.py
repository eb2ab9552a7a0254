"""What a git repository says about itself to someone who begins a study of it: address, branch, names."""

import re
from pathlib import Path
from typing import NamedTuple

from annotator.model.failures import Incomplete, UserMistake
from annotator.upstream.addresses import check_clone_address, split_address, without_password
from annotator.upstream.clone import REACH_TIMEOUT, remote_refs
from annotator.upstream.git_program import complaint, try_git
from annotator.upstream.refs import close_names, is_full_id, spellings
from annotator.upstream.repository import Repository, open_repository

_SCP = re.compile(r"(?:[\w.-]+@)?(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+):(?P<path>[\w~][\w./~+-]*)")
_WEB_PATH = re.compile(r"/[A-Za-z0-9._~/+-]+")
_USUAL_BRANCHES = ("main", "master", "develop", "trunk")


class Origin(NamedTuple):
    """Where source comes from.

    Attributes:
        address: where it is cloned from now: an absolute path, or an address of a git host.
        git: where others can clone it from; the same, unless a local clone knows its git host.
        web: web address of the repository, empty if it has none.
        title: what the project is called.
        branch: its default branch; for a local repository the one that is checked out.
        commit: full id of the newest commit there, or of the one that was asked for.
        release: tag that was asked for, else empty.
        git_dir: git folder of a local repository, else none.
    """

    address: str
    git: str
    web: str
    title: str
    branch: str
    commit: str
    release: str = ""
    git_dir: Path | None = None


def find_origin(repo: str, ref: str | None = None) -> Origin:
    """Looks at a repository: a path on this machine, or an address of a git host.

    Args:
        repo: the path or the address.
        ref: the commit or tag to begin with; by default the newest commit of the default branch.

    Raises:
        UserMistake: if it is no repository, has no commit yet, or does not know `ref`.
        Incomplete: if the git host does not answer.
    """
    if Path(repo).expanduser().exists():
        with open_repository(Path(repo)) as repository:
            return _local(repository, ref)
    if not split_address(repo).scheme and not _SCP.fullmatch(repo):
        raise UserMistake(
            f"{repo} is neither a folder nor an address of a git repository",
            hint="give the folder of a clone, or an address such as https://host/owner/project",
        )
    return _remote(check_clone_address(repo), ref)


def web_address(address: str) -> str:
    """The web page of a repository that is cloned from `address`; empty where none can be told."""
    scp = _SCP.fullmatch(address)
    if scp:
        host, path = scp["host"], f"/{scp['path']}"
    else:
        parts = split_address(address)
        if parts.scheme not in {"https", "ssh"} or not parts.hostname:
            return ""
        host, path = parts.hostname, parts.path
        if parts.scheme == "https" and parts.port:
            host += f":{parts.port}"
    path = path.rstrip("/").removesuffix(".git")
    return f"https://{host}{path}" if _WEB_PATH.fullmatch(path) else ""


def _local(repository: Repository, ref: str | None) -> Origin:
    path = str(repository.path.resolve())
    commit = repository.resolve(ref or "HEAD")
    remote = _say(repository, "config", "--get", "remote.origin.url")
    web = web_address(remote)
    work_tree = _say(repository, "rev-parse", "--show-toplevel")
    return Origin(
        address=work_tree or path,
        git=without_password(remote) if web else work_tree or path,
        web=web,
        title=_title(web or work_tree or path),
        branch=_branch_at_head(repository),
        commit=commit,
        release=next((tag for tag in spellings(ref or "HEAD") if tag in repository.tags()), ""),
        git_dir=repository.git_dir,
    )


def _branch_at_head(repository: Repository) -> str:
    here = _say(repository, "symbolic-ref", "--quiet", "--short", "HEAD")
    if here:
        return here
    listing = _say(repository, "branch", "--contains", "HEAD", "--format=%(refname:lstrip=2)")
    branches = [name for name in listing.splitlines() if not name.startswith("(")]
    if not branches:
        raise UserMistake(
            f"no branch of {repository.path} has the commit that is checked out",
            hint=f"make one with: git -C {repository.path} branch NAME",
        )
    return next((name for name in _USUAL_BRANCHES if name in branches), branches[0])


def _remote(address: str, ref: str | None) -> Origin:
    shown = without_password(address)
    offered = remote_refs(address)
    branch = _default_branch(address) or next(
        (name for name in _USUAL_BRANCHES if name in offered.branches), ""
    )
    if branch not in offered.branches:
        raise UserMistake(f"{shown} has no commit yet")
    release, commit = "", offered.branches[branch]
    if ref is not None:
        release = next((name for name in spellings(ref) if name in offered.tags), "")
        if release:
            commit = offered.tags[release]
        elif is_full_id(ref) or ref in offered.branches:
            commit = offered.branches.get(ref, ref)
        else:
            near = close_names(ref, [*offered.tags, *offered.branches])
            raise UserMistake(
                f"{shown} has no tag or branch {ref!r}",
                hint=f"close names: {', '.join(near)}"
                if near
                else "a commit is named by all of its digits",
            )
    web = web_address(address)
    return Origin(shown, shown, web, _title(web or address), branch, commit, release)


def _default_branch(address: str) -> str:
    done = try_git(
        ["ls-remote", "--symref", "--", address, "HEAD"], network=True, timeout=REACH_TIMEOUT
    )
    if done.returncode != 0:
        raise Incomplete(f"{without_password(address)} gives nothing: {complaint(done.stderr)}")
    found = re.search(rb"^ref: refs/heads/(\S+)\tHEAD$", done.stdout, re.MULTILINE)
    return found[1].decode("utf-8", "replace") if found else ""


def _title(address: str) -> str:
    """The last part of an address or path that says something."""
    parts = [part.removesuffix(".git") for part in re.split(r"[/\\:]", address)]
    return next((part for part in reversed(parts) if part not in {"", ".", "repo"}), "project")


def _say(repository: Repository, *arguments: str) -> str:
    """What git answers, in one piece; empty where it has no answer."""
    folder = repository.git_dir if arguments[0] != "rev-parse" else repository.path
    done = try_git(arguments, folder=folder, settings={"safe.bareRepository": "all"})
    return done.stdout.decode("utf-8", "surrogateescape").strip() if done.returncode == 0 else ""
