"""Differences between two parameter lists, parameter by parameter."""

from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from annotator.model.resolution import ParameterChange
from annotator.resolve.similarity import name_similarity

_BLANK = cst.Module([])


class Parameter(NamedTuple):
    """One parameter as a caller and a type checker see it.

    Attributes:
        name: its name, with its stars.
        kind: `positional-only`, `positional`, `keyword-only`, `*` or `**`.
        annotation: source of its type, empty if none.
        default: source of its default, empty if none.
        type_code: the annotation blind to layout, for comparing.
        default_code: the default blind to layout, for comparing.
    """

    name: str
    kind: str
    annotation: str
    default: str
    type_code: tuple[str, ...]
    default_code: tuple[str, ...]

    def __str__(self) -> str:
        """The parameter in source form."""
        text = self.name + (f": {self.annotation}" if self.annotation else "")
        equals = " = " if self.annotation else "="
        return text + (equals + self.default if self.default else "")


def written(node: cst.CSTNode) -> str:
    """A node as libcst writes it."""
    return _BLANK.code_for_node(node)


def source(node: cst.CSTNode | None) -> str:
    """Source of a node in one line, empty for none."""
    return " ".join(written(node).split()) if node is not None else ""


def flatten_parameters(
    parameters: cst.Parameters, code: Callable[[cst.CSTNode | None], list[str]]
) -> list[Parameter]:
    """The parameters in the order in which they are written.

    Args:
        parameters: the list.
        code: gives a node as words blind to layout.
    """

    def read(param: cst.Param, kind: str, stars: str = "") -> Parameter:
        annotation = param.annotation.annotation if param.annotation else None
        return Parameter(
            stars + param.name.value,
            kind,
            source(annotation),
            source(param.default),
            tuple(code(annotation)),
            tuple(code(param.default)),
        )

    result = [read(param, "positional-only") for param in parameters.posonly_params]
    result += [read(param, "positional") for param in parameters.params]
    if isinstance(parameters.star_arg, cst.Param):
        result.append(read(parameters.star_arg, "*", "*"))
    result += [read(param, "keyword-only") for param in parameters.kwonly_params]
    if parameters.star_kwarg is not None:
        result.append(read(parameters.star_kwarg, "**", "**"))
    return result


def _looks_renamed(old: Parameter, new: Parameter) -> bool:
    if old.kind != new.kind:
        return False
    if name_similarity(old.name, new.name) >= 0.5:
        return True
    return bool(old.annotation) and old[4:] == new[4:]


def _pair_renamed(
    old: list[Parameter], new: list[Parameter]
) -> tuple[list[tuple[Parameter, Parameter]], list[Parameter], list[Parameter]]:
    """Pairs parameters that stand between the same neighbours and look like one another."""
    kept = {param.name for param in old} & {param.name for param in new}

    def gaps(params: list[Parameter]) -> dict[str, list[Parameter]]:
        before, result = "", dict[str, list[Parameter]]()
        for param in params:
            if param.name in kept:
                before = param.name
            else:
                result.setdefault(before, []).append(param)
        return result

    old_gaps, new_gaps = gaps(old), gaps(new)
    pairs: list[tuple[Parameter, Parameter]] = []
    for before, removed in old_gaps.items():
        added = list(new_gaps.get(before, ()))
        for param in removed:
            match = next((other for other in added if _looks_renamed(param, other)), None)
            if match is not None:
                added.remove(match)
                pairs.append((param, match))
    renamed_old = {first.name for first, _ in pairs}
    renamed_new = {second.name for _, second in pairs}
    removed_all = [p for p in old if p.name not in kept and p.name not in renamed_old]
    added_all = [p for p in new if p.name not in kept and p.name not in renamed_new]
    return pairs, removed_all, added_all


def compare_parameters(old: list[Parameter], new: list[Parameter]) -> tuple[ParameterChange, ...]:
    """Every difference, in the order of the new list, removed parameters first."""
    pairs, removed, added = _pair_renamed(old, new)
    changes = [
        ParameterChange(name=param.name, change="removed", old=str(param)) for param in removed
    ]
    for before, after in pairs:
        changes.append(
            ParameterChange(name=after.name, change="renamed", old=before.name, new=after.name)
        )
    for param in added:
        changes.append(ParameterChange(name=param.name, change="added", new=str(param)))
    by_name = {param.name: param for param in new}
    same = [(param, by_name[param.name]) for param in old if param.name in by_name]
    for before, after in same + pairs:
        for aspect, differs, was, now in (
            ("kind", before.kind != after.kind, before.kind, after.kind),
            ("type", before.type_code != after.type_code, before.annotation, after.annotation),
            ("default", before.default_code != after.default_code, before.default, after.default),
        ):
            if differs:
                changes.append(ParameterChange(name=after.name, change=aspect, old=was, new=now))
    changes += _reordered(old, new)
    return tuple(changes)


def _reordered(old: list[Parameter], new: list[Parameter]) -> list[ParameterChange]:
    """The first positional parameter whose order among the kept ones changed, if any."""
    positional = {"positional-only", "positional"}
    new_names = [param.name for param in new if param.kind in positional]
    old_names = [param.name for param in old if param.kind in positional]
    before = [name for name in old_names if name in new_names]
    after = [name for name in new_names if name in old_names]
    for was, now in zip(before, after, strict=True):
        if was != now:
            return [ParameterChange(name=now, change="reordered", old=was, new=now)]
    return []
