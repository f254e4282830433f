"""Listing: every request and every approval beforehand that lies in a mailbox, a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.attest.people.approvals import REVOCATIONS, STANDINGS
from groundwire.audit.approving.asking import Asking, RunIs, State, said_to, state_of
from groundwire.audit.approving.spelling import number_of, spelled
from groundwire.documents.approval import Standing
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.keys.times import format_time

Good: TypeAlias = Literal["good", "used-up", "to-come", "over", "revoked", "untrusted"]

_QUOTE: Final = '"'
_STATES: Final[tuple[State, ...]] = ("pending", "expired", "denied", "granted", "untrusted")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """One request in a list. `answers` are key by answer; `used`: a call was carried out by it.

    `run_is` says whether its run is closed (`over`) or stopped, as far as that is known here. What is `untrusted` says why in `reason`, and nothing else but its id.
    """

    id: str
    state: State
    reason: str
    tool: str
    agent: str
    run: str
    environment: str
    targets: tuple[str, ...]
    issued: str
    expires: str
    needed: int
    approvers: tuple[str, ...]
    answers: dict[str, str]
    used: bool
    run_is: RunIs
    digest: str

    @property
    def waits(self) -> bool:
        """Whether somebody's answer could still be used."""
        return self.state == "pending" and not self.used and not self.run_is


class ListedStanding(msgspec.Struct, frozen=True, kw_only=True):
    """One approval beforehand in a list, and how many of its uses were taken."""

    id: str
    state: Good
    reason: str
    standing: Standing | None
    taken: int
    digest: str


def listed(
    asking: Asking,
    answers: Sequence[Envelope],
    keyring: Keyring,
    now: datetime,
    taken: Callable[[str], int],
    run_is: Callable[[str], RunIs],
) -> Listed:
    """The request as a list shows it. `taken` says how often an approval's digest was used."""
    request, packet = asking.request, asking.packet
    said = said_to(asking, answers, keyring)
    return Listed(
        id=asking.id,
        state=state_of(asking, said, now),
        reason=asking.reason,
        tool="" if packet is None else packet.tool,
        agent="" if packet is None else packet.agent,
        run="" if request is None else request.asked.run,
        environment="" if request is None else request.asked.environment,
        targets=() if packet is None else tuple(each.target for each in packet.changes),
        issued="" if request is None else request.issued,
        expires="" if request is None else request.expires,
        needed=0 if request is None else request.needed,
        approvers=() if request is None else request.approvers,
        answers={each.approver: each.answer for each in said},
        used=request is not None and taken(asking.digest) > 0,
        run_is="" if request is None else run_is(request.asked.run),
        digest=asking.digest,
    )


def listed_standing(
    identity: str,
    envelope: Envelope,
    revoked: frozenset[str],
    keyring: Keyring,
    now: datetime,
    taken: Callable[[str], int],
) -> ListedStanding:
    """The approval beforehand as a list shows it; `revoked` are the digests of those taken back.

    Whether the policy names its approver still, only a call finds out.
    """
    standing: Standing | None = None
    digest = reason = ""
    try:
        standing, digest = STANDINGS.inspect(envelope)
        STANDINGS.read(envelope, keyring)
        reason = "" if standing.id == identity else "approval-for-another"
    except (EncodingError, TrustError) as error:
        reason = error.reason
    uses = 0 if reason else taken(digest)
    return ListedStanding(
        id=identity,
        state="revoked" if digest in revoked else _goodness(standing, reason, uses, now),
        reason=reason,
        standing=standing,
        taken=uses,
        digest=digest,
    )


def revoked_in(revocations: Sequence[Envelope], keyring: Keyring) -> frozenset[str]:
    """The digests of what was taken back by a key that the keyring trusts to approve."""
    found = set()
    for envelope in revocations:
        try:
            found.add(REVOCATIONS.read(envelope, keyring)[0].standing)
        except (EncodingError, TrustError):
            continue
    return frozenset(found)


def in_order(requests: Sequence[Listed]) -> tuple[Listed, ...]:
    """What waits for somebody first, what ends first before the rest."""
    return tuple(
        sorted(
            requests,
            key=lambda each: (not each.waits, _STATES.index(each.state), each.expires, each.id),
        )
    )


def lines_of_list(requests: Sequence[Listed], standings: Sequence[ListedStanding]) -> Iterator[str]:
    """A line each, in the order given; every word of a stranger's is spelled."""
    if not requests and not standings:
        yield "Nobody is asked anything, and nothing was approved beforehand."
    yield from map(_request_line, requests)
    yield from map(_standing_line, standings)


def _request_line(each: Listed) -> str:
    if each.state == "untrusted":
        return f"{each.id}  untrusted  ({each.reason}); it cannot be granted"
    targets = _some(each.targets)
    where = f" in {_quoted(each.environment)}" if each.environment else ""
    yes = sum(answer == "granted" for answer in each.answers.values())
    used = ", used" if each.used else f", its run is {each.run_is}" if each.run_is else ""
    return (
        f"{each.id}  {each.state}{used}  {_quoted(each.tool)}{targets}{where}, by"
        f" {_quoted(each.agent)}; {yes} of {each.needed} yes; until {each.expires}"
    )


def _standing_line(each: ListedStanding) -> str:
    standing = each.standing
    if standing is None or each.state == "untrusted":
        return f"{each.id}  standing, untrusted  ({each.reason}); it helps no call"
    fits = ", ".join(_quoted(f"{one.name}={one.pattern}") for one in standing.arguments)
    return (
        f"{each.id}  standing, {each.state}  {_quoted(standing.tool)} {fits or 'any arguments'}"
        f" ({', '.join(standing.effects)}; {', '.join(map(_quoted, standing.environments))});"
        f" {each.taken} of {standing.uses} uses taken; until {standing.until}; by"
        f" {standing.approver}"
    )


def _goodness(standing: Standing | None, reason: str, taken: int, now: datetime) -> Good:
    moment = format_time(now)
    if standing is None or reason:
        return "untrusted"
    if moment >= standing.until:
        return "over"
    if taken >= standing.uses:
        return "used-up"
    return "to-come" if moment < max(standing.at, standing.since) else "good"


def _some(targets: tuple[str, ...]) -> str:
    if not targets:
        return ""
    more = f" and {len(targets) - 1} more" if len(targets) > 1 else ""
    return f" {_quoted(targets[0])}{more}"


def _quoted(text: str) -> str:
    """A stranger's words in one line, between quotation marks that do not stand in them."""
    return f'"{spelled(text).replace(_QUOTE, number_of(_QUOTE))}"'
