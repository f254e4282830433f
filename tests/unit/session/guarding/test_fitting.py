"""A call that says more than its tool takes is refused: what would be left out may be what counts."""

from __future__ import annotations

from typing import Any

from groundwire.documents.call import ToolCall
from groundwire.session.guarding.shapes.fitting import misfit
from groundwire.session.guarding.shapes.tools import given_tools
from tests.adversarial.attack import Attack, carry_out
from tests.adversarial.world import World


def write_file(path: str, content: str) -> str:
    raise AssertionError(path, content)


def anything(path: str, **more: object) -> str:
    raise AssertionError(path, more)


def said(tool: Any, arguments: str) -> str | None:
    (given,) = given_tools([tool])
    found = misfit(given, ToolCall(id="c1", name=given.name, arguments=arguments))
    return None if found is None else found.reason


def test_an_argument_that_a_tool_does_not_take_is_no_fit() -> None:
    more = '{"path":"a","content":"b","mode":"append"}'
    assert said(write_file, more) == "arguments-do-not-fit"
    assert said(write_file, '{"path":"a","content":"b"}') is None


def test_a_tool_that_takes_anything_takes_anything() -> None:
    assert said(anything, '{"path":"a","mode":"append"}') is None
    assert said({"name": "x", "input_schema": {"type": "object"}}, '{"mode":"append"}') is None


def test_what_is_no_object_is_left_to_whoever_reads_arguments() -> None:
    assert [said(write_file, text) for text in ("[1]", "{", "", "\ud800")] == [None] * 4


def test_under_the_guard_nothing_is_written_of_a_call_that_says_more() -> None:
    def deed(world: World) -> str:
        world.do("read_file", path="README.md")
        return world.do("write_file", path="README.md", content="x", mode="append").word

    ended = carry_out(Attack("", "", "", ("refused: arguments-do-not-fit",), deed))
    assert ended.wrong == ""
