"""Names on upstream's own pages that its code does not have any more: files, symbols, options.

A page is compared with the code of the same commit, its comments and strings included, but not with other pages, which
may be as old. What a page's examples make up stands in code blocks, so only code spans in running text are read.
"""

import builtins
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

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
_REFERENCE = re.compile(r"\]\[(?P<name>[a-z_]\w*(?:\.\w+)+)\]", re.ASCII)
_LINK = re.compile(
    r"\]\((?P<path>(?:\.\./)+[\w./+-]+\.(?:py|pyi|cu|cuh|cc|cpp|h|hpp|rs|sh|toml|proto))(?:#[^)\s]*)?\)"
)
_CAMEL = re.compile(r"(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*|[A-Z]{2,}[a-z0-9]+(?:[A-Z][a-z0-9]*)+")
_MADE_UP = re.compile(r"(?:My|Your|Custom|Dummy|Example|Fake|Foo|Bar)[A-Z]")
"""Beginnings of names that a page makes up for its reader to fill in."""

_PAST = re.compile(
    r"\b(?:previously|originally|lost|legacy|deprecated|historical(?:ly)?|superseded|was replaced|replaced by)\b",
    re.IGNORECASE,
)
_KNOWN = 3
"""Fewest classes of the code that a page about the code names."""

_MOSTLY = 0.6
"""Part of a page's classes that are the code's if the page is about the code."""


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
    found = [*_cross_references(page, blanked, code), *_relative_links(page, blanked, code)]
    spans = list(_SPAN.finditer(blanked))
    is_about_code = _is_about_code(spans, code)
    for span in spans:
        for name in code_names(span[0]):
            sure = _is_sure(name, span["code"], code, is_about_code=is_about_code)
            if not (sure or pedantic) or _is_cut_out(name, span["code"]):
                continue
            missing = missing_part(name, [code]) or _missing_in_modules(name, code)
            if missing and _has_singular(missing, name, code):
                continue
            if missing and not _is_excused(blanked, span.start(), name):
                start = max(blanked.find(name.text, *span.span()), span.start())
                found.append(_finding(page, blanked, start, name, missing, code, sure=sure))
    return sorted(found, key=lambda finding: (finding.line, finding.column))


def _cross_references(page: str, text: str, code: Vocabulary) -> Iterator[PageFinding]:
    """References by dotted name (`[text][package.module.Name]`) to a module that is not there."""
    for match in _REFERENCE.finditer(text):
        name = CodeName(NameKind.NAME, match["name"])
        missing = missing_module(match["name"], code)
        if missing:
            yield _finding(page, text, match.start("name"), name, missing, code, sure=True)


def _relative_links(page: str, text: str, code: Vocabulary) -> Iterator[PageFinding]:
    """Links to files of code that are not there."""
    folder = page.rpartition("/")[0]
    for match in _LINK.finditer(text):
        path = posixpath.normpath(posixpath.join(folder, match["path"]))
        if path not in code.words.paths:
            name = CodeName(NameKind.PATH, match["path"])
            yield _finding(page, text, match.start("path"), name, path, code, sure=True)


def missing_module(name: str, code: Vocabulary) -> str:
    """The beginning of a dotted name that should be a module and is not; empty if there is no such.

    A name that begins with no package of the tree may be of another project.
    """
    parts = name.split(".")
    if f"{parts[0]}/__init__.py" not in code.words.paths:
        return ""
    for count in range(1, len(parts) + 1):
        stem = "/".join(parts[:count])
        if f"{stem}.py" in code.words.paths:
            return ""  # the rest is inside it
        if stem not in code.words.folders:
            behind = parts[count - 1]
            outside = f"{'/'.join(parts[: count - 1])}/__init__.py"
            is_inside = outside in code.words.paths and code.mentions(outside, behind)
            return "" if is_inside else ".".join(parts[:count])
    return ""


def _is_sure(name: CodeName, span: str, code: Vocabulary, *, is_about_code: bool) -> bool:
    """Whether a name of this form is one of this code, or was."""
    text = name.text
    if name.kind is NameKind.PATH:
        return "/" in text and code.is_under(text)
    if name.kind is NameKind.OPTION:
        return span == text and "_" not in text  # what stands in a command may be another program's
    if name.kind is not NameKind.NAME:
        return False
    head = re.split(r"\.|::", text)[0]
    return (is_about_code and _is_class(head)) or f"{head}/__init__.py" in code.words.paths


def _is_class(name: str) -> bool:
    return (
        _CAMEL.fullmatch(name) is not None
        and _MADE_UP.match(name) is None
        and not hasattr(builtins, name)
    )


def _is_about_code(spans: Iterable[re.Match[str]], code: Vocabulary) -> bool:
    """Whether most classes that a page names are this code's, and not those of other programs that go with it."""
    heads = {
        re.split(r"\.|::", name.text)[0]
        for span in spans
        for name in code_names(span[0])
        if name.kind is NameKind.NAME and not _is_cut_out(name, span["code"])
    }
    classes = {head for head in heads if _is_class(head)}
    known = sum(code.has_name(name) for name in classes)
    return known >= _KNOWN and known >= _MOSTLY * len(classes)


def _missing_in_modules(name: CodeName, code: Vocabulary) -> str:
    # Of two parts may be many a thing besides a module, such as a group of entry points.
    is_module = name.kind is NameKind.NAME and name.text.count(".") > 1
    return missing_module(name.text, code) if is_module else ""


def _is_cut_out(name: CodeName, span: str) -> bool:
    """Whether a name is but a part of what stands there: `Model2` of `Model2.5` or `owner/Model2-7B`."""
    at = span.find(name.text)
    behind, before = span[at + len(name.text) :], span[:at]
    is_begun = re.match(r"\.\d|[\w*<{-]", behind) is not None
    return is_begun or (name.kind is NameKind.NAME and "/" in (before[-1:], behind[:1]))


def _has_singular(missing: str, name: CodeName, code: Vocabulary) -> bool:
    """Whether a class is only written in the plural, as in "two `Contexts`"."""
    return missing == name.text and missing.endswith("s") and code.has_name(missing[:-1])


def _is_excused(text: str, index: int, name: CodeName) -> bool:
    start = max(text.rfind("\n\n", 0, index), 0)
    end = text.find("\n\n", index)
    paragraph = text[start : end if end >= 0 else len(text)]
    around = (sentence for sentence in sentences(paragraph) if name in code_names(sentence))
    words = (_SPAN.sub(" ", sentence) for sentence in around)
    return any(says_absent(said) or _PAST.search(said) for said in words)


def _finding(
    page: str,
    text: str,
    start: int,
    name: CodeName,
    missing: str,
    code: Vocabulary,
    *,
    sure: bool,
) -> PageFinding:
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
