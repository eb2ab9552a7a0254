"""Machine formats that other tools read, all made from findings; adding one is a module and a line here.

Each module has `render(findings, about) -> str`, which gives the whole text of the format. Modules load when asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:  # the names of the formats are part of every `--help`
    from annotator.model.finding import About, Finding

Render: TypeAlias = "Callable[[Sequence[Finding], About], str]"


class Format(NamedTuple):
    """A machine format.

    Attributes:
        module: the module that renders it.
        about: what reads it, a few words.
    """

    module: str
    about: str

    def render(self, findings: "Sequence[Finding]", about: "About") -> str:
        """The findings in this format."""
        render: Render = import_module(f"{__name__}.{self.module}").render
        return render(findings, about)


FORMATS: Mapping[str, Format] = {
    "sarif": Format("sarif", "SARIF 2.1.0: code scanning, editors"),
    "junit": Format("junit", "JUnit XML: test reports of nearly every CI"),
    "github": Format("github", "workflow commands: annotations in GitHub Actions"),
    "summary": Format("markdown", "Markdown, added to the job summary of GitHub Actions"),
    "gitlab": Format("gitlab", "code quality report of GitLab merge requests"),
    "rdjson": Format("rdjson", "reviewdog: comments with suggestions in reviews"),
    "markdown": Format("markdown", "Markdown: issues, chats, wikis"),
}
"""By the name that `--format` takes."""
