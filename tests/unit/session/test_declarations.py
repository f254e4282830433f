"""Declarations beside the code of a tool."""

from __future__ import annotations

import pytest

from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session import declarations
from groundwire.session.declarations import declared, merge, tool


@pytest.fixture(autouse=True)
def _no_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_declared", {})


def test_a_function_is_declared_under_its_name_and_does_what_it_did() -> None:
    @tool(arguments_from=["list_hosts"])
    def find_snapshot(host: str) -> str:
        return host

    assert find_snapshot("petrel") == "petrel"
    assert declared() == (ToolDeclaration(name="find_snapshot", arguments_from=("list_hosts",)),)


def test_the_same_declaration_twice_is_one() -> None:
    for _ in range(2):
        tool(arguments_from=["a"], name="b")(print)
    assert len(declared()) == 1


def test_two_different_declarations_of_one_tool_are_refused() -> None:
    known = {"b": ToolDeclaration(name="b", arguments_from=("a",))}
    with pytest.raises(PolicyError) as error:
        merge(known, (ToolDeclaration(name="b", arguments_from=("c",)),))
    assert error.value.reason == "declared-twice"


@pytest.mark.parametrize(
    ("name", "sources"), [(" ", ["a"]), ("b", ["a", " "]), ("b", ["b"]), ("b", []), ("b", "abc")]
)
def test_a_declaration_that_cannot_be_meant_is_refused(name: str, sources: list[str]) -> None:
    with pytest.raises(PolicyError):
        tool(arguments_from=sources, name=name)(print)
    assert declared() == ()


def test_a_function_is_declared_without_a_word_more() -> None:
    @tool
    def look(host: str) -> str:
        return host

    assert look("petrel") == "petrel"
    assert declared() == (ToolDeclaration(name="look"),)
