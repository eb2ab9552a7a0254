"""In which of a study's languages a text is written, by its script."""

import re
from typing import Literal

_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CODE = re.compile(r"`[^`]*`|\bhttps?://\S+")
_SHARE = 0.15
"""Part of a text's letters that are Chinese where the text is: prose about code is full of Latin names."""


def language_of(text: str) -> Literal["zh", "en"]:
    """`zh` if a fair part of the text is written in Chinese characters, else `en`."""
    prose = _CODE.sub(" ", text)
    letters = len(_LETTER.findall(prose))
    return "zh" if letters and len(_CHINESE.findall(prose)) >= _SHARE * letters else "en"
