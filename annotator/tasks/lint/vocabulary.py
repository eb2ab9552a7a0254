"""Whether the source of upstreams has the names that a text mentions."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property

from rapidfuzz import fuzz, process

from annotator.tasks.lint.code_names import GAP, SHORTEST, CodeName, NameKind
from annotator.tasks.lint.tree_words import TreeWords

_PLAIN_BASES = frozenset(
    {
        "ABC",
        "object",
        "Protocol",
        "Generic",
        "Enum",
        "IntEnum",
        "StrEnum",
        "NamedTuple",
        "TypedDict",
    }
)
"""Bases from outside a tree that add no members which people write about."""

_EXPORTED_SUFFIXES = ("_total", "_bucket", "_sum", "_count", "_created")
"""What a metrics library appends to the name of a metric when it exports it."""


class Vocabulary:
    """The names of one tree.

    Args:
        label: what to call the tree, for messages.
        words: its words.
        read: gives the content of one of its files by path.
    """

    def __init__(self, label: str, words: TreeWords, read: Callable[[str], bytes]) -> None:
        self.label = label
        self.words = words
        self._read = read

    def has_name(self, name: str) -> bool:
        """Whether an identifier occurs anywhere in the tree."""
        return name in self.words.names

    def has_option(self, option: str) -> bool:
        """Whether the tree writes an option, or the field that an option is made from."""
        if option.endswith("*"):
            return any(known.startswith(option[:-1]) for known in self.words.options)
        spellings = {option, option.replace("--no-", "--", 1)}
        fields = {spelling.removeprefix("--").replace("-", "_") for spelling in spellings}
        return bool(spellings & self.words.options or fields & self.words.names)

    def has_path(self, path: str) -> bool:
        """Whether a file or folder of the tree has this path, or ends with it."""
        plain = path.rstrip("/")
        if plain in self.words.paths or plain in self.words.folders:
            return True
        *_, last = plain.split("/")
        if GAP.search(plain):
            pattern = GAP.sub("*", plain)
            return any(
                fnmatchcase(known, pattern) or fnmatchcase(known, f"*/{pattern}")
                for known in self.words.paths
            )
        return any(f"/{known}".endswith(f"/{plain}") for known in self._by_last_part.get(last, ()))

    def is_under(self, path: str) -> bool:
        """Whether the first part of a path is a folder at the top of the tree."""
        return path.partition("/")[0] in self.words.folders

    def has_pattern(self, pattern: str) -> bool:
        """Whether each part of a name with gaps is in some name of the tree."""
        parts = [part for part in GAP.split(pattern) if len(part) >= SHORTEST]
        return all(part in self._all_names for part in parts)

    def is_foreign(self, module: str) -> bool:
        """Whether a module is imported by the tree but not part of it."""
        own = self._by_last_part.keys() & {module, f"{module}.py"}
        return module in self.words.modules and not own

    def defines(self, name: str) -> bool:
        """Whether the tree has a class, struct, enum or trait of this name."""
        return name in self.words.classes

    def has_member(self, owner: str, member: str) -> bool:
        """Whether a class can have a member, as far as its files and those of its bases show.

        Any mention there counts. A class with a base from elsewhere can have any member.
        """
        wanted = re.compile(rb"(?<!\w)" + re.escape(member.encode()) + rb"(?!\w)")
        seen, waiting = set[str](), [owner]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            if name not in self.words.classes:
                if name not in _PLAIN_BASES and not name.islower():
                    return True
                continue
            places = self.words.classes[name]
            if any(wanted.search(self._read(path)) for path in places.paths):
                return True
            waiting.extend(places.bases)
        return False

    def mentions(self, path: str, name: str) -> bool:
        """Whether an identifier occurs in a file of the tree."""
        return (
            re.search(rb"(?<!\w)%b(?!\w)" % re.escape(name.encode()), self._read(path)) is not None
        )

    def close_to(self, name: str) -> str:
        """A name of the tree that could have been meant, or an empty string."""
        found = process.extractOne(name, self.words.names, scorer=fuzz.ratio, score_cutoff=85)
        return found[0] if found else ""

    @cached_property
    def _all_names(self) -> str:
        return "\n".join(self.words.names)

    @cached_property
    def _by_last_part(self) -> Mapping[str, list[str]]:
        paths = defaultdict[str, list[str]](list)
        for path in (*self.words.paths, *self.words.folders):
            paths[path.rpartition("/")[2]].append(path)
        return paths


def missing_part(name: CodeName, vocabularies: Sequence[Vocabulary]) -> str:
    """The part of a name that none of the trees has, or an empty string.

    Args:
        name: the name.
        vocabularies: the trees to look in; members are looked for in the first that has their class.
    """
    if name.kind is NameKind.OPTION:
        found = any(tree.has_option(name.text) for tree in vocabularies)
    elif name.kind is NameKind.PATTERN:
        found = any(tree.has_pattern(name.text) for tree in vocabularies)
    elif name.kind is NameKind.PATH:
        # What is below no known folder may be made at run time, or lie in a model's repository.
        found = any(tree.has_path(name.text) for tree in vocabularies) or (
            "/" in name.text and not any(tree.is_under(name.text) for tree in vocabularies)
        )
    else:
        return _missing_in_dotted(name.text, vocabularies)
    return "" if found else name.text


def _missing_in_dotted(name: str, vocabularies: Sequence[Vocabulary]) -> str:
    parts = re.split(r"\.|::?", name)
    if len(parts) > 1 and any(tree.is_foreign(parts[0]) for tree in vocabularies):
        return ""
    is_metric = ":" in name and "::" not in name
    for part in parts:
        spellings = [part]
        if is_metric:
            spellings += [part.removesuffix(suffix) for suffix in _EXPORTED_SUFFIXES]
        known = (tree.has_name(spelling) for tree in vocabularies for spelling in spellings)
        if len(part) >= SHORTEST and not any(known):
            return part
    owner, *members = parts
    tree = next((tree for tree in vocabularies if tree.defines(owner)), None)
    # Classes in lower case are left alone: variables and modules are called like them.
    if tree and members and owner[0].isupper() and not tree.has_member(owner, members[0]):
        return f"{owner}.{members[0]}"
    return ""
