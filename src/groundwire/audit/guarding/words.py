"""Guarded calls in lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from groundwire.audit.guarding.calls import GuardedCall, Lack, count_of
from groundwire.checks.wording import clipped, listed
from groundwire.checks.write.governed.coverage import Coverage, coverage_words
from groundwire.documents.counts import counted
from groundwire.documents.target import Claim, Seen
from groundwire.documents.verdict import GuardedCount

_SEEN: Final[dict[Seen, str]] = {
    "content-match": "",
    "token-match": "was seen by its token alone",
    "drift": "holds something else",
    "not-observed": "was not looked at",
}
_CLAIMED: Final[dict[Claim, str]] = {
    "none": "",
    "host-claimed": "is the host's word",
    "conflict": "is not what the host says",
}
# What somebody has to look at first.
_ORDER = ("unknown", "refused", "", "passed", "executed")


def guarded_row(count: GuardedCount) -> str:
    """What became of guarded calls, in one line."""
    unknown = f"{count.unknown} unknown"
    if count.intent_alone:
        unknown += f" ({count.intent_alone} an intent alone)"
    parts = [
        f"{count.executed} executed, {count.passed} passed, {count.refused} refused, {unknown}"
    ]
    if count.unattested:
        parts.append(f"{count.unattested} unattested")
    if count.undecided:
        parts.append(f"{count.undecided} never begun")
    if count.unchecked:
        parts.append(f"{count.unchecked} not held against their receipts")
    return f"{count.calls}: {', '.join(parts)}"


def guarded_lines(calls: Sequence[GuardedCall], coverage: Coverage, limit: int) -> Iterator[str]:
    """The counts, the coverage, and as many calls as there is room for, the doubtful ones first."""
    yield f"Guarded calls: {guarded_row(count_of(calls))}"
    yield f"  {coverage_words(coverage)}"
    weakened = Counter(fact for call in calls for fact in call.residuals)
    if weakened:
        facts = (f"{fact} of {counted(weakened[fact], 'call')}" for fact in sorted(weakened))
        yield f"  residuals: {', '.join(facts)}"
    ordered = sorted(calls, key=lambda call: (_ORDER.index(call.outcome), call.number))
    yield from (f"  {call_line(call)}" for call in ordered[:limit])
    if len(calls) > limit:
        yield f"  and {len(calls) - limit} more; --limit shows more, --json all"


def call_line(call: GuardedCall) -> str:
    """One guarded call: what it was, what was decided and by which rules, what became of it."""
    wire = f" (call {clipped(call.call_id, 48)})" if call.call_id else " (linked to no call)"
    parts = [f"#{call.number} `{clipped(call.name, 48)}`{wire}"]
    if call.changes:
        parts.append(listed(f"{each.name.spelled} {each.kind}" for each in call.changes))
    if call.decision:
        parts.append(f"{call.decision} by {listed(call.rules)}")
    elif call.gone:
        parts.append(f"what was decided is {call.gone}")
    elif call.rules:
        parts.append(f"by {listed(call.rules)}")
    if call.residuals:
        parts.append(f"residuals: {', '.join(call.residuals)}")
    if call.approvers:
        parts.append(
            f"{_yes_words(call)} by {listed(clipped(each, 24) for each in call.approvers)}"
        )
    elif call.requested:
        parts.append("a person was asked")
    if call.notice:
        parts.append(f"notice {call.notice}")
    parts.append(outcome_words(call))
    told = [(each, _CLAIMED[each.claim] or _SEEN[each.seen]) for each in call.observed]
    if any(words for _, words in told):
        parts.append(listed(f"{each.name.spelled} {words}" for each, words in told if words))
    if call.second:
        parts.append(f"what stands there now would have been `{call.second}`")
    if call.attested:
        parts.append(f"attested {call.attested}")
    parts.extend(lacking_words(call))
    return ": ".join((parts[0], "; ".join(parts[1:])))


def _yes_words(call: GuardedCall) -> str:
    """How they said yes: to this request, or, where nobody was asked, beforehand."""
    return "approved" if call.requested else "approved beforehand"


def lacking_words(call: GuardedCall) -> Iterator[str]:
    """What should stand in the recording of the call and does not, by name, with what that means."""
    for lack in call.lacking:
        yet = "" if call.run_ended else " (the run has not ended here: it may still come)"
        yield f"{lack}: {_LACKS[lack]}{yet}"


def closing_words(call: GuardedCall) -> str:
    """How far the call's entries close it: what is lacking by name, else the executor's word."""
    if call.lacking:
        return ", ".join(call.lacking)
    if call.attested:
        return f"its executor attests `{call.attested}`"
    return "none: nothing is recorded to have been carried out under the receipt"


_LACKS: Final[dict[Lack, str]] = {
    "no-intent": "an effect is recorded of which no beginning is, so nothing was durable before it",
    "no-outcome": (
        "nobody saw it end, or could record that; `groundwire guard recover` asks the target, where it"
        " wrote to one, and `groundwire guard once` lists what is to be done once"
    ),
    "unattested": "its executor signed nothing of how it ended, so the recording alone says that",
}


def outcome_words(call: GuardedCall) -> str:
    """What became of it; of an unknown outcome, that its effect may stand."""
    if call.intent_alone:
        return "begun, and no outcome is recorded: its effect may stand"
    late = f", late, after {call.before_late}" if call.before_late else ""
    match call.outcome:
        case "":
            return "never begun"
        case "executed":
            return f"executed{late}"
        case "unknown":
            return f"unknown ({clipped(call.reason)}){late}: its effect may stand"
        case _:
            return f"{call.outcome} ({clipped(call.reason)}){late}"
