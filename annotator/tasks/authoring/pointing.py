"""From lines of a file to a target: the innermost symbol that holds them, and a quote inside it."""

from typing import NamedTuple

from annotator.model.anchor import Quote
from annotator.model.failures import UserMistake
from annotator.model.symbol import Outline, Symbol
from annotator.model.target import Target, TargetError, parse_target
from annotator.model.words import Outcome, SymbolKind, Watch
from annotator.outline.engine import HEADED
from annotator.outline.lookup import enclosing, leaf_name, match_symbols
from annotator.outline.text import decode, split_lines
from annotator.resolve.locating import NotLocated, locate
from annotator.resolve.quoting import header_end, propose_quote
from annotator.resolve.snapshot import Snapshot
from annotator.tasks.workspace import Revision, Workspace

_MOSTLY = 0.6
"""Part of the pointed-at lines that one definition must fill to be what is meant."""


class Pointed(NamedTuple):
    """What somebody points at, in the words of an anchor.

    Attributes:
        target: a symbol, a heading or a file.
        quote: the statement inside it, if not all of it is meant.
        watch: what should count as drift where that is not the anchor's default.
        remarks: what its author should know, in sentences.
    """

    target: Target
    quote: Quote | None = None
    watch: Watch | None = None
    remarks: tuple[str, ...] = ()


def point_at(snapshot: Snapshot, target: Target) -> Pointed:
    """What a target means in one tree, lines or not.

    Args:
        snapshot: the tree.
        target: any target; lines become the innermost symbol that holds them and a quote.

    Raises:
        UserMistake: if it is not there, or has no name that an anchor could use.
    """
    try:
        path, symbol = locate(snapshot, target)
    except NotLocated as error:
        raise UserMistake(str(error)) from error
    if target.start:
        return _point_at_lines(snapshot, target)
    if symbol is not None:
        return Pointed(_target_of(snapshot, path, symbol))
    return Pointed(target, watch=Watch.EXISTENCE)


def point_at_baseline(
    workspace: Workspace, source: Revision, base: Revision, target: Target
) -> Pointed:
    """What a target of one commit means at the baseline.

    Raises:
        UserMistake: if it is not there at either of the two.
    """
    old = workspace.snapshot(source.repository, source.commit)
    new = workspace.snapshot(base.repository, base.commit)
    blob = old.files.get(target.path)
    if blob is not None and new.files.get(target.path) == blob:
        return point_at(new, target)
    pointed = point_at(old, target)
    watch = pointed.watch or (Watch.QUOTE if pointed.quote else Watch.BODY)
    found = workspace.resolver(source, base).resolve(pointed.target, watch, pointed.quote)
    if found.new is None or found.outcome is Outcome.AMBIGUOUS:
        why = f": {found.reason}" if found.reason else ""
        raise UserMistake(
            f"{pointed.target} of {source.label} is not, or not clearly, at {base.label}{why}",
            hint="anchors are written against the pin; note this place once the pin has moved there",
        )
    place = found.new
    if not place.symbol or pointed.quote is not None:
        again = point_at(new, Target(place.path, start=place.start, end=place.end))
    else:
        heading = new.language(place.path) in HEADED
        again = point_at(new, Target(place.path, place.symbol, heading=heading))
    remarks = [*pointed.remarks, *again.remarks]
    if found.outcome is Outcome.MOVED:
        remarks.append(f"{pointed.target} of {source.label} is {again.target} at {base.label}")
    elif found.outcome is not Outcome.OK:
        remarks.append(
            f"at {base.label} it reads differently than at {source.label}; read it there"
        )
    return again._replace(remarks=tuple(dict.fromkeys(remarks)))


def _point_at_lines(snapshot: Snapshot, target: Target) -> Pointed:
    path = target.path
    lines = split_lines(decode(snapshot.data(path)))
    if target.start > len(lines):
        raise UserMistake(f"{path} has {len(lines)} lines at {snapshot.label}, not {target.start}")
    first, last = _without_blank_ends(lines, target.start, min(target.end, len(lines)))
    outline = snapshot.outline(path)
    language = snapshot.language(path)
    symbol = _symbol_around(outline, first, last)
    remarks: list[str] = []
    if symbol is not None and last > symbol.end:
        remarks.append(f"the lines go on behind {symbol.name}, which is anchored")
        last = symbol.end
    if symbol is None:
        text, before, named = "\n".join(lines), 0, Target(path)
    else:
        text, before = snapshot.text(path, symbol), symbol.start - 1
        named = _target_of(snapshot, path, symbol)
        covered = first <= symbol.start and last >= symbol.end
        if covered or last - before <= header_end(text, language):
            return Pointed(named, remarks=tuple(remarks))
    proposal = propose_quote(text, language, first - before, last - before)
    if proposal is None:
        remarks.append(f"line {first} has nothing that could be quoted; all of {named} is anchored")
        watch = None if named.symbol else Watch.EXISTENCE
        return Pointed(named, watch=watch, remarks=tuple(remarks))
    if proposal.whole:
        return Pointed(named, proposal.quote, remarks=tuple(remarks))
    remarks.append(f"{last - first + 1} lines are too many to quote; the first statement is quoted")
    return Pointed(
        named, proposal.quote, Watch.BODY if named.symbol else None, remarks=tuple(remarks)
    )


def _without_blank_ends(lines: list[str], first: int, last: int) -> tuple[int, int]:
    wanted = [line for line in range(first, last + 1) if lines[line - 1].strip()]
    return (wanted[0], wanted[-1]) if wanted else (first, last)


def _symbol_around(outline: Outline, first: int, last: int) -> Symbol | None:
    """The definition that is meant by lines: one that fills them, else the innermost that holds them."""
    own = outline._replace(
        symbols=tuple(s for s in outline.symbols if s.kind is not SymbolKind.IMPORT)
    )
    around = enclosing(own, first, last)
    inside = [s for s in own.symbols if first <= s.start and s.end <= last]
    if inside and inside[0] != around:
        largest = max(inside, key=lambda symbol: symbol.end - symbol.start)
        if largest.end - largest.start + 1 >= _MOSTLY * (last - first + 1):
            return largest
    return around or enclosing(own, first, first)


def _target_of(snapshot: Snapshot, path: str, symbol: Symbol) -> Target:
    """The shortest name that means just this symbol."""
    language = snapshot.language(path)
    outline = snapshot.outline(path)
    heading = symbol.kind is SymbolKind.HEADING
    names = [symbol.name, f"{symbol.name}#1"]
    if heading:
        names.insert(0, leaf_name(symbol.name, language))
    for name in names:
        target = Target(path, name, heading=heading)
        try:
            readable = parse_target(str(target)) == target
        except TargetError:
            continue
        if readable and match_symbols(outline, name, heading=heading) == (symbol,):
            return target
    raise UserMistake(f"{symbol.name!r} in {path} has no name that an anchor could use")
