"""Which files of ours a probe is made of: what its child gets, and what its results depend on."""

import ast
from collections.abc import Iterator
from importlib.resources import files

from annotator.probes.known import module_name

_PACKAGE = "annotator.probes"
_ALWAYS = ("child", "contract", "fresh", "isolation")


def code_of(name: str) -> dict[str, bytes]:
    """Content of the modules that a probe and its child import from this package, by path from its root.

    Imports are read from the source, those inside functions too, so that nothing is run to find them.
    """
    waiting = [*_ALWAYS, f"catalogue.{module_name(name)}"]
    code = {"annotator/__init__.py": b""}
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        path, content = _read(module)
        if content is None:
            continue
        code[f"annotator/probes/{path}"] = content
        package, _, _ = module.rpartition(".")
        waiting += [package, *_imported(content)]
    return code


def _read(module: str) -> tuple[str, bytes | None]:
    """Path and content of a module of this package; no content if the name is that of something in one."""
    path = module.replace(".", "/")
    for candidate in (f"{path}.py", f"{path}/__init__.py" if path else "__init__.py"):
        file = files(_PACKAGE) / candidate
        if file.is_file():
            return candidate, file.read_bytes()
    return path, None


def _imported(content: bytes) -> Iterator[str]:
    """Names below this package that a module imports: modules, and things in them."""
    prefix = f"{_PACKAGE}."
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name.removeprefix(prefix) for name in names if name.startswith(prefix))
