"""Reads a Python definition that does nothing but pass its arguments on: what does it pass them to?"""

import libcst as cst

from annotator.resolve.definitions import Unparsable, parse_definition


def forwarded_name(text: str, own_name: str) -> str:
    """The dotted name that a definition does nothing but call or stand for, else an empty string."""
    if len(text) > 4000:
        return ""
    try:
        node = parse_definition(text)
    except Unparsable:
        return ""
    if isinstance(node, cst.Assign) and isinstance(node.value, (cst.Name, cst.Attribute)):
        return _dotted(node.value)
    if isinstance(node, cst.ClassDef) and len(node.bases) == 1:
        if all(_says_nothing(part) for part in _statements(node.body)):
            base = _dotted(node.bases[0].value)
            return base if own_name in base or base.endswith(own_name) else ""
        return ""
    if not isinstance(node, cst.FunctionDef):
        return ""
    working = [part for part in _statements(node.body) if not _says_nothing(part)]
    if len(working) != 1 or not isinstance(working[0], (cst.Return, cst.Expr)):
        return ""
    value = working[0].value
    if isinstance(value, cst.Await):
        value = value.expression
    if not isinstance(value, cst.Call):
        return ""
    names = {param.name.value for param in (*node.params.params, *node.params.kwonly_params)}
    passed = [arg.value for arg in value.args]
    # a forwarder hands on what it was given; a call that computes its arguments is logic
    if not all(isinstance(arg, (cst.Name, cst.Attribute, cst.BaseNumber)) for arg in passed):
        return ""
    used = {arg.value for arg in passed if isinstance(arg, cst.Name)}
    needed = names - {"self", "cls"}
    return _dotted(value.func) if len(used & needed) * 2 >= len(needed) else ""


def _statements(body: cst.BaseSuite) -> list[cst.CSTNode]:
    flat: list[cst.CSTNode] = []
    for part in body.body:
        flat.extend(part.body if isinstance(part, cst.SimpleStatementLine) else [part])
    return flat


def _says_nothing(node: cst.CSTNode) -> bool:
    """Whether a statement is a docstring, `pass`, an import or a warning that something is deprecated."""
    if isinstance(node, (cst.Pass, cst.Import, cst.ImportFrom)):
        return True
    if not isinstance(node, cst.Expr):
        return False
    if isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString, cst.Ellipsis)):
        return True
    return isinstance(node.value, cst.Call) and _dotted(node.value.func).split(".")[-1] in {
        "warn",
        "warn_deprecated",
        "warning_once",
    }


def _dotted(node: cst.CSTNode) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join(reversed([*parts, node.value]))
