"""Whatever a statement did and whatever rules there are: more that it did makes no ruling milder."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groundwire.authority.policy import decode_policy
from groundwire.authority.reading.governing.rules import STATEMENTS
from groundwire.documents.decision import WORDS
from groundwire.documents.governing import Rule
from groundwire.documents.sql import SchemaChange, TableChange, Work
from tests.unit.authority.guarding.questions import ruled
from tests.unit.authority.guarding.statements import POLICY, asked_of, rows, work

replace = msgspec.structs.replace
GUARD = decode_policy(POLICY, "policy").guard
COUNTS = st.sampled_from((0, 1, 11, 60, 101))
TABLES = st.builds(
    rows,
    st.sampled_from(("orders", "lines", "audit.log")),
    inserted=COUNTS,
    updated=COUNTS,
    deleted=COUNTS,
    before=st.sampled_from((None, 0, 11, 1000)),
    digest=st.sampled_from(("", "sha256:" + "0" * 64)),
)
SCHEMA = st.builds(
    SchemaChange,
    thing=st.sampled_from(("table", "index", "privilege")),
    name=st.sampled_from(("orders", "i")),
    table=st.just("orders"),
    before=st.none() | st.just("a"),
    after=st.none() | st.just("b"),
)
TEXTS = st.sampled_from(
    (
        "SELECT * FROM orders",
        "UPDATE orders SET a = 1 WHERE id = 1",
        "DELETE FROM orders",
        "TRUNCATE lines",
        "DROP TABLE orders",
        "SELECT evil(1)",
        "DO $$ BEGIN END $$",
        "VACUUM",
        "GRANT ALL ON orders TO bob",
        "COMMIT",
        "SELECT * FROM groundwire_grants",
    )
)
WORK = st.builds(
    lambda text, tables, schema, unseen: work(text, *tables, schema=schema, unseen=unseen),
    TEXTS,
    st.lists(TABLES, max_size=2, unique_by=lambda each: each.table).map(tuple),
    st.lists(SCHEMA, max_size=1).map(tuple),
    st.lists(st.sampled_from(("rows-incomplete",)), max_size=1).map(tuple),
)


def some(*values: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


RULES = st.builds(
    Rule,
    id=st.just("r"),
    decide=st.sampled_from(WORDS),
    paths=some("**", "postgresql/**"),
    severities=some("none", "breaking", "undecided"),
    tools=some("query", "other"),
    environments=some("production", "staging"),
    statements=some(*STATEMENTS),
    tables=some("*", "orders", "audit.*"),
    rows_over=st.none() | st.integers(0, 200),
)
LISTS = st.lists(RULES, max_size=4).map(
    lambda rules: tuple(replace(rule, id=f"r-{at}") for at, rule in enumerate(rules))
)
ENVIRONMENTS = st.sampled_from(("production", "staging"))


def weight(done: Work, rules: tuple[Rule, ...], environment: str) -> int:
    guard = replace(GUARD, rules=rules)
    return WORDS.index(ruled(asked_of(done, environment), guard).decision.decision)


@given(WORK, LISTS, ENVIRONMENTS, st.sampled_from(("sql-function", "sql-dynamic")))
def test_another_doubt_makes_no_ruling_milder(
    done: Work, rules: tuple[Rule, ...], environment: str, doubt: str
) -> None:
    statement = replace(done.statement, undecided=(*done.statement.undecided, doubt))
    doubted = replace(done, statement=statement)
    assert weight(doubted, rules, environment) >= weight(done, rules, environment)


@given(WORK, LISTS, ENVIRONMENTS, SCHEMA)
def test_another_definition_that_changes_makes_no_ruling_milder(
    done: Work, rules: tuple[Rule, ...], environment: str, more: SchemaChange
) -> None:
    changed = replace(done, schema=(*done.schema, more))
    assert weight(changed, rules, environment) >= weight(done, rules, environment)


@given(WORK, LISTS, ENVIRONMENTS, TABLES)
def test_another_table_that_changes_makes_no_ruling_milder(
    done: Work, rules: tuple[Rule, ...], environment: str, more: TableChange
) -> None:
    if more.table in {each.table for each in done.tables}:
        return
    changed = replace(done, tables=(*done.tables, more))
    assert weight(changed, rules, environment) >= weight(done, rules, environment)


@given(WORK, LISTS, ENVIRONMENTS, RULES.filter(lambda rule: rule.decide == "deny"))
def test_another_rule_that_denies_makes_no_ruling_milder(
    done: Work, rules: tuple[Rule, ...], environment: str, more: Rule
) -> None:
    added = (*rules, replace(more, id="more"))
    assert weight(done, added, environment) >= weight(done, rules, environment)


@given(LISTS, ENVIRONMENTS, st.sampled_from(("COMMIT", "SELECT * FROM groundwire_grants")))
def test_no_rule_allows_what_nobody_can(
    rules: tuple[Rule, ...], environment: str, text: str
) -> None:
    assert weight(work(text), rules, environment) == WORDS.index("deny")


@given(WORK, ENVIRONMENTS)
def test_the_lines_that_would_allow_it_can_be_read_and_make_nothing_stricter(
    done: Work, environment: str
) -> None:
    before = ruled(asked_of(done, environment), GUARD)
    after = decode_policy(f"{POLICY}\n{before.would_allow}", "policy").guard
    word = ruled(asked_of(done, environment), after).decision.decision
    assert WORDS.index(word) <= WORDS.index(before.decision.decision)
