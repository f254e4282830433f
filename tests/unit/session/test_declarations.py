"""Declarations beside the code of a tool."""

from __future__ import annotations

import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from groundwire.authority.policy import decode_policy
from groundwire.documents.declaration import CheckRules, Claim, Off
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session import declarations
from groundwire.session.declarations import declared, merge, tool
from groundwire.session.project import PolicyWarning, Project
from tests.driving import assistant, exchange, user


@pytest.fixture(autouse=True)
def _no_declarations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declarations, "_declared", {})
    monkeypatch.setattr(declarations, "_silent", set())


def test_a_function_is_declared_under_its_name_and_does_what_it_did() -> None:
    @tool(arguments_from=["list_hosts"])
    def find_snapshot(host: str) -> str:
        return host

    assert find_snapshot("petrel") == "petrel"
    assert declared() == (ToolDeclaration(name="find_snapshot", arguments_from=("list_hosts",)),)


@pytest.mark.parametrize("given", ["read", 3, partial(print)])
def test_what_is_no_function_with_a_name_is_refused(given: Any) -> None:
    with pytest.raises(PolicyError) as refused:
        tool(given)
    assert refused.value.reason == "not-a-tool"
    with pytest.raises(PolicyError) as refused:
        tool(effect="read")(given)
    assert refused.value.reason == "not-a-tool"
    assert declared() == ()


def test_the_same_declaration_twice_is_one() -> None:
    for _ in range(2):
        tool(arguments_from=["a"], name="b")(print)
    assert len(declared()) == 1


def test_two_different_declarations_of_one_tool_are_refused() -> None:
    known = {"b": ToolDeclaration(name="b", arguments_from=("a",))}
    with pytest.raises(PolicyError) as error:
        merge(known, (ToolDeclaration(name="b", arguments_from=("c",)),))
    assert error.value.reason == "declared-twice"
    assert "they differ in arguments_from: " in str(error.value)


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_effects_of_one_tool_the_stricter_holds_with_its_operation(turned: bool) -> None:
    one = ToolDeclaration(name="b", effect="read")
    other = ToolDeclaration(name="b", effect="external", operation="deploy")
    first, second = (other, one) if turned else (one, other)
    known = {"b": first}
    merge(known, (second,))
    assert known == {"b": other}


def test_two_operations_of_one_tool_are_refused() -> None:
    known = {"b": ToolDeclaration(name="b", effect="write", operation="merge")}
    with pytest.raises(PolicyError) as error:
        merge(known, (ToolDeclaration(name="b", effect="external", operation="deploy"),))
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


def test_code_declares_every_key_that_the_file_has() -> None:
    @tool(
        arguments={"host": "list_hosts:$.hosts[*].name", "note": "free-text"},
        effect="write",
        idempotent=False,
        volatile=["stamp"],
        rows_at="$.rows",
        columns={"size": "number"},
        max_age="15m",
        says=["snapped"],
    )
    def snap(host: str, note: str, stamp: str = "") -> str:
        return host + note + stamp

    (declaration,) = declared()
    assert [source.argument for source in declaration.arguments] == ["host", "note"]
    assert (declaration.effect, declaration.max_age, declaration.rows_at) == (
        "write",
        900,
        "$.rows",
    )


@pytest.mark.parametrize("keys", [{"arguments": {"hots": "user"}}, {"volatile": ["hots"]}])
def test_an_argument_that_the_function_does_not_have_is_refused_at_decoration(
    keys: dict[str, object],
) -> None:
    def snap(host: str) -> str:
        return host

    with pytest.raises(PolicyError, match="nearest is 'host'") as caught:
        tool(**keys)(snap)  # type: ignore[call-overload]  # the keys are the test's
    assert caught.value.reason == "no-such-argument"
    assert declared() == ()


def test_a_function_that_takes_anything_has_every_argument() -> None:
    @tool(arguments={"host.name": "user", "tags[*]": "list"})
    def snap(**given: object) -> str:
        return str(given)

    assert len(declared()[0].arguments) == 2


def test_what_is_written_of_results_is_the_policys_where_code_says_nothing() -> None:
    tool(name="a")(print)
    tool(name="b", content="full")(print)
    assert [each.content for each in declared("commitments")] == ["commitments", "full"]


class TestProject:
    OFF = Off(check="empty-lookup", reason="noise", until="2020-01-31")

    def test_claims_of_code_are_held_to_the_rules_and_joined_with_the_policys(self) -> None:
        claim = Claim(answer="a", entity="e", field="f")
        policy = Policy(checks=CheckRules(claims=(claim,)))
        project = Project(policy, claims=[claim, Claim(answer="b", entity="e", field="f")])
        assert [each.answer for each in project.policy.checks.claims] == ["a", "b"]
        with pytest.raises(PolicyError) as caught:
            Project(policy, claims=[Claim(answer="a", entity="e", field="g")])
        assert caught.value.reason == "contradictory-claims"

    def test_an_off_line_that_has_run_out_is_not_in_force_and_told_of_once(self) -> None:
        project = Project(Policy(checks=CheckRules(off=(self.OFF,))))
        with pytest.warns(PolicyWarning, match="ended on 2020-01-31") as told:
            policies = [project.declared_policy() for _ in range(3)]
        assert ([each.checks.off for each in policies], len(told)) == ([()] * 3, 1)

    def test_a_warning_that_is_an_error_does_not_become_the_agents(self) -> None:
        project = Project(Policy(checks=CheckRules(off=(self.OFF,))))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert project.declared_policy().checks.off == ()

    def test_a_slip_in_a_name_is_told_of_when_a_run_ends(self, tmp_path: Path) -> None:
        text = "[tools.lok.arguments]\nhost = 'user'\n[tools.look.arguments]\nhots = 'user'\n"
        project = Project(decode_policy(text + "[tools.reindex]\n", "p"))
        look = {"name": "look", "parameters": {"properties": {"host": {"type": "string"}}}}
        tools = [{"type": "function", "function": look}]

        def run_twice() -> None:
            for name in ("a.gw", "b.gw"):
                with project.session(tmp_path / name) as run:
                    exchange(run, [user("Look.")], assistant(text="Yes."), tools=tools)

        with pytest.warns(PolicyWarning) as told:
            run_twice()
        assert [str(each.message).split(",")[0] for each in told] == [
            "groundwire: [tools.lok] names the tool 'lok'",
            "groundwire: [tools.look] hots names the argument 'hots'",
        ]

    def test_a_tool_that_was_offered_once_is_known_though_it_was_withheld_later(
        self, tmp_path: Path
    ) -> None:
        project = Project(Policy(tools=(ToolDeclaration(name="looks"),)))

        def offered(*names: str) -> list[dict[str, object]]:
            return [{"type": "function", "function": {"name": name}} for name in names]

        with (
            warnings.catch_warnings(record=True) as told,
            project.session(tmp_path / "a.gw") as run,
        ):
            warnings.simplefilter("always")
            exchange(run, [user("Look.")], assistant(text="Yes."), tools=offered("look", "looks"))
            exchange(run, [user("Again.")], assistant(text="Yes."), tools=offered("look"))
            run.close()
        assert [str(each.message) for each in told if each.category is PolicyWarning] == []
