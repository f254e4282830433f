"""Since: what happened after a fact came that may explain why an answer says something else."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.ledger import Fact, document
from groundwire.checks.conflicts import render
from groundwire.checks.transcript import Transcript
from groundwire.documents.declaration import Effect
from groundwire.documents.frame import Text
from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import fold, readings

_CHANGES: frozenset[Effect] = frozenset({"write", "external", "destructive"})


def may_have_changed(run: Transcript, lane: int, fact: Fact, claimed: JSON) -> bool:
    """Whether a call after the fact may have made the claimed value true.

    A call of a declared write that names the entity or the value; of a tool that declares no effect
    only one that carries the value.
    """
    entity, value = fold(fact.entity), _folded(claimed)
    for chosen in run.called:
        if chosen.lane != lane or chosen.step < fact.step or chosen.call.id == fact.call_id:
            continue
        declared = run.tools.get(chosen.call.name)
        effect = "unstated" if declared is None else declared.effect
        if effect == "read":
            continue
        leaves = set(map(_folded, _leaves(document(chosen.call.arguments))))
        if value in leaves or (effect in _CHANGES and entity in leaves):
            return True
    return False


def was_said(run: Transcript, lane: int, fact: Fact, claimed: JSON) -> bool:
    """Whether a user has said the value in a turn after that of the fact."""
    value = _folded(claimed)
    return bool(value) and any(
        isinstance(part, Text)
        and any(standing(t, value)[0] == "whole" for t in readings(part.text))
        for parts in run.lane(lane).said[fact.turn :]
        for part in parts
    )


def _folded(value: JSON) -> str:
    return fold(value if isinstance(value, str) else render(value))


def _leaves(value: JSON) -> Iterator[JSON]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
        elif node is not None:
            yield node
