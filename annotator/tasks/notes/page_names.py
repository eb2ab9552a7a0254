"""Names on upstream's own pages that its code does not have any more: files, symbols, options.

A page is compared with the code of the same commit, its comments and strings included, but not with other pages, which
may be as old. What a page's examples make up stands in code blocks, so only code spans in running text are read.
"""

import re
from collections.abc import Mapping

from annotator.model.mention import PageFinding
from annotator.tasks.lint.code_names import CodeName, NameKind, code_names
from annotator.tasks.lint.sentences import says_absent, sentences
from annotator.tasks.lint.vocabulary import Vocabulary, missing_part
from annotator.upstream.tree import Tree

PAGES = (".md", ".mdx", ".markdown", ".rst")
"""Endings of pages."""

_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SPAN = re.compile(r"(?<!`)(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]{1,200}?)(?P=ticks)(?!`)")
_CAMEL = re.compile(r"(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*|[A-Z]{2,}[a-z0-9]+(?:[A-Z][a-z0-9]*)+")
_MADE_UP = re.compile(r"(?:My|Your|Custom|Dummy|Example|Fake|Foo|Bar)[A-Z]")
"""Beginnings of names that a page makes up for its reader to fill in."""

_PAST = re.compile(
    r"\b(?:previously|originally|lost|legacy|deprecated|historical(?:ly)?|superseded|was replaced|replaced by)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\b(?:docker|podman|kubectl|helm|pip|uv|nsys|ncu|cmake|git|curl|ray|torchrun)\b")


def code_of(commit: str, files: Mapping[str, str]) -> Tree:
    """The pages of a tree, as what is left out when the words of its code are collected.

    Args:
        commit: full id of the commit.
        files: path to blob id of its files.
    """
    pages = {path: blob for path, blob in files.items() if path.lower().endswith(PAGES)}
    return Tree(f"{commit} pages", pages, frozenset())


def page_findings(page: str, text: str, code: Vocabulary, *, pedantic: bool) -> list[PageFinding]:
    """The names in a page's code spans that the code does not have.

    A name passes if its sentence says that it is not there any more.

    Args:
        page: path of the page.
        text: its content.
        code: words of the code at the same commit, without the pages.
        pedantic: whether to tell what is often something else than a name of this code: plain identifiers.
    """
    blanked = _COMMENT.sub(_blank, _FENCE.sub(_blank, text))
    found: list[PageFinding] = []
    for span in _SPAN.finditer(blanked):
        for name in code_names(span[0]):
            sure = _is_sure(name, span["code"], code)
            if not (sure or pedantic) or _is_cut_out(name, span["code"]):
                continue
            missing = missing_part(name, [code])
            if missing and _has_singular(missing, name, code):
                continue
            if missing and not _is_excused(blanked, span.start(), name):
                found.append(_finding(page, blanked, span, name, missing, code, sure=sure))
    return found


def _is_sure(name: CodeName, span: str, code: Vocabulary) -> bool:
    """Whether a name of this form is one of this code, or was."""
    text = name.text
    if name.kind is NameKind.PATH:
        return "/" in text and code.is_under(text)
    if name.kind is NameKind.OPTION:
        return _COMMAND.search(span) is None
    if name.kind is not NameKind.NAME:
        return False
    head = re.split(r"\.|::", text)[0]
    is_class = _CAMEL.fullmatch(head) is not None and _MADE_UP.match(head) is None
    return is_class or head in code.words.folders


def _is_cut_out(name: CodeName, span: str) -> bool:
    """Whether a name is but the beginning of what stands there: `Model2` of `Model2.5`, `Serving` of `Serving*`."""
    behind = span[span.find(name.text) + len(name.text) :]
    return re.match(r"\.\d|\w|[*<{]", behind) is not None


def _has_singular(missing: str, name: CodeName, code: Vocabulary) -> bool:
    """Whether a class is only written in the plural, as in "two `Contexts`"."""
    return missing == name.text and missing.endswith("s") and code.has_name(missing[:-1])


def _is_excused(text: str, index: int, name: CodeName) -> bool:
    start = max(text.rfind("\n\n", 0, index), 0)
    end = text.find("\n\n", index)
    paragraph = text[start : end if end >= 0 else len(text)]
    around = (sentence for sentence in sentences(paragraph) if name in code_names(sentence))
    return any(says_absent(sentence) or _PAST.search(sentence) for sentence in around)


def _finding(
    page: str,
    text: str,
    span: re.Match[str],
    name: CodeName,
    missing: str,
    code: Vocabulary,
    *,
    sure: bool,
) -> PageFinding:
    start = max(text.find(name.text, span.start(), span.end()), span.start())
    line_start = text.rfind("\n", 0, start) + 1
    is_name = name.kind is NameKind.NAME
    return PageFinding(
        page=page,
        line=text.count("\n", 0, start) + 1,
        column=start - line_start + 1,
        end_column=start - line_start + 1 + len(name.text),
        kind=name.kind.value,
        name=name.text,
        missing=missing,
        close=code.close_to(missing) if is_name and "." not in missing else "",
        sure=sure,
    )


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])

