"""Ungoverned change: a file is not what the last guarded call left there.

Two receipts say it: the one under which the last call ended, by what was seen after it, and the next
one, by what was measured before it. Who changed the file in between nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from groundwire.attest.receipts import inspect_receipt
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import clipped
from groundwire.checks.write.governed.canary import changed_between
from groundwire.checks.write.governed.left import UNKNOWN, Content, Left, places_of
from groundwire.documents.canonical import decode
from groundwire.documents.entry import Envelope
from groundwire.documents.event import Ended, Event, Guarded, Responded
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.outcome import Executed
from groundwire.documents.receipt import Receipt, Touched
from groundwire.errors import EncodingError, TrustError


class UngovernedChange:
    """Armed by guarded calls; one encounter for each receipt about a file that one had changed."""

    kind = "ungoverned-change"
    seam: Seam = "write"
    version = 1
    armed_by = "two guarded calls about one file"
    catches = "A file that another than the guard changed between two guarded calls."
    fences = (
        (
            "silent where the last call's end is unknown, drifted or was not looked at, because "
            "nobody knows what it left"
        ),
        "silent while calls about the file overlap, because either may have been first",
        "silent for a call that is linked to no response, because it may have begun long before",
        "silent for what nobody asks the guard about again, because nothing measures it",
    )
    severity = "advisory, because a person or a build may change files too"
    sees = (Responded, Guarded, Ended)

    def watch(self, transcript: Transcript) -> Watch:  # noqa: ARG002 -- receipts say it all
        """A fresh watch for one run."""
        return Watch()

    def canary(self) -> Sequence[Event]:
        """A second receipt that measured another content than the first call left."""
        return changed_between()


class Watch:
    """What each file was left with, and which calls are under way."""

    def __init__(self) -> None:
        self._left = Left()
        self._asked: dict[int, Receipt] = {}
        self._answered: dict[int, int] = {}
        self._met = False
        # Steps begin anew in each segment of a long run.
        self._order = 0

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each receipt; one in all where there is none."""
        self._order += 1
        match event:
            case Responded():
                self._answered[event.exchange] = self._order
            case Guarded(state="decided"):
                self._met = True
                yield from self._measured(event)
            case Guarded(state="intent"):
                self._begun(event)
            case Guarded(state="outcome"):
                self._ended(event)
            case Ended() if not self._met:
                yield not_applicable("no-guarded-change")
            case _:
                pass

    def _measured(self, event: Guarded) -> Iterator[Encounter]:
        receipt = _receipt(event)
        if receipt is None:
            yield unreachable(event.gone or "bad-document")
            return
        self._asked[event.guarded] = receipt
        began = None if event.exchange is None else self._answered.get(event.exchange)
        met = [self._compared(change, event, began) for change in receipt.asked.changes]
        yield from met or [not_applicable("no-target")]

    def _compared(self, change: Touched, event: Guarded, began: int | None) -> Encounter:
        known = self._left.since(change.name, -1 if began is None else began)
        if not known:
            return not_applicable("first-of-the-file")
        if change.before in known:
            return judged((), ("as-left",))
        if began is None:
            return unreachable("not-linked")
        if UNKNOWN in known:
            return unreachable("unsettled")
        finding = _finding(change, known, event)
        self._left.put(change.name, change.before, self._order)
        return judged([finding], ("changed",))

    def _begun(self, event: Guarded) -> None:
        """From here until its outcome nobody knows what stands where the call writes."""
        receipt = self._asked.get(event.guarded)
        for change in () if receipt is None else receipt.asked.changes:
            for name, _ in places_of(change):
                self._left.put(name, UNKNOWN, self._order)

    def _ended(self, event: Guarded) -> None:
        receipt = self._asked.get(event.guarded)
        if receipt is None:
            return
        seen = _seen(event)
        for change in receipt.asked.changes:
            stands = (change.to or change.name) in seen
            for name, content in places_of(change):
                if event.outcome == "refused":
                    continue
                self._left.put(name, content if stands else UNKNOWN, self._order)


def _receipt(event: Guarded) -> Receipt | None:
    if event.document is None:
        return None
    try:
        return inspect_receipt(decode(event.document.encode(), Envelope))[0]
    except (EncodingError, TrustError):
        return None


def _seen(event: Guarded) -> frozenset[object]:
    """The names at which what was to stand there was seen to stand."""
    if event.outcome != "executed" or event.document is None:
        return frozenset()
    try:
        outcome = decode(event.document.encode(), Executed)
    except EncodingError:
        return frozenset()
    return frozenset(
        each.name for each in outcome.observed if each.seen in ("content-match", "token-match")
    )


def _finding(change: Touched, known: frozenset[Content], event: Guarded) -> Finding:
    subject = Subject("file", change.name.path)
    left = " or ".join(sorted(_word(each) for each in known))
    found = _word(change.before)
    return Finding(
        kind=UngovernedChange.kind,
        seam=UngovernedChange.seam,
        subjects=(subject, Subject("root", change.name.root)),
        witnesses=tuple(
            Assertion(
                subject=subject,
                predicate="content",
                value=value,
                provenance=source,
                step=event.step,
            )
            for value, source in (
                (left, "what was seen after the last guarded call"),
                (found, "what was measured before this one"),
            )
        ),
        message=(
            f"`{clipped(change.name.path)}` is not what the last guarded call left: it was {left}, and "
            f"{found} stood there before call {event.guarded}. A place to look: a person, a build, "
            "or a tool beside the guarded table changed it. Nothing was blocked."
        ),
        lane=event.lane or 0,
        step=event.step,
        grade="changed",
        advisory=True,
    )


def _word(content: Content) -> str:
    return "absent" if content is None else content
