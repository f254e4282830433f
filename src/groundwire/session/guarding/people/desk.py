"""Desk: what every asking of a project shares: who may say yes, where requests lie, what was used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from groundwire.documents.approving import ApprovalRules
from groundwire.documents.policy import Policy
from groundwire.session.guarding.people.approvers import Approvers
from groundwire.session.guarding.people.beforehand import Beforehand
from groundwire.stores.people.mailbox import Mailbox
from groundwire.stores.people.uses import Uses
from groundwire.stores.writing.database import Database

MAILBOX: Final = "approvals"
LOOK_EVERY: Final = 0.2
"""So many seconds a waiting call lets pass before it looks for an answer again."""


class Desk:
    """One for each project. Opens nothing until somebody has to be asked.

    `pause` waits until its event is set, or for so many seconds; tests hand in one of their own.
    """

    def __init__(
        self,
        policy: Policy,
        folder: Path,
        grants: Database,
        now: Callable[[], datetime],
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        self.rules: ApprovalRules = policy.approvals
        self.approvers = Approvers(policy.approvers)
        self.pause = pause
        self.mailbox = Mailbox(folder / MAILBOX)
        self.uses = Uses(grants)
        self.beforehand = Beforehand(self.mailbox, self.uses)
        self._now = now
        self._latest: datetime | None = None
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The latest time that was seen: a clock that is set back makes nothing good for longer."""
        with self._lock:
            now = self._now()
            self._latest = now if self._latest is None else max(self._latest, now)
            return self._latest
