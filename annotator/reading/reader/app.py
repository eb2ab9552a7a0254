"""`annot read` on the screen: what the keys do, and what is shown when."""

import os
import subprocess
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.widgets import Footer, Static, Tree

from annotator.model.failures import AnnotError
from annotator.model.study import PlacedAnchor, Study
from annotator.reading.reader.code import code_rows, difference_rows
from annotator.reading.reader.finding import Hit, find
from annotator.reading.reader.loader import Page, Source
from annotator.reading.reader.notes import note_text, title_of
from annotator.reading.reader.panes import AskScreen, CodePane, FindScreen, Route
from annotator.reading.reader.wrapping import Wrapped
from annotator.reading.wording import Language, word
from annotator.tasks.opening import editor_command
from annotator.tasks.views import Compared

WIDE = 110
"""Columns from which on route, code and notes stand side by side."""


class Ticking(NamedTuple):
    """What the reader has read so far.

    Attributes:
        has: whether an anchor is ticked.
        toggle: ticks an anchor or takes its tick away, and keeps that.
    """

    has: Callable[[str], bool]
    toggle: Callable[[str], None]


class Reader(App[None]):
    """The terminal reader.

    Args:
        study: the study.
        anchors: every anchor in reading order.
        start: position of the one to begin with.
        source: where pages come from.
        ticking: what has been read.
        language: language of notes.
        ref: commit to compare with.
        editor: the user's editor, if one was named.
    """

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - not a class variable to textual
        (0, "-narrow"),
        (WIDE, "-wide"),
    ]
    CSS = """
    Screen { layout: vertical; }
    #title {
        height: 1; background: $panel; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis;
    }
    #body { height: 1fr; }
    #route { width: 30; border-right: solid $panel; padding: 0; scrollbar-size: 1 1; }
    #code { scrollbar-size: 1 1; }
    #code:focus { background: $surface; }
    #note { scrollbar-size: 1 1; padding: 0 1; }
    #note-text { width: 100%; height: auto; }
    .-wide #body { layout: horizontal; }
    .-wide #pages { layout: horizontal; width: 1fr; height: 1fr; }
    .-wide #code { width: 3fr; height: 1fr; }
    .-wide #note { width: 2fr; height: 1fr; border-left: solid $panel; }
    .-narrow #body { layout: horizontal; }
    .-narrow #route { display: none; }
    .-narrow #route.shown { display: block; }
    .-narrow #pages { layout: vertical; width: 1fr; height: 1fr; }
    .-narrow #code { height: 3fr; }
    .-narrow #note { height: 2fr; border-top: solid $panel; }
    .-wide #route.hidden { display: none; }
    FindScreen, AskScreen { align: center middle; }
    .dialog { width: 90%; max-width: 100; height: 80%; border: round $primary; background: $surface; }
    .dialog.small { height: 6; }
    .dialog OptionList { height: 1fr; border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "step(1)", "Next"),
        Binding("p", "step(-1)", "Prev"),
        Binding("right_square_bracket", "question(1)", "Next question", show=False),
        Binding("left_square_bracket", "question(-1)", "Previous question", show=False),
        Binding("slash,g", "find", "Find", key_display="/"),
        Binding("d", "difference", "Diff"),
        Binding("c", "commit", "Commit"),
        Binding("e", "edit", "Edit"),
        Binding("t", "tick", "Read"),
        Binding("l", "language", "中/En"),
        Binding("r", "route", "Route"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(
        self,
        study: Study,
        anchors: Sequence[PlacedAnchor],
        start: int,
        source: Source,
        ticking: Ticking,
        *,
        language: Language = "en",
        ref: str = "HEAD",
        editor: str | None = None,
    ) -> None:
        super().__init__()
        self._study = study
        self._anchors = anchors
        self._at = start
        self._source = source
        self._ticking = ticking
        self._language: Language = language
        self._ref = ref
        self._editor = editor
        self._comparing = False
        self._page: Page | None = None

    @property
    def placed(self) -> PlacedAnchor:
        """The anchor on the screen."""
        return self._anchors[self._at]

    def compose(self) -> ComposeResult:
        """Title, route, code, notes, keys."""
        yield Static(id="title", markup=False)
        with Container(id="body"):
            yield Route(self._study, self._anchors, id="route")
            with Container(id="pages"):
                yield CodePane(id="code")
                with VerticalScroll(id="note"):
                    yield Static(id="note-text", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Opens the first page."""
        self.query_one(Route).fill(self._ticking.has, self._language)
        self.query_one(CodePane).focus()
        self._open()

    def on_tree_node_selected(self, event: Tree.NodeSelected[int]) -> None:
        """Goes to what was chosen in the route."""
        if event.node.data is not None:
            self._go(event.node.data)
            self.query_one(CodePane).focus()

    def action_step(self, by: int) -> None:
        """Goes to the next or the previous anchor."""
        self._go(self._at + by)

    def action_question(self, by: int) -> None:
        """Goes to the first anchor of the next or the previous question."""
        owners = list(dict.fromkeys(placed.owner for placed in self._anchors))
        wanted = owners.index(self.placed.owner) + by
        if 0 <= wanted < len(owners):
            first = next(at for at, p in enumerate(self._anchors) if p.owner == owners[wanted])
            self._go(first)

    def action_find(self) -> None:
        """Asks where to go."""
        lines = self._page.view.lines if self._page else ()

        def look_up(words: str) -> list[Hit]:
            return find(self._study, self._anchors, lines, words, self._language)

        title = word("find", self._language)
        self.push_screen(FindScreen(title, word("find hint", self._language), look_up), self._found)

    def action_difference(self) -> None:
        """Shows the difference to the other commit, or the code again."""
        self._comparing = not self._comparing
        self._open()

    def action_commit(self) -> None:
        """Asks for the commit to compare with."""

        def compare(ref: str | None) -> None:
            if ref:
                self._ref, self._comparing = ref, True
                self._open()

        self.push_screen(AskScreen(word("commit hint", self._language), self._ref), compare)

    def action_edit(self) -> None:
        """Opens the anchor in the user's editor."""
        self.run_worker(self._edit(), exclusive=True, group="edit")

    def action_tick(self) -> None:
        """Ticks the anchor as read, or takes the tick away."""
        try:
            self._ticking.toggle(self.placed.anchor.id)
        except AnnotError as error:
            self._complain(error)
        self.query_one(Route).tick(self._at, self._ticking.has)
        self._open(keep=True)

    def action_language(self) -> None:
        """Shows the notes in the other language."""
        self._language = "en" if self._language == "zh" else "zh"
        route = self.query_one(Route)
        route.fill(self._ticking.has, self._language)
        self._open(keep=True)

    def action_route(self) -> None:
        """Shows or hides the route."""
        route = self.query_one(Route)
        narrow = self.size.width < WIDE
        route.toggle_class("shown" if narrow else "hidden")
        (route if route.display else self.query_one(CodePane)).focus()

    def _found(self, hit: Hit | None) -> None:
        if hit is None:
            return
        if hit.anchor >= 0:
            self._go(hit.anchor)
        elif self._page is not None:
            self._comparing = False
            self.query_one(CodePane).show(
                code_rows(self._page.lines, self._page.view), hit.line - 1
            )

    def _go(self, at: int) -> None:
        if 0 <= at < len(self._anchors):
            self._at = at
            self._open()

    def _open(self, *, keep: bool = False) -> None:
        """Shows the current anchor; `keep` leaves the code as it is."""
        self.run_worker(self._show(keep), exclusive=True, group="show")

    async def _show(self, keep: bool) -> None:
        placed = self.placed
        self.query_one(Route).go_to(self._at)
        code = self.query_one(CodePane)
        compared: Compared | None = None
        try:
            self._page = await self._source.page(placed)
            if self._comparing:
                self._title(word("loading", self._language))
                compared = await self._source.compared(placed, self._ref)
        except AnnotError as error:
            self._title("")
            code.show([Text(str(error)), Text(f"→ {error.hint}" if error.hint else "")])
            self._notes(compared)
            return
        view = self._page.view
        if compared is None:
            self._title(f"{view.label}  {view.path}:{view.focus[0]}")
            if not keep:
                code.show(code_rows(self._page.lines, view), view.focus[0] - 1)
        else:
            self._title(f"{view.label} → {compared.label}")
            if not keep:
                rows = difference_rows(view, compared.new) if compared.new else []
                nothing = Text(word("no difference", self._language), style="dim")
                code.show(rows or [nothing])
        self._notes(compared)

    def _title(self, where: str) -> None:
        number = sum(p.owner == self.placed.owner for p in self._anchors[: self._at + 1])
        total = sum(p.owner == self.placed.owner for p in self._anchors)
        title = title_of(self._study, self.placed, self._language)
        self.query_one("#title", Static).update(Text(f" {title}  {number}/{total}  {where}"))

    def _notes(self, compared: Compared | None) -> None:
        ticked = self._ticking.has(self.placed.anchor.id)
        text = note_text(self._study, self.placed, self._language, ticked=ticked, compared=compared)
        self.query_one("#note-text", Static).update(Wrapped(text))
        self.query_one("#note", VerticalScroll).scroll_home(animate=False)

    async def _edit(self) -> None:
        try:
            location = await self._source.location(self.placed)
            arguments = editor_command(
                location.path, location.line, chosen=self._editor, environment=os.environ
            )
        except AnnotError as error:
            self._complain(error)
            return
        try:
            with self.suspend():
                subprocess.run(arguments, check=False)
        except SuspendNotSupported:
            self.notify(f"{location.path}:{location.line}")
        except OSError as error:
            self.notify(str(error), severity="error")

    def _complain(self, error: AnnotError) -> None:
        message = f"{error}\n→ {error.hint}" if error.hint else str(error)
        self.notify(message, severity="error", markup=False)
