"""The few words that reading material is made of, in both languages."""

from typing import Literal

Language = Literal["zh", "en"]

_WORDS: dict[str, tuple[str, str]] = {
    "session": ("源码阅读", "Reading session"),
    "minutes": ("分钟", "min"),
    "goals": ("目标", "Goals"),
    "goal": ("读完能回答", "Afterwards we can answer"),
    "read first": ("先读", "Read first"),
    "drifted": ("上次以来的变化", "What drifted since the last session"),
    "drifted since pin": ("基准以来的变化", "What drifted since the pin"),
    "nothing drifted": ("没有变化。", "Nothing."),
    "anchor": ("位置", "anchor"),
    "outcome": ("结果", "outcome"),
    "what changed": ("变化", "what changed"),
    "between": ("比较", "between"),
    "plan": ("阅读计划", "Plan"),
    "open": ("开场：目标与变化", "Opening: goals, what drifted"),
    "argue": ("讨论论断", "Arguing about the claims"),
    "read": ("已读", "read"),
    "claims": ("要争论的论断", "Claims to argue about"),
    "tick disputed": (
        "不同意就勾上，并在冒号后写理由。",
        "Tick what the group does not agree with, and write why behind the colon.",
    ),
    "disputed": ("有异议", "disputed"),
    "run": ("现场运行", "Run live"),
    "minutes of": ("记录", "Minutes"),
    "present": ("到场", "Present"),
    "close": (
        "散会后运行，它会读取这里的勾选与记录：",
        "Afterwards run this; it reads the ticks and the minutes from this file:",
    ),
    "claim": ("论断", "Claim"),
    "why": ("为什么在这里", "Why it is here"),
    "question": ("问题", "Question"),
    "exercises": ("练习", "Exercises"),
    "statement": ("所引语句", "the quoted statement"),
    "source": ("源码", "Source"),
    "route": ("路线", "Route"),
    "no difference": ("没有差别", "no difference"),
    "loading": ("读取中…", "reading…"),
    "find": ("跳转与搜索", "Find"),
    "find hint": (
        "编号、id、笔记里的词，或本文件的代码",
        "number, id, words of a note, code of this file",
    ),
    "commit hint": ("要比较的提交、标签或分支", "commit, tag or branch to compare with"),
    "lines": ("行", "lines"),
    "help": ("按键", "Keys"),
}


def word(key: str, language: Language) -> str:
    """The word called `key`, in `language`."""
    return _WORDS[key][0 if language == "zh" else 1]
