"""Deciding: the strictest word on any aspect of a call, with what every rule saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from groundwire.authority.artifacts.kinds import KINDS
from groundwire.authority.ruling.allowing import Objection, lines_that_allow
from groundwire.authority.ruling.aspects import (
    Aspect,
    CallAspect,
    ChangeAspect,
    call_aspect,
    change_aspects,
)
from groundwire.authority.ruling.databases.aspects import StatementAspect, statement_aspects
from groundwire.authority.ruling.defaults import VERSION, default_of, takes_its_place
from groundwire.authority.ruling.differing import difference
from groundwire.authority.ruling.engine import Engine
from groundwire.authority.ruling.matching import is_frozen, origins_unknown, speaks_of
from groundwire.contracts.sql.reading import reader_version
from groundwire.documents.decision import WORDS, Decision, Witness, Word, strictest
from groundwire.documents.governing import GuardRules, Rule
from groundwire.documents.profile import Fact
from groundwire.documents.question import Question, Ruling
from groundwire.documents.target import ChangeKind, TargetName
from groundwire.guard.profiles import judge

_MILD: Final = frozenset[Word]({"allow", "warn"})
_MOST_DIFFS: Final = 3
_CHANGES_NOTHING: Final = frozenset({"read", "nothing"})


class _Said(msgspec.Struct, frozen=True):
    """One rule's word on one aspect."""

    word: Word
    rule: str
    says: str
    aspect: Aspect | None
    own: bool


def rule_on(
    question: Question,
    rules: GuardRules,
    folder: str,
    engines: Mapping[str, Engine],
    moment: str,
) -> Ruling:
    """What the rules decide of the call. The same question at the same moment has one answer.

    `moment` is spelled as documents spell it. Whether the targets really are what the question
    says is not looked at, nor who asks.
    """
    call = call_aspect(question)
    aspects: tuple[Aspect, ...] = (
        call,
        *change_aspects(question, rules, folder, engines),
        *statement_aspects(question, rules),
    )
    said = [each for aspect in aspects for each in _on_aspect(aspect, question, rules.rules)]
    said += _freezes(question, rules, call, moment)
    word = strictest(each.word for each in said)
    judged = judge(question.profile, word, question.facts)
    said += [
        _Said(weight, f"profile/{fact}", _seen(fact, question), None, own=True)
        for fact in judged.residuals
        if (weight := judge(question.profile, "allow", (fact,)).word) not in _MILD
    ]
    deciding = sorted({each.rule for each in said if each.word == judged.word})
    used = {each.kind for each in aspects if isinstance(each, ChangeAspect) and each.kind}
    return Ruling(
        decision=Decision(
            decision=judged.word, rules=tuple(deciding), witnesses=tuple(_witnesses(said))
        ),
        engines={"groundwire-rules": VERSION}
        | ({} if question.work is None else {"sql": reader_version()})
        | {kind: engines[kind].version for kind in sorted(used) if kind in engines},
        residuals=judged.residuals,
        would_allow=lines_that_allow(
            [_objection(each) for each in said if each.word not in _MILD],
            question,
            folder,
            taken={rule.id for rule in rules.rules},
            kinds={*KINDS, *(artifact.kind for artifact in rules.artifacts)},
        ),
    )


def _on_aspect(aspect: Aspect, question: Question, rules: Sequence[Rule]) -> Iterator[_Said]:
    default = default_of(aspect)
    for rule in rules:
        unknown = origins_unknown(rule, question, aspect)
        if unknown:
            says = f"it asks where {', '.join(unknown)} comes from, and nobody here says that"
            yield _Said("approve", rule.id, says, aspect, own=False)
    speaking = [rule for rule in rules if speaks_of(rule, question, aspect)]
    speaking.sort(key=lambda rule: rule.id)
    for rule in speaking:
        yield _Said(rule.decide, rule.id, "a rule of the policy", aspect, own=False)
    if not any(takes_its_place(rule, default, aspect) for rule in speaking):
        yield _Said(default.word, default.id, default.says, aspect, own=True)


def _freezes(
    question: Question, rules: GuardRules, call: CallAspect, moment: str
) -> Iterator[_Said]:
    reads = question.work is None or question.work.statement.only_reads
    if call.whole in _CHANGES_NOTHING and reads:
        return
    for freeze in rules.freezes:
        if is_frozen(freeze, question.asked.environment, moment):
            says = f"nothing is written from {freeze.since} until {freeze.until}"
            yield _Said("deny", f"freeze/{freeze.id}", says, None, own=False)


def _seen(fact: Fact, question: Question) -> str:
    """The fact; of bytes that nobody has read, also what would become of them."""
    says = f"{question.profile.name}: {fact}"
    if fact != "unread-overwrite":
        return says
    changed = [each for each in question.proposal.changes if each.before is not None]
    shown = [f"{each.name.path}\n{difference(each)}" for each in changed[:_MOST_DIFFS]]
    return "\n".join((says, *shown))


def _witnesses(said: Sequence[_Said]) -> list[Witness]:
    """What each rule saw, the gravest first; each once."""
    ordered = sorted(said, key=lambda each: -WORDS.index(each.word))
    found = (
        Witness(
            change=_kind(each.aspect),
            rule=each.rule,
            says=f"{each.word}: {each.says}",
            target=_target(each.aspect),
        )
        for each in ordered
    )
    return list(dict.fromkeys(found))


def _kind(aspect: Aspect | None) -> ChangeKind | None:
    if not isinstance(aspect, ChangeAspect) or aspect.change == "lost-content":
        return None
    return aspect.change


def _target(aspect: Aspect | None) -> TargetName | None:
    return aspect.name if isinstance(aspect, ChangeAspect | StatementAspect) else None


def _objection(said: _Said) -> Objection:
    return Objection(rule=said.rule, aspect=said.aspect, own=said.own)
