"""Matching: whether a rule of a policy speaks of one aspect of a call."""

from __future__ import annotations

from groundwire.authority.artifacts.places import whole
from groundwire.authority.ruling.aspects import Aspect, CallAspect, ChangeAspect
from groundwire.authority.ruling.databases.aspects import StatementAspect
from groundwire.contracts.sql.tables import is_table
from groundwire.documents.governing import ArgumentOrigin, Freeze, Rule
from groundwire.documents.question import Question
from groundwire.targets.places.patterns import is_covered


def is_of_statements(rule: Rule) -> bool:
    """Whether the rule is of statements in databases, and of nothing else."""
    return bool(rule.statements or rule.tables) or rule.rows_over is not None


def is_of_changes(rule: Rule) -> bool:
    """Whether the rule is of changes, and not of the call as a whole."""
    return not is_of_statements(rule) and bool(
        rule.artifacts
        or rule.paths
        or rule.changes
        or rule.severities
        or rule.larger_than is not None
    )


def speaks_of(rule: Rule, question: Question, aspect: Aspect) -> bool:
    """Whether every matcher of the rule holds of the call and of the aspect."""
    if not all(_is_one(each, question) for each in rule.origins):
        return False
    return _holds_but_for_origins(rule, question, aspect)


def origins_unknown(rule: Rule, question: Question, aspect: Aspect) -> tuple[str, ...]:
    """The arguments on whose origins it hangs whether the rule speaks, and nobody says what they are.

    None where the rule would not speak whatever they were.
    """
    asked = [each for each in rule.origins if each.argument not in question.origins]
    known = [each for each in rule.origins if each.argument in question.origins]
    settled = all(_is_one(each, question) for each in known)
    if not asked or not settled or not _holds_but_for_origins(rule, question, aspect):
        return ()
    return tuple(each.argument for each in asked)


def _is_one(asked: ArgumentOrigin, question: Question) -> bool:
    return not set(asked.origins).isdisjoint(question.origins.get(asked.argument, ()))


def _holds_but_for_origins(rule: Rule, question: Question, aspect: Aspect) -> bool:
    if not _holds_of_call(rule, question):
        return False
    if isinstance(aspect, StatementAspect):
        return is_of_statements(rule) and _holds_of_statement(rule, aspect)
    if isinstance(aspect, CallAspect):
        return not is_of_changes(rule) and not is_of_statements(rule)
    return is_of_changes(rule) and _holds_of_change(rule, aspect)


def is_frozen(freeze: Freeze, environment: str, moment: str) -> bool:
    """Whether nothing is written there at the moment, which is spelled as documents spell it."""
    if freeze.environments and environment not in freeze.environments:
        return False
    return freeze.since <= moment < freeze.until


def _holds_of_call(rule: Rule, question: Question) -> bool:
    asked = question.asked
    return (
        (not rule.tools or question.tool in rule.tools)
        and (not rule.effects or question.effect in rule.effects)
        and (not rule.operations or asked.operation in rule.operations)
        and (not rule.environments or asked.environment in rule.environments)
        and (not rule.callers or question.caller in rule.callers)
    )


def _holds_of_change(rule: Rule, aspect: ChangeAspect) -> bool:
    if aspect.change not in rule.changes and (rule.changes or aspect.change == "lost-content"):
        return False
    if rule.artifacts and aspect.kind not in rule.artifacts:
        return False
    if rule.severities and aspect.severity not in rule.severities:
        return False
    if rule.larger_than is not None and (aspect.size is None or aspect.size <= rule.larger_than):
        return False
    path = whole(aspect.name)
    return not rule.paths or any(is_covered(path, pattern) for pattern in rule.paths)


def _holds_of_statement(rule: Rule, aspect: StatementAspect) -> bool:
    if rule.artifacts or rule.changes or rule.larger_than is not None:
        return False  # of files, which a statement is none of
    if rule.statements and set(rule.statements).isdisjoint(aspect.statements):
        return False
    if rule.severities and aspect.severity not in rule.severities:
        return False
    if rule.rows_over is not None and (aspect.rows is None or aspect.rows <= rule.rows_over):
        return False
    if rule.tables and not any(is_table(aspect.name.path, each) for each in rule.tables):
        return False
    path = whole(aspect.name)
    return not rule.paths or any(is_covered(path, pattern) for pattern in rule.paths)
