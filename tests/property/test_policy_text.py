"""Any text is a policy or a PolicyError; any TOML has a line for every key that the reader sees."""

from __future__ import annotations

import tomllib

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from groundwire.authority.policy import decode_policy
from groundwire.authority.toml_lines import Path, key_lines
from groundwire.documents.policy import Policy
from groundwire.errors import PolicyError

TOKENS = st.sampled_from(
    [
        *(
            "a",
            "b",
            "agent",
            "recording",
            "checks",
            "tools",
            "anchors",
            "runs",
            "keep_days",
            "kind",
        ),
        *("arguments_from", "content", "target", "folder", "full", "1", "-2.5e3", "nan", "true"),
        *("[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\n", "\r\n", " ", "\t", "#", "# note\n"),
        *('"', "'", '"""', "'''", "\\", '"x"', "'y'", '"\\u0041"', '""', "\\\n", "é", "\x00"),
        *("1979-05-27", "07:32:00", "0x1f", " = ", "a = 1\n", "[a]\n", "[[b]]\n", "k = [", "]\n"),
    ]
)
SOUP = st.lists(TOKENS, max_size=40).map("".join)

KEYS = st.sampled_from(["a", "b-c", "_1", '"d e"', "'f.g'", '"h\\"i"', '"\\u0041"', '""'])
DOTTED = st.lists(KEYS, min_size=1, max_size=3).map(" . ".join)
SCALARS = st.sampled_from(
    [
        *("1", "-0.5", "true", "inf", "1979-05-27 07:32:00Z", '"]},#"', "'[{'", '"\\\\"'),
        *('"""\n[x]\na = 1 \\"""" # """"', "'''\n[[y]]\n'b' = 2'''", '"""a""\\\n  b"""'),
    ]
)
BLANKS = st.sampled_from(["", " ", "\n", " # ] , }\n", "\r\n\t"])


def arrays(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    element = st.tuples(BLANKS, values, BLANKS).map("".join)
    return st.lists(element, max_size=3).map(lambda items: f"[{','.join(items)}]")


def inline_tables(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(DOTTED, values.filter(lambda v: "\n" not in v)).map(" = ".join)
    return st.lists(member, max_size=3).map(lambda items: f"{{ {' , '.join(items)} }}")


VALUES = st.recursive(SCALARS, lambda values: arrays(values) | inline_tables(values), max_leaves=6)
STATEMENTS = st.one_of(
    st.tuples(DOTTED, VALUES).map(" = ".join),
    DOTTED.map(lambda key: f"[ {key} ]"),
    DOTTED.map(lambda key: f"[[{key}]] # [no]"),
    st.sampled_from(["", "# a = 1", "  "]),
)
DOCUMENTS = st.lists(STATEMENTS, max_size=8).map("\n".join)


def paths(value: object, path: Path = ()) -> set[Path]:
    members: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        members = list(value.items())
    elif isinstance(value, list):
        members = list(enumerate(value))
    return {path}.union(*(paths(member, (*path, key)) for key, member in members))


@given(text=SOUP | DOCUMENTS | st.text(max_size=60))
@settings(max_examples=200)
@example(text="tools.'a' . \"b\\nc\" = 1")
@example(text="recording = { keep_days = 1, keep_days = 2 }")
def test_any_text_is_a_policy_or_a_policy_error(text: str) -> None:
    try:
        policy = decode_policy(text, "p")
    except PolicyError as error:
        lines, reason = str(error).splitlines(), error.reason
    else:
        lines, reason = [""], "none"
        assert isinstance(policy, Policy)
    assert (len(lines), bool(reason)) == (1, True)


@given(text=SOUP | DOCUMENTS)
@settings(max_examples=200)
def test_every_key_that_the_reader_sees_has_a_line_and_no_other_does(text: str) -> None:
    try:
        table = tomllib.loads(text)
    except ValueError:
        assume(False)
    lines = key_lines(text)
    assert set(lines) == paths(table) - {()}
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
