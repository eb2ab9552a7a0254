"""Widgets of the reader: the code pane, the route, and the screens that ask for something."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input, Label, OptionList, Tree
from textual.widgets.option_list import Option

from annotator.model.study import PlacedAnchor, Study
from annotator.reading.reader.finding import Hit
from annotator.reading.reader.notes import title_of
from annotator.reading.wording import Language

_ABOVE = 2
"""Rows that stay visible above the place that is gone to."""


class CodePane(ScrollView, can_focus=True):
    """Rows of text, drawn one by one as they come into view; scrolls both ways."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._rows: Sequence[Text] = ()

    def show(self, rows: Sequence[Text], at: int = 0) -> None:
        """Shows rows, and goes to one of them (from 0)."""
        self._rows = rows
        width = max((row.cell_len for row in rows), default=0)
        self.virtual_size = Size(width, len(rows))
        self.scroll_to(0, max(at - _ABOVE, 0), animate=False, force=True, immediate=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        left, top = self.scroll_offset
        width = self.size.width
        if y + top >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        segments = self._rows[y + top].render(self.app.console)
        strip = Strip(segments).crop_extend(left, left + width, self.rich_style)
        return strip.apply_style(self.rich_style)

    def notify_style_update(self) -> None:
        """Draws everything again with the new style."""
        super().notify_style_update()
        self.refresh(Region(0, 0, *self.size))


class Route(Tree[int]):
    """The route: questions and resources, with the anchors of the one that is open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_node", show=False)]

    def __init__(self, study: Study, anchors: Sequence[PlacedAnchor], id: str) -> None:
        super().__init__("", id=id)
        self.show_root = False
        self.guide_depth = 2
        self._study = study
        self._anchors = anchors

    def fill(self, ticked: Callable[[str], bool], language: Language) -> None:
        """Writes the tree anew."""
        self.clear()
        owner = ""
        for at, placed in enumerate(self._anchors):
            if placed.owner != owner:
                owner = placed.owner
                node = self.root.add(Text(title_of(self._study, placed, language)), data=at)
            node.add_leaf(self._label(placed, ticked), data=at)

    def go_to(self, at: int) -> None:
        """Opens the question of an anchor, closes the others, and puts the cursor on the anchor."""
        for node in self.root.children:
            leaf = next((leaf for leaf in node.children if leaf.data == at), None)
            if leaf is None:
                node.collapse()
                continue
            node.expand()
            self.call_after_refresh(self.move_cursor, leaf)

    def tick(self, at: int, ticked: Callable[[str], bool]) -> None:
        """Writes one anchor anew."""
        for node in self.root.children:
            for leaf in node.children:
                if leaf.data == at:
                    leaf.set_label(self._label(self._anchors[at], ticked))

    @staticmethod
    def _label(placed: PlacedAnchor, ticked: Callable[[str], bool]) -> Text:
        return Text(f"{'✓' if ticked(placed.anchor.id) else '○'} {placed.anchor.id}")


class FindScreen(ModalScreen[Hit | None]):
    """Jump and search: what is typed is looked up at once.

    Args:
        title: what the screen is called.
        hint: what can be typed.
        find: looks words up.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss_none", show=False),
        Binding("down", "into_list", show=False),
    ]

    def __init__(self, title: str, hint: str, find: Callable[[str], list[Hit]]) -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._find = find
        self._hits: list[Hit] = []

    def compose(self) -> ComposeResult:
        """A line to type in above what was found."""
        with Vertical(classes="dialog"):
            yield Label(self._title)
            yield Input(placeholder=self._hint)
            yield OptionList()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Looks up what is typed."""
        self._hits = self._find(event.value)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(Text(hit.label, no_wrap=True)) for hit in self._hits])

    def on_input_submitted(self) -> None:
        """Goes to the first hit."""
        self.dismiss(self._hits[0] if self._hits else None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Goes to the hit that was chosen."""
        self.dismiss(self._hits[event.option_index])

    def action_into_list(self) -> None:
        """Moves from the line to the hits."""
        options = self.query_one(OptionList)
        options.highlighted = 0 if self._hits else None
        options.focus()

    def action_dismiss_none(self) -> None:
        """Goes nowhere."""
        self.dismiss(None)


class AskScreen(ModalScreen[str | None]):
    """Asks for one line of text.

    Args:
        title: what is asked for.
        value: what stands there at first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_none", show=False)]

    def __init__(self, title: str, value: str) -> None:
        super().__init__()
        self._title = title
        self._value = value

    def compose(self) -> ComposeResult:
        """A line to type in."""
        with Vertical(classes="dialog small"):
            yield Label(self._title)
            yield Input(value=self._value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes what was typed."""
        self.dismiss(event.value.strip() or None)

    def action_dismiss_none(self) -> None:
        """Takes nothing."""
        self.dismiss(None)
