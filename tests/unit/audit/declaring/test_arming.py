"""`doctor --policy`: what could be armed, what is off, and what names nothing."""

from __future__ import annotations

import datetime

from groundwire.audit.declaring.arming import MOST_TOOLS, examine_arming
from groundwire.audit.declaring.observing import ArgumentSeen, Observed
from groundwire.authority.policy import decode_policy

TODAY = datetime.date(2031, 2, 1)


def observed(*names: str) -> Observed:
    seen = Observed(runs=1)
    for name in names:
        tool = seen.tool(name)
        tool.schema, tool.calls = '{"properties":{"machine":{}}}', 3
        tool.arguments["machine"] = ArgumentSeen(values=3)
    return seen


def lines(text: str, seen: Observed) -> list[tuple[str, str]]:
    policy = decode_policy(text, "p")
    return [(line.state, line.says) for line in examine_arming(policy, seen, TODAY)]


def has(found: list[tuple[str, str]], state: str, *words: str) -> bool:
    return any(state == line and all(word in says for word in words) for line, says in found)


ARMED = """
[checks.evidence]
posture = "assist"
[tools.reboot]
effect = "write"
says = ["rebooted"]
arguments = { machine = "user" }
"""


def test_a_policy_that_arms_what_was_seen_has_nothing_to_say() -> None:
    assert lines(ARMED, observed("reboot")) == [
        ("ok", "every tool that was seen has declared arguments")
    ]


def test_a_tool_that_was_used_and_is_not_declared_is_named_with_its_calls() -> None:
    assert has(lines(ARMED, observed("reboot", "look")), "note", "look: 3 calls")
    many = lines(ARMED, observed(*(f"t{number:02}" for number in range(MOST_TOOLS + 3))))
    assert has(many, "note", "and 3 tools more")


def test_a_tool_that_code_declares_is_not_called_undeclared() -> None:
    seen = observed("reboot", "look")
    seen.declared.add("look")
    found = lines(ARMED, seen)
    assert has(found, "note", "declared in code, by the runs read: look")
    assert not has(found, "note", "no argument of it is declared")


def test_without_a_run_it_says_that_it_cannot_know() -> None:
    assert has(lines(ARMED, Observed()), "note", "no run was read")


def test_half_a_declaration_is_told_of() -> None:
    text = '[tools.look]\nrows_at = "$.a"\n[tools.list]\neffect = "write"\ntotal_at = "$.n"\n'
    found = lines(text, observed())
    assert has(found, "note", "look: its effect is not stated")
    assert has(found, "note", "look: rows_at without total_at")
    assert has(found, "todo", "list: total_at without rows_at")
    assert has(found, "note", "list: no verbs")


def test_rows_that_were_seen_are_offered() -> None:
    seen = observed("look")
    seen.tools["look"].rows["$.items"] = 3
    assert has(lines("[tools.look]\n", seen), "note", "rows_at is not declared")


def test_what_is_off_is_listed_with_its_end() -> None:
    off = "[[checks.off]]\ncheck = '{}'\nreason = 'noise'\nuntil = {}\n"
    text = (
        off.format("empty-lookup", "2031-02-01")
        + off.format("stale-evidence", "2031-01-31")
        + "[checks]\nprior_turns = false\nequivalences_off = ['date']\nrules = 'original'\n"
    )
    found = lines(text, observed())
    assert has(found, "note", "empty-lookup is off until 2031-02-01: noise")
    assert has(found, "todo", "stale-evidence off ended on 2031-01-31")
    assert has(found, "note", "prior_turns = false")
    assert has(found, "note", "equivalence date is off")
    assert has(found, "note", "original")
    assert has(found, "note", "evidence gate is off")


def test_names_that_no_run_has_shown_are_told_of() -> None:
    text = '[tools.rebot]\n[tools.reindex]\n[tools.reboot.arguments]\nmachin = "user"\n'
    found = lines(text, observed("reboot"))
    assert has(found, "todo", "'rebot'", "nearest is 'reboot'")
    assert has(found, "note", "'reindex'")
    assert has(found, "todo", "argument 'machin'", "nearest is 'machine'")


def test_an_output_schema_that_nothing_can_be_held_against_is_told_of() -> None:
    ahead = ARMED + 'output_schema = { pattern = "(?=a)b" }\n'
    assert has(lines(ahead, observed("reboot")), "todo", "reboot: no result", "pattern-not-linear")
    assert len(lines(ARMED + 'output_schema = { pattern = "ab" }\n', observed("reboot"))) == 1


PAY = (
    '[tools.pay]\neffect = "external"\noperation = "pay"\nsays = ["paid"]\nonce_per = ["invoice"]\n'
)
BY = 'settled_by = { tool = "get", at = "$.status", landed = ["paid"] }\n'


def test_what_is_to_be_done_once_and_nothing_settles_is_told_of() -> None:
    assert has(lines(PAY, observed()), "note", "pay: no read settles")
    assert has(lines(PAY + BY, observed()), "todo", "pay: get settles nothing")
    writes = f'{PAY}{BY}[tools.get]\neffect = "write"\n'
    assert has(lines(writes, observed()), "todo", "pay: get settles nothing")
    reads = f'{PAY}{BY}[tools.get]\neffect = "read"\n'
    assert not has(lines(reads, observed()), "todo", "settles")
    assert not has(lines(reads, observed()), "note", "settles")
