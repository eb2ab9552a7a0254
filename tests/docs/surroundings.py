"""Where the commands of documents are run: the folders, clones and files that their reader has."""

import shutil
import subprocess
from pathlib import Path

from tests.docs.documents import ROOT

POOL = '''\
"""Blocks and who uses them."""

LIMIT = 3


class BlockPool:
    """Keeps blocks."""

    def touch(self, block):
        """Takes one more reference."""
        if block.ref_cnt == 0:
            self.queue.remove(block)
        block.ref_cnt += 1

    def free_blocks(self, blocks):
        """Gives them back."""
        for block in blocks:
            block.ref_cnt -= 1
        self.queue.extend(block for block in blocks if block.ref_cnt == 0)


def blocks_needed(tokens, block_size):
    """How many blocks a request needs."""
    return -(-tokens // block_size)
'''
_COUNT = POOL.index("\n\n\ndef blocks_needed")
ENGINE = (
    {
        "engine/pool.py": POOL,
        "engine/use.py": "from engine.pool import BlockPool\n\nPOOL = BlockPool()\n",
        "docs/design.md": "# Design\n\n## Eviction\n\nThe oldest block goes first.\n",
        "LICENSE": "Apache License, Version 2.0",
    },
    {  # the count went to a file of its own; a block that is never pooled is told apart
        "engine/pool.py": POOL[:_COUNT].replace(
            "block.ref_cnt == 0:\n            self",
            "block.ref_cnt == 0 and not block.null:\n            self",
        )
        + "\n",
        "engine/sizes.py": '"""Arithmetic."""' + POOL[_COUNT:],
        "engine/use.py": "from engine.pool import BlockPool\n\nPOOL = BlockPool()\n",
        "docs/design.md": "# Design\n\n## Eviction\n\nThe oldest block goes first.\n",
        "LICENSE": "Apache License, Version 2.0",
    },
)
"""Two releases of a small project, v1 and v2: one function moves, one method changes."""

SUBJECTS = {1: "Blocks", 2: "Null blocks are never pooled (#12)"}
"""What their commits say."""


def git(folder: Path, *arguments: str) -> None:
    """Runs git there."""
    command = ["git", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


def releases(home: Path, source: Path) -> Path:
    """The study that comes with annot, and a clone of what was imported as if it were upstream's.

    The study is a copy, since some commands write into it. Of the clone, one folder is checked out.
    """
    work = home / "study"
    shutil.copytree(ROOT / "anchors", work / "anchors")
    clone = home / "src" / "vllm"
    clone.parent.mkdir()
    git(
        home,
        "clone",
        "-q",
        "--shared",
        "--no-checkout",
        str(source / "sources/vllm/releases.git"),
        str(clone),
    )
    git(clone, "tag", "v0.20.0", "v0.28.0")  # documents go further back than the tests' releases
    git(clone, "checkout", "-q", "v0.33.0", "--", "vllm/v1/core")
    git(clone, "remote", "remove", "origin")
    return work


def project(home: Path, bare: Path) -> Path:
    """A clone of a small project as `~/src/engine`, and a folder to work in."""
    clone = home / "src" / "engine"
    clone.parent.mkdir()
    git(home, "clone", "-q", str(bare), str(clone))
    git(clone, "remote", "remove", "origin")
    work = home / "work"
    work.mkdir()
    return work
