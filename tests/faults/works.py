"""The works that are disturbed: what has to be there before, the command, and what has to be there afterwards."""

from typing import NamedTuple

Command = tuple[str, ...]

SYNC = ("sync", "demo", "--from", "git", "--releases", "1.0,1.1,1.2")
ACCEPT = ("accept", "--all-moved", "--commit", "v1.2", "--by", "Ada")
ACCEPT_CHANGED = ("accept", "q01-a8", "--commit", "v1.2", "--by", "Ada", "--reason", "Still true.")
CHECK = ("check", "--commit", "v1.2", "--format", "json")


class Work(NamedTuple):
    """A command that is disturbed.

    Attributes:
        command: it.
        before: what is done before.
        code: its exit code where nothing disturbs it.
        in_one: whether its files change all together or not at all.
    """

    command: Command
    before: tuple[Command, ...] = (SYNC,)
    code: int = 0
    in_one: bool = True


WORKS: dict[str, Work] = {
    "sync from git": Work(SYNC, before=(), in_one=False),
    "sync from git, an update": Work(
        SYNC, before=(("sync", "demo", "--from", "git", "--releases", "1.0"),), in_one=False
    ),
    "sync with history": Work((*SYNC, "--history"), in_one=False),
    "sync from a package index": Work(
        ("sync", "demo", "--from", "pypi", "--releases", "1.0..1.2"), before=(), in_one=False
    ),
    "sync from a package index, an update": Work(
        ("sync", "demo", "--from", "pypi", "--releases", "1.0..1.2"),
        before=(("sync", "demo", "--from", "pypi", "--releases", "1.1"),),
        in_one=False,
    ),
    "lock": Work(("lock",)),
    "check": Work((*CHECK, "-o", "report.json"), code=1, in_one=False),
    "check, with a file of known drift": Work(
        ("check", "--commit", "v1.2", "--debt", "debt.yaml", "--update-debt"), code=0
    ),
    "accept what moved": Work(ACCEPT, before=(SYNC, ("lock",))),
    "accept what changed": Work(ACCEPT_CHANGED, before=(SYNC, ("lock",))),
    "pin": Work(
        ("pin", "v1.2", "--upstream", "demo"), before=(SYNC, ("lock",), ACCEPT, ACCEPT_CHANGED)
    ),
    "map": Work(("map", "--jobs", "1", "-o", "map.svg"), in_one=False),
    "notes fix": Work(("notes", "fix", "notes", "--commit", "v1.2", "--write"), in_one=False),
    "import into a study": Work(("import", "notes/a.md", "--study", "."), code=0),
    "import into a new study": Work(
        ("import", "notes/a.md", "--into", "other", "--repo", "../host.git", "--commit", "v1.0"),
        before=(),
    ),
    "add": Work(
        (
            "add",
            "pkg/pool.py:20",
            "--question",
            "1",
            "--note",
            "Here.",
            "--id",
            "q01-new",
            "--write",
        )
    ),
}
