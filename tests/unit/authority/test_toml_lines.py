"""Key positions in TOML text, judged against texts whose every line is known."""

from __future__ import annotations

import tomllib

import pytest

from groundwire.authority.toml_lines import Path, key_lines


def lines_of(text: str) -> dict[Path, int]:
    tomllib.loads(text)  # the promise that key_lines asks for
    return key_lines(text)


def test_tables_dotted_keys_and_inline_tables_each_have_their_line() -> None:
    text = (
        "# a first line\n"
        'agent = "night watch" # with a note\n'
        "\n"
        "[tools]\n"
        'restart.arguments_from = ["list_hosts"]\n'
        'probe = { arguments_from = ["list_hosts", "find_rack"], content = "full" }\n'
        "[tools.reboot]\n"
        'content = "full"\n'
    )
    found = lines_of(text)
    assert found["agent",] == 2
    assert found["tools",] == 4
    assert found["tools", "restart"] == 5
    assert found["tools", "restart", "arguments_from"] == 5
    assert found["tools", "probe", "content"] == 6
    assert found["tools", "probe", "arguments_from", 1] == 6
    assert found["tools", "reboot"] == 7
    assert found["tools", "reboot", "content"] == 8


def test_elements_of_an_array_over_several_lines_have_lines_of_their_own() -> None:
    text = 'a = [ # ]\n  "x", # , "y"\n\n  "]",\n  [1, {b = 2}],\n]\nc = 3\n'
    found = lines_of(text)
    assert found["a", 0] == 2
    assert found["a", 1] == 4
    assert found["a", 2, 1, "b"] == 5
    assert found["c",] == 7


@pytest.mark.parametrize(
    "string",
    [
        '"""\n[no.table]\nno = 1\n"""',
        "'''\n[no.table]\nno = 1\n'''",
        '"""\na \\""" b\nc ""\n"""""',
        '"\\\\"\n#"\n#',
        "'\\'\n#'\n#",
    ],
)
def test_text_inside_a_string_is_no_key(string: str) -> None:
    text = f"a = {string}\nb = 1\n"
    found = lines_of(text)
    assert set(found) == {("a",), ("b",)}
    assert found["b",] == text.count("\n")


def test_quoted_keys_are_read_as_the_reader_reads_them() -> None:
    text = '["a.b"."c\\u0064"]\n\'e"f\' = 1\n"" = 2\n'
    found = lines_of(text)
    assert found["a.b", "cd"] == 1
    assert found["a.b", "cd", 'e"f'] == 2
    assert found["a.b", "cd", ""] == 3


def test_elements_of_an_array_of_tables_are_told_apart() -> None:
    text = "[[a]]\nk = 1\n[[a]]\nk = 2\n[a.sub]\nx = 1\n[[a.deep]]\n[[a.deep]]\ny = 1\n"
    found = lines_of(text)
    assert found["a", 0, "k"] == 2
    assert found["a", 1, "k"] == 4
    assert found["a", 1, "sub", "x"] == 6
    assert found["a", 1, "deep", 1, "y"] == 9


def test_lines_are_the_same_with_carriage_returns_and_without_a_last_line_feed() -> None:
    text = "a = 1\r\n[b]\r\nc = [1,\r\n 2]\r\nd = 1979-05-27 07:32:00"
    found = lines_of(text)
    assert found["b", "c", 1] == 4
    assert found["b", "d"] == 5


def test_every_key_that_the_reader_sees_has_a_line() -> None:
    text = (
        "x.y.z = 1\nx.'y'.w = 2.5e3\nd = 1979-05-27T07:32:00Z\ne = [[], [[]], {}]\n"
        "[q . r]\ns = { t.u = true, v = [ { w = inf } ] }\n[[l]]\n[[l]]\nm = -0x0\n"
    )
    text = text.replace("-0x0", "0x0")
    found = set(lines_of(text))

    def paths(value: object, path: Path) -> set[Path]:
        items: list[tuple[str | int, object]] = []
        if isinstance(value, dict):
            items = list(value.items())
        elif isinstance(value, list):
            items = list(enumerate(value))
        return {path}.union(*(paths(member, (*path, key)) for key, member in items))

    assert paths(tomllib.loads(text), ()) - {()} == found
