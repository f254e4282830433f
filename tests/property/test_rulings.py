"""Whatever rules, facts and changes there are: nothing that is added makes a ruling milder."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groundwire.authority.policy import decode_policy
from groundwire.documents.decision import WORDS
from groundwire.documents.governing import Freeze, GuardRules, Rule
from groundwire.documents.question import Question
from groundwire.guard.profiles import FACTS, PROFILES
from tests.unit.authority.guarding.questions import change, name, question, ruled

replace = msgspec.structs.replace
SPEC = b"openapi: 3.0.3\npaths: {}\n"
CHANGES = (
    change("src/a.py", b"a", b"b"),
    change("api/openapi.yaml", SPEC, SPEC + b"x"),
    change("api/old.yaml", SPEC, None),
    change("moved.yaml", SPEC, SPEC, to="api/moved.yaml"),
    change(".github/workflows/ci.yml", b"a", b"b"),
    change(".git/info/exclude", b"a", b"b"),
    change(".git/config", b"a", b"b"),
    change("passwd", b"a", b"b", root="/etc"),
)
WORD = st.sampled_from(WORDS)


def some(*values: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


RULES = st.builds(
    Rule,
    id=st.just("r"),
    decide=WORD,
    artifacts=some("openapi", "ci-file"),
    paths=some("api", "**", "/etc/**", ".git/info", "src"),
    changes=some("changed", "deleted", "renamed", "lost-content"),
    severities=some("undecided", "breaking"),
    tools=some("edit", "mail"),
    effects=some("write", "external"),
    operations=some("tool_call", "deploy"),
    environments=some("production", "staging"),
    callers=some("night-watch"),
    larger_than=st.none() | st.integers(0, 50),
)
LISTS = st.lists(RULES, max_size=5).map(
    lambda rules: tuple(replace(rule, id=f"r-{at}") for at, rule in enumerate(rules))
)
FACT_SETS = st.lists(st.sampled_from(FACTS), max_size=4, unique=True).map(tuple)
QUESTIONS = st.builds(
    lambda changes, effect, facts, profile, environment, lost: question(
        *changes,
        effect=effect,
        facts=facts,
        profile=profile,
        environment=environment,
        lost=tuple(each.name for each in changes if lost),
    ),
    changes=st.lists(st.sampled_from(CHANGES), max_size=3, unique_by=lambda each: each.name),
    effect=st.sampled_from(("write", "external", "destructive", "unstated", "read")),
    facts=FACT_SETS,
    profile=st.sampled_from(sorted(PROFILES)),
    environment=st.sampled_from(("production", "staging")),
    lost=st.booleans(),
)


def weight(asked: Question, *rules: Rule, freezes: tuple[Freeze, ...] = ()) -> int:
    found = ruled(asked, GuardRules(rules=rules, freezes=freezes)).decision.decision
    return WORDS.index(found)


@given(QUESTIONS, LISTS, FACT_SETS)
def test_another_fact_makes_no_ruling_milder(
    asked: Question, rules: tuple[Rule, ...], more: tuple[str, ...]
) -> None:
    with_more = replace(asked, facts=tuple(sorted({*asked.facts, *more})))
    assert weight(with_more, *rules) >= weight(asked, *rules)


@given(QUESTIONS, LISTS, RULES)
def test_another_rule_that_asks_or_denies_makes_no_ruling_milder(
    asked: Question, rules: tuple[Rule, ...], rule: Rule
) -> None:
    for decide in ("approve", "deny"):
        added = replace(rule, decide=decide)
        assert weight(asked, *rules, added) >= weight(asked, *rules)


@given(QUESTIONS, LISTS, RULES, WORD, WORD)
def test_beside_a_rule_that_matches_the_same_no_other_makes_a_ruling_milder(
    asked: Question, rules: tuple[Rule, ...], rule: Rule, one: str, other: str
) -> None:
    first, second = replace(rule, decide=one), replace(rule, id="s", decide=other)
    both = weight(asked, *rules, first, second)
    assert both == max(weight(asked, *rules, first), weight(asked, *rules, second))


@given(QUESTIONS, LISTS)
def test_a_freeze_makes_no_ruling_milder_and_no_rule_lifts_it(
    asked: Question, rules: tuple[Rule, ...]
) -> None:
    freeze = Freeze(
        id="f", since="2031-01-01T00:00:00.000000Z", until="2032-01-01T00:00:00.000000Z"
    )
    frozen = weight(asked, *rules, freezes=(freeze,))
    assert frozen >= weight(asked, *rules)
    if asked.proposal.changes:
        assert WORDS[frozen] == "deny"


@given(QUESTIONS, LISTS)
def test_strict_is_never_milder_than_enforce_and_enforce_never_than_observe(
    asked: Question, rules: tuple[Rule, ...]
) -> None:
    weights = [
        weight(replace(asked, profile=PROFILES[profile]), *rules)
        for profile in ("observe/1", "enforce/1", "strict/1")
    ]
    assert weights == sorted(weights)


@given(QUESTIONS, LISTS, st.randoms())
def test_the_order_of_rules_says_nothing(
    asked: Question, rules: tuple[Rule, ...], dice: object
) -> None:
    shuffled = sorted(rules, key=lambda rule: hash((str(dice), rule.id)))
    one = ruled(asked, GuardRules(rules=rules))
    assert one == ruled(asked, GuardRules(rules=tuple(shuffled)))
    assert list(one.decision.rules) == sorted(set(one.decision.rules))


@given(QUESTIONS, LISTS)
def test_protected_places_and_undeclared_tools_are_never_allowed(
    asked: Question, rules: tuple[Rule, ...]
) -> None:
    found = ruled(asked, GuardRules(rules=rules)).decision.decision
    if any(each.name == name(".git/config") for each in asked.proposal.changes):
        assert found == "deny"
    if asked.effect == "unstated":
        assert found in {"approve", "deny"}


@given(QUESTIONS, LISTS)
def test_what_would_allow_loads_and_allows_where_it_says_no_other_word(
    asked: Question, rules: tuple[Rule, ...]
) -> None:
    ruling = ruled(asked, GuardRules(rules=rules))
    lines = ruling.would_allow
    added = decode_policy(
        '[[guard.environments]]\nname = "staging"\npattern = "s"\n' + lines, "p"
    ).guard.rules
    taken = {rule.id for rule in rules}
    assert not taken & {rule.id for rule in added}
    if ruling.decision.decision in {"approve", "deny"}:
        assert lines
    if not any(line.startswith("#") for line in lines.splitlines()):
        assert weight(asked, *rules, *added) <= WORDS.index("warn")
