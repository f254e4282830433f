"""Beforehand: approvals that were given for calls to come, as far as they count for one call now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from groundwire.attest.people.approvals import REVOCATIONS, STANDINGS
from groundwire.authority.approving.standing import Terms, covers, enough, terms_of
from groundwire.documents.approval import Standing
from groundwire.documents.entry import Envelope
from groundwire.documents.question import Question
from groundwire.documents.receipt import Approved
from groundwire.errors import EncodingError, TrustError
from groundwire.keys.keyring import Keyring
from groundwire.stores.people.mailbox import Mailbox
from groundwire.stores.people.uses import Uses


class _Lying(msgspec.Struct, frozen=True):
    standing: Standing
    envelope: Envelope
    digest: str


class Beforehand:
    """The standing approvals in a mailbox.

    One whose revocation was seen does not count again in this process, even if that is gone.
    """

    def __init__(self, mailbox: Mailbox, uses: Uses) -> None:
        self._mailbox = mailbox
        self._uses = uses
        self._revoked: set[str] = set()
        self._read: tuple[tuple[int, int], Keyring, tuple[_Lying, ...]] | None = None

    def take(
        self,
        question: Question,
        arguments: Mapping[str, object],
        approvers: Mapping[str, str],
        needed: int,
        keyring: Keyring,
        moment: str,
    ) -> tuple[Approved, ...]:
        """One more use of the first approval that covers the call, as its receipt will hold it.

        `approvers` are the names of those who count, by key. Empty where none covers it, or each
        that does was used as often as it may be.

        Raises:
            HostError: as the mailbox and the uses.
        """
        asked = question.asked
        for group in self._groups(approvers, keyring, moment):
            standings = [each.standing for each in group]
            if not enough(standings, approvers, needed):
                continue
            if not covers(standings[0], question, arguments):
                continue
            number = self._uses.take(
                tuple(each.digest for each in group),
                standings[0].uses,
                call=asked.call,
                run=asked.run,
                sequence=asked.sequence,
                at=moment,
            )
            if number is not None:
                return tuple(
                    Approved(
                        action="",
                        approver=each.standing.approver,
                        envelope=each.envelope,
                        shown="",
                        use=number,
                        uses=each.standing.uses,
                    )
                    for each in group
                )
        return ()

    def _groups(
        self, approvers: Mapping[str, str], keyring: Keyring, moment: str
    ) -> Iterator[list[_Lying]]:
        """What was approved by one person or more in the same words, that which ends first first."""
        alike: dict[Terms, dict[str, _Lying]] = defaultdict(dict)
        for each in self._lying(keyring):
            standing = each.standing
            if standing.approver not in approvers or each.digest in self._revoked:
                continue
            if max(standing.at, standing.since) <= moment < standing.until:
                alike[terms_of(standing)].setdefault(standing.approver, each)
        for _, group in sorted(
            alike.items(), key=lambda item: (next(iter(item[1].values())).standing.until, item[0])
        ):
            yield [group[approver] for approver in sorted(group)]

    def _lying(self, keyring: Keyring) -> tuple[_Lying, ...]:
        """Every standing approval whose signature counts; read anew once something has changed."""
        mark = self._mailbox.mark()
        known = self._read
        if known is not None and known[0] == mark and known[1] is keyring:
            return known[2]
        found = []
        for letter in self._mailbox.standings():
            try:
                standing, digest = STANDINGS.read(letter.envelope, keyring)
            except (EncodingError, TrustError):
                continue
            found.append(_Lying(standing, letter.envelope, digest))
        found.sort(key=lambda each: each.digest)
        self._note_revoked(keyring)
        self._read = (mark, keyring, tuple(found))
        return self._read[2]

    def _note_revoked(self, keyring: Keyring) -> None:
        """Anybody whom the keyring trusts to approve may take an approval back, not only who gave it."""
        for letter in self._mailbox.revocations():
            try:
                revocation, _ = REVOCATIONS.read(letter.envelope, keyring)
            except (EncodingError, TrustError):
                continue
            self._revoked.add(revocation.standing)
