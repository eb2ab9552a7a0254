"""The kinds of findings of `annot check` and `annot probe`."""

from collections.abc import Mapping

from annotator.model.finding import Rule, Wording
from annotator.model.probe import ProbeStatus
from annotator.model.words import OUTCOME_SEVERITY, Outcome, Severity

_ANCHOR_WORDS: Mapping[Outcome, tuple[str, str, str, str]] = {
    Outcome.OK: (
        "What the anchor watches is the same.",
        "锚点关注的内容没有变化。",
        "Nothing to do.",
        "无需处理。",
    ),
    Outcome.MOVED: (
        "The same content is at another path or under another name.",
        "内容相同，但路径或名称变了。",
        "Mend the citation: write the new target into the anchor, or accept the suggested correction.",
        "修正引用：把新的 target 写入锚点，或接受建议的修改。",
    ),
    Outcome.CHANGED: (
        "What the anchor watches has changed.",
        "锚点关注的内容变了。",
        "Read the place again. Bring the note up to date, or accept the change if the note still holds.",
        "重读该处。更新笔记；如果笔记仍然成立，就接受这一变化。",
    ),
    Outcome.GONE: (
        "The place is gone and has no successor.",
        "该处已不存在，也没有后继。",
        "Decide whether to point the anchor elsewhere, to rewrite the note or to retire the anchor.",
        "决定是把锚点指向别处、重写笔记，还是撤下该锚点。",
    ),
    Outcome.AMBIGUOUS: (
        "The place may have become one of several.",
        "该处可能变成了几个候选之一。",
        "Choose among the candidates that `annot explain` lists.",
        "在 `annot explain` 列出的候选中选择。",
    ),
    Outcome.ERROR: (
        "The anchor could not be checked.",
        "无法检查该锚点。",
        "Read the reason. A target that never was there is a mistake in the anchor file.",
        "查看原因。从来不存在的 target 是锚点文件里的错误。",
    ),
    Outcome.SKIPPED: (
        "The anchor was not checked.",
        "没有检查该锚点。",
        "Get what is missing, mostly with `annot sync`.",
        "补齐缺少的东西，多数情况用 `annot sync`。",
    ),
}


def rule_in_words(
    id_: str, words: tuple[str, str, str, str], severity: Severity = Severity.WARNING
) -> Rule:
    """A rule from its title and its help, each in English and in Chinese."""
    en, zh, help_en, help_zh = words
    return Rule(
        id=id_,
        title=Wording(zh=zh, en=en),
        help=Wording(zh=help_zh, en=help_en),
        severity=severity,
    )


ANCHOR_RULES: Mapping[Outcome, Rule] = {
    outcome: rule_in_words(f"anchor-{outcome.value}", words, OUTCOME_SEVERITY[outcome])
    for outcome, words in _ANCHOR_WORDS.items()
}
"""By what became of an anchor's place."""

_CONFIRMED = (
    "Upstream's code behaves as the notes say.",
    "上游代码的行为与笔记一致。",
    "Nothing to do.",
    "无需处理。",
)
_REFUTED = (
    "Upstream's code does not behave as the notes say.",
    "上游代码的行为与笔记不一致。",
    "Read the evidence, then bring the claim up to date.",
    "查看证据，然后更新断言。",
)
_NOT_RUN = (
    "Upstream's code could not be run.",
    "无法运行上游代码。",
    "Read the reason; `annot probe setup --check` says what an environment for probes lacks.",
    "查看原因；`annot probe setup --check` 会指出探针环境缺少什么。",
)
_NOT_RUN_RULE = rule_in_words("probe-not-run", _NOT_RUN, Severity.ERROR)

PROBE_RULES: Mapping[ProbeStatus, Rule] = {
    ProbeStatus.CONFIRMED: rule_in_words("probe-confirmed", _CONFIRMED, Severity.NOTE),
    ProbeStatus.REFUTED: rule_in_words("probe-refuted", _REFUTED),
    ProbeStatus.ERROR: _NOT_RUN_RULE,
    ProbeStatus.SKIPPED: _NOT_RUN_RULE,
}
"""By what running upstream's code says of a claim or check."""

BEHAVIOUR_RULE = rule_in_words(
    "behaviour-differs",
    (
        "Upstream's code behaves differently than at the commit compared with.",
        "上游代码的行为与对照的提交不同。",
        "See whether a note depends on it; add a claim where one does.",
        "看看是否有笔记依赖它；有的话补一条断言。",
    ),
)
"""For what probes observe otherwise than before."""
