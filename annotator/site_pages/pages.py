"""Which pages there are in one language, and what each is made from."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from annotator.model.anchor import Anchor
from annotator.model.report import UpstreamCheck
from annotator.model.session import Session
from annotator.model.study import Question, Resource
from annotator.model.words import WORST_FIRST, Outcome
from annotator.model.written import Bilingual
from annotator.site_pages.architecture import (
    Entry,
    architecture_svg,
    assign,
    read_architecture,
)
from annotator.site_pages.behaviour import Seen
from annotator.site_pages.behaviour_page import behaviour_context
from annotator.site_pages.cards import Card, CardMaker
from annotator.site_pages.drift_map_svg import legend, newest, page_svg
from annotator.site_pages.group_work import Document, read_records, read_sessions
from annotator.site_pages.site_folder import Language, SiteFolder
from annotator.site_pages.templates import raw_id
from annotator.tasks.drift_map import MapRow
from annotator.tasks.sessions import probe_commands, timetable
from annotator.tasks.site import SiteMaterial

_UNKNOWN = frozenset({Outcome.ERROR, Outcome.SKIPPED})


class Page(NamedTuple):
    """One page.

    Attributes:
        path: its address below the language's root, without suffix.
        title: its title.
        template: file of its template.
        context: what the template is given.
        section: key of the navigation section it belongs to, empty for the top.
    """

    path: str
    title: str
    template: str
    context: Mapping[str, Any]
    section: str = ""


class Tally(NamedTuple):
    """How many anchors have an outcome.

    Attributes:
        outcome: the outcome.
        number: number of anchors.
        share: of all, in percent.
    """

    outcome: Outcome
    number: int
    share: float


class Pages:
    """The pages of one language.

    Args:
        material: what they are made from.
        site: the site's own source.
        language: the language.
        study_folder: folder of the study, for sessions and records.
        seen: what probes saw.
    """

    def __init__(
        self,
        material: SiteMaterial,
        site: SiteFolder,
        language: Language,
        study_folder: Path,
        seen: Seen,
    ) -> None:
        self._material = material
        self._study = material.study
        self._language: Language = language
        self._words = site.words(language)
        self._seen = seen
        self._folder = study_folder
        titles = {name: upstream.title for name, upstream in self._study.upstreams.items()}
        labels = [each.label for each in material.report.upstreams]
        self._maker = CardMaker(self._words, self.say, titles, seen.at(labels))
        self._cards = {
            placed.anchor.id: self._maker.card(
                placed, material.anchors[placed.anchor.id], self.page_of(placed.owner)
            )
            for placed in self._study.anchors
            if placed.anchor.id in material.anchors
        }

    def say(self, text: Bilingual) -> str:
        """A text in this language."""
        return text.in_language(self._language)

    def page_of(self, owner: str) -> str:
        """Address of the page of a question or a resource."""
        is_question = any(question.id == owner for question in self._study.questions)
        return f"route/{owner}" if is_question else f"resources/{owner}"

    def all(self) -> Iterator[Page]:
        """Every page, in the order of the navigation."""
        yield self._home()
        yield self._route()
        for question in self._study.questions:
            yield self._question(question)
        yield self._resources()
        for upstream, resource in self._ordered_resources():
            yield self._resource(upstream, resource)
        yield self._drift()
        yield self._behaviour()
        if architecture := self._architecture():
            yield architecture
        if self._study.glossary:
            yield self._glossary()
        yield from self._group("sessions", "session", read_sessions(self._folder / "sessions"))
        yield from self._group("records", "record", read_records(self._folder / "records"))
        yield Page("about", self._words["about"], "about.md.j2", self._about())

    # ---- the pages, one method each ---------------------------------------------------------------------------

    def _home(self) -> Page:
        context = {
            "tallies": self.tally(self._cards.values()),
            "by_upstream": [
                (check, self.tally(c for c in self._cards.values() if c.upstream == check.name))
                for check in self._material.report.upstreams
            ],
            "sureness": [self._sureness(check) for check in self._material.report.upstreams],
            "warnings": self._material.report.warnings,
            "questions": self._question_rows(),
            "first": self._study.questions[0] if self._study.questions else None,
            "latest": self._latest_changes(),
            "since": self._material.since,
            "drifted": self._since(self._cards),
            "handbook": self._study.handbook,
        }
        return Page("index", self._words["home"], "home.md.j2", context)

    def _route(self) -> Page:
        context = {"questions": self._question_rows()}
        return Page("route/index", self._words["route"], "route.md.j2", context, "route")

    def _question(self, question: Question) -> Page:
        handbook = self._study.handbook
        row = (
            next((r for r in handbook.route if r.number == question.number), None)
            if handbook
            else None
        )
        resources = {resource.id: resource for _, resource in self._study.resources}
        context = {
            "question": question,
            "documents": self.say(row.documents) if row else "",
            "cards": self._cards_of(question.anchors),
            "resources": [resources[id_] for id_ in question.resources if id_ in resources],
            "exercises": question.exercises,
        }
        title = f"{question.number} {self.say(question.title)}"
        return Page(self.page_of(question.id), title, "question.md.j2", context, "route")

    def _resources(self) -> Page:
        groups: dict[str, list[tuple[str, Resource, list[Card]]]] = {}
        for upstream, resource in self._ordered_resources():
            row = (upstream, resource, self._cards_of(resource.anchors))
            groups.setdefault(resource.id[0], []).append(row)
        context = {"groups": groups, "tally": self.tally}
        title = self._words["resources"]
        return Page("resources/index", title, "resources.md.j2", context, "resources")

    def _resource(self, upstream: str, resource: Resource) -> Page:
        context = {
            "resource": resource,
            "upstream": self._study.upstreams[upstream],
            "cards": self._cards_of(resource.anchors),
            "questions": [q for q in self._study.questions if resource.id in q.resources],
            "exercises": resource.exercises,
        }
        title = f"{resource.id} {self.say(resource.title)}"
        return Page(self.page_of(resource.id), title, "resource.md.j2", context, "resources")

    def _drift(self) -> Page:
        names = {outcome: self._words[f"outcome_{outcome}"] for outcome in reversed(WORST_FIRST)}
        seen = {
            cell.outcome
            for each in self._material.map.upstreams
            for row in each.rows
            for cell in row.cells
        }
        maps = [
            (
                newest(each),
                self._study.upstreams[each.upstream].title,
                page_svg(each, self._map_link, self._words["map_label"].format(name=each.upstream)),
            )
            for each in self._material.map.upstreams
        ]
        context = {
            "cards": sorted(
                (card for card in self._cards.values() if card.outcome is not Outcome.OK),
                key=lambda card: (card.outcome in _UNKNOWN, WORST_FIRST.index(card.outcome)),
            ),
            "tallies": self.tally(self._cards.values()),
            "maps": maps,
            "legend": legend({outcome: name for outcome, name in names.items() if outcome in seen}),
            "checks": self._material.report.upstreams,
        }
        return Page("drift", self._words["drift"], "drift.md.j2", context)

    def _behaviour(self) -> Page:
        context = behaviour_context(self._seen, self._words)
        return Page("behaviour", self._words["behaviour"], "behaviour.md.j2", context)

    def _architecture(self) -> Page | None:
        processes = read_architecture(self._folder / "architecture.yaml")
        if not processes:
            return None
        entries = [
            Entry(
                card.id,
                placed.anchor.place.path,
                f"{card.number} {card.heading}",
                self.href(card.page, card.id),
                card.outcome,
            )
            for placed in self._study.anchors
            if (card := self._cards.get(placed.anchor.id))
            and card.number is not None
            and not placed.anchor.place.heading
        ]
        placed_entries, rest = assign(processes, entries)
        documents = [entry for entry in rest if entry.path.endswith((".md", ".rst"))]
        context = {
            "picture": architecture_svg(
                processes, placed_entries, self.say, self._words["arch_label"]
            ),
            "rest": [entry for entry in rest if entry not in documents],
            "shown": [
                each for each in reversed(WORST_FIRST) if any(e.outcome is each for e in entries)
            ],
        }
        return Page("architecture", self._words["architecture"], "architecture.md.j2", context)

    def _glossary(self) -> Page:
        terms = self._study.glossary.terms if self._study.glossary else ()
        linked = [
            (term, [self._cards[id_] for id_ in term.anchors if id_ in self._cards])
            for term in terms
        ]
        return Page("glossary", self._words["glossary"], "glossary.md.j2", {"terms": linked})

    def _group(self, kind: str, one: str, documents: Sequence[Document]) -> Iterator[Page]:
        """A list of the group's documents, and a page for each."""
        context: dict[str, Any] = {"documents": documents, "cards": self._cards}
        yield Page(f"{kind}/index", self._words[kind], f"{kind}.md.j2", context, kind)
        for document in documents:
            context = {"document": document, "cards": self._cards}
            if session := document.session:
                context |= self._session(session)
            yield Page(f"{kind}/{raw_id(document.id)}", document.id, f"{one}.md.j2", context, kind)

    def _session(self, session: Session) -> Mapping[str, Any]:
        """What a handout needs in this language, whichever the group's own is written in."""
        planned = {each.anchor for each in session.plan}
        placed = [each for each in self._study.anchors if each.anchor.id in planned]
        return {
            "questions": [q for number in session.questions if (q := self._study.question(number))],
            "slots": timetable(session),
            "commands": probe_commands(session, placed),
            "drifted": self._since(planned),
        }

    def _about(self) -> Mapping[str, Any]:
        return {"upstreams": self._study.upstreams, "handbook": self._study.handbook}

    def _ordered_resources(self) -> list[tuple[str, Resource]]:
        """The resources in the handbook's order, others behind them."""
        handbook = self._study.handbook
        order = [row.id for row in handbook.resources] if handbook else []
        place = {id_: index for index, id_ in enumerate(order)}
        return sorted(self._study.resources, key=lambda pair: place.get(pair[1].id, len(order)))

    # ---- what several pages need -------------------------------------------------------------------------------

    def _cards_of(self, anchors: Sequence[Anchor]) -> list[Card]:
        return [self._cards[anchor.id] for anchor in anchors if anchor.id in self._cards]

    def _question_rows(self) -> list[tuple[Question, list[Card], list[Tally]]]:
        rows = []
        for question in self._study.questions:
            cards = self._cards_of(question.anchors)
            rows.append((question, cards, self.tally(cards)))
        return rows

    @staticmethod
    def tally(cards: Iterable[Card]) -> list[Tally]:
        """How many of the cards have each outcome, what is well first."""
        outcomes = [card.outcome for card in cards]
        return [
            Tally(outcome, count, round(100 * count / len(outcomes), 2))
            for outcome in reversed(WORST_FIRST)
            if (count := outcomes.count(outcome))
        ]

    def _sureness(self, check: UpstreamCheck) -> tuple[UpstreamCheck, dict[str, int]]:
        levels = [card.sureness for card in self._cards.values() if card.upstream == check.name]
        return check, {level: levels.count(level) for level in sorted(set(levels)) if level}

    def _since(self, wanted: Container[str]) -> list[tuple[Card, Outcome, str]]:
        """Of the wanted anchors, those that drifted since the group's last session, and how."""
        since = self._material.since
        return [
            (self._cards[each.id], each.resolution.outcome, self._maker.summary(each.resolution))
            for each in (since.found if since else ())
            if each.id in self._cards and each.id in wanted
        ]

    def _latest_changes(self) -> list[tuple[str, str, str, list[Card]]]:
        """By upstream, the anchors that drifted between the two newest releases on the map."""
        latest = []
        for each in self._material.map.upstreams:
            if len(each.releases) < 2:
                continue
            moved = [
                self._cards[row.id]
                for row in each.rows
                if row.id in self._cards
                and row.cells[-1] != row.cells[-2]
                and row.cells[-1].outcome is not Outcome.OK
            ]
            title = self._study.upstreams[each.upstream].title
            latest.append((title, each.releases[-2], each.releases[-1], moved))
        return latest

    def _map_link(self, row: MapRow) -> str:
        return self.href(self.page_of(row.owner), row.id)

    @staticmethod
    def href(page: str, anchor: str = "") -> str:
        """Address of an anchor, seen from a page at the root."""
        return f"{page}.html#{anchor}" if anchor else f"{page}.html"
