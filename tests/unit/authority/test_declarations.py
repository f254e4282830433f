"""Declarations of tools, groups, claims and checks: what is read, and what is refused where."""

from __future__ import annotations

import datetime

import msgspec
import pytest

from groundwire.authority.declarations import (
    declare_claim,
    declare_tool,
    ended_words,
    in_force,
    joined_claims,
)
from groundwire.authority.policy import decode_policy
from groundwire.documents.declaration import (
    ArgumentSource,
    CheckRules,
    Claim,
    Column,
    Evidence,
    Off,
    TokenShape,
    ToolGroup,
)
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError

FULL = """\
[checks]
rules = "original"
equivalences_off = ["case", "rounding"]
pins = ["/Never restart .{1,80} without a ticket/"]
prior_turns = false
empty_lookups = false
columns = "enforce"

[checks.evidence]
posture = "guard"
min_digits = 3
shapes = { ticket = "/OPS-[0-9]{4}/" }
exempt = ["24/7"]
exempt_patterns = ["/v[0-9]+/"]

[[checks.off]]
check = "stale-evidence"
tool = "list_racks"
reason = "racks move once a year"
until = 2031-06-30

[[checks.off]]
check = "empty-lookup"
reason = "noise"
until = "2031-01-31"

[tools.move_disk]
arguments_from = ["list_racks"]
effect = "write"
idempotent = true
volatile = ["request_id"]
rows_at = "$.data.items"
total_at = "$['total']"
next_at = "$.next"
as_of = "$.at"
entity_at = "$.name"
columns = { lun = "number", owner = { type = "string", nullable = true } }
max_age = "15m"
says = ["moved"]

[tools.move_disk.arguments]
machine = "fleet_report:$.machines[*].name"
filter.host = "user"
"filter.tags[*]" = "list"
from = "list_racks:"
racks = "list of list_racks:$.racks[*]"
note = "free-text"
day = "derived"
job = "/^p-[0-9]+$/"

[groups.power]
tools = ["cut_power", "move_disk"]
parkable = false

[[claims]]
answer = "result.0.free_gb"
entity = "array-7"
field = "free_gb"
tolerance = 0.5
unit = "GB"
synonyms = [["up", "online"], ["down", "off"]]
order = "measured_at"

[[claims]]
answer = "machines"
entity = "*"
field = "name"
aggregate = "count"
"""


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        decode_policy(text, "groundwire.toml")
    return caught.value


def test_every_key_of_a_tool_is_read() -> None:
    def source(argument: str, kind: str, **more: str) -> ArgumentSource:
        return msgspec.convert({"argument": argument, "kind": kind} | more, ArgumentSource)

    assert decode_policy(FULL, "p").tools == (
        ToolDeclaration(
            name="move_disk",
            arguments_from=("list_racks",),
            arguments=(
                source("machine", "result", tool="fleet_report", at="$.machines[*].name"),
                source("filter.host", "user"),
                source("filter.tags[*]", "list"),
                source("from", "result", tool="list_racks"),
                source("racks", "list", tool="list_racks", at="$.racks[*]"),
                source("note", "free-text"),
                source("day", "derived"),
                source("job", "pattern", pattern="^p-[0-9]+$"),
            ),
            effect="write",
            idempotent=True,
            volatile=("request_id",),
            rows_at="$.data.items",
            total_at="$.total",
            next_at="$.next",
            as_of="$.at",
            entity_at="$.name",
            columns=(
                Column(name="lun", type="number"),
                Column(name="owner", type="string", nullable=True),
            ),
            max_age=900,
            says=("moved",),
        ),
    )


def test_every_key_of_the_checks_is_read() -> None:
    assert decode_policy(FULL, "p").checks == CheckRules(
        rules="original",
        evidence=Evidence(
            posture="guard",
            min_digits=3,
            shapes=(TokenShape(name="ticket", pattern="OPS-[0-9]{4}"),),
            exempt=("24/7",),
            exempt_patterns=("v[0-9]+",),
        ),
        equivalences_off=("case", "rounding"),
        pins=("Never restart .{1,80} without a ticket",),
        claims=(
            Claim(
                answer="result.0.free_gb",
                entity="array-7",
                field="free_gb",
                tolerance="0.5",
                unit="GB",
                synonyms=(("up", "online"), ("down", "off")),
                order="measured_at",
            ),
            Claim(answer="machines", entity="*", field="name", aggregate="count"),
        ),
        groups=(ToolGroup(name="power", tools=("cut_power", "move_disk"), parkable=False),),
        off=(
            Off(
                check="stale-evidence",
                tool="list_racks",
                reason="racks move once a year",
                until="2031-06-30",
            ),
            Off(check="empty-lookup", reason="noise", until="2031-01-31"),
        ),
        prior_turns=False,
        empty_lookups=False,
        columns="enforce",
    )


TOOL = "[tools.reboot]\n"
ARGUMENTS = "[tools.reboot.arguments]\n"
OFF = "[[checks.off]]\n"
CLAIM = "[[claims]]\nanswer = 'a'\nentity = 'e'\nfield = 'f'\n"


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        (TOOL + "effect = 'reads'", "unknown-choice", 2),
        (TOOL + "effect = 'unstated'", "unknown-choice", 2),
        (TOOL + "idempotent = 1", "wrong-type", 2),
        (TOOL + "volatile = []", "empty-declaration", 2),
        (TOOL + "volatile = ['a..b']", "bad-argument-path", 2),
        (TOOL + "rows_at = 'items'", "bad-json-path", 2),
        (TOOL + "rows_at = '$..items'", "bad-json-path", 2),
        (TOOL + "next_at = ''", "blank-name", 2),
        (TOOL + "columns = {}", "empty-declaration", 2),
        (TOOL + "columns = { n = 'integer' }", "unknown-choice", 2),
        (TOOL + "columns = { n = 1 }", "wrong-type", 2),
        (TOOL + "columns = { ' ' = 'number' }", "blank-name", 2),
        (TOOL + "columns = { n = { nullable = true } }", "missing-setting", 2),
        (TOOL + "columns = { n = { type = 'number', nullable = 'yes' } }", "wrong-type", 2),
        (TOOL + "columns = { n = { typ = 'number' } }", "unknown-setting", 2),
        (TOOL + "max_age = 0", "out-of-range", 2),
        (TOOL + "max_age = '15 minutes'", "wrong-type", 2),
        (TOOL + "max_age = '9999999999w'", "out-of-range", 2),
        (TOOL + "says = 'booked'", "wrong-type", 2),
        (TOOL + "arguments = {}", "empty-declaration", 2),
        (TOOL + "arguments = 'user'", "wrong-type", 2),
        (ARGUMENTS + "machine = 'usr'", "unknown-source", 2),
        (ARGUMENTS + "machine = 'free_text'", "unknown-source", 2),
        (ARGUMENTS + "machine = 'list of'", "unknown-source", 2),
        (ARGUMENTS + "machine = ['find:$.a', 'user']", "two-sources", 2),
        (ARGUMENTS + "f.host = 'user'\n\n'f.host' = 'derived'", "two-sources", 4),
        (ARGUMENTS + "machine = 'find:$.a['", "bad-json-path", 2),
        (ARGUMENTS + "machine = ':$.a'", "blank-name", 2),
        (ARGUMENTS + "machine = 'reboot:$.a'", "tool-sources-itself", 2),
        (ARGUMENTS + "'a[0]' = 'user'", "bad-argument-path", 2),
        (ARGUMENTS + "machine = 3", "wrong-type", 2),
        (ARGUMENTS + "machine = '/a(/'", "bad-pattern", 2),
        (ARGUMENTS + "machine = '/(a+)+/'", "bad-pattern", 2),
        ("[groups.power]\nparkable = true", "missing-setting", 1),
        ("[groups.power]\ntools = []", "empty-declaration", 2),
        ("[groups.power]\ntools = ['a', 'a']", "repeated-entry", 2),
        ("[groups.power]\ntols = ['a']", "unknown-setting", 2),
        ("[claims]\nanswer = 'a'", "wrong-type", 1),
        ("[[claims]]\nanswer = 'a'\nentity = 'e'", "missing-setting", 1),
        (CLAIM + "tolerance = 'some'", "wrong-type", 5),
        (CLAIM + "tolerance = -1", "wrong-type", 5),
        (CLAIM + "tolerance = nan", "wrong-type", 5),
        (CLAIM + "aggregate = 'sum'", "contradictory-claims", 1),
        (CLAIM + "synonyms = [['up']]", "empty-declaration", 5),
        (CLAIM + "synonyms = [['up', 'on'], ['on', 'go']]", "repeated-entry", 5),
        (CLAIM + "order = 'latest'", "unknown-choice", 5),
        (CLAIM + CLAIM, "repeated-entry", 5),
        (CLAIM + CLAIM.replace("'f'", "'g'"), "contradictory-claims", 5),
        (CLAIM.replace("'a'", "'a..b'"), "bad-answer-path", 2),
        (CLAIM.replace("'e'", "'*'"), "contradictory-claims", 1),
        (OFF + "check = 'stale-evidence'\nuntil = 2031-01-01", "missing-setting", 1),
        (OFF + "check = 'stale-evidence'\nreason = 'noise'", "missing-setting", 1),
        (OFF + "check = 'stale'\nreason = 'n'\nuntil = 2031-01-01", "unknown-check", 2),
        (OFF + "check = 'empty-lookup'\nreason = 'n'\nuntil = 'soon'", "wrong-type", 4),
        (
            OFF + "check = 'empty-lookup'\nreason = 'n'\nuntil = 2031-01-01T00:00:00Z",
            "wrong-type",
            4,
        ),
        (OFF + "check = 'empty-lookup'\nreason = ' '\nuntil = 2031-01-01", "blank-name", 3),
        (
            2 * (OFF + "check = 'empty-lookup'\nreason = 'n'\nuntil = 2031-01-01\n"),
            "repeated-entry",
            5,
        ),
        ("[checks]\nrules = 'strict'", "unknown-choice", 2),
        ("[checks]\nequivalences_off = ['cases']", "unknown-equivalence", 2),
        ("[checks]\npins = ['never']", "bad-pattern", 2),
        ("[checks]\npins = ['/never .*/']", "bad-pattern", 2),
        ("[checks]\nprior_turns = 'yes'", "wrong-type", 2),
        ("[checks]\ncolumns = true", "unknown-choice", 2),
        ("[checks.evidence]\nposture = 'strict'", "unknown-choice", 2),
        ("[checks.evidence]\nmin_digits = 0", "out-of-range", 2),
        ("[checks.evidence]\nshapes = { x = 'OPS' }", "bad-pattern", 2),
        ("[checks.evidence]\nshapes = { ' ' = '/OPS/' }", "blank-name", 2),
        ("[checks.evidence]\nexempt = [' ']", "blank-name", 2),
        ("[checks.evidence]\nexemt = ['a']", "unknown-setting", 2),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_line(text: str, reason: str, line: int) -> None:
    error = refusal(text)
    assert (error.reason, f"line {line}:" in str(error)) == (reason, True), str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        (ARGUMENTS + "machine = 'usr'", '"user"'),
        (ARGUMENTS + "machine = 'fleet.$.name'", '"fleet:$.name"'),
        (ARGUMENTS + "machine = 'list of fleet$.name'", '"fleet:$.name"'),
        ("[checks]\nequivalences_off = ['cases']", "'case'"),
        (OFF + "check = 'stale'\nreason = 'n'\nuntil = 2031-01-01", "'stale-evidence'"),
        (TOOL + "row_at = '$'", "'rows_at'"),
    ],
)
def test_a_slip_is_told_the_nearest_known_word(text: str, nearest: str) -> None:
    assert nearest in str(refusal(text))


def test_a_tool_whose_name_is_like_a_word_can_still_be_a_source() -> None:
    policy = decode_policy(ARGUMENTS + "a = 'users:'\nb = 'users:$.x'\nc = 'find_host'", "p")
    assert [source.tool for source in policy.tools[0].arguments] == ["users", "users", "find_host"]


class TestInForce:
    OFF = Off(check="empty-lookup", reason="noise", until="2031-01-31")

    def policy(self) -> Policy:
        return Policy(checks=CheckRules(off=(self.OFF,)))

    def test_a_line_holds_through_its_last_day(self) -> None:
        policy = self.policy()
        assert in_force(policy, datetime.date(2031, 1, 31)) == (policy, ())

    def test_a_line_that_has_run_out_is_not_in_force(self) -> None:
        assert in_force(self.policy(), datetime.date(2031, 2, 1)) == (Policy(), (self.OFF,))

    def test_what_is_said_of_it_names_check_day_and_reason(self) -> None:
        words = ended_words(msgspec.structs.replace(self.OFF, tool="look"))
        assert "empty-lookup off for look ended on 2031-01-31" in words
        assert "noise" in words


class TestCode:
    def test_tuples_and_tables_are_read_as_the_file_would_be(self) -> None:
        declared = declare_tool(
            "move", {"arguments": {"a": {"b": "user"}}, "volatile": ("a",), "rows_at": None}
        )
        assert declared.arguments == (ArgumentSource(argument="a.b", kind="user"),)
        assert declared.volatile == ("a",)

    def test_a_refusal_names_the_tool_and_the_key(self) -> None:
        with pytest.raises(PolicyError, match=r"^tool 'move': arguments.a: 'usr' is no source"):
            declare_tool("move", {"arguments": {"a": "usr"}})

    def test_a_key_that_there_is_none_of_is_refused(self) -> None:
        with pytest.raises(PolicyError, match="nearest is 'rows_at'"):
            declare_tool("move", {"row_at": "$"})

    def test_a_claim_is_held_to_the_rules_of_the_file(self) -> None:
        claim = Claim(answer="a", entity="e", field="f", synonyms=(("up", "on"),), tolerance="1%")
        assert declare_claim(claim) == claim
        with pytest.raises(PolicyError) as caught:
            declare_claim(msgspec.structs.replace(claim, tolerance="a lot"))
        assert caught.value.reason == "wrong-type"

    def test_claims_of_two_places_are_joined_or_refused(self) -> None:
        claim = Claim(answer="a", entity="e", field="f")
        assert joined_claims([claim, claim]) == (claim,)
        with pytest.raises(PolicyError) as caught:
            joined_claims([claim, msgspec.structs.replace(claim, unit="GB")])
        assert caught.value.reason == "contradictory-claims"
