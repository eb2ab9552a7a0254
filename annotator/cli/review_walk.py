"""The walk of `annot review`: one drifted anchor after the other, a key for each decision."""

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

import click
from rich.console import Console
from rich.text import Text

from annotator.cli.options import open_study
from annotator.cli.reviewing import queue_of, today
from annotator.model.failures import AnnotError
from annotator.model.review import Decision
from annotator.model.study import Study
from annotator.model.words import Outcome
from annotator.report.review import (
    print_candidates,
    print_culprits,
    print_pending,
    print_sides,
)
from annotator.report.style import printable
from annotator.store.review_files import with_decision
from annotator.store.review_progress import progress_path, read_put_off, write_put_off
from annotator.store.whole_change import apply_together
from annotator.tasks.opening import editor_command
from annotator.tasks.review.accepting import (
    MOVED_REASONS,
    QuoteGone,
    Verdict,
    acceptance,
    successors,
)
from annotator.tasks.review.queue import Pending, Queue
from annotator.tasks.review.retiring import retirement
from annotator.tasks.review.sides import both_sides, culprits
from annotator.tasks.workspace import Workspace

Done = Literal["accepted", "retired", "put off", "ok"]

_WORDS = {
    "en": {
        "menu": "t still true · e edit note · m moved to … · r retire · b who did it · d all lines · s skip · q quit",
        "why": "why does the note still hold",
        "edited": "what did you change in the note",
        "where": "where is it now (a number, or path::Qual.name)",
        "retire": "why is it no longer needed",
        "sure": "take {} out of the study?",
        "quote": "the statement that the note is about now",
        "no_successor": "it has no clear successor: m names one, r retires it",
        "nobody": "no commit can be named",
        "ok_now": "{} is ok now",
        "recorded": "recorded in {}",
        "empty": "(empty: not decided)",
        "broken": "the file is not valid any more; e opens it again",
    },
    "zh": {
        "menu": "t 仍成立 · e 改笔记 · m 搬到… · r 退役 · b 谁改的 · d 全部行 · s 跳过 · q 退出",
        "why": "笔记为什么仍然成立",
        "edited": "笔记改了什么",
        "where": "现在在哪里（编号，或 path::Qual.name）",
        "retire": "为什么不再需要它",
        "sure": "把 {} 从学习资料里拿掉？",
        "quote": "笔记现在说的是哪条语句",
        "no_successor": "没有明确的去处：m 指定一个，r 退役",
        "nobody": "说不出是哪个提交",
        "ok_now": "{} 现在没有问题",
        "recorded": "已记入 {}",
        "empty": "（留空：不作决定）",
        "broken": "文件已不合格式；e 重新打开",
    },
}  # fmt: skip


class Setting(NamedTuple):
    """What a walk is about.

    Attributes:
        folder: the study's folder.
        ref: the commit that is reviewed.
        by: who decides.
        language: `zh` or `en`.
        lines: most lines of a difference that are shown at first.
        editor: the editor to use, if one was named.
    """

    folder: Path
    ref: str
    by: str
    language: str
    lines: int
    editor: str | None


class Walk:
    """Shows drifted anchors and records what is decided, each at once, so that it can stop anywhere."""

    def __init__(
        self, console: Console, workspace: Workspace, study: Study, setting: Setting
    ) -> None:
        self._console = console
        self._workspace = workspace
        self._study = study
        self._setting = setting
        self._words = _WORDS[setting.language]
        self._put_off_path = progress_path(setting.folder)
        self._put_off = read_put_off(self._put_off_path)
        self.done: Counter[Done] = Counter()

    def run(self, queue: Queue) -> int:
        """Goes through what is pending; returns how many anchors are left undecided."""
        for number, pending in enumerate(queue.pending, start=1):
            known = {item.anchor.id: item for item in self._study.anchors}
            placed = known.get(pending.placed.anchor.id)
            if placed is None:  # taken out by hand meanwhile
                continue
            position = f"{number}/{len(queue.pending)}"
            decided = self._decide(pending._replace(placed=placed), position)
            if decided is None:
                break
            self.done[decided] += 1
        return len(queue.pending) - sum(self.done[one] for one in ("accepted", "retired", "ok"))

    def _decide(self, pending: Pending, position: str) -> Done | None:
        """Shows one anchor until something is decided about it; none to stop the walk."""
        ref = self._setting.ref
        sides = both_sides(self._workspace, self._study, pending, ref)
        print_pending(self._console, self._study, pending, position, self._setting.language)
        print_sides(self._console, sides, self._setting.language, self._setting.lines)
        self._say(self._words["menu"], "bold cyan")
        while True:
            key = self._key()
            done: Done | None = None
            try:
                match key:
                    case "t":
                        done = self._still_true(pending)
                    case "m":
                        done = self._moved(pending)
                    case "e":
                        done = self._edit(pending)
                    case "r":
                        done = self._retire(pending)
                    case "s":
                        done = self._skip(pending)
                    case "b":
                        self._blame(pending)
                    case "d":
                        print_sides(self._console, sides, self._setting.language, None)
                    case "q" | "":
                        return None
                    case _:
                        self._say(self._words["menu"], "bold cyan")
            except AnnotError as error:
                self._say(str(error), "red")
                self._say(error.hint)
            if done is not None:
                return done

    def _key(self) -> str:
        try:
            return click.getchar().lower()
        except EOFError:
            return ""

    def _ask(self, question: str, default: str = "") -> str:
        """An answer in one line; empty if nothing is decided."""
        hint = "" if default else f" {self._words['empty']}"
        answer: str = click.prompt(
            self._words[question] + hint, default=default, show_default=bool(default)
        )
        return answer.strip()

    def _say(self, text: str, style: str = "dim") -> None:
        if text:
            self._console.print(Text(printable(text), style=style))

    def _still_true(self, pending: Pending) -> Done | None:
        if pending.result.resolution.outcome in {Outcome.GONE, Outcome.AMBIGUOUS}:
            self._say(self._words["no_successor"], "yellow")
            return None
        return self._accept(pending, self._ask("why"), None)

    def _moved(self, pending: Pending) -> Done | None:
        resolution = pending.result.resolution
        known = successors(resolution)
        print_candidates(self._console, known)
        answer = self._ask("where", "1" if known else "")
        if answer.isdigit() and 0 < int(answer) <= len(known):
            answer = known[int(answer) - 1]
        if not answer:
            return None
        default = (
            MOVED_REASONS[self._setting.language] if resolution.outcome is Outcome.MOVED else ""
        )
        return self._accept(pending, self._ask("why", default), "moved", answer)

    def _accept(
        self,
        pending: Pending,
        reason: str,
        decision: Decision | None,
        target: str | None = None,
        quote: str | None = None,
    ) -> Done | None:
        if not reason:
            return None
        verdict = Verdict(reason, self._setting.by, today(), decision, target, quote)
        try:
            accepted = acceptance(self._workspace, self._study, pending, self._setting.ref, verdict)
        except QuoteGone as error:
            self._say(str(error), "yellow")
            statement = self._ask("quote")
            if not statement:
                return None
            return self._accept(pending, reason, decision, target, statement)
        placed = pending.placed
        change = with_decision(self._setting.folder, placed.upstream, placed.anchor.id, accepted)
        apply_together(self._setting.folder, [change])
        self._say(self._words["recorded"].format(change.name), "green")
        return "accepted"

    def _edit(self, pending: Pending) -> Done | None:
        """Opens the note in the editor, then looks at the anchor again."""
        placed = pending.placed
        arguments = editor_command(
            self._setting.folder / placed.file,
            placed.line,
            chosen=self._setting.editor,
            environment=os.environ,
        )
        subprocess.run(arguments, check=False)
        try:
            self._reload()
        except AnnotError:
            self._say(self._words["broken"], "yellow")
            raise
        id_ = placed.anchor.id
        queue = queue_of(
            self._workspace,
            self._setting.folder,
            self._study,
            [placed.upstream],
            self._setting.ref,
            only=[id_],
        )
        if not queue.pending:
            self._say(self._words["ok_now"].format(id_), "green")
            return "ok"
        return self._accept(queue.pending[0], self._ask("edited"), "edited")

    def _retire(self, pending: Pending) -> Done | None:
        reason = self._ask("retire")
        if not reason or not click.confirm(self._words["sure"].format(pending.placed.anchor.id)):
            return None
        verdict = Verdict(reason, self._setting.by, today())
        folder = self._setting.folder
        changes = retirement(self._workspace, folder, pending, self._setting.ref, verdict)
        apply_together(folder, changes)
        self._say(self._words["recorded"].format(changes[-1].name), "green")
        self._reload()
        return "retired"

    def _skip(self, pending: Pending) -> Done:
        placed = pending.placed
        commit = self._workspace.revision(placed.upstream, self._setting.ref).commit
        self._put_off[placed.anchor.id] = commit
        write_put_off(self._put_off_path, self._put_off)
        return "put off"

    def _blame(self, pending: Pending) -> None:
        steps = culprits(self._workspace, self._study, pending, self._setting.ref)
        print_culprits(self._console, steps)
        if not steps:
            self._say(self._words["nobody"])

    def _reload(self) -> None:
        _, self._study = open_study(self._setting.folder)
