"""Keeps source-reading notes true: finds every annotated place again and says what drifted.

    import annotator

    notes = annotator.load("my-notes")
    report = annotator.check(notes, commit="HEAD")
    for result in report.anchors:
        print(result.id, result.resolution.outcome)

`load`, `check`, `trace`, `where` and `where_batch` are described in `annotator.api`. What goes wrong is an
`AnnotError`: `UserMistake` for wrong arguments and files, `Incomplete` where something is missing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from annotator.model.version import __version__

if TYPE_CHECKING:
    from annotator.api import LoadedStudy, check, load, trace, where, where_batch
    from annotator.model.failures import AnnotError, Incomplete, UserMistake
    from annotator.model.history import History
    from annotator.model.report import AnchorResult, CheckReport, WhereAnswer
    from annotator.model.resolution import Resolution
    from annotator.model.study import Study
    from annotator.model.words import ChangeKind, FailOn, Outcome, Watch

_HOMES = {
    "annotator.api": ("LoadedStudy", "check", "load", "trace", "where", "where_batch"),
    "annotator.model.failures": ("AnnotError", "Incomplete", "UserMistake"),
    "annotator.model.history": ("History",),
    "annotator.model.report": ("AnchorResult", "CheckReport", "WhereAnswer"),
    "annotator.model.resolution": ("Resolution",),
    "annotator.model.study": ("Study",),
    "annotator.model.words": ("ChangeKind", "FailOn", "Outcome", "Watch"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AnchorResult",
    "AnnotError",
    "ChangeKind",
    "CheckReport",
    "FailOn",
    "History",
    "Incomplete",
    "LoadedStudy",
    "Outcome",
    "Resolution",
    "Study",
    "UserMistake",
    "Watch",
    "WhereAnswer",
    "__version__",
    "check",
    "load",
    "trace",
    "where",
    "where_batch",
]


def __getattr__(name: str) -> Any:
    """Loads a name when it is first asked for, so that `import annotator` costs nothing (PEP 562)."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
