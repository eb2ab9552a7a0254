"""The kinds of findings of `annot notes check`."""

from collections.abc import Mapping

from annotator.model.finding import Rule
from annotator.model.words import OUTCOME_SEVERITY, Outcome, Severity
from annotator.tasks.findings.rules import rule_in_words

_WORDS: Mapping[Outcome, tuple[str, str, str, str]] = {
    Outcome.OK: (
        "The cited place stands.",
        "引用处仍然成立。",
        "Nothing to do.",
        "无需处理。",
    ),
    Outcome.MOVED: (
        "The cited code is at another path or under another name.",
        "引用的代码换了路径或名称。",
        "Rewrite the link: `annot notes fix --write` does it.",
        "改写链接：`annot notes fix --write` 会完成。",
    ),
    Outcome.CHANGED: (
        "The cited code has changed.",
        "引用的代码变了。",
        "Read the place again and bring the note up to date.",
        "重读该处并更新笔记。",
    ),
    Outcome.GONE: (
        "The cited place is gone and has no successor.",
        "引用处已不存在，也没有后继。",
        "Decide whether the note still holds without it.",
        "判断没有它笔记是否仍然成立。",
    ),
    Outcome.AMBIGUOUS: (
        "The cited place may have become one of several.",
        "引用处可能变成了几个候选之一。",
        "Choose among the candidates.",
        "在候选中选择。",
    ),
    Outcome.ERROR: (
        "The cited place cannot be found at the commit that the note names.",
        "在笔记写明的提交里找不到引用处。",
        "Read the reason: the link was wrong from the beginning.",
        "查看原因：链接一开始就是错的。",
    ),
    Outcome.SKIPPED: (
        "The cited commit is not at hand.",
        "手边没有引用的提交。",
        "Get it with the command that is named.",
        "用所列命令取得它。",
    ),
}

NOTE_RULES: Mapping[Outcome, Rule] = {
    outcome: rule_in_words(f"note-{outcome.value}", words, OUTCOME_SEVERITY[outcome])
    for outcome, words in _WORDS.items()
}
"""By what became of a mention's place."""

BRANCH_RULE = rule_in_words(
    "note-by-branch",
    (
        "The link is by branch: what it shows changes without a word.",
        "链接指向分支，它显示的内容会悄悄变化。",
        "Make it a permalink by commit or tag; `annot notes fix --pin-branches` does it for links without lines.",
        "改成按提交或标签的永久链接；没有行号的链接可用 `annot notes fix --pin-branches`。",
    ),
    Severity.NOTE,
)

NAME_RULE = rule_in_words(
    "page-name",
    (
        "The page names what the code of the same commit does not have.",
        "页面提到的名称在同一提交的代码里不存在。",
        "Do not read the code by this page there; a correction upstream is welcome.",
        "不要照着这一页理解代码；可以给上游提一个修正。",
    ),
)
