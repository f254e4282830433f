from __future__ import annotations

import pytest

from groundwire.errors import EncodingError
from groundwire.grounding.leaves import read_leaves


def test_every_string_is_a_leaf_in_written_order_with_its_pointer() -> None:
    leaves = read_leaves('{"host":"db-7 ","filter":{"racks":["rack-a","rack-b"]}}')
    assert [(leaf.pointer, leaf.dotted, leaf.value) for leaf in leaves] == [
        ("/host", "host", "db-7 "),
        ("/filter/racks/0", "filter.racks.0", "rack-a"),
        ("/filter/racks/1", "filter.racks.1", "rack-b"),
    ]


def test_numbers_booleans_null_and_short_strings_are_no_leaves() -> None:
    assert read_leaves('{"n":4711,"b":true,"z":null,"s":"ab  ","e":""}') == ()


def test_a_bare_string_is_a_leaf_without_a_path() -> None:
    assert [(leaf.pointer, leaf.dotted) for leaf in read_leaves('"db-70"')] == [("", "")]


def test_a_key_with_a_dot_or_a_slash_is_another_path_than_two_keys() -> None:
    one, other = read_leaves('{"a.b/c~":"value","a":{"b/c~":"value"}}')
    assert one.dotted == other.dotted
    assert one.pointer == "/a.b~1c~0"
    assert other.pointer == "/a/b~1c~0"


def test_arguments_nested_as_deep_as_json_may_be_are_walked() -> None:
    (leaf,) = read_leaves('{"a":' * 500 + '"db-70"' + "}" * 500)
    assert leaf.pointer == "/a" * 500


def test_characters_are_counted_as_code_points() -> None:
    assert len(read_leaves('{"a":"\U0001f680\U0001f680\U0001f680"}')) == 0
    assert len(read_leaves('{"a":"\U0001f680\U0001f680\U0001f680\U0001f680"}')) == 1


@pytest.mark.parametrize("arguments", ["", '{"a":"b', "not json", "{'a': 'value'}", "\ud83d"])
def test_arguments_that_are_no_json_are_refused(arguments: str) -> None:
    with pytest.raises(EncodingError):
        read_leaves(arguments)
