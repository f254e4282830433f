"""LocalAuthority: what it decides of which change, by which rule, and what would allow it."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from groundwire.attest.grants import open_grant
from groundwire.attest.receipts import Permit, open_receipt
from groundwire.authority.policy import decode_policy
from groundwire.authority.ruling.engine import Judgement
from groundwire.documents.declaration import Effect
from groundwire.documents.governing import Freeze, GuardRules, Rule
from groundwire.documents.profile import Fact
from groundwire.documents.question import Question
from groundwire.documents.target import Change, Proposal, TargetName
from groundwire.errors import EncodingError
from groundwire.guard.profiles import FACTS
from tests.unit.authority.guarding.questions import (
    FOLDER,
    NOW,
    authority,
    change,
    name,
    question,
    ruled,
    word,
)
from tests.unit.keys.samples import IDENTITY, key_of, ring

SPEC = b"openapi: 3.0.3\npaths: {}\n"
replace = msgspec.structs.replace


def policy(text: str) -> GuardRules:
    return decode_policy(text, "p").guard


def allowed_by(asked: Question, *rules: Rule) -> str:
    return word(asked, GuardRules(rules=rules))


def matching(decide: str, matcher: dict[str, object]) -> Rule:
    """A rule with these matchers."""
    return msgspec.convert({"id": f"mine-{decide}", "decide": decide, **matcher}, Rule)


class Stranger(msgspec.Struct, frozen=True, array_like=True):
    """What an engine says that knows another severity."""

    severity: str
    rules: tuple[str, ...] = ()
    says: str = ""


class Says:
    """An engine of one answer."""

    version = "says/1"

    def __init__(self, judgement: object) -> None:
        self.judgement = judgement

    def judge(self, before: bytes | None, after: bytes | None) -> Judgement:
        if isinstance(self.judgement, Exception):
            raise self.judgement
        return self.judgement


# --- without a policy -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "decided", "rule"),
    [
        (change("src/app.py", b"a", b"b"), "allow", "default/ordinary-write"),
        (change("src/new.py", None, b"b"), "allow", "default/ordinary-write"),
        (change("src/old.py", b"a", None), "allow", "default/ordinary-write"),
        (change("src/a.py", b"a", b"a", to="src/b.py"), "allow", "default/ordinary-write"),
        (change("README.md", b"", b"openapi: 3.0.3\npaths: {}"), "allow", "default/ordinary-write"),
        (change("api/openapi.yaml", SPEC, SPEC + b"# x"), "approve", "default/governed"),
        (change("api/openapi.yaml", SPEC, None), "approve", "default/governed"),
        (change("notes.txt", None, SPEC), "approve", "default/governed"),
        (change("notes.txt", SPEC, b"nothing"), "approve", "default/governed"),
        (change("a.yaml", SPEC, SPEC, to="tests/a.yaml"), "approve", "default/governed"),
        (change("tests/a.yaml", SPEC, SPEC, to="a.yaml"), "approve", "default/governed"),
        (change(".github/workflows/ci.yml", b"a", b"b"), "approve", "default/ci-file"),
        (change(".GitHub/Workflows/ci.yml", b"a", b"b"), "approve", "default/ci-file"),
        (change(".husky/pre-commit", b"a", b"b"), "approve", "default/ci-file"),
        (change(".git/info/exclude", b"a", b"b"), "approve", "default/git-folder"),
        (change("sub/.GIT/index", b"a", b"b"), "approve", "default/git-folder"),
        (change(".git", b"gitdir: a", b"gitdir: b"), "deny", "default/protected-place"),
        (change("srv.git/refs/heads/main", b"a", b"b"), "approve", "default/git-folder"),
        (change("x/HEAD", None, b"ref: refs/heads/main\n"), "approve", "default/git-folder"),
        (change("x/HEAD", b"", b"1" * 40), "approve", "default/git-folder"),
        (change("a", b"b", b"ref: refs/x", to="x/head"), "approve", "default/git-folder"),
        (change("x/config", b"", b"[core]\nfsmonitor = a"), "approve", "default/git-folder"),
        (change("x/config", b"", b"[user] [Core] HooksPath=a"), "approve", "default/git-folder"),
        (change("x/config", None, b'[includeIf "a"]\npath=b'), "approve", "default/git-folder"),
        (change("x/config", b"", b"[core]\nremote = a"), "allow", "default/ordinary-write"),
        (change("x/HEAD", b"", b"The head of each page"), "allow", "default/ordinary-write"),
        (change("x/HEAD", b"ref: refs/x", None), "allow", "default/ordinary-write"),
        (change("x/notes", b"", b"ref: refs/x"), "allow", "default/ordinary-write"),
        (change(".git/config", b"a", b"b"), "deny", "default/protected-place"),
        (change(".git/hooks/pre-commit", None, b"b"), "deny", "default/protected-place"),
        (change("groundwire.toml", b"a", b"b"), "deny", "default/protected-place"),
        (change(".claude/settings.json", b"a", b"b"), "deny", "default/protected-place"),
        (change("passwd", b"a", b"b", root="/etc"), "approve", "default/outside-folder"),
        (change("a", b"a", b"b", root=f"{FOLDER}-2"), "approve", "default/outside-folder"),
    ],
)
def test_without_a_policy_each_change_is_decided_by_where_it_is_and_what_it_holds(
    changed: Change, decided: str, rule: str
) -> None:
    decision = ruled(question(changed)).decision
    assert decision.decision == decided
    assert rule in decision.rules
    assert any(witness.rule == rule for witness in decision.witnesses)


def test_a_ref_that_the_git_target_moves_is_no_file_in_the_git_folder() -> None:
    ref = TargetName(kind="git", root=FOLDER, path="refs/heads/main")
    moved = replace(change("x", b"a", b"b"), name=ref)
    assert ruled(question(moved)).decision.rules == ("default/git-ref", "default/write")
    elsewhere = replace(moved, name=replace(ref, root="/srv/other"))
    assert word(question(elsewhere)) == "approve"
    around = replace(moved, name=replace(ref, root="/srv"))
    assert word(question(around)) == "allow"


def test_a_name_below_the_root_of_the_disk_is_where_it_leads() -> None:
    below = f"{FOLDER}/src/a.py".lstrip("/")
    inside = ruled(question(change(below, b"a", b"b", root="/"))).decision
    assert (inside.decision, inside.rules) == ("allow", ("default/ordinary-write", "default/write"))
    assert word(question(change("etc/passwd", b"a", b"b", root="/"))) == "approve"


@pytest.mark.parametrize(
    ("kind", "before", "after", "rule"),
    [
        ("note", b"a", b"b", "default/governed"),
        ("openapi", b"a", b"b", "default/governed"),
        ("note", SPEC, b"b", "default/governed"),
    ],
)
def test_what_only_the_host_knows_is_governed_as_the_kind_it_says_and_as_what_it_holds(
    kind: str, before: bytes, after: bytes, rule: str
) -> None:
    asked = question(change("7", before, after, root=f"artifact:{kind}"))
    decision = ruled(asked).decision
    assert (decision.decision, decision.rules) == ("approve", (rule,))
    mine = Rule(id="mine", decide="allow", artifacts=(kind,))
    assert allowed_by(asked, mine) == ("approve" if before == SPEC else "allow")


@pytest.mark.parametrize(
    ("effect", "facts", "decided", "rule"),
    [
        ("write", (), "allow", "default/no-change"),
        ("write", ("not-owned",), "approve", "default/unseen-change"),
        ("write", ("host-claimed",), "approve", "default/unseen-change"),
        ("external", (), "approve", "default/external"),
        ("destructive", (), "approve", "default/destructive"),
        ("unstated", (), "approve", "default/undeclared"),
    ],
)
def test_a_call_without_a_change_is_decided_by_its_declared_effect(
    effect: Effect, facts: tuple[Fact, ...], decided: str, rule: str
) -> None:
    decision = ruled(question(effect=effect, facts=facts)).decision
    assert (decision.decision, rule in decision.rules) == (decided, True)


def test_a_tool_that_is_said_to_read_and_changes_something_is_not_allowed() -> None:
    assert word(question(change("a", b"a", b"b"), effect="read")) == "approve"


def test_one_grave_change_among_fifty_ordinary_ones_is_not_hidden() -> None:
    ordinary = [change(f"src/{at}.py", b"a", b"b") for at in range(50)]
    decision = ruled(question(*ordinary, change("api/openapi.yaml", SPEC, b""))).decision
    assert (decision.decision, decision.rules) == ("approve", ("default/governed",))
    assert decision.witnesses[0].target == name("api/openapi.yaml")


def test_bytes_that_would_be_lost_are_asked_about() -> None:
    deleted = change("big.bin", b"a" * 100, None)
    decision = ruled(question(deleted, lost=(deleted.name,))).decision
    assert (decision.decision, decision.rules) == ("approve", ("default/lost-content",))


def test_lost_bytes_of_a_target_that_no_change_names_are_asked_about() -> None:
    assert word(question(change("a", b"a", b"b"), lost=(name("elsewhere"),))) == "approve"


def test_a_question_about_other_changes_than_it_proposes_is_denied() -> None:
    asked = question(change("a", b"a", b"b"))
    swapped = replace(asked, proposal=Proposal(changes=(change("a", b"a", b"swapped"),)))
    rules = GuardRules(rules=(Rule(id="all", decide="allow"),))
    for each in (None, rules):
        assert ruled(swapped, each).decision.rules == ("default/other-changes",)


# --- engines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("judgement", "decided"),
    [
        (Judgement("none"), "allow"),
        (Judgement("compatible", ("added",), "a field was added"), "allow"),
        (Judgement("risky"), "warn"),
        (Judgement("breaking"), "approve"),
        (Judgement("undecided"), "approve"),
        (msgspec.convert(["harmless"], Stranger), "approve"),
        (ValueError("bad"), "approve"),
    ],
)
def test_a_governed_change_follows_its_engine_and_an_engine_that_fails_decides_nothing(
    judgement: Judgement | Exception, decided: str
) -> None:
    ruling = ruled(
        question(change("openapi.yaml", SPEC, b"")), engines={"openapi": Says(judgement)}
    )
    assert ruling.decision.decision == decided
    assert ruling.engines["openapi"] == "says/1"


def test_an_engine_sees_a_rename_as_an_end_at_one_name_and_a_beginning_at_the_other() -> None:
    seen: list[tuple[bytes | None, bytes | None]] = []

    class Sees:
        version = "sees/1"

        def judge(self, before: bytes | None, after: bytes | None) -> Judgement:
            seen.append((before, after))
            return Judgement("none")

    ruled(question(change("a.yaml", SPEC, SPEC, to="b.yaml")), engines={"openapi": Sees()})
    assert seen == [(SPEC, None), (None, SPEC)]


def test_an_engine_for_one_kind_excuses_no_other_kind_of_the_same_file() -> None:
    both = SPEC + b'# {"asyncapi": "2.6.0", "channels": {}}\n'
    ruling = ruled(
        question(change("a.yaml", SPEC, both)), engines={"openapi": Says(Judgement("none"))}
    )
    assert ruling.decision.decision == "approve"
    assert ruling.decision.witnesses[0].says.startswith("approve: asyncapi")


# --- rules of the policy --------------------------------------------------------------------


@pytest.mark.parametrize(
    "matcher",
    [
        {"artifacts": ("openapi",)},
        {"paths": ("api",)},
        {"changes": ("changed",)},
        {"severities": ("undecided",)},
        {"larger_than": 3},
        {"paths": ("api",), "tools": ("edit",)},
        {"paths": ("api",), "effects": ("write",)},
        {"paths": ("api",), "operations": ("tool_call",)},
        {"paths": ("api",), "environments": ("production",)},
        {"paths": ("api",), "callers": ("night-watch",)},
    ],
)
def test_a_rule_takes_the_place_of_the_default_for_what_it_matches(
    matcher: dict[str, object],
) -> None:
    asked = question(change("api/openapi.yaml", SPEC, SPEC + b"x"))
    assert allowed_by(asked, matching("allow", matcher)) == "allow"
    assert allowed_by(asked, matching("deny", matcher)) == "deny"


@pytest.mark.parametrize(
    "matcher",
    [
        {},
        {"tools": ("edit",)},
        {"artifacts": ("asyncapi",)},
        {"paths": ("web",)},
        {"changes": ("deleted",)},
        {"changes": ("lost-content",)},
        {"severities": ("compatible",)},
        {"larger_than": 1000},
        {"paths": ("api",), "tools": ("Edit",)},
        {"paths": ("api",), "effects": ("external",)},
        {"paths": ("api",), "operations": ("merge",)},
        {"paths": ("api",), "environments": ("staging",)},
        {"paths": ("api",), "callers": ("night",)},
    ],
)
def test_a_rule_that_does_not_match_whole_changes_nothing(matcher: dict[str, object]) -> None:
    asked = question(change("api/openapi.yaml", SPEC, SPEC + b"x"))
    assert allowed_by(asked, matching("allow", matcher)) == "approve"


def test_among_rules_the_strictest_holds_whatever_their_order() -> None:
    asked = question(change("a.py", b"a", b"b"))
    rules = [matching(each, {"paths": ("a.py",)}) for each in ("allow", "deny", "warn", "approve")]
    assert allowed_by(asked, *rules) == allowed_by(asked, *reversed(rules)) == "deny"


def test_a_rule_for_one_name_of_what_is_renamed_does_not_allow_the_other() -> None:
    moved = question(change("api/a.yaml", SPEC, SPEC, to="web/a.yaml"))
    assert allowed_by(moved, Rule(id="mine", decide="allow", paths=("web",))) == "approve"
    assert allowed_by(moved, Rule(id="mine", decide="allow", paths=("web", "api"))) == "allow"
    assert allowed_by(moved, Rule(id="mine", decide="deny", paths=("web",))) == "deny"


@pytest.mark.parametrize(
    ("changed", "wide", "named"),
    [
        (change("passwd", b"a", b"b", root="/etc"), "**", "/etc/passwd"),
        (change(".git/info/exclude", b"a", b"b"), "**", ".git/info"),
    ],
)
def test_what_lies_outside_or_in_the_git_folder_is_allowed_only_by_name(
    changed: Change, wide: str, named: str
) -> None:
    asked = question(changed)
    assert allowed_by(asked, Rule(id="mine", decide="allow", paths=(wide,))) == "approve"
    other = Rule(id="mine", decide="allow", paths=(wide, "/var/**", "sub.git/**"))
    assert allowed_by(asked, other) == "approve"
    assert allowed_by(asked, Rule(id="mine", decide="allow", paths=(named,))) == "allow"


def test_lost_bytes_are_allowed_only_by_a_rule_that_says_so() -> None:
    deleted = change("big.bin", b"a" * 100, None)
    asked = question(deleted, lost=(deleted.name,))
    assert allowed_by(asked, Rule(id="mine", decide="allow", paths=("**",))) == "approve"
    named = Rule(id="mine", decide="allow", changes=("lost-content",))
    assert allowed_by(asked, named) == "allow"


def test_no_rule_allows_a_protected_place_or_an_undeclared_tool() -> None:
    every = [
        Rule(id="a", decide="allow"),
        Rule(id="b", decide="allow", paths=("**", f"{FOLDER}/.git/config", ".git/config")),
        Rule(id="c", decide="allow", tools=("edit",), effects=("write",)),
    ]
    assert allowed_by(question(change(".git/config", b"a", b"b")), *every) == "deny"
    assert allowed_by(question(effect="unstated"), *every) == "approve"


@pytest.mark.parametrize("effect", ["external", "destructive"])
def test_a_rule_that_names_nothing_does_not_allow_what_reaches_outside(effect: Effect) -> None:
    asked = question(effect=effect, operation="send_mail")
    assert allowed_by(asked, Rule(id="all", decide="allow")) == "approve"
    assert allowed_by(asked, Rule(id="mail", decide="allow", operations=("send_mail",))) == "allow"


@pytest.mark.parametrize("operation", ["merge", "deploy", "publish", "register"])
def test_a_call_without_an_operation_of_its_own_is_accepted_by_no_rule_for_one(
    operation: str,
) -> None:
    rule = Rule(id="mine", decide="allow", operations=(operation,))
    assert allowed_by(question(effect="external"), rule) == "approve"
    assert allowed_by(question(effect="external", operation=operation), rule) == "allow"


# --- freezes, profiles ----------------------------------------------------------------------

FREEZE = Freeze(
    id="summer",
    since="2031-06-01T12:00:00.000000Z",
    until="2031-06-02T00:00:00.000000Z",
    environments=("production",),
)


@pytest.mark.parametrize(
    ("now", "environment", "decided"),
    [
        (NOW, "production", "deny"),
        (datetime(2031, 6, 1, 11, 59, 59, 999999, tzinfo=UTC), "production", "allow"),
        (datetime(2031, 6, 1, 23, 59, 59, tzinfo=UTC), "production", "deny"),
        (datetime(2031, 6, 2, tzinfo=UTC), "production", "allow"),
        (NOW, "staging", "allow"),
    ],
)
def test_a_freeze_holds_from_its_first_moment_until_before_its_last(
    now: datetime, environment: str, decided: str
) -> None:
    rules = GuardRules(freezes=(FREEZE,), rules=(Rule(id="x", decide="allow", paths=("**",)),))
    asked = question(change("a.py", b"a", b"b"), environment=environment)
    decision = ruled(asked, rules, now=now).decision
    assert decision.decision == decided
    assert ("freeze/summer" in decision.rules) is (decided == "deny")


def test_a_freeze_holds_up_nothing_that_changes_nothing() -> None:
    assert word(question(), GuardRules(freezes=(FREEZE,))) == "allow"
    assert word(question(effect="external"), GuardRules(freezes=(FREEZE,))) == "deny"


def test_a_profile_makes_a_word_stricter_and_names_the_fact() -> None:
    asked = question(change("a.py", b"a", b"b"), facts=("non-atomic", "unread-overwrite"))
    ruling = ruled(asked)
    assert ruling.decision.rules == ("profile/unread-overwrite",)
    assert ruling.residuals == ("non-atomic", "unread-overwrite")
    strict = ruled(replace(asked, profile=question(profile="strict/1").profile))
    assert (strict.decision.decision, strict.decision.rules) == ("deny", ("profile/non-atomic",))


def test_bytes_that_nobody_has_read_are_shown_with_what_would_become_of_them() -> None:
    asked = question(
        change("a.txt", b"keep\nlose\n", b"keep\n"),
        change("b.bin", b"\xff\xfe\xfd", b""),
        facts=("unread-overwrite",),
    )
    says = ruled(asked).decision.witnesses[0].says
    assert "a.txt\n@@ -1,2 +1 @@\n keep\n-lose\n" in says
    assert says.endswith("b.bin\n3 bytes become 0")


def test_no_rule_weakens_what_a_profile_says_of_a_fact() -> None:
    asked = question(change("a.py", b"a", b"b"), facts=("unread-overwrite",), profile="strict/1")
    assert allowed_by(asked, Rule(id="mine", decide="allow", paths=("**",))) == "approve"


# --- what would allow it --------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        question(change("api/openapi.yaml", SPEC, b"x")),
        question(change("a.yaml", SPEC, SPEC, to="b.yaml")),
        question(change(".github/workflows/ci.yml", None, b"b")),
        question(change(".git/info/exclude", b"a", b"b")),
        question(change("passwd", b"a", b"b", root="/etc")),
        question(change("openapi.yaml", None, b"b", root="/etc")),
        question(change("big", b"a", None), lost=(name("big"),)),
        question(change('a "b".yaml', SPEC, b"x"), change("ü\\n.gql", b"type A { b: C }", None)),
        question(effect="external", operation="send_mail", tool="mail"),
        question(effect="destructive", operation="drop", environment="staging"),
        question(facts=("not-owned",)),
        question(change("7", b"a", b"b", root="artifact:note"), facts=("declared-content",)),
    ],
)
def test_the_lines_that_would_allow_a_call_allow_it_and_nothing_else(asked: Question) -> None:
    text = '[[guard.environments]]\nname = "staging"\npattern = "staging/**"\n'
    taken = '[[guard.rules]]\nid = "allow-governed"\ndecide = "warn"\ntools = ["x"]\n'
    rules = policy(text + taken)
    ruling = ruled(asked, rules)
    assert ruling.decision.decision == "approve"
    allowing = policy(text + taken + ruling.would_allow)
    assert word(asked, allowing) == "allow"
    for other in (
        question(change("other/openapi.json", SPEC, b"x")),
        question(change("shadow", b"a", b"b", root="/etc")),
        question(effect="external", operation="deploy", tool="mail"),
    ):
        assert word(other, allowing) == "approve"


def test_what_no_line_allows_is_said_and_what_is_allowed_needs_none() -> None:
    assert ruled(question(change("a.py", b"a", b"b"))).would_allow == ""
    for asked, rules in (
        (question(change(".git/config", b"a", b"b")), GuardRules()),
        (question(change("a", b"a", b"b")), GuardRules(freezes=(FREEZE,))),
        (
            question(change("a", b"a", b"b")),
            GuardRules(rules=(Rule(id="n", decide="deny", paths=("a",)),)),
        ),
        (question(change("a", b"a", b"b"), facts=("unread-overwrite",)), GuardRules()),
        (question(change("a\nb.gql", b"a", b"b")), GuardRules()),
    ):
        lines = ruled(asked, rules).would_allow.splitlines()
        assert lines
        assert all(line.startswith("# ") for line in lines)


def test_for_every_fact_that_holds_a_call_it_is_said_what_to_do() -> None:
    for fact in FACTS:
        asked = question(change("a", b"a", b"b"), facts=(fact,), profile="strict/1")
        (line,) = ruled(asked).would_allow.splitlines()
        assert line.startswith(f"# profile/{fact} holds it: ")
        assert "it is `profile`" not in line


# --- receipts and grants --------------------------------------------------------------------


def test_a_decision_is_a_receipt_that_opens_for_exactly_this_question() -> None:
    asked = question(change("a.py", b"a", b"b"))
    ruling, envelope = authority().decide(asked, NOW)
    keyring = ring(key_of(IDENTITY, purposes=("authority",)))
    permit = open_receipt(envelope, asked.asked, keyring, NOW)
    assert isinstance(permit, Permit)
    assert permit.receipt.rules == ruling.decision.rules
    assert permit.receipt.engines == {"groundwire-rules": "1"}
    sealed = authority().grant(permit, (asked.asked.call,), IDENTITY.key_id, NOW, "ab" * 16)
    grant = open_grant(sealed, permit, IDENTITY.key_id, keyring, NOW)
    assert (grant.id, grant.expires) == ("ab" * 16, permit.receipt.expires)


def test_a_receipt_holds_every_residual_also_those_that_decide_nothing() -> None:
    asked = question(
        change("a.py", b"a", b"b"), facts=("non-atomic", "environment-unknown", "non-atomic")
    )
    _, envelope = authority().decide(asked, NOW)
    keyring = ring(key_of(IDENTITY, purposes=("authority",)))
    permit = open_receipt(envelope, asked.asked, keyring, NOW)
    assert isinstance(permit, Permit)
    assert permit.receipt.residuals == ("environment-unknown", "non-atomic")
    assert not any(rule.startswith("profile/") for rule in permit.receipt.rules)


@pytest.mark.parametrize(
    ("operation", "expires"),
    [("tool_call", "2031-06-01T12:15:00.000000Z"), ("deploy", "2031-06-01T16:00:00.000000Z")],
)
def test_a_receipt_is_good_for_as_long_as_its_operation_may_take(
    operation: str, expires: str
) -> None:
    asked = question(effect="external", operation=operation)
    _, envelope = authority().decide(asked, NOW)
    held = open_receipt(envelope, asked.asked, ring(key_of(IDENTITY, purposes=("authority",))), NOW)
    assert not isinstance(held, Permit)
    assert held.receipt.expires == expires


def test_a_time_without_a_zone_decides_nothing() -> None:
    with pytest.raises(EncodingError):
        authority().decide(question(), datetime(2031, 6, 1))  # noqa: DTZ001 -- the point


@pytest.mark.parametrize("called", ["**", "*", "a?", "x*y", "**/x"])
def test_attack_a_file_that_is_called_like_a_pattern_gets_no_line_that_allows_others(
    called: str,
) -> None:
    for asked in (
        question(change(called, None, b"b", root="/etc")),
        question(change(f".github/workflows/{called}", None, b"b")),
    ):
        lines = ruled(asked).would_allow.splitlines()
        assert lines
        assert all(line.endswith("no pattern can spell the name.") for line in lines)


def test_a_file_that_makes_a_repository_is_allowed_by_a_rule_that_names_it_alone() -> None:
    made = question(change("x/HEAD", None, b"ref: refs/heads/main\n"))
    for pattern, decided in (("x/HEAD", "allow"), ("x/*", "approve"), ("**", "approve")):
        rules = GuardRules(rules=(Rule(id="mine", decide="allow", paths=(pattern,)),))
        assert word(made, rules) == decided, pattern
