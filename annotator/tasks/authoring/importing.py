"""`annot import`: notes with links to source become questions with anchors; every word is kept."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from annotator.model.anchor import Quote
from annotator.model.failures import UserMistake
from annotator.model.study import Study
from annotator.model.target import Target
from annotator.model.upstream import Upstream
from annotator.store.new_study import NewQuestion
from annotator.tasks.authoring.adding import anchor_data, bilingual
from annotator.tasks.authoring.languages import language_of
from annotator.tasks.authoring.naming import anchor_id, slug, unique
from annotator.tasks.authoring.placing import Elsewhere, NotPlaced, Placed, Placing
from annotator.tasks.authoring.pointing import Pointed
from annotator.tasks.authoring.reading_notes import Notes, repository_address
from annotator.tasks.authoring.sections import Block, Pointer, Section, link_start, with_replaced
from annotator.tasks.workspace import Workspace

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n(?=\s*(?:[-*+|]|\d{1,9}[.)])\s)")
_QUESTION = re.compile(r"[^.!?。！？\n]*[?？]")
_BULLET = re.compile(r"\A(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")

_TOLD = 5
"""Pointers that are told where none could be placed."""


class Left(NamedTuple):
    """A pointer that became no anchor and stays in the text.

    Attributes:
        file: the note.
        line: its line.
        text: as written.
        reason: why.
    """

    file: str
    line: int
    text: str
    reason: str


class Imported(NamedTuple):
    """What notes became.

    Attributes:
        questions: in the order of the notes.
        anchors: how many anchors they have.
        left: pointers that became none.
        remarks: what their author should look at, each with the note and line.
    """

    questions: list[NewQuestion]
    anchors: int
    left: list[Left]
    remarks: list[str]


class _Draft(NamedTuple):
    """An anchor in the making."""

    placed: Placed
    pointer: Pointer
    texts: list[str]


class Taken(NamedTuple):
    """What a study has already.

    Attributes:
        questions: ids of its questions.
        anchors: ids of its anchors.
        number: the highest number of its route, 0 without one.
    """

    questions: frozenset[str] = frozenset()
    anchors: frozenset[str] = frozenset()
    number: int = 0


def import_notes(
    workspace: Workspace,
    upstreams: Mapping[str, Upstream],
    notes: Notes,
    taken: Taken,
    ref: str | None = None,
) -> Imported:
    """Makes a question of each section that points at source; nothing is written.

    The text of sections that do not is kept as what to read first of the next one.

    Args:
        workspace: open sources.
        upstreams: by name; links into others stay as they are.
        notes: the notes.
        taken: ids and numbers that are given away.
        ref: see `Placing`.

    Raises:
        UserMistake: if nothing in the notes could be placed; says why for the first few.
        Incomplete: if that is since source is missing.
    """
    placing = Placing(workspace, _with_web(upstreams, notes), ref)
    stated = notes.stated({name: placing.names_of(name) for name in upstreams})
    making = _Making(placing, taken)
    for section in notes.sections:
        making.add(section, stated.get(section.file, {}))
    making.finish()
    if not making.questions:
        why = "".join(
            f"\n{one.file}:{one.line}: {one.text}: {one.reason}" for one in making.left[:_TOLD]
        )
        if placing.missing is not None:
            raise placing.missing
        linked = ", ".join(notes.repositories)
        raise UserMistake(
            f"nothing that the notes point at could be placed{why}",
            hint=f"their links go to {linked}; see `web` in upstreams.yaml" if linked else "",
        )
    return Imported(making.questions, making.anchors, making.left, making.remarks)


def import_into(
    workspace: Workspace,
    study: Study,
    upstreams: Mapping[str, Upstream],
    notes: Notes,
    ref: str | None,
) -> Imported:
    """Makes further questions for a study; nothing is written.

    Args:
        workspace: open sources.
        study: the study.
        upstreams: those of its upstreams that links may point into.
        notes: the notes.
        ref: see `Placing`.

    Raises:
        UserMistake: if nothing could be placed.
    """
    taken = Taken(
        questions=frozenset(question.id for question in study.questions),
        anchors=frozenset(placed.anchor.id for placed in study.anchors),
        number=max((question.number for question in study.questions), default=0),
    )
    return import_notes(workspace, upstreams, notes, taken, ref)


def _with_web(upstreams: Mapping[str, Upstream], notes: Notes) -> dict[str, Upstream]:
    """The upstreams; one without a web address has that of the linked repository of its name."""
    by_name = {one.rpartition("/")[2].lower(): one for one in notes.repositories}
    return {
        name: upstream.model_copy(update={"web": repository_address(by_name[title])})
        if not upstream.web and (title := upstream.title.lower()) in by_name
        else upstream
        for name, upstream in upstreams.items()
    }


class _Making:
    def __init__(self, placing: Placing, taken: Taken) -> None:
        self._placing = placing
        self._question_ids = set(taken.questions)
        self._anchor_ids = set(taken.anchors)
        self._number = taken.number
        self._waiting: list[str] = []
        self.questions: list[NewQuestion] = []
        self.anchors = 0
        self.left: list[Left] = []
        self.remarks: list[str] = []

    def add(self, section: Section, stated: Mapping[str, str]) -> None:
        """Makes a question of a section, or keeps its text for the next one."""
        self._placing.state(stated)
        placed = {
            pointer: place
            for block in section.blocks
            for pointer, place in self._places(section, block)
        }
        upstream = _commonest(place.upstream for place in placed.values())
        for pointer, place in list(placed.items()):
            if place.upstream != upstream:
                reason = f"it is in {place.upstream}, and the question is about {upstream}"
                self._leave(section, pointer, reason)
                del placed[pointer]
        lead: list[str] = []
        drafts: list[_Draft] = []
        latest: _Draft | None = None
        for block in section.blocks:
            parts = list(_parts(block, placed))
            if not parts:
                (latest.texts if latest else lead).append(_with_places(block))
            for text, pointers in parts:
                latest = _draft(drafts, text, pointers, placed)
        if not drafts:
            self._waiting += [f"**{section.title}**", *lead]
            return
        self._write(section, upstream, [*self._waiting, *lead], drafts)
        self._waiting = []

    def finish(self) -> None:
        """Keeps the text that no question follows in the last one."""
        if self._waiting and self.questions:
            last = self.questions.pop()
            data = dict(last.data)
            kept = data.get("read_first", {})
            data = _with_read_first(data, [*kept.values(), *self._waiting])
            self.questions.append(last._replace(data=data))

    def _places(self, section: Section, block: Block) -> Iterator[tuple[Pointer, Placed]]:
        for pointer in block.pointers:
            try:
                place = self._placing.place(pointer)
            except Elsewhere:
                continue
            except NotPlaced as error:
                self._leave(section, pointer, str(error))
                continue
            for remark in place.pointed.remarks:
                self.remarks.append(f"{section.file}:{pointer.line}: {remark}")
            yield pointer, place

    def _leave(self, section: Section, pointer: Pointer, reason: str) -> None:
        text = pointer.text or str(pointer.target)
        self.left.append(Left(section.file, pointer.line, text, reason))

    def _write(
        self, section: Section, upstream: str, read_first: list[str], drafts: list[_Draft]
    ) -> None:
        self._number += 1
        id_ = unique([f"q{self._number:02}"], self._question_ids)
        self._question_ids.add(id_)
        anchors = []
        for draft in drafts:
            pointed = draft.placed.pointed
            name = anchor_id(id_, pointed.target, pointed.quote, self._anchor_ids)
            self._anchor_ids.add(name)
            data = anchor_data(name, pointed, _in_its_language(draft.texts))
            anchors.append({**data, "reason": _cited(section.file, draft)})
        self.anchors += len(anchors)
        language = language_of("\n".join([section.title, *(b.text for b in section.blocks)]))
        data = {
            "schema": 1,
            "id": id_,
            "number": self._number,
            "upstream": upstream,
            "title": {language: section.title},
            "question": bilingual([_asked(section)]),
        }
        data = _with_read_first(data, read_first) | {"anchors": anchors}
        self.questions.append(NewQuestion(slug(section.title) or id_, data))


def _draft(
    drafts: list[_Draft],
    text: str,
    pointers: Sequence[Pointer],
    placed: Mapping[Pointer, Placed],
) -> _Draft:
    """Gives a part of the text to the anchors of what it points at; returns the last of them."""

    def meaning(pointer: Pointer) -> str:
        return f"`{placed[pointer].pointed.target}`"

    text = with_replaced(_BULLET.sub("", text, count=1), pointers, meaning)
    known = {_spot(draft.placed.pointed): draft for draft in drafts}
    for pointer in pointers:
        place = placed[pointer]
        draft = known.setdefault(_spot(place.pointed), _Draft(place, pointer, []))
        if draft not in drafts:
            drafts.append(draft)
        if text not in draft.texts:
            draft.texts.append(text)
    return known[_spot(placed[pointers[-1]].pointed)]


def _parts(
    block: Block, placed: Mapping[Pointer, Placed]
) -> Iterator[tuple[str, tuple[Pointer, ...]]]:
    """A block cut where a sentence ends between two places, each part with what it points at."""
    found = [pointer for pointer in block.pointers if pointer in placed]
    if not found:
        return
    start, at = 0, 0
    held: list[Pointer] = []
    for pointer in found:
        here = max(block.text.find(pointer.text, at), at)
        before = max(link_start(block.text, here), at)
        ends = [match.end() for match in _SENTENCE_END.finditer(block.text, at, before)]
        if held and ends:
            yield block.text[start : ends[-1]].strip(), tuple(held)
            start, held = ends[-1], []
        held.append(pointer)
        at = here + len(pointer.text)
    yield block.text[start:].strip(), tuple(held)


def _with_places(block: Block) -> str:
    """The text of a block; places that stand beside it, as in a tour, come behind."""
    beside = [f"`{pointer.target}`" for pointer in block.pointers if not pointer.text]
    return "\n\n".join(part for part in (block.text, *beside) if part)


def _spot(pointed: Pointed) -> tuple[Target, Quote | None]:
    return pointed.target, pointed.quote


def _commonest(names: Iterable[str]) -> str:
    counts = Counter(names)
    return counts.most_common(1)[0][0] if counts else ""


def _in_its_language(texts: Sequence[str]) -> dict[str, str]:
    """Texts that belong together, in the language of most of them."""
    whole = "\n\n".join(text for text in texts if text.strip())
    return {language_of(whole): whole}


def _with_read_first(data: dict[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    kept = [text for text in texts if text.strip()]
    return data | {"read_first": _in_its_language(kept)} if kept else data


def _asked(section: Section) -> str:
    """The first question that the heading or the text under it asks, else the heading."""
    for text in (section.title, *(block.text for block in section.blocks)):
        found = _QUESTION.search(text) if "://" not in text else None
        if found and found[0].strip(" -*#>?？"):
            return found[0].strip(" -*#>")
    return section.title


def _cited(file: str, draft: _Draft) -> dict[str, str]:
    place, label = draft.placed.given, draft.placed.label
    return {
        "zh": f"{file}:{draft.pointer.line} 引用了 {label} 的 {place}。",
        "en": f"Cited in {file}:{draft.pointer.line}, as {place} of {label}.",
    }
