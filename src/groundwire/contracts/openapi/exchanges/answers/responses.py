"""What may come back: which statuses, and with what in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.exchanges.answers.statuses import Cell, cells, is_name
from groundwire.contracts.openapi.exchanges.messages import Messages
from groundwire.contracts.openapi.exchanges.told import Scene, Told, quoted
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.options import Knobs
from groundwire.contracts.openapi.resolving import Resolved, Resolver, join
from groundwire.contracts.verdict import Direction

_UNLISTED: Final = "no such status was listed"
_UNKNOWN: Final = "no such response was allowed"
_MAY_COME: Final = "such a response may come"
_TYPE_GONE: Final = "response-media-type-removed"
_CHOSEN: Final = ("a client could have another type", "only such a response comes")


class Responses:
    """Compares the `responses` of operations; each pair of responses once for each status."""

    def __init__(
        self,
        resolvers: tuple[Resolver, Resolver],
        unchanged: Unchanged,
        messages: Messages,
        knobs: Knobs,
    ) -> None:
        self._old, self._new = resolvers
        self._unchanged = unchanged
        self._messages = messages
        self._knobs = knobs
        self._known: dict[tuple[str, str, Direction], tuple[Finding, ...]] = {}

    def compare(self, old: str, new: str, direction: Direction) -> Iterator[Told]:
        """What became of the `responses` at the two pointers.

        `direction` is that of the responses: `produces` where the API answers, `accepts` where it
        is answered, as to its callbacks. An answer of another status than was promised breaks
        whoever has to read it; one that never comes breaks nobody, unless all that went well do.
        """
        before, after = _Named(self._old.at(old)), _Named(self._new.at(new))
        if before.reason or after.reason or before.is_absent or after.is_absent:
            # Of what said nothing of its answers, any may have come.
            if not before.is_absent:
                reason = "responses-not-stated" if after.is_absent else ""
                reason = before.reason or reason or after.reason
                yield Told(_unknown(before.pointer, after.pointer, reason))
            return
        found = cells(before.names, after.names)
        lost = False
        if direction == "produces":
            lost = _no_success_is_left(found)
            if lost:
                yield _success_gone(before, after, found)
        reported: set[tuple[str | None, str | None]] = set()
        for cell in found:
            if (cell.old, cell.new) in reported:
                continue
            reported.add((cell.old, cell.new))
            if cell.old is None or cell.new is None:
                if not (lost and cell.is_success):
                    yield from self._one_sided(before, after, cell, direction)
                continue
            yield from self._within(before, after, cell, direction)

    def _one_sided(
        self, before: _Named, after: _Named, cell: Cell, direction: Direction
    ) -> Iterator[Told]:
        old, new = before.pointer_of(cell.old), after.pointer_of(cell.new)
        status = quoted(cell.old or cell.new or "")
        grade: Grade = "noted"
        scene: Scene | None = None
        if cell.old is None and direction == "produces":
            grade = self._knobs.response_status_added
            says = f"A response {status} may come, which was not listed."
            scene = Scene(
                before=_UNLISTED, after=_MAY_COME, answered=cell.status, responses=(old, new)
            )
            finding = _status("response-status-added", grade, says, before.pointer, new)
        elif cell.old is None:
            says = f"The answer {status} is taken as well."
            finding = _status("callback-response-status-added", grade, says, before.pointer, new)
        elif direction == "produces":
            says = f"A response {status} comes no more."
            finding = _status("response-status-removed", grade, says, old, after.pointer)
        else:
            grade = "breaking"
            says = f"The answer {status} is taken no more."
            scene = Scene(
                before="accepted", after="refused", answered=cell.status, responses=(old, new)
            )
            rule = "callback-response-status-removed"
            finding = _status(rule, grade, says, old, after.pointer)
        yield Told(finding, scene)

    def _within(
        self, before: _Named, after: _Named, cell: Cell, direction: Direction
    ) -> Iterator[Told]:
        """What became of the response that both sides have for these codes."""
        old, new = before.response(self._old, cell.old), after.response(self._new, cell.new)
        if not self._unchanged.same(old.pointer, new.pointer):
            said = (_UNKNOWN, _MAY_COME) if direction == "produces" else ("taken", "refused")
            for finding in self._findings(old, new, direction):
                clauses = _CHOSEN if finding.rule == _TYPE_GONE else said
                scene = Scene(
                    before=clauses[0],
                    after=clauses[1],
                    answered=cell.status,
                    responses=(old.pointer, new.pointer),
                )
                yield Told(finding, scene)

    def _findings(self, old: Resolved, new: Resolved, direction: Direction) -> tuple[Finding, ...]:
        key = (old.pointer, new.pointer, direction)
        if key not in self._known:
            self._known[key] = tuple(self._read(old, new, direction))
        return self._known[key]

    def _read(self, old: Resolved, new: Resolved, direction: Direction) -> Iterator[Finding]:
        for each in (old, new):
            if not isinstance(each.value, Mapping):
                reason = each.reason or "not-an-object"
                yield _unknown(old.pointer, new.pointer, reason)
                return
        before, after = (
            {
                name: f"{each.pointer}/{name}" if name in each.members else ""
                for name in ("headers", "content")
            }
            for each in (old, new)
        )
        yield from self._messages.headers(before["headers"], after["headers"], direction)
        yield from self._messages.content(before["content"], after["content"], direction)


class _Named(msgspec.Struct, frozen=True):
    """The responses of an operation by their names."""

    resolved: Resolved

    @property
    def is_absent(self) -> bool:
        """Whether nothing is said; what has no name of a status says nothing."""
        if self.resolved.reason:
            return self.resolved.reason == "reference-dangling"
        return isinstance(self.resolved.value, Mapping) and not any(map(is_name, self.names))

    @property
    def reason(self) -> str:
        if self.resolved.reason or isinstance(self.resolved.value, Mapping):
            return self.resolved.reason
        return "not-an-object"

    @property
    def pointer(self) -> str:
        return "" if self.resolved.reason == "reference-dangling" else self.resolved.pointer

    @property
    def names(self) -> list[str]:
        return [name for name in self.resolved.members if not name.startswith("x-")]

    def pointer_of(self, name: str | None) -> str:
        return "" if name is None else join(self.resolved.pointer, name)

    def response(self, resolver: Resolver, name: str | None) -> Resolved:
        return resolver.below(self.resolved, name or "")


def _no_success_is_left(found: tuple[Cell, ...]) -> bool:
    """Whether something could go well, and now nothing can in a way that was promised."""
    well = [cell for cell in found if cell.is_success and cell.old is not None]
    return bool(well) and all(cell.new is None for cell in well)


def _success_gone(before: _Named, after: _Named, found: tuple[Cell, ...]) -> Told:
    gone = next(cell for cell in found if cell.is_success and cell.old is not None)
    now = next((cell for cell in found if cell.is_success and cell.new is not None), None)
    old, new = before.pointer_of(gone.old), after.pointer_of(now.new if now else None)
    if now is None:
        says = (
            f"A response {quoted(gone.old or '')} comes no more, and none that says all went well."
        )
        scene = Scene(before=f"answered {gone.status}", after="answered by no success")
    else:
        says = (
            f"A response {quoted(now.new or '')} comes where {quoted(gone.old or '')} did: "
            "none of those that said all went well may come."
        )
        scene = Scene(before=_UNLISTED, after=_MAY_COME, answered=now.status, responses=("", new))
    finding = Finding(
        rule="response-success-removed",
        grade="breaking",
        says=says,
        before=old,
        after=new or after.pointer,
        instead="Keep one of the old statuses for what goes well.",
    )
    return Told(finding, scene)


def _status(rule: str, grade: Grade, says: str, before: str, after: str) -> Finding:
    return Finding(rule=rule, grade=grade, says=says, before=before, after=after)


def _unknown(before: str, after: str, reason: str) -> Finding:
    return Finding(
        rule="response-unread",
        grade="undecided",
        says="What may come back cannot be told.",
        before=before,
        after=after,
        reason=reason,
    )
