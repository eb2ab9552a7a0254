"""Generated sequences of operations, and the shortest one that shows a difference.

A probe hands over a function that runs one sequence on upstream and on the reference model side by side and says
where they differ. Hypothesis invents the sequences from a fixed seed; for each check that one of them refuted,
it is shortened as far as it still does, and that is the evidence shown.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from annotator.probes.contract import CannotAdapt, Check, Context

Operation = tuple[Any, ...]
"""A name and small numbers. What a number refers to (which of the live requests) is settled when it runs, so that
every sequence can be run on every version, and stays runnable when it is shortened."""


class Stop(Exception):
    """The sequence cannot go on: upstream and the model have parted."""


@dataclass(slots=True)
class Run:
    """What running one sequence showed.

    Attributes:
        exercised: check → how often it was put to the test.
        refuted: check → what differed, the first time.
    """

    exercised: Counter[str] = field(default_factory=Counter)
    refuted: dict[str, str] = field(default_factory=dict)

    def expect(self, check: str, seen: object, expected: object, what: str) -> None:
        """Puts a check to the test.

        Args:
            check: its id.
            seen: what upstream did.
            expected: what the model says.
            what: what was compared, for the evidence.
        """
        self.exercised[check] += 1
        if seen != expected:
            self.refuted.setdefault(check, f"{what}: {seen}, expected {expected}")

    def stop_if_parted(self) -> None:
        """Ends the sequence once anything differed: what follows would differ for no reason of its own.

        Raises:
            Stop: if anything did.
        """
        if self.refuted:
            raise Stop


Runner = Callable[[list[Operation], Run], None]
Found = TypeVar("Found")


class Findings:
    """What all explorations of one probe showed, told as verdicts at the end.

    Attributes:
        exercised: check → how often it was put to the test.
        evidence: refuted check → the shortest sequence found and what differed.
    """

    def __init__(self, context: Context, raises: str) -> None:
        """Starts without findings.

        Args:
            context: its seed fixes the sequences; its option `examples` sets how many there are of each kind.
            raises: the check that is refuted when upstream raises.
        """
        self._context = context
        self._raises = raises
        self._examples = int(context.options.get("examples", 120))
        self._sequences = 0
        self.exercised: Counter[str] = Counter()
        self.evidence: dict[str, str] = {}

    def explore(
        self, name: str, operations: Any, runner: Runner, *, longest: int = 24, times: int = 1
    ) -> None:
        """Runs generated sequences and keeps what they showed.

        Args:
            name: of this exploration, for the evidence.
            operations: a hypothesis strategy for one operation.
            runner: runs one sequence and tells the `Run` what it compared.
            longest: the most operations in a sequence; the least are half of that.
            times: how many times as many sequences as usual, where they cost little.
        """
        import hypothesis
        from hypothesis import configuration, strategies

        configuration.set_hypothesis_home_dir(self._context.folder)
        failing: dict[str, list[Operation]] = {}

        @hypothesis.seed(self._context.seed)
        @hypothesis.settings(
            max_examples=self._examples * times,
            database=None,
            deadline=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(strategies.lists(operations, min_size=longest // 2, max_size=longest))
        def generate(sequence: list[Operation]) -> None:
            result = self._run(runner, sequence)
            self._sequences += 1
            self.exercised.update(result.exercised)
            for check in result.refuted:
                failing.setdefault(check, sequence)

        generate()
        for check, sequence in failing.items():
            if check in self.evidence:
                continue
            shortest = shortened(sequence, partial(self._refutes, runner, check))
            said = self._run(runner, shortest).refuted[check]
            self.evidence[check] = f"{name}: {written(shortest)} → {said}"

    def case(self, look: Callable[[], Found], otherwise: Found) -> Found:
        """Looks at one case of its own; that upstream raises is a finding there as well.

        Args:
            look: runs the case.
            otherwise: what to go on with if upstream raises.
        """
        try:
            return look()
        except CannotAdapt:
            raise
        except Exception as error:  # whatever upstream raises is what is being looked for
            self.evidence.setdefault(self._raises, _raised(error))
            return otherwise

    def tell(self) -> None:
        """Gives the verdicts."""
        for check in sorted(set(self.exercised) | set(self.evidence)):
            agreed = f"{self.exercised[check]} comparisons in {self._sequences} sequences agree"
            self._context.verdict(
                check, check not in self.evidence, self.evidence.get(check, agreed)
            )

    def _refutes(self, runner: Runner, check: str, sequence: list[Operation]) -> bool:
        return check in self._run(runner, sequence).refuted

    def _run(self, runner: Runner, sequence: list[Operation]) -> Run:
        result = Run()
        result.exercised[self._raises] += 1
        try:
            runner(sequence, result)
        except Stop:
            pass
        except CannotAdapt:
            raise
        except Exception as error:  # whatever upstream raises is what is being looked for
            result.refuted.setdefault(self._raises, _raised(error))
        return result


def _raised(error: Exception) -> str:
    """An error and the function that raised it, without paths."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {last.name}: {error or last.line}"[:300]


def explore(
    context: Context, name: str, operations: Any, runner: Runner, raises: str, *, longest: int = 24
) -> None:
    """One exploration, and the verdicts on what it tested, for a probe or check that needs no other.

    Args:
        context: who is told.
        name: of this exploration, for the evidence.
        operations: a hypothesis strategy for one operation.
        runner: runs one sequence and tells the `Run` what it compared.
        raises: the check that is refuted when upstream raises.
        longest: the most operations in a sequence; the least are half of that.
    """
    findings = Findings(context, raises)
    findings.explore(name, operations, runner, longest=longest)
    findings.tell()


def require_verdicts(context: Context, checks: Iterable[Check]) -> None:
    """Makes sure that no check went untested, unless another was refuted: what ends a sequence early hides the rest.

    Raises:
        RuntimeError: if one did.
    """
    refuted = any(verdict == "refuted" for verdict, _ in context.verdicts.values())
    missing = [check.id for check in checks if check.id not in context.verdicts]
    if missing and not refuted:
        raise RuntimeError(f"not put to the test: {', '.join(missing)}")


def weighted(*choices: tuple[int, Any]) -> Any:
    """A strategy that picks among others as often as their weights say (`one_of` takes each once, however often given).

    Args:
        *choices: weight and strategy.
    """
    from hypothesis import strategies

    each = [strategy for weight, strategy in choices for _ in range(weight)]
    return strategies.integers(0, len(each) - 1).flatmap(each.__getitem__)


def shortened(
    sequence: list[Operation], refutes: Callable[[list[Operation]], bool]
) -> list[Operation]:
    """A sequence that still refutes, but no longer if any one operation is left out or any one number is lowered.

    Hypothesis would shrink as well, but within the bounds of its strategy, whose least length keeps sequences long.

    Args:
        sequence: one that refutes.
        refutes: runs a sequence.
    """
    smaller = next((each for each in _smaller(sequence) if refutes(each)), None)
    while smaller is not None:
        sequence = smaller
        smaller = next((each for each in _smaller(sequence) if refutes(each)), None)
    return sequence


def _smaller(sequence: list[Operation]) -> Iterable[list[Operation]]:
    for size in (len(sequence) // 2, len(sequence) // 4, 1):
        for start in range(0, len(sequence), max(size, 1)):
            yield sequence[:start] + sequence[start + max(size, 1) :]
    for place, operation in enumerate(sequence):
        for part, value in enumerate(operation):
            if isinstance(value, int) and value > 1:  # a count of 0 might not be allowed
                lower = (*operation[:part], value - 1, *operation[part + 1 :])
                yield [*sequence[:place], lower, *sequence[place + 1 :]]


def written(sequence: Iterable[Operation]) -> str:
    """A sequence as text: `take 3, release 0`."""
    return ", ".join(" ".join(str(part) for part in operation) for operation in sequence)
