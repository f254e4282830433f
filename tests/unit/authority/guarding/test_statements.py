"""What the rules say of statements, and the lines by which one that is held would be allowed."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.authority.approving.packet import packet_of
from groundwire.authority.policy import decode_policy
from groundwire.contracts.sql.judging import MANY
from groundwire.documents.approval import NOT_WHOLE
from groundwire.documents.call import ToolCall
from groundwire.documents.governing import GuardRules
from groundwire.documents.sql import SchemaChange, TableChange, Work
from tests.unit.authority.guarding.questions import change, question, ruled
from tests.unit.authority.guarding.statements import POLICY, asked_of, rows, work

UPDATE = "UPDATE orders SET status = 'x' WHERE id = 1"
PRODUCTION = "postgresql/db.example/5432/shop"
ONE = rows("orders", updated=1)
replace = msgspec.structs.replace


def rules_of(said: str = "") -> GuardRules:
    return decode_policy(POLICY + said, "policy").guard


def rule(*lines: str, decide: str = "allow") -> str:
    return "\n".join(("", "[[guard.rules]]", 'id = "own"', f'decide = "{decide}"', *lines))


def word(done: Work, said: str = "", environment: str = "staging") -> str:
    return ruled(asked_of(done, environment), rules_of(said)).decision.decision


def held_by(done: Work, said: str = "") -> tuple[str, ...]:
    return ruled(asked_of(done), rules_of(said)).decision.rules


# --- bound to what was proposed -----------------------------------------------------------------


def test_work_that_is_not_what_is_proposed_is_denied() -> None:
    asked = asked_of(work(UPDATE, ONE))
    other = work(UPDATE, rows("orders", updated=1, digest="sha256:" + "1" * 64))
    decided = ruled(replace(asked, work=other), rules_of()).decision
    assert (decided.decision, decided.rules) == ("deny", ("default/other-changes",))


def test_a_table_that_is_proposed_without_work_is_denied() -> None:
    asked = replace(asked_of(work(UPDATE, ONE)), work=None)
    assert ruled(asked, rules_of()).decision.rules == ("default/other-changes",)


def test_work_in_another_database_than_is_proposed_is_denied() -> None:
    done = work(UPDATE, ONE)
    asked = replace(asked_of(done), work=replace(done, root=PRODUCTION))
    assert ruled(asked, rules_of()).decision.decision == "deny"


def test_the_reader_of_statements_stands_among_what_judged() -> None:
    assert "sql" in ruled(asked_of(work(UPDATE, ONE)), rules_of()).engines
    assert "sql" not in ruled(replace(asked_of(work("SELECT 1")), work=None), rules_of()).engines


# --- where it is ------------------------------------------------------------------------------


def test_rows_of_production_are_asked_about_and_those_elsewhere_not() -> None:
    assert word(work(UPDATE, ONE)) == "allow"
    assert word(work(UPDATE, ONE), environment="production") == "approve"
    assert word(work("SELECT * FROM orders"), environment="production") == "allow"


def test_a_database_that_is_not_where_it_is_declared_to_be_is_asked_about() -> None:
    done = work(UPDATE, ONE, root=PRODUCTION)
    assert "default/other-environment" in held_by(done)
    assert "default/other-environment" not in held_by(work(UPDATE, ONE))


def test_a_database_that_the_policy_does_not_name_is_asked_about() -> None:
    assert "default/other-environment" in held_by(replace(work(UPDATE, ONE), database="other"))


def test_a_database_without_a_declared_environment_is_where_its_name_says() -> None:
    said = POLICY.replace('environment = "staging"\n', "")
    rules = decode_policy(said, "policy").guard
    assert ruled(asked_of(work(UPDATE, ONE)), rules).decision.decision == "allow"


def test_no_rule_allows_another_environment() -> None:
    done = work(UPDATE, ONE, root=PRODUCTION)
    said = rule('statements = ["update"]', 'environments = ["staging", "production"]')
    assert word(done, said) == "approve"


def test_a_freeze_holds_what_nobody_can_tell_and_lets_what_reads_pass() -> None:
    freeze = '\n[[guard.freezes]]\nid = "f"\nsince = "2031-01-01T00:00:00Z"\nuntil = "2032-01-01T00:00:00Z"\n'
    assert word(work("SELECT 1"), freeze) == "allow"
    assert word(work("SELECT evil(1)"), freeze) == "deny"
    assert word(work("VACUUM"), freeze) == "deny"
    assert word(work(UPDATE, ONE), freeze) == "deny"


# --- what a rule has to speak of --------------------------------------------------------------


@pytest.mark.parametrize(
    ("done", "lines"),
    [
        (work("DELETE FROM orders", rows("orders", deleted=3)), ['statements = ["delete-all"]']),
        (work("TRUNCATE orders"), ['statements = ["truncate"]']),
        (work("DROP TABLE orders"), ['statements = ["drop"]']),
        (work("GRANT ALL ON orders TO bob"), ['statements = ["grant"]']),
        (work("VACUUM"), ['statements = ["maintenance", "non-atomic"]']),
        (work("SELECT evil(1)"), ['statements = ["call", "undecided"]']),
        (work(UPDATE, rows("orders", updated=1, digest="")), ['statements = ["undecided"]']),
        (work(UPDATE, rows("orders", updated=MANY + 1)), [f"rows_over = {MANY}"]),
        (
            work("DELETE FROM orders WHERE id > 0", rows("orders", deleted=50, before=50)),
            ['statements = ["delete-all"]'],
        ),
    ],
)
def test_what_is_more_than_a_few_rows_is_allowed_by_a_rule_that_names_it(
    done: Work, lines: list[str]
) -> None:
    assert word(done) == "approve"
    assert word(done, rule(*lines)) == "allow"
    assert word(done, rule('tables = ["*"]')) == "approve"
    assert word(done, rule('paths = ["**"]')) == "approve"
    assert word(done, rule('tools = ["query"]')) == "approve"
    assert word(done, rule(*lines, 'environments = ["production"]')) == "approve"
    assert word(done, rule(*lines, 'tools = ["other"]')) == "approve"


def test_what_is_undecided_is_allowed_by_no_rule_for_what_it_seems_to_be() -> None:
    assert word(work("SELECT evil(1)"), rule('statements = ["call", "select"]')) == "approve"
    assert word(work("VACUUM"), rule('statements = ["maintenance"]')) == "approve"


def test_rows_of_production_are_allowed_by_a_rule_that_names_production() -> None:
    done = work(UPDATE, ONE, root=PRODUCTION)
    rules = POLICY.replace('environment = "staging"\n', "")
    for lines, decided in (
        (('tables = ["orders"]',), "approve"),
        (('statements = ["update"]',), "approve"),
        (('paths = ["**"]', 'environments = ["production"]'), "approve"),
        (('tables = ["orders"]', 'environments = ["production"]'), "allow"),
    ):
        guard = decode_policy(rules + rule(*lines), "policy").guard
        assert ruled(asked_of(done, "production"), guard).decision.decision == decided


def test_a_rule_for_one_kind_of_change_allows_no_other_of_the_same_table() -> None:
    done = work(
        "INSERT INTO orders VALUES (1)", rows("orders", inserted=1, deleted=50), root=PRODUCTION
    )
    said = POLICY.replace('environment = "staging"\n', "")
    lines = ('statements = ["insert"]', 'environments = ["production"]')
    guard = decode_policy(said + rule(*lines), "policy").guard
    assert ruled(asked_of(done, "production"), guard).decision.decision == "approve"
    many = work("INSERT INTO orders VALUES (1)", rows("orders", inserted=1, deleted=MANY + 1))
    assert word(many, rule('statements = ["insert"]', f"rows_over = {MANY}")) == "approve"


def test_a_rule_for_a_number_counts_every_kind_of_change() -> None:
    done = work(UPDATE, rows("orders", updated=6, deleted=5))
    assert word(done, rule("rows_over = 10", decide="deny")) == "deny"
    assert word(done, rule('statements = ["delete"]', "rows_over = 10", decide="deny")) == "allow"
    assert word(done, rule('statements = ["delete"]', "rows_over = 4", decide="deny")) == "deny"


@pytest.mark.parametrize(
    ("lines", "decided"),
    [
        (['statements = ["update"]'], "deny"),
        (['statements = ["delete"]'], "allow"),
        (['tables = ["orders"]'], "deny"),
        (['tables = ["lines"]'], "allow"),
        (["rows_over = 0"], "deny"),
        (["rows_over = 1"], "allow"),
        (['tables = ["orders"]', 'statements = ["update"]', "rows_over = 0"], "deny"),
        (['tables = ["orders"]', 'severities = ["none"]'], "deny"),
        (['tables = ["orders"]', 'severities = ["breaking"]'], "allow"),
        (['tables = ["orders"]', 'paths = ["postgresql/*.staging.example/**"]'], "deny"),
        (['tables = ["orders"]', 'paths = ["postgresql/db.example/**"]'], "allow"),
        (['tables = ["orders"]', 'callers = ["somebody"]'], "allow"),
    ],
)
def test_a_rule_holds_where_all_of_its_matchers_do(lines: list[str], decided: str) -> None:
    assert word(work(UPDATE, ONE), rule(*lines, decide="deny")) == decided


def test_a_rule_of_statements_is_of_no_file_and_of_no_call() -> None:
    asked = question(change("src/a.py", b"a", b"b"))
    for lines in ('tables = ["*"]', "rows_over = 0", 'statements = ["other"]'):
        rules = rules_of(rule(lines, 'paths = ["src/**"]', decide="deny"))
        assert ruled(asked, rules).decision.decision == "allow"


def test_a_rule_for_paths_speaks_of_a_table_as_of_any_target() -> None:
    said = rule('paths = ["postgresql/*.staging.example/**"]', decide="deny")
    assert word(work(UPDATE, ONE), said) == "deny"


@pytest.mark.parametrize(
    "text", ["COMMIT", "SELECT 1; SELECT 2", "SELECT * FROM groundwire_grants"]
)
def test_some_things_no_rule_allows(text: str) -> None:
    everything = 'statements = ["select", "transaction", "other", "undecided", "non-atomic"]'
    assert word(work(text)) == "deny"
    assert word(work(text), rule(everything)) == "deny"


# --- the lines that would allow it -------------------------------------------------------------


@pytest.mark.parametrize(
    "done",
    [
        work("DELETE FROM orders", rows("orders", deleted=3)),
        work("DELETE FROM audit.log WHERE id > 0", rows("audit.log", deleted=500, before=500)),
        work("DROP TABLE orders", schema=(SchemaChange(thing="table", name="orders", table="orders", before="id", after=None),)),
        work("DO $$ BEGIN END $$", rows("orders", updated=1)),
        work("VACUUM"),
        work(UPDATE, rows("orders", updated=60), rows("lines", updated=60)),
        work(UPDATE, rows("orders", updated=1, digest="")),
        work("GRANT ALL ON orders TO bob"),
        work('DELETE FROM "Orders"', rows('"Orders"', deleted=3)),
        work("SELECT evil(1)", unseen=("x",)),
    ],
    ids=lambda done: done.statement.text[:30],
)  # fmt: skip
def test_the_lines_that_would_allow_it_do(done: Work) -> None:
    ruling = ruled(asked_of(done), rules_of())
    assert ruling.decision.decision == "approve"
    assert "[[guard.rules]]" in ruling.would_allow
    assert word(done, "\n" + ruling.would_allow) == "allow"


def test_the_lines_that_would_allow_it_allow_no_other_table_tool_or_environment() -> None:
    done = work("DELETE FROM orders", rows("orders", deleted=3))
    lines = "\n" + ruled(asked_of(done), rules_of()).would_allow
    other = work("DELETE FROM lines", rows("lines", deleted=3))
    elsewhere = work("DELETE FROM audit.orders", rows("audit.orders", deleted=3))
    assert word(other, lines) == "approve"
    assert word(elsewhere, lines) == "approve"
    assert word(done, lines, environment="production") == "approve"
    asked = asked_of(done, tool="another")
    assert ruled(asked, rules_of(lines)).decision.decision == "approve"


def test_the_lines_for_rows_of_production_allow_them() -> None:
    done = work(UPDATE, ONE, root=PRODUCTION)
    said = POLICY.replace('environment = "staging"\n', "")
    asked = asked_of(done, "production")
    lines = ruled(asked, decode_policy(said, "policy").guard).would_allow
    rules = decode_policy(f"{said}\n{lines}", "policy").guard
    assert ruled(asked, rules).decision.decision == "allow"


def test_a_line_that_allows_is_told_once_for_all_that_it_allows() -> None:
    tables = (rows("orders", updated=1, deleted=1), rows("lines", updated=1))
    asked = asked_of(work(UPDATE, *tables, root=PRODUCTION), "production")
    said = POLICY.replace('environment = "staging"\n', "")
    lines = ruled(asked, decode_policy(said, "policy").guard).would_allow
    assert lines.count("[[guard.rules]]") == 2
    assert lines.count('tables = ["public.orders"]') == 1


@pytest.mark.parametrize("table", ['"a.b"', '"a*"', '"*"', '"a?"'])
def test_no_line_is_made_for_a_name_that_would_be_a_wider_pattern(table: str) -> None:
    ruling = ruled(asked_of(work(f"DELETE FROM {table}", rows(table, deleted=3))), rules_of())
    assert "[[guard.rules]]" not in ruling.would_allow
    assert "no pattern can spell the name" in ruling.would_allow


def test_what_no_line_allows_is_said_with_what_to_do() -> None:
    said = ruled(asked_of(work(UPDATE, ONE, root=PRODUCTION)), rules_of()).would_allow
    assert "# default/other-environment holds it; correct `environment`" in said
    said = ruled(asked_of(work("COMMIT")), rules_of()).would_allow
    assert "# default/ends-transaction holds it; no line allows that." in said


# --- what a person sees -----------------------------------------------------------------------


def test_each_witness_names_the_table_and_the_gravest_stands_first() -> None:
    tables: tuple[TableChange, ...] = (ONE, rows("audit", deleted=500, before=500))
    witnesses = ruled(asked_of(work(UPDATE, *tables)), rules_of()).decision.witnesses
    assert witnesses[0].says.startswith("approve:")
    assert witnesses[0].target is not None
    assert witnesses[0].target.path == "audit"
    assert witnesses[0].change is None
    assert any("1 by update" in each.says for each in witnesses)


# --- what a person is told -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "rule"),
    [(MANY, "default/few-rows"), (MANY + 1, "default/counted-rows")],
)
@pytest.mark.parametrize("inserted", [0, 1])
def test_many_rows_are_not_called_few(count: int, rule: str, inserted: int) -> None:
    done = work(UPDATE, rows("orders", updated=count, inserted=inserted))
    ruling = ruled(asked_of(done), rules_of())
    said = [each.rule for each in ruling.decision.witnesses if str(count) in each.says]
    assert (ruling.decision.decision == "allow") is (count + inserted <= MANY)
    assert rule in said
    assert "default/few-rows" not in said or count <= MANY


@pytest.mark.parametrize(("more", "said"), [(0, ""), (4976, "@@ not shown: 4976 of the 4996 rows")])
def test_a_difference_of_a_table_says_how_many_rows_are_not_in_it(more: int, said: str) -> None:
    change = replace(rows("orders", deleted=4996), more=more)
    asked = asked_of(work("DELETE FROM orders", rows("lines", updated=1), change))
    shown = ToolCall(id="1", name="query", arguments="{}")
    ruling = ruled(asked, rules_of())
    lines, orders = packet_of(asked, ruling, "sha256:" + "0" * 64, shown, rules_of()).changes
    assert not lines.diff.startswith(NOT_WHOLE)
    assert orders.diff.startswith(said or "@@ -")
