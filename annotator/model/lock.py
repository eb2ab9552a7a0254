"""What the machine writes beside the notes: what each anchor was at the pin."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from annotator.model.probe import Verdict
from annotator.model.words import Sureness


class LockEntry(BaseModel):
    """What one anchor was when its lock was recorded.

    Attributes:
        target: the target as written when recorded; another target in the anchor file makes the entry stale.
        blob: git blob id of the file.
        symbol: qualified name of what the target resolved to, empty for a whole file.
        kind: kind of that symbol, empty for a whole file.
        start: first line, 1-based.
        end: last line, inclusive.
        signature: declaration in one line, empty where the kind has none.
        fingerprint: hash of the watched code without formatting, comments and docstring.
        quote: line range of the quoted statement, or none.
        sureness: how sure the entry speaks for the pin.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str
    blob: str
    symbol: str = ""
    kind: str = ""
    start: int
    end: int
    signature: str = ""
    fingerprint: str
    quote: tuple[int, int] | None = None
    sureness: Sureness


class Behaviour(BaseModel):
    """What a probe observed at the ref that a lock was recorded from.

    Attributes:
        version: version of the probe.
        tier: how it ran.
        device: what it ran on.
        observations: what it saw, by dotted key.
        verdicts: what it said of its checks, by check.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    tier: str
    device: str = "cpu"
    observations: dict[str, JsonValue]
    verdicts: dict[str, Verdict] = Field(default_factory=dict)


class Lock(BaseModel):
    """The file anchors/locks/UPSTREAM.json.

    Attributes:
        upstream: name of the upstream.
        pin: the pinned commit or release.
        recorded_from: ref that the entries were read from (the pin itself or its stand-in).
        commit: upstream's commit id of that ref where it is known, else as much of it as is known.
        entries: by anchor id.
        behaviour: what probes observed, by `PROBE/source` or `PROBE/compiled`, where that was recorded.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal[1] = Field(default=1, alias="schema")
    upstream: str
    pin: str
    recorded_from: str
    commit: str
    entries: dict[str, LockEntry]
    behaviour: dict[str, Behaviour] = Field(default_factory=dict)
