"""What a probe is, and what it is given when it runs. Standard library only: it is loaded on both sides."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Tier = Literal["source", "overlay", "engine"]
"""`source`: the pure Python tree of any commit. `overlay`: that tree over the compiled extension of the nearest
wheel, good for control flow, not for numbers. `engine`: a matching wheel and a real engine."""

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True)
class Check:
    """One claim that a probe can confirm or refute.

    Attributes:
        id: unique within the probe; a claim of a study names it as `check`.
        zh: the claim in Chinese.
        en: the claim in English.
    """

    id: str
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Probe:
    """One experiment.

    Attributes:
        name: how it is called on the command line and in claims.
        zh: what it looks at, in Chinese.
        en: what it looks at, in English.
        upstream: the upstream whose code it runs.
        tiers: how it can run, the cheapest first.
        paths: files and folders of the tree that it runs; results are remembered by their content.
        checks: the claims it can confirm or refute.
        version: raised when the probe observes differently.
        observe: runs upstream and reports to the context. Imports upstream inside.
        seconds: time limit of one run.
        megabytes: memory limit of one run, of the whole process tree.
        beside: other upstreams whose packages have to be installed where it runs compiled code.
    """

    name: str
    zh: str
    en: str
    upstream: str
    tiers: tuple[Tier, ...]
    paths: tuple[str, ...]
    checks: tuple[Check, ...]
    version: int
    observe: Callable[["Context"], None]
    seconds: int = 180
    megabytes: int = 4000
    beside: tuple[str, ...] = ()


class CannotAdapt(Exception):
    """Upstream's interface differs in a way that the probe cannot bridge. The run is an error, never a pass."""


@dataclass(slots=True)
class Context:
    """What a probe is given, and what it reports to.

    Attributes:
        tier: how it runs.
        device: `cpu` or `cuda`.
        seed: for everything drawn at random.
        folder: an empty folder of its own.
        options: what the caller wants otherwise (`{"examples": 50}` for the number of generated sequences).
        observations: what was seen, by dotted key; compared between commits.
        verdicts: check id → `confirmed`, `refuted` or `not-applicable`, and the evidence in one sentence.
        adaptations: how calls were made to fit, one sentence each.
        versions: versions of what was run, by name; `model runner` is V1 or V2 where one ran.
    """

    tier: Tier
    device: str
    seed: int
    folder: str
    options: dict[str, Any] = field(default_factory=dict)
    observations: dict[str, Json] = field(default_factory=dict)
    verdicts: dict[str, tuple[str, str]] = field(default_factory=dict)
    adaptations: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def saw(self, key: str, value: Json) -> None:
        """Records an observation. Values must not hold addresses, times or anything else that differs by chance."""
        if key in self.observations:
            raise ValueError(f"{key} was observed already")
        self.observations[key] = value

    def verdict(self, check: str, holds: bool, evidence: str) -> None:
        """Confirms or refutes a check. Refuted once stays refuted."""
        if self.verdicts.get(check, ("",))[0] != "refuted":
            self.verdicts[check] = ("confirmed" if holds else "refuted", evidence)

    def not_applicable(self, check: str, why: str) -> None:
        """Says that this version has nothing that the check speaks of."""
        self.verdicts.setdefault(check, ("not-applicable", why))

    def call(
        self,
        function: Callable[..., Any],
        *args: Any,
        renamed: dict[str, Iterable[str]] | None = None,
        required: Iterable[str] = (),
        **kwargs: Any,
    ) -> Any:
        """Calls upstream with the keyword arguments that this version knows, and records what was adapted.

        Args:
            function: what to call.
            *args: positional arguments, passed as they are.
            renamed: keyword → earlier or later names of the same thing.
            required: keywords without which the call would mean something else.
            **kwargs: keyword arguments.

        Raises:
            CannotAdapt: if a required keyword is unknown, or a parameter without default stays without a value.
        """
        name = getattr(function, "__qualname__", repr(function))
        parameters = inspect.signature(function).parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
        passed: dict[str, Any] = {}
        for key, value in kwargs.items():
            names = (key, *(renamed or {}).get(key, ()))
            fitting = next((n for n in names if n in parameters), key if takes_any else None)
            if fitting is None:
                if key in required:
                    raise CannotAdapt(f"{name} has no parameter {' or '.join(names)}")
                self.adapted(f"{name}: dropped {key}")
                continue
            if fitting != key:
                self.adapted(f"{name}: {key} is called {fitting}")
            passed[fitting] = value
        try:
            inspect.signature(function).bind(*args, **passed)
        except TypeError as error:
            raise CannotAdapt(f"{name}: {error}") from error
        return function(*args, **passed)

    def fresh(
        self,
        function: Callable[..., Any],
        *arguments: Json,
        environment: dict[str, str | None] | None = None,
        seconds: float = 120,
    ) -> Any:
        """Calls a module's function in a fresh interpreter: for what upstream settles when it is imported.

        Args:
            function: a function at the top of a module beside this one.
            *arguments: its arguments; JSON, as its answer.
            environment: variables to set there, or with None to take away.
            seconds: how long to wait.

        Raises:
            RuntimeError: if it fails there.
        """
        from annotator.probes.fresh import call_in_fresh_process  # noqa: PLC0415 - few need it

        return call_in_fresh_process(function, arguments, environment or {}, seconds)

    def adapted(self, sentence: str) -> None:
        """Records how something was made to fit this version or this rig. Said once, however often it happens."""
        if sentence not in self.adaptations:
            self.adaptations.append(sentence)
