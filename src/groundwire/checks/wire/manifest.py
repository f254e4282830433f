"""Wire manifest: the tools a request was composed with, and those in the body that left.

Everything before serialisation misses what happens in it: a transport that drops a tool, a proxy
that adds one. The two channels are read apart, the SDK call's arguments and the exact body;
neither is preferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import digest
from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, judged, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.wording import listed
from groundwire.documents.event import Composed, Event, Requested
from groundwire.documents.finding import Assertion, Finding, Seam, Subject
from groundwire.documents.frame import ToolSpec

Direction: TypeAlias = Literal["crossed-not-composed", "composed-not-crossed"]

_MESSAGES: dict[Direction, str] = {
    "crossed-not-composed": (
        "The body that left offers {names}, and the call it was composed from does not. Something "
        "between the call and the wire added to the tool list: look at transports, gateways and "
        "hooks. Nothing was blocked."
    ),
    "composed-not-crossed": (
        "The call was composed with {names}, and the body that left does not offer it. Something "
        "between the call and the wire took from the tool list: look at transports, gateways and "
        "hooks. Nothing was blocked."
    ),
}
_WITNESSES = 50
_CALLS_KEPT = 1024


def compare(
    composed: Iterable[str], crossed: Iterable[str]
) -> tuple[tuple[Direction, tuple[str, ...]], ...]:
    """The names that only one channel has, by direction; order and repeats do not count."""
    request, manifest = frozenset(composed), frozenset(crossed)
    found: tuple[tuple[Direction, tuple[str, ...]], ...] = (
        ("crossed-not-composed", tuple(sorted(manifest - request))),
        ("composed-not-crossed", tuple(sorted(request - manifest))),
    )
    return tuple((direction, names) for direction, names in found if names)


class WireManifest:
    """Always armed; one encounter for each request."""

    kind = "invariant-violation"
    seam: Seam = "wire"
    version = 1
    armed_by = "always; it needs a watched client, whose calls it sees before serialisation"
    catches = (
        "Tools in the body that left and not in the call (`crossed-not-composed`), or the other "
        "way round (`composed-not-crossed`)."
    )
    fences = (
        "silent for an imported log, because no byte of it crossed a wire that anyone kept",
        "silent where the tools of the SDK call were not seen, because one channel is missing",
        "order and repeats of names do not count, because a provider reads neither",
    )
    severity = "defect"
    sees = (Composed, Requested)

    def watch(self, transcript: Transcript) -> Watch:  # noqa: ARG002 -- reads events alone
        """A fresh watch for one run."""
        return Watch()

    def canary(self) -> Sequence[Event]:
        """A body with a tool that its call was never given."""
        return (
            Composed(step=made_up.BEFORE, at="", call=-1, tools=()),
            made_up.request(tools=(ToolSpec(name="canary_tool", schema="{}"),), composed=-1),
        )


class Watch:
    """The tools of the latest SDK calls, whose requests (and retries) may still leave."""

    def __init__(self) -> None:
        self._calls: dict[int, Composed] = {}
        self._last: tuple[tuple[str, ...], tuple[ToolSpec, ...]] | None = None

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request that left."""
        if isinstance(event, Requested):
            return (self._judge(event),)
        if isinstance(event, Composed):
            self._remember(event)
        return ()

    def _remember(self, event: Composed) -> None:
        latest = next(reversed(self._calls.values()), None)
        if latest is not None and latest.tools == event.tools:
            # A thousand calls with one long tool list hold it once.
            event = msgspec.structs.replace(event, tools=latest.tools)
        self._calls[event.call] = event
        if len(self._calls) > _CALLS_KEPT:
            del self._calls[next(iter(self._calls))]

    def _judge(self, event: Requested) -> Encounter:
        if not event.wire:
            return unreachable("imported-log")
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        if event.composed is None:
            return unreachable("no-composed-channel")
        composed = self._calls.get(event.composed)
        if composed is None:
            return unreachable("composed-not-seen")
        if self._last == (composed.tools, event.frame.tools):
            # The same two lists agreed a request ago.
            return judged([])
        found = compare(composed.tools, (tool.name for tool in event.frame.tools))
        self._last = None if found else (composed.tools, event.frame.tools)
        return judged([_finding(event, composed, direction, names) for direction, names in found])


def _finding(
    event: Requested, composed: Composed, direction: Direction, names: tuple[str, ...]
) -> Finding:
    subjects = tuple(Subject("tool", name) for name in names)
    crossed = direction == "crossed-not-composed"
    channels = (
        (
            "absent" if crossed else "present",
            f"the arguments of SDK call {composed.call}, before serialisation",
            composed.step,
        ),
        (
            "present" if crossed else "absent",
            f"the body of exchange {event.exchange} as it left",
            event.step,
        ),
    )
    return Finding(
        kind=WireManifest.kind,
        seam=WireManifest.seam,
        subjects=subjects,
        witnesses=tuple(
            Assertion(
                subject=subject, predicate="on-wire", value=value, provenance=source, step=step
            )
            for subject in subjects[:_WITNESSES]
            for value, source, step in channels
        ),
        message=_MESSAGES[direction].format(names=listed(names)),
        lane=event.lane,
        step=event.step,
        value_digest=digest.tagged("value", direction.encode()),
        grade=direction,
    )
