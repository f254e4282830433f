"""What changed between two versions of a contract: each cause once, with the exchange that shows it."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from groundwire.canon.jcs import JSON
from groundwire.documents.contract import Harm

Grade: TypeAlias = Harm
"""How grave a change is, gravest first.

`breaking`: somebody who kept to the old contract is refused, or reads what it never allowed.
`exposure`: the new contract protects less. `undecided`: neither was proven, for a reason.
`risky`: only somebody who sends names that nobody declared is affected. `noted`: nobody is.
"""
GRADES: tuple[Grade, ...] = ("breaking", "exposure", "undecided", "risky", "noted")

Field: TypeAlias = tuple[str, str]


class Where(msgspec.Struct, frozen=True, order=True):
    """A place in a file: JSON pointer from the file's root, line and column from 1, 0 if not known."""

    file: str
    pointer: str
    line: int = 0
    column: int = 0


class Content(msgspec.Struct, frozen=True):
    """A body as it would be sent; `value` is what it holds, whatever the media type writes it as."""

    media_type: str
    value: JSON


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request: `target` is the path with its query, as it stands on the request line."""

    method: str
    target: str
    headers: tuple[Field, ...] = ()
    content: Content | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A response."""

    status: str
    headers: tuple[Field, ...] = ()
    content: Content | None = None


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """A witness: what is sent, and what the two contracts say of it.

    Without `answered` it is the request that is refused. Every value in it is made up from the
    contract; nothing of it was ever sent.
    """

    asked: Asked
    answered: Answered | None = None
    before: str
    """What the old contract says of it: a clause, as `accepted`."""
    after: str
    """What the new one says of it: a clause, as `refused: /name is required`."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One cause, however many operations it reaches.

    `rule` names what was done and explains the grade, which it does not decide. `reaches` are the
    operations, sorted. `instead`: what would be compatible. `reason`: why it is undecided.
    """

    rule: str
    grade: Grade
    says: str
    before: Where | None = None
    after: Where | None = None
    reaches: tuple[str, ...] = ()
    instead: str = ""
    reason: str = ""
    witness: Exchange | None = None
    value: JSON | UnsetType = UNSET
    """The part of the witness that the rule is about; not set where there is none. It may be null."""
    pardoned: str = ""
    """By which declared break it passes; empty where by none."""


def gravest_first(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes in the order in which they are shown, the same on each run."""
    rank = {grade: index for index, grade in enumerate(GRADES)}

    def order(change: Change) -> tuple[int, str, Where, Where, str]:
        nowhere = Where("", "")
        return (
            rank[change.grade],
            change.rule,
            change.before or nowhere,
            change.after or nowhere,
            change.says,
        )

    return tuple(sorted(changes, key=order))
