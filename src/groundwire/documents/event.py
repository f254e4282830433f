"""Events: entries as a check reads them. Live and offline make the same events.

A check sees nothing but these. `step` is the sequence number of the entry, the only clock a check
has; `at` is that entry's own time stamp, passed on for read-outs and never compared.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.declaration import CheckRules
from groundwire.documents.frame import Frame, Response
from groundwire.documents.policy import Content, Grounding, Posture, ToolDeclaration


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """What was declared before or during the run; a later one adds to the earlier ones.

    `content` says whether results of tools that say nothing of their own may stand in the file,
    `guards` that something is declared about guarded calls.
    """

    step: int
    at: str
    declarations: tuple[ToolDeclaration, ...]
    grounding: Grounding
    posture: Posture
    arm_all: bool = False
    content: Content = "full"
    checks: CheckRules = CheckRules()
    guards: bool = False


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The tools the host says each of its requests offers: `run.tools([...])`."""

    step: int
    at: str
    tools: tuple[str, ...]


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """The tools an SDK call was given, read from its arguments before serialisation.

    `call` numbers SDK calls within the run; every attempt of one call is a request of its own.
    """

    step: int
    at: str
    call: int
    tools: tuple[str, ...]


class Requested(msgspec.Struct, frozen=True, kw_only=True):
    """A request left. `frame` is None where its body could not be read: `reason` says why.

    `kept` is how many leading messages stand unchanged from the lane's previous frame.
    `wire` is false for an imported log: no bytes crossed that anyone kept.
    """

    step: int
    at: str
    exchange: int
    lane: int
    attempt: int
    composed: int | None
    frame: Frame | None
    reason: str = ""
    kept: int = 0
    wire: bool = True


class Responded(msgspec.Struct, frozen=True, kw_only=True):
    """A response came, whole or not. `response` is None where it could not be read."""

    step: int
    at: str
    exchange: int
    lane: int
    response: Response | None
    reason: str = ""


class Executed(msgspec.Struct, frozen=True, kw_only=True):
    """A tool ran in the host, as the host or the decorator saw it; nothing was decided by us.

    `call_id` is the wire call it belongs to, and `link` how that is known: by the `id` given, as
    the lane's `only` unanswered call with equal name and arguments, or `unlinked` (then
    `call_id` is empty, `exchange` and `lane` are None). `arguments` is the JSON text of what the
    tool ran with. `result` is what it returned: the text itself where it was a text
    (`rendering = "text"`), its JSON where it has one (`"json"`), else its `repr` (`"repr"`),
    unless that only says where it lies in memory.
    `structured` is the JSON of an MCP result's `structuredContent`, `rendered` what a declared renderer
    made of the result. `outcome`: it `returned`, it `raised` (`result` is the error's text), or
    nobody knows whether its effect landed (`unknown`). `reason` says why arguments or result are
    not here: `withheld`, `redacted` or `missing` from the recording, arguments without a JSON
    (`no-json`), a result of which no text can be made (`no-text`), either one `too-large`.
    """

    step: int
    at: str
    execution: int
    call_id: str
    link: Literal["id", "only", "unlinked"]
    exchange: int | None
    lane: int | None
    name: str
    arguments: str | None
    result: str | None
    rendering: Literal["text", "json", "repr"] = "text"
    structured: str | None = None
    rendered: str | None = None
    outcome: Literal["returned", "raised", "unknown"] = "returned"
    reason: str = ""


class Guarded(msgspec.Struct, frozen=True, kw_only=True):
    """A guarded call came to this state, as groundwire itself saw it.

    `guarded` numbers the guarded calls of the run from 0 and is the sequence in the call's receipt.
    A call has at most one `decided` (its receipt), where a person has to allow it one `requested`
    (what they are asked) and one `approved` (a second receipt, which holds what they said), one
    `intent` (durable before the effect), one
    `outcome` that is not `late` and maybe one that is (the tool went on in a thread after the call
    was cancelled), after one that is `unknown` maybe one `rejudged` (what really stands there, judged
    again), and one `attested`. An intent with no outcome after it reads as Unknown.

    `outcome` and `reason` are of an outcome alone: what became of the call, and the reason code of
    a refusal, a pass or an unknown one. `document` is the canonical JSON of what stands behind the
    state (`GuardedEntry`); None where it is `gone`: `withheld`, `redacted` or `missing`. `call_id`,
    `link`, `exchange` and `lane` are as those of `Executed`.
    """

    step: int
    at: str
    guarded: int
    state: Literal[
        "decided", "requested", "approved", "noticed", "intent", "outcome", "rejudged", "attested"
    ]
    call_id: str
    link: Literal["id", "only", "unlinked"]
    exchange: int | None
    lane: int | None
    name: str
    document: str | None
    outcome: Literal["", "executed", "passed", "refused", "unknown"] = ""
    reason: str = ""
    late: bool = False
    gone: str = ""


class Pinned(msgspec.Struct, frozen=True, kw_only=True):
    """The host says that this text is a rule that has to stay in view: `run.pin(...)`."""

    step: int
    at: str
    name: str
    text: str


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """A group of tools was parked (`parked`) or engaged again: `run.park(...)`, `run.engage(...)`."""

    step: int
    at: str
    group: str
    tools: tuple[str, ...]
    parked: bool


class Vouched(msgspec.Struct, frozen=True, kw_only=True):
    """The host says that it knows this value, and from where: `run.vouch(value, source)`."""

    step: int
    at: str
    value: str
    source: str


class Authored(msgspec.Struct, frozen=True, kw_only=True):
    """The host wrote this text in a user's or tool's place: `run.authored(text)`. It grounds nothing."""

    step: int
    at: str
    text: str
    kind: Literal["correction", "summary", "notice"]


class Denied(msgspec.Struct, frozen=True, kw_only=True):
    """The host denied the answer of this text: it reached nobody. `run.denied(text)`."""

    step: int
    at: str
    text: str


class Continued(msgspec.Struct, frozen=True, kw_only=True):
    """The run goes on from a paused one, which had filed these findings; they are no news here.

    `filed` has digests of identities, see `checks.filing.name_of`.
    """

    step: int
    at: str
    run: str
    filed: tuple[str, ...]


class ChildStarted(msgspec.Struct, frozen=True, kw_only=True):
    """The run started another, which has a recording of its own: `run.child(...)`."""

    step: int
    at: str
    run: str


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The run is over; what is still waiting for something will not get it.

    No entry stands for it alone: step and time are those of the last event before it.
    """

    step: int
    at: str


Event: TypeAlias = (
    Declared
    | Expected
    | Composed
    | Requested
    | Responded
    | Executed
    | Guarded
    | Pinned
    | Parked
    | Vouched
    | Authored
    | Denied
    | Continued
    | ChildStarted
    | Ended
)
