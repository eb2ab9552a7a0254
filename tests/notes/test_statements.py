"""Which version a note says it is about."""

import pytest

from annotator.notes.statements import stated_ref

STATEMENTS = {
    "基于 Demo v0.7.3，commit id:0123456789abcdef": "v0.7.3",
    "based on [Demo](https://github.com/acme/demo) v0.8.5": "v0.8.5",
    "# Demo (v0.13.0)": "v0.13.0",
    "Demo Version: v0.6.0+": "v0.6.0",
    "本文的源码版本为 demo 0.8.4": "0.8.4",
    "Demo commit: 61141ed265bf": "61141ed265bf",
    "pip install demo==0.6.1.post1": "0.6.1.post1",
    "<!-- annot: demo@releases/1.x -->": "releases/1.x",
    "Demo 0.6 was fast, Demo 0.7 is faster": "",
    "based on Demolition v1.2.3": "",
    "based on Other v1.2.3": "",
}


@pytest.mark.parametrize(("text", "ref"), STATEMENTS.items(), ids=STATEMENTS.keys())
def test_stated_ref(text: str, ref: str) -> None:
    assert stated_ref(text, ["Demo", "demo"]) == ref


def test_only_the_beginning_speaks_for_the_note_but_a_directive_everywhere() -> None:
    late = "x " * 5000
    assert stated_ref(late + "based on Demo v1.0.0", ["Demo"]) == ""
    assert stated_ref(late + "<!-- annot: Demo@v1.0.0 -->", ["Demo"]) == "v1.0.0"
