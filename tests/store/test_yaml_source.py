"""Reading one YAML file: what it says, where it says it, and what is refused."""

import io
import math
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from annotator.store.problems import ProblemsFound
from annotator.store.yaml_source import MAX_BYTES, MAX_DEPTH, parse_yaml, read_yaml

LOADERS = [
    pytest.param(yaml.SafeLoader, id="python"),
    pytest.param(
        getattr(yaml, "CSafeLoader", None),
        id="libyaml",
        marks=pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml"),
    ),
]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("null", None),
        ("~", None),
        ("", None),
        ("true", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("no", "no"),
        ("On", "On"),
        ("y", "y"),
        ("12", 12),
        ("-7", -7),
        ("010", 10),
        ("0o17", 15),
        ("0xff", 255),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-10-23", "2026-10-23"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-.inf", -math.inf),
        ("v1.2.3", "v1.2.3"),
        ("0.20.0", "0.20.0"),
        ("=", "="),
        ('"true"', "true"),
        ("'12'", "12"),
        ('"\\u524d\\n"', "前\n"),
    ],
)
@pytest.mark.parametrize("loader", LOADERS)
def test_plain_scalars_follow_the_core_schema_of_yaml_1_2(loader, written, value):
    data = parse_yaml(f"key: {written}\n", "f.yaml", loader).data
    assert data == {"key": value}
    assert type(data["key"]) is type(value)


def test_not_a_number_is_read():
    assert math.isnan(parse_yaml("key: .nan\n", "f.yaml").data["key"])


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        pytest.param("a: &x 1\nb: 2\n", "1:4", "a YAML anchor (&x) is not read", id="anchor"),
        pytest.param("a: 1\nb: *x\n", "2:4", "an alias (*x) is not read", id="alias"),
        pytest.param("&x a: 1\n", "1:1", "a YAML anchor (&x) is not read", id="anchor-on-a-key"),
        pytest.param("a: !!str 1\n", "1:4", "a tag (tag:yaml.org,2002:str)", id="tag"),
        pytest.param("a: !x {b: 1}\n", "1:4", "a tag (!x) is not read", id="tag-on-a-mapping"),
        pytest.param(
            "a: !!python/object/apply:os.system [x]\n", "1:4", "a tag (", id="python-object"
        ),
        pytest.param("a: [?x]\n", "1:6", "text cannot begin with '?'", id="question-mark"),
        pytest.param("a: 1\n<<: {b: 2}\n", "2:1", "merge keys (<<) are not read", id="merge-key"),
        pytest.param("a: 1\nb:\n  c: 1\n  c: 2\n", "4:3", "the key 'c' is there twice (first in line 3)", id="duplicate-key"),
        pytest.param('a: 1\n"a": 2\n', "2:1", "the key 'a' is there twice", id="duplicate-quoted"),
        pytest.param("a: 1\n---\nb: 1\n", "2:1", "a second document starts here", id="documents"),
        pytest.param("1: a\n", "1:1", "the key '1' is not text", id="number-as-key"),
        pytest.param("? [a]\n: 1\n", "1:3", "a key has to be a word", id="list-as-key"),
        pytest.param("a: \x1b[31m\n", "1:4", "an invisible character here (U+001B)", id="escape"),
        pytest.param("a: 前\u202e后\n", "1:5", "invisible character here (U+202E)", id="bidi"),
        pytest.param("a: x\u2028y\n", "1:5", "invisible character here (U+2028)", id="line-sep"),
        pytest.param('a: "\\x1b[31m"\n', "1:4", "the text holds an invisible character (U+001B)", id="escaped-escape"),
        pytest.param(f"a: {'9' * 5000}\n", "1:4", "the number is too long", id="long-number"),
        pytest.param("a:\n\tb: 1\n", "2:1", "a tab is used as indentation", id="tab"),
        pytest.param("a: |\n\tx\n", "2:1", "a tab is used as indentation", id="tab-in-a-block"),
        pytest.param("a: `x` is\n", "1:4", "text cannot begin with this character (put the text in double quotes)", id="backtick"),
        pytest.param("a: @x\n", "1:4", "text cannot begin with this character", id="at-sign"),
        pytest.param("a: **bold**\n", "1:4", "text cannot begin with '*' or '&'", id="star"),
        pytest.param("a: b: c\n", "1:5", "a ':' stands where no key can be", id="colon-in-text"),
        pytest.param("a: - b\n", "1:4", "a list entry ('- ') cannot begin here", id="dash"),
        pytest.param('a: "x\nb: 1\n', "1:4", "a quote is opened here and never closed", id="quote"),
        pytest.param("a: [1, 2\nb: 3\n", "1:4", "a '[' list is opened here", id="list"),
        pytest.param("a: {x: 1\nb: 3\n", "1:4", "a '{' mapping is opened here", id="mapping"),
        pytest.param("a:\n    b: 1\n  c: 2\n", "3:3", "this does not fit what stands before", id="indentation"),
        pytest.param('a: "he said "hi" now"\n', "1:14", "this does not fit", id="quotes-in-quotes"),
        pytest.param("a:\n  - x\n  y: 1\n", "3:3", "the list above is not continued", id="list-end"),
        pytest.param("a: > b\n", "1:6", "text behind | or > has to begin on the next line", id="block"),
        pytest.param("a: 1\nzh：x\nen: y\n", "2:1", "the ':' behind the key is a full-width one", id="full-width-colon"),
        pytest.param("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x\n", "2:1", "git's conflict markers are still in the file", id="git-conflict"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("loader", LOADERS)
def test_what_is_refused_is_told_with_its_place(loader, text, place, message):
    with pytest.raises(ProblemsFound) as caught:
        parse_yaml(text, "f.yaml", loader)
    told = str(caught.value)
    assert told.startswith(f"f.yaml:{place}: ")
    assert message in told
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("loader", LOADERS)
def test_a_backslash_that_is_no_escape_is_told(loader):
    with pytest.raises(ProblemsFound, match=r"a backslash in double quotes .*\(write \\\\ for"):
        parse_yaml('a: "\\d"\n', "f.yaml", loader)


@pytest.mark.parametrize("escape", ["\\ud800", "\\U00110000", "\\UFFFFFFFF"])
@pytest.mark.parametrize("loader", LOADERS)
def test_escapes_of_no_character_are_refused(loader, escape):
    with pytest.raises(ProblemsFound):
        parse_yaml(f'a: "{escape}"\n', "f.yaml", loader)


def test_all_mistakes_of_a_file_are_told_at_once():
    with pytest.raises(ProblemsFound) as caught:
        parse_yaml("a: &x 1\na: !t 2\n3: *x\nb: `\n", "f.yaml")
    assert [(one.line, one.column) for one in caught.value.problems] == [
        (1, 4), (2, 1), (2, 4), (3, 1), (3, 4), (4, 4),
    ]  # fmt: skip


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
@pytest.mark.parametrize("loader", LOADERS)
def test_deep_nesting_is_refused_early(loader, opening):
    with pytest.raises(ProblemsFound):
        parse_yaml(opening * 5_000, "f.yaml", loader)
    parse_yaml("- " * MAX_DEPTH + "x\n", "f.yaml", loader)
    with pytest.raises(ProblemsFound, match="the nesting is deeper than 50 levels"):
        parse_yaml("- " * (MAX_DEPTH + 1) + "x\n", "f.yaml", loader)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_keys_and_values_keep_their_places(loader, newline):
    lines = ['题: "前𝒳缀"', "list:", "  - {id: 中, n: 1}", "  - 'x'  # why", "text: |-", "  one"]
    text = newline.join(lines) + newline
    source = parse_yaml(text, "f.yaml", loader)

    def stands(span):
        return f"{span.line}:{span.column} {text[span.start : span.end].strip()}"

    assert stands(source.keys["题",]) == "1:1 题"
    assert stands(source.values["题",]) == '1:4 "前𝒳缀"'
    assert stands(source.keys["list", 0, "n"]) == "3:13 n"
    assert stands(source.values["list", 0, "id"]) == "3:10 中"
    assert stands(source.values["list", 1]) == "4:5 'x'"
    assert stands(source.values["text",]).startswith("5:7 |-")
    assert [source.values[loc].style for loc in [("题",), ("list", 0, "n"), ("list", 1), ("text",)]] == ['"', "", "'", "|"]  # fmt: skip
    assert source.value_at(("list", 0, "id")) == "中"
    assert source.value_span(("list", 1, "not", "there")) == source.values["list", 1]


def test_a_byte_order_mark_and_an_empty_file_are_read(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(path).data == {"a": 1}
    path.write_bytes(b"# only a comment\n")
    assert read_yaml(path).data is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"a: 1\nb: \xff\n", ":2:4: this is not UTF-8 text", id="latin-1"),
        pytest.param("a: 前".encode()[:-1], ":1:4: this is not UTF-8 text", id="cut-off"),
        pytest.param("a: 1".encode("utf-16"), ":1:1: this is not UTF-8 text", id="utf-16"),
        pytest.param(b"#" * (MAX_BYTES + 1), ":1:1: the file is larger than 1 MiB", id="large"),
    ],
)
def test_bad_bytes_are_refused(tmp_path, content, message):
    path = tmp_path / "a.yaml"
    path.write_bytes(content)
    with pytest.raises(ProblemsFound) as caught:
        read_yaml(path)
    assert message in str(caught.value)


def test_a_missing_file_is_a_problem_like_any_other(tmp_path):
    with pytest.raises(ProblemsFound, match="cannot be read"):
        read_yaml(tmp_path / "none.yaml")


def test_paths_are_shown_from_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.yaml").write_text("a: `", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ProblemsFound, match=r"^sub/a\.yaml:1:4: "):
        read_yaml(tmp_path / "sub" / "a.yaml")
    monkeypatch.chdir(tmp_path / "sub")
    with pytest.raises(ProblemsFound, match=r"^a\.yaml:1:4: "):
        read_yaml(Path("a.yaml"))


def test_aliases_cannot_make_a_small_file_large():
    bomb = "a: &a [x, x]\n" + "".join(
        f"{here}: &{here} [*{before}, *{before}]\n"
        for before, here in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
    )
    with pytest.raises(ProblemsFound, match="is not read"):
        parse_yaml(bomb, "f.yaml")


PIECES = [
    "a", "k", "键", "𝒳", " ", "  ", "\n", "\n  ", "\n- ", ": ", ":", "- ", "? ", ", ", "[", "]", "{",
    "}", '"', "'", "|", ">", "|-\n", ">-\n", "#", " # ", "\\", "1", "0", ".", "e", "~", "null",
    "true", "no", "\r\n",
]  # fmt: skip
REFUSED = ["&x ", "*x", "!t ", "<<: ", "---\n", "...\n", "\t", "\x85", "\x00"]


@given(st.lists(st.sampled_from(PIECES + REFUSED)).map("".join) | st.text(max_size=60))
@settings(max_examples=400, deadline=None)
@pytest.mark.parametrize("loader", LOADERS)
def test_any_text_is_read_or_refused_never_a_crash(loader, text):
    problems = ()
    try:
        parse_yaml(text, "f.yaml", loader)
    except ProblemsFound as found:
        problems = found.problems
    lines = text.count("\n") + text.count("\r") + 2
    assert all(1 <= problem.line <= lines and problem.column >= 1 for problem in problems)


def reference(text):
    """What ruamel.yaml, a YAML 1.2 loader, reads."""
    return YAML(typ="safe", pure=True).load(text)


@given(
    st.sampled_from(["a: ", "- ", "a:\n  k: ", "{", "["]),
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
)
@settings(max_examples=500, deadline=None)
def test_what_is_read_is_what_another_loader_reads(opening, rest):
    try:
        data = parse_yaml(opening + rest, "f.yaml").data
        expected = reference(opening + rest)
    except (ProblemsFound, YAMLError):
        return
    assert data == expected


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=20)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(DOCUMENTS, st.sampled_from([None, True, False]))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("loader", LOADERS)
def test_what_a_yaml_1_2_writer_writes_is_never_misread(loader, document, flow):
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = flow
    written = io.StringIO()
    writer.dump(document, written)
    try:
        data = parse_yaml(written.getvalue(), "f.yaml", loader).data
    except ProblemsFound:
        assert flow is not False  # in {} and [], PyYAML accepts less than YAML 1.2 allows
    else:
        assert data == document
