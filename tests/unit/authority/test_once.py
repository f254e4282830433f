"""What is declared of deeds to be done once: in the policy, in code, and by an MCP server."""

from __future__ import annotations

import pytest

import groundwire as gw
from groundwire.authority.declarations import declare_tool
from groundwire.authority.mcp_meta import tool_from_meta
from groundwire.authority.policy import decode_policy
from groundwire.documents.declaration import Settling
from groundwire.errors import PolicyError
from tests.hands import own_declarations

BY = {"tool": "get", "at": "$.status", "landed": ["paid", 1, True], "absent": ["none"]}
ONCE = {"effect": "external", "operation": "pay", "once_per": ["invoice", "order.id"]}
SETTLED = Settling(tool="get", at="$.status", landed=("paid", 1, True), absent=("none",))


def test_a_policy_and_code_say_the_same() -> None:
    text = (
        '[tools.pay]\neffect = "external"\noperation = "pay"\nonce_per = ["invoice", "order.id"]\n'
        'once_key = "key"\n'
        'settled_by = { tool = "get", at = "$.status", landed = ["paid", 1, true], absent = ["none"] }\n'
    )
    (read,) = decode_policy(text, "p").tools
    assert read == declare_tool("pay", {**ONCE, "once_key": "key", "settled_by": BY})
    assert read.once_per == ("invoice", "order.id")
    assert read.settled_by == SETTLED


def test_an_mcp_server_may_say_it_of_its_own_tool() -> None:
    found = tool_from_meta("pay", {"groundwire": {**ONCE, "settled_by": BY, "once_key": "key"}})
    assert found.dropped == ()
    assert found.declaration is not None
    assert (found.declaration.once_per, found.declaration.settled_by) == (
        ("invoice", "order.id"),
        SETTLED,
    )


def test_what_a_server_says_without_what_it_needs_is_dropped() -> None:
    found = tool_from_meta("pay", {"groundwire": {"effect": "write", "settled_by": BY}})
    assert found.declaration is not None
    assert found.declaration.settled_by is None
    assert len(found.dropped) == 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"effect": "read", "operation": None}, "once-of-a-read"),
        ({"once_per": None, "once_key": "key"}, "missing-setting"),
        ({"once_per": None, "settled_by": BY}, "missing-setting"),
        ({"once_per": []}, "empty-declaration"),
        ({"once_per": ["invoice", "invoice"]}, "repeated-entry"),
        ({"once_per": ["lines[*].id"]}, "bad-argument-path"),
        ({"once_per": "invoice"}, "wrong-type"),
        ({"once_key": "invoice"}, "repeated-entry"),
        ({"once_key": "order.key"}, "bad-argument-path"),
        ({"settled_by": {**BY, "tool": "pay"}}, "tool-sources-itself"),
        ({"settled_by": {**BY, "at": "status"}}, "bad-json-path"),
        ({"settled_by": {**BY, "landed": []}}, "empty-declaration"),
        ({"settled_by": {**BY, "absent": [" "]}}, "blank-name"),
        ({"settled_by": {**BY, "absent": [1.5]}}, "wrong-type"),
        ({"settled_by": {**BY, "absent": ["PAID"]}}, "repeated-entry"),
        ({"settled_by": {**BY, "absent": ["1"]}}, "repeated-entry"),
        ({"settled_by": {"tool": "get", "at": "$.status"}}, "missing-setting"),
        ({"settled_by": {**BY, "known": 1}}, "unknown-setting"),
    ],
)
def test_what_cannot_be_meant_is_refused(more: dict[str, object], reason: str) -> None:
    with pytest.raises(PolicyError) as refused:
        declare_tool("pay", {**ONCE, **more})
    assert refused.value.reason == reason


@pytest.mark.parametrize("spoken", [{"once_per": ["invoce"]}, {"once_key": "kee"}])
def test_an_argument_that_the_function_does_not_have_is_refused(spoken: dict[str, object]) -> None:
    keys = {**ONCE, "once_per": ["invoice"], **spoken}
    with own_declarations(), pytest.raises(PolicyError) as refused:

        @gw.tool(**keys)  # type: ignore[call-overload, untyped-decorator]  # of a table
        def pay(invoice: str, key: str = "") -> None: ...

    assert refused.value.reason == "no-such-argument"
