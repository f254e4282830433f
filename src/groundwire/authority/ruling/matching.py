"""Matching: whether a rule of a policy speaks of one aspect of a call."""

from __future__ import annotations

from groundwire.authority.artifacts.places import whole
from groundwire.authority.ruling.aspects import CallAspect, ChangeAspect
from groundwire.documents.governing import ArgumentOrigin, Freeze, Rule
from groundwire.documents.question import Question
from groundwire.targets.places.patterns import is_covered


def is_of_changes(rule: Rule) -> bool:
    """Whether the rule is of changes, and not of the call as a whole."""
    return bool(
        rule.artifacts or rule.paths or rule.changes or rule.severities
    ) or rule.larger_than is not None  # fmt: skip


def speaks_of(rule: Rule, question: Question, aspect: ChangeAspect | CallAspect) -> bool:
    """Whether every matcher of the rule holds of the call and of the aspect."""
    if not all(_is_one(each, question) for each in rule.origins):
        return False
    return _holds_but_for_origins(rule, question, aspect)


def origins_unknown(
    rule: Rule, question: Question, aspect: ChangeAspect | CallAspect
) -> tuple[str, ...]:
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


def _holds_but_for_origins(
    rule: Rule, question: Question, aspect: ChangeAspect | CallAspect
) -> bool:
    if not _holds_of_call(rule, question):
        return False
    if isinstance(aspect, CallAspect):
        return not is_of_changes(rule)
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
