"""Showing: one request in lines, what is gravest first, what the agent says last, nothing left out.

Every text of a stranger's stands in marked lines below a heading of ours, and nowhere else.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from groundwire.audit.approving.asking import TYPED, Trusted
from groundwire.audit.approving.spelling import NARROWEST, lines_of, marked
from groundwire.documents.approval import NOT_WHOLE, Packet, Standing
from groundwire.documents.counts import counted
from groundwire.keys.keyring import Keyring

CLAIMED: Final = "The agent says (nobody checked this):"
LEGEND: Final = (
    "Lines marked '|' or ':' are not ours. \\u{...} is a character that does not show, or is not"
    " what it looks like; ¬ goes on in the next line, ⇥ is a tab."
)


class Part(msgspec.Struct, frozen=True):
    """A heading of ours, and the lines that a stranger wrote of it; often none."""

    heading: str
    lines: tuple[str, ...] = ()


def lines_of_requests(given: Sequence[Trusted], keyring: Keyring, columns: int) -> tuple[str, ...]:
    """All of the requests, one after the other, whole, in lines of at most `columns`.

    In fewer than `spelling.NARROWEST` columns lines are that long.
    """
    parts = [Part(LEGEND)]
    for number, each in enumerate(given, 1):
        parts += parts_of(each, keyring, f"{number} of {len(given)}" if len(given) > 1 else "")
    return tuple(_laid(parts, columns))


def parts_of(given: Trusted, keyring: Keyring, place: str) -> Iterator[Part]:
    """One request: what it is, and all of its packet. `place` is its place among several."""
    request = given.request
    key = keyring.find(request.authority)
    custody = "unknown" if key is None else key.custody
    yield Part(f"--- Request {request.id}{f' ({place})' if place else ''}")
    yield from _of_packet(given.packet)
    yield Part(
        f"Asked at {request.issued} by {request.authority} (custody: {custody}). Can be answered"
        f" until {request.expires}. {counted(request.needed, 'person has', 'people have')} to say"
        f" yes, of {counted(len(request.approvers), 'who was', 'who were')} asked."
    )
    yield Part(CLAIMED, lines_of(given.packet.claim))


def closing_lines(digest: str, whose: str, columns: int) -> tuple[str, ...]:
    """The end of what is shown, which is `whose`: what a person types to answer."""
    whole = _told(f"=== Digest of {whose}: {digest}", columns)
    return (*whole, *_told(f"=== It begins with {digest[:TYPED]}", columns))


def lines_of_standing(standing: Standing, columns: int) -> tuple[str, ...]:
    """An approval beforehand, whole."""
    parts = [
        Part(LEGEND),
        Part("--- Approval beforehand, for every call of this tool:", (standing.tool,)),
        Part(f"At most {counted(standing.uses, 'call')},"),
        Part(f"from {standing.since} until before {standing.until}."),
        Part("Where the arguments below fit; any other argument may be anything.")
        if standing.arguments
        else Part("WITH ANY ARGUMENTS AT ALL."),
        *(
            Part("An argument, and its pattern:", (each.name, each.pattern))
            for each in standing.arguments
        ),
        Part("With these effects:", standing.effects),
        Part("In these environments:", standing.environments),
        Part("As these operations:", standing.operations),
    ]
    return tuple(_laid(parts, columns))


def _of_packet(packet: Packet) -> Iterator[Part]:
    for number, witness in enumerate(packet.witnesses, 1):
        gravest = ", the gravest" if number == 1 else ""
        yield Part(f"Finding {number} of {len(packet.witnesses)}{gravest}:", (witness.rule,))
        if witness.target:
            yield Part("at", (witness.target,))
        yield Part("It says:", lines_of(witness.says))
    if not packet.witnesses:
        yield Part("Findings: none.")
    changes = sorted(packet.changes, key=lambda each: not each.governed)
    for number, change in enumerate(changes, 1):
        yield Part(f"Change {number} of {len(changes)}, {change.kind}:", (change.target,))
        if change.governed:
            yield Part("It is governed, as:", (change.governed,))
        extent = "not whole" if change.diff.startswith(NOT_WHOLE) else "whole"
        yield Part(f"The difference, {extent}:", lines_of(change.diff))
    if not changes:
        yield Part("Changes that can be shown before it is done: none.")
    yield Part("Tool:", (packet.tool,))
    yield Part("Its arguments:", lines_of(packet.arguments))
    yield Part("Targets:", tuple(each.target for each in changes))
    yield Part("Asked because of these rules:", packet.rules)
    yield Part("Environment:", (packet.environment,))
    yield Part(f"Effect: {packet.effect}. Operation:", (packet.operation,))
    yield Part("Agent:", (packet.agent,))
    yield Part("Run:", (packet.run,))
    yield Part("Facts that weaken what can be said of it:", packet.residuals)
    yield Part("Lines of a policy that would allow it unasked:", lines_of(packet.would_allow))


def _laid(parts: Sequence[Part], columns: int) -> Iterator[str]:
    for part in parts:
        yield from _told(part.heading, columns)
        yield from marked(part.lines, columns)
        if part.heading.endswith(":") and not part.lines:
            yield from _told("(nothing)", columns)


def _told(text: str, columns: int) -> list[str]:
    """Our own words in lines; none of them looks like a stranger's."""
    return textwrap.wrap(text, max(columns, NARROWEST), break_on_hyphens=False)
