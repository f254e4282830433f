"""The proof block of a final answer: which guarded calls were made of it, each with its outcome.

Says no more than was measured, and always what it does not say. It is text beside the answer, for a
person; whoever wants to check it opens the recording.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.documents.counts import counted
from groundwire.documents.outcome import Executed, Outcome, Passed, Refused
from groundwire.guard.refusal import shown

ProofFormat: TypeAlias = Literal["text", "markdown"]
Heading: TypeAlias = Literal[
    "executed", "executed-not-observed", "unknown", "refused", "passed", "not-recorded"
]

LISTED: Final = 500
"""So many calls of each heading have a line in a run's proof."""
_HEADINGS: Final[dict[Heading, str]] = {
    "executed": "Executed under a receipt, and seen afterwards",
    "executed-not-observed": "Executed under a receipt, not observed",
    "unknown": "Unknown (the effect may stand)",
    "refused": "Refused (nothing was carried out)",
    "passed": "Let pass without a receipt",
    "not-recorded": "Not in the recording (the outcome could not be written)",
}
LIMITS: Final = (
    "Only calls that came through the guarded table are listed; what went beside it is not here.",
    "A receipt says which change was allowed, not that the change is right.",
    "Seen afterwards means once, when the call ended; what changed later is not here.",
    "Of what was let pass nothing is known but that it was called.",
    "This text is not signed; the recording is. Nothing here says that the answer above is true.",
)


class ProofCall(msgspec.Struct, frozen=True, kw_only=True):
    """One guarded call of a run: the tool, what it touched, how it ended.

    `outcome` None: an intent was recorded and no outcome; that reads as unknown. `recorded` false:
    the outcome is known here and could not be recorded.
    """

    tool: str
    targets: tuple[str, ...]
    outcome: Outcome | None
    recorded: bool = True


class ProofLine(msgspec.Struct, frozen=True, kw_only=True):
    """One call under its heading. `detail` is the receipt's digest or the reason, "" for neither."""

    heading: Heading
    tool: str
    targets: tuple[str, ...]
    detail: str


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of a run's guarded calls, in order. `limits` are always the same.

    `coverage` is a sentence of how many calls came to the table, as measured on the wire; "" where
    that was not measured. `more` counts calls by heading that have no line here.
    """

    lines: tuple[ProofLine, ...]
    coverage: str
    limits: tuple[str, ...] = LIMITS
    more: dict[Heading, int] = {}


class ToldCalls:
    """The calls of a run as its proof has them. What is held does not grow with the run for ever.

    Of each heading the last calls have a line, and the others are counted; of what was let pass each
    tool has one. So no call that is unknown makes room for many that were not. For one thread at a
    time.
    """

    def __init__(self) -> None:
        self._lines: dict[Heading, deque[tuple[int, ProofLine]]] = {}
        self._counts: Counter[Heading] = Counter()

    def append(self, call: ProofCall) -> None:
        """The call has ended."""
        line = _line(call)
        number = self._counts.total()
        self._counts[line.heading] += 1
        lines = self._lines.setdefault(line.heading, deque(maxlen=LISTED))
        if line.heading != "passed" or all(each.tool != line.tool for _, each in lines):
            lines.append((number, line))

    def proof(self, coverage: str) -> Proof:
        """The proof of the calls so far, in the order in which they ended."""
        told = sorted((each for lines in self._lines.values() for each in lines), key=_number)
        more: dict[Heading, int] = {
            heading: count - len(self._lines[heading])
            for heading, count in self._counts.items()
            if count > len(self._lines[heading])
        }
        return Proof(lines=tuple(line for _, line in told), coverage=coverage, more=more)


def _number(told: tuple[int, ProofLine]) -> int:
    return told[0]


def proof_of(calls: Iterable[ProofCall], coverage: str = "") -> Proof:
    """The proof of these calls, each on one line under what is known of it.

    Names are in the safe character set of refusals; others are shown by their digest.
    """
    return Proof(lines=tuple(_line(call) for call in calls), coverage=coverage)


def _line(call: ProofCall) -> ProofLine:
    heading, detail = _judged(call)
    return ProofLine(
        heading=heading,
        tool=shown(call.tool),
        targets=tuple(shown(target) for target in call.targets),
        detail=detail,
    )


def _judged(call: ProofCall) -> tuple[Heading, str]:
    outcome = call.outcome
    if not call.recorded:
        return "not-recorded", "" if outcome is None else type(outcome).__name__.lower()
    match outcome:
        case None:
            return "unknown", "no-outcome"
        case Executed():
            # All that was observed stands as intended, or it would be unknown.
            seen = [sighting.seen != "not-observed" for sighting in outcome.observed]
            return "executed" if seen and all(seen) else "executed-not-observed", outcome.receipt
        case Passed():
            return "passed", outcome.reason
        case Refused():
            return "refused", shown(outcome.reason)
        case _:
            return "unknown", outcome.reason


def render_proof(proof: Proof, form: ProofFormat = "markdown") -> str:
    """The block as text: what was done, what was not, and the limits, which are never left out."""
    strong, bullet = ("**", "* ") if form == "markdown" else ("", "- ")
    rows = [f"{strong}What groundwire saw of this run{strong}", ""]
    if not proof.lines:
        rows += ["No call came through the guarded table.", ""]
    for heading, words in _HEADINGS.items():
        found = [line for line in proof.lines if line.heading == heading]
        more = proof.more.get(heading, 0)
        if heading == "passed" and found:
            rows += [f"{words}: {counted(len(found) + more, 'call')} of {_names(found)}", ""]
        elif found:
            earlier = [f"{bullet}and {counted(more, 'call')} before these"] if more else []
            listed = [f"{bullet}{_row(line, form)}" for line in found]
            rows += [f"{words}:", "", *earlier, *listed, ""]
    rows += [_coverage(proof.coverage), "", "What this does not say:", ""]
    return "\n".join([*rows, *(f"{bullet}{limit}" for limit in proof.limits), ""])


def _row(line: ProofLine, form: ProofFormat) -> str:
    tick = "`" if form == "markdown" else ""
    what = " ".join(f"{tick}{name}{tick}" for name in (line.tool, *line.targets))
    label = "receipt" if line.heading.startswith("executed") else "reason"
    if line.heading == "not-recorded":
        label = "here it ended as"
    return f"{what} ({label}: {line.detail})" if line.detail else what


def _names(lines: list[ProofLine]) -> str:
    return ", ".join(sorted({line.tool for line in lines}))


def _coverage(measured: str) -> str:
    if not measured:
        return "Whether calls went beside the guarded table was not measured."
    return f"{measured[0].upper()}{measured[1:]}."
