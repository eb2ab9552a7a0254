"""Which words in backticks are names of code."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.tasks.lint.code_names import code_names
from annotator.tasks.lint.sentences import says_absent, sentences, versions_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param("Read pool.get and BlockPool", [], id="without-backticks"),
        pytest.param("`block`, `Pool.get` and `block`", ["name block", "name Pool.get"], id="each-once"),
        pytest.param("`get()` `ns::Pool::get`", ["name get", "name ns::Pool::get"], id="call-and-scope"),
        pytest.param("`N`, `tp`", [], id="short-symbols"),
        pytest.param("`engine:hits_total`", ["name engine:hits_total"], id="metric"),
        pytest.param("`module:class`, `(module, class)`", [], id="plain-words-in-an-expression"),
        pytest.param("`a_b * len(c_d) + 1`", ["name a_b", "name c_d"], id="expression"),
        pytest.param("`layers[i::num_groups]`", ["name num_groups"], id="slice"),
        pytest.param("`f(x_y, mode=\"FAST_ONE\", {'made up': 1})`", ["name x_y", "name FAST_ONE"], id="keys-but-no-values"),
        pytest.param("`serve M --max-seqs 4 --no-cache`", ["option --max-seqs", "option --no-cache"], id="options"),
        pytest.param("`--pool-*`", ["option --pool-*"], id="options-with-a-gap"),
        pytest.param("`CACHE_ROOT=1`", ["name CACHE_ROOT"], id="environment"),
        pytest.param("`e/pool.py`, `docs/`, `pool.py`", ["path e/pool.py", "path docs/", "path pool.py"], id="paths"),
        pytest.param("`e/pool.py::Pool`", ["path e/pool.py"], id="path-of-a-symbol"),
        pytest.param("`python made_up.py`", [], id="argument-of-a-command"),
        pytest.param("`a_sum/(n-1)`, `/metrics`", ["name a_sum"], id="quotients-and-routes-are-no-paths"),
        pytest.param("`supports_*`, `*_per_head`, `step_…_end`", ["pattern supports_*", "pattern *_per_head", "pattern step_…_end"], id="gaps"),
        pytest.param("`a_b*c_d`", ["name a_b", "name c_d"], id="a-product-is-no-gap"),
        pytest.param("`0.3.2.dev5+gabc_def`, `http://host_a:80`", [], id="versions-and-addresses"),
        pytest.param("``a_b`c``", ["name a_b"], id="longer-fences"),
    ],
)  # fmt: skip
def test_names(text, names):
    assert [f"{name.kind} {name.text}" for name in code_names(text)] == names


@given(st.text(alphabet="`ab_.:/*-…{}<>'\" =(1,", max_size=60))
def test_any_text_can_be_read(text):
    for name in code_names(text):
        assert name.text in text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("One. Two; three! Four", ["One.", " Two; three!", " Four"], id="english"),
        pytest.param("甲。乙？丙", ["甲。", "乙？", "丙"], id="chinese"),
        pytest.param(
            "As of v0.3.1 `a. b` is. So", ["As of v0.3.1 `a. b` is.", " So"], id="dots-inside"
        ),
        pytest.param("an odd ` tick. End", ["an odd ` tick.", " End"], id="lone-backtick"),
    ],
)
def test_sentences(text, parts):
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        pytest.param("as of v0.3.1rc2, up to 0.28.", ["0.3.1rc2 certain", "0.28"], id="english"),
        pytest.param("v0.33.0起，0.31 已去掉", ["0.33.0 certain", "0.31"], id="chinese"),
        pytest.param("by 0.5% of `0.3.2+cpu`", [], id="percentages-and-code"),
        pytest.param("10.0.0.7", [], id="no-address"),
    ],
)
def test_versions(text, versions):
    shown = [f"{one.version} certain" if one.is_certain else str(one.version) for one in versions_in(text)]  # fmt: skip
    assert shown == versions


@pytest.mark.parametrize("text", ["it no longer exists", "源码里已没有它", "链到旧文件"])
def test_a_sentence_says_that_something_is_gone(text):
    assert says_absent(text)
    assert not says_absent("本函数没有变, it is there")
