"""Approval: what a person is asked, what they are shown, and what they say; once, or for a while.

Requests are signed by the authority that asks, answers by an approver's key. Fields stand in the
order of their names, as they do in the signed bytes.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.declaration import Effect
from groundwire.documents.receipt import Asked

APPROVAL_REQUEST: Final = "urn:groundwire:approval-request:v1"
APPROVAL: Final = "urn:groundwire:approval:v1"
STANDING: Final = "urn:groundwire:standing-approval:v1"
REVOCATION: Final = "urn:groundwire:approval-revocation:v1"

NOT_WHOLE: Final = "@@ not shown: "
"""How the difference of a table begins where some of its rows are not in it.

No other difference begins so: a line of a file's has a mark of its own before it.
"""

Answer: TypeAlias = Literal["granted", "denied"]


class ShownChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change as a person is shown it; whole, but for rows of which only the number is told.

    `diff` has a line for each that goes or comes, or sizes and digests where it is no text. Of a
    table whose rows are not all shown it begins with `NOT_WHOLE` and how many those are.
    `governed` is the kind of artifact it changes, "" for none.
    """

    diff: str
    governed: str
    kind: str
    target: str


class ShownWitness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one rule saw, for a person; `target` is "" where it looked at the call itself."""

    rule: str
    says: str
    target: str


class Packet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that a person is shown of one call, before they answer.

    `witnesses` are the gravest first. `arguments` is the recorded copy of what the model wrote.
    `claim` is what the agent says of why: nobody has checked it. It may all hold what a stranger
    wrote: whoever shows it escapes it.
    """

    agent: str
    arguments: str
    changes: tuple[ShownChange, ...]
    claim: str
    effect: Effect
    environment: str
    operation: str
    residuals: tuple[str, ...]
    rules: tuple[str, ...]
    run: str
    subject: str
    tool: str
    witnesses: tuple[ShownWitness, ...]
    would_allow: str


class ApprovalRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`authority` (a key's id) asks whether `asked` may be done, until before `expires`.

    `approvers` are the ids of the keys whose answer counts, sorted; `needed` of them have to say
    yes. `action` is `action_digest` of the call. `receipt` is the digest of the receipt by which a person has to be asked, `shown` that of
    the packet. `id` is 32 lower-case hex digits.
    """

    action: str
    approvers: tuple[str, ...]
    asked: Asked
    authority: str
    expires: str
    id: str
    issued: str
    needed: int
    receipt: str
    shown: str


class Approval(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `approver` (a key's id) says to one request, having been shown exactly `shown`.

    `subject` is `subject_of` what was asked; `request` the SHA-256 of the request's signed bytes.
    Good for one call, until before `expires`.
    """

    answer: Answer
    approver: str
    at: str
    expires: str
    request: str
    shown: str
    subject: str


class ArgumentPattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The call's argument `name` has to be there, as text that `pattern` covers whole."""

    name: str
    pattern: str


class Standing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`approver` says yes beforehand to at most `uses` calls of a tool, in a window of time.

    Every argument named has to fit; an argument that is not named may be anything. `effects`,
    `environments` and `operations` name what may be, each at least one. `id` is 32 lower-case hex
    digits. Times as in receipts; good from `since` until before `until`. It never helps a call that
    the policy denies.
    """

    approver: str
    arguments: tuple[ArgumentPattern, ...]
    at: str
    effects: tuple[Effect, ...]
    environments: tuple[str, ...]
    id: str
    operations: tuple[str, ...]
    since: str
    tool: str
    until: str
    uses: int


class Revocation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approver takes a standing approval back, from `at` on: `standing` is its SHA-256."""

    approver: str
    at: str
    standing: str


def subject_of(asked: Asked, action: str) -> str:
    """The digest of what was asked, whichever call of its run it is. Digest domain `asked`.

    A call of the same name and arguments (`action`), with the same bytes before and after, under
    the same policy in the same run. A model that makes its call again gives it another id.
    """
    whole = msgspec.structs.replace(asked, call="", sequence=0)
    return tagged("asked", action.encode(), jcs.encode_document(whole))


def shown_digest(packet: Packet) -> str:
    """The digest of what a person is shown. Digest domain `packet`."""
    return tagged("packet", jcs.encode_document(packet))
