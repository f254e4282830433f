"""Entry: one chained line of a recording, per kind and version.

The field `@` is the kind and its version. Entries hold no floats and only ASCII keys; `holds` maps
names to commitments. See docs/reference/recording-format.md, which this module states in types.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, final

import msgspec

# A whole number that every JSON reader keeps exactly (RFC 8785, section 3.2.2.3), counting something.
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]

FORMAT = "groundwire-recording/1"
FIRST = "leaf:" + "0" * 64


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One DSSE signature; `keyid` is a hint and never trusted."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A DSSE envelope."""

    payload: str
    payloadType: str  # noqa: N815 -- DSSE's own name
    signatures: tuple[Signature, ...]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="@"):
    """What every entry is: a kind with its version, and the fields that each kind states.

    Every one has `at`, `holds`, `prev` (the leaf hash of the entry before) and `seq` (from 0). Fields
    stand in the order of the line, sorted by name: so a line is read and written fastest.
    """


class PlainEntry(Entry, frozen=True, kw_only=True):
    """An entry that says nothing beside what it holds."""

    at: str
    holds: dict[str, str]
    prev: str
    seq: Count


class Previous(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The final checkpointed head of the segment before this one."""

    head: str
    root: str
    size: Count


class Window(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The span of time a recording claims to cover; `until` is null for an open end."""

    since: str
    until: str | None


class Open(Entry, frozen=True, kw_only=True, tag="open/1"):
    """Line 1. holds: `policy`, `tags`."""

    agent: str
    at: str
    format: str
    holds: dict[str, str]
    model: str
    must_understand: tuple[str, ...]
    on_behalf_of: str
    parent: str | None
    pins: dict[str, str]
    policy: str
    prev: str
    previous: Previous | None
    run: str
    segment: Count
    seq: Count
    source: Literal["wire", "reconstructed"]
    toolset: str
    trace: str | None
    window: Window


class CertificateEntry(Entry, frozen=True, kw_only=True, tag="certificate/1"):
    """An identity key vouches for the run key that signs from here on."""

    at: str
    envelope: Envelope
    holds: dict[str, str]
    prev: str
    seq: Count


class DeclaredEntry(PlainEntry, frozen=True, kw_only=True, tag="declared/1"):
    """holds: `declared`, the declarations as JSON."""


class ExpectedEntry(PlainEntry, frozen=True, kw_only=True, tag="expected/1"):
    """holds: `tools`, a JSON array of names."""


class ComposedEntry(Entry, frozen=True, kw_only=True, tag="composed/1"):
    """holds: `tools`, a JSON array of names."""

    at: str
    call: Count
    holds: dict[str, str]
    prev: str
    seq: Count


@final
class RequestEntry(Entry, frozen=True, kw_only=True, tag="request/1"):
    """A request that left.

    The body is `before`, messages joined by `between`, `after`: the three stand in the content
    `shell`; the messages are the first `keep` of the frame of exchange `parent`, with those at
    the indices in `replaced` put in their place, then `append`. `context` is the head of the
    lane's chain over message commitments after this request; `frame` digests shell and head.
    `whole` says that the body stands as one content instead. holds: `shell` or `whole` or
    neither (`unreadable` says why), `digests`, `headers`.
    """

    append: tuple[str, ...]
    at: str
    attempt: Count
    composed: Count | None
    context: str
    exchange: Count
    frame: str
    holds: dict[str, str]
    keep: Count
    lane: Count
    lane_name: str | None
    lane_parent: Count | None
    lane_reason: str
    method: str
    parent: Count | None
    path: str
    prev: str
    provider: str
    replaced: tuple[tuple[Count, str], ...]
    seq: Count
    size: Count
    unreadable: str
    whole: bool


class ResponseEntry(Entry, frozen=True, kw_only=True, tag="response/1"):
    """What came back, as far as it was captured.

    `outcome`: `complete` (the protocol's terminator or a whole document was seen), `cut` (it
    ended without), `closed-early` (the client stopped reading), `error` (no response: holds
    `error`). `captured` counts the bytes that arrived, before content decoding. holds: `body`
    (decoded), `digests`, `headers`, `error`.
    """

    at: str
    captured: Count
    encoding: str
    exchange: Count
    holds: dict[str, str]
    lane: Count
    outcome: Literal["complete", "cut", "closed-early", "error"]
    prev: str
    seq: Count
    status: Count | None
    streamed: bool


class ExecutedEntry(Entry, frozen=True, kw_only=True, tag="executed/1"):
    """The host says that a tool ran: its word. Fields are those of the event `Executed`.

    holds: `name`, and what there is of `call`, `arguments`, `result`, `structured`, `rendered`.
    """

    at: str
    exchange: Count | None
    execution: Count
    holds: dict[str, str]
    lane: Count | None
    link: Literal["id", "only", "unlinked"]
    outcome: Literal["returned", "raised", "unknown"]
    prev: str
    reason: Literal["", "no-json", "no-text", "too-large"]
    rendering: Literal["text", "json", "repr"]
    seq: Count


class GuardedEntry(Entry, frozen=True, kw_only=True, tag="guarded/1"):
    """One state that a guarded call came to. Fields are those of the event `Guarded`.

    holds: `name`, and what there is of `call` and `document`, the canonical JSON of: `decided` the
    envelope of the receipt, `requested` that of the approval request, `approved` that of a
    receipt that holds approvals, `noticed` a `Notified`, `intent` an `Intent`, `outcome` an `Outcome`, `rejudged` a
    `Rejudged`, `attested` the envelope of the attestation.
    """

    at: str
    exchange: Count | None
    guarded: Count
    holds: dict[str, str]
    lane: Count | None
    late: bool
    link: Literal["id", "only", "unlinked"]
    outcome: Literal["", "executed", "passed", "refused", "unknown"]
    prev: str
    reason: str
    seq: Count
    state: Literal[
        "decided", "requested", "approved", "noticed", "intent", "outcome", "rejudged", "attested"
    ]


class PinnedEntry(PlainEntry, frozen=True, kw_only=True, tag="pinned/1"):
    """A rule that has to stay in view. holds: `name`, `text`."""


class ParkedEntry(Entry, frozen=True, kw_only=True, tag="parked/1"):
    """A group of tools was parked, or engaged again. holds: `group`, `tools` (a JSON array)."""

    at: str
    holds: dict[str, str]
    parked: bool
    prev: str
    seq: Count


class VouchedEntry(PlainEntry, frozen=True, kw_only=True, tag="vouched/1"):
    """A value that the host knows, and from where. holds: `source`, `value`."""


class AuthoredEntry(Entry, frozen=True, kw_only=True, tag="authored/1"):
    """A text that the host wrote in a user's or tool's place. holds: `text`."""

    at: str
    holds: dict[str, str]
    prev: str
    seq: Count
    text_kind: Literal["correction", "summary", "notice"]


class DeniedEntry(PlainEntry, frozen=True, kw_only=True, tag="denied/1"):
    """An answer that the host denied: it reached nobody. holds: `text`."""


class ContinuedEntry(PlainEntry, frozen=True, kw_only=True, tag="continued/1"):
    """The run goes on from a paused one. holds: `filed` (a JSON array of digests), `run`."""


class ChildEntry(Entry, frozen=True, kw_only=True, tag="child/1"):
    """A run this run started. holds: `name`."""

    at: str
    holds: dict[str, str]
    prev: str
    run: str
    seq: Count


class FindingEntry(Entry, frozen=True, kw_only=True, tag="finding/1"):
    """A finding when it was first filed. holds: `finding`."""

    advisory: bool
    at: str
    finding_kind: str
    holds: dict[str, str]
    lane: Count
    prev: str
    seam: str
    seq: Count
    synthetic: bool


class DispositionEntry(Entry, frozen=True, kw_only=True, tag="disposition/1"):
    """The ledger at the end of a run. holds: `rows`, `findings` (identities with counts)."""

    at: str
    holds: dict[str, str]
    posture: str
    prev: str
    seq: Count
    work: bool


class NoteEntry(Entry, frozen=True, kw_only=True, tag="note/1"):
    """Something the recorder has to say: `topic` is a closed word, `count` a number about it.

    Topics: `guarded-before`, `exchanges-before`, `calls-before`, `executions-before` (how many
    guarded calls, exchanges, SDK calls and executions of the run begin in the segments before),
    `recovered` (bytes cut after a crash), `head-unknown` (entries that were there when a file was
    resumed of which no head was kept), `certified-again` (0), `callback-failed`, `head-not-kept`
    (how often each). holds: `text`.
    """

    at: str
    count: Count
    holds: dict[str, str]
    prev: str
    seq: Count
    topic: str


class RedactionEntry(Entry, frozen=True, kw_only=True, tag="redaction/1"):
    """A signed list of the commitments whose content lines were taken out."""

    at: str
    envelope: Envelope
    holds: dict[str, str]
    prev: str
    seq: Count


class CheckpointEntry(Entry, frozen=True, kw_only=True, tag="checkpoint/1"):
    """The run key's signature over everything before it."""

    at: str
    envelope: Envelope
    holds: dict[str, str]
    prev: str
    seq: Count


class CloseEntry(Entry, frozen=True, kw_only=True, tag="close/1"):
    """The run is over. Only one checkpoint follows."""

    at: str
    exchanges: Count
    findings: Count
    holds: dict[str, str]
    lateness_us: Count
    next_segment: bool
    prev: str
    seq: Count
    withheld: Count


class RunEntry(Entry, frozen=True, kw_only=True, tag="run/1"):
    """A line of the run log: a run's state outside its own file. holds: `path`."""

    at: str
    holds: dict[str, str]
    prev: str
    root: str
    run: str
    segment: Count
    seq: Count
    size: Count
    state: Literal["opened", "checkpointed", "closed"]


class DeletionEntry(Entry, frozen=True, kw_only=True, tag="deletion/1"):
    """A line of the run log: a recording was deleted by `groundwire prune`. Signed."""

    at: str
    envelope: Envelope
    holds: dict[str, str]
    prev: str
    seq: Count


_Word: TypeAlias = PinnedEntry | ParkedEntry | VouchedEntry | AuthoredEntry | DeniedEntry
SaidEntry: TypeAlias = ExecutedEntry | GuardedEntry | ContinuedEntry | _Word
AnyEntry: TypeAlias = (
    Open
    | CertificateEntry
    | DeclaredEntry
    | ExpectedEntry
    | ComposedEntry
    | RequestEntry
    | ResponseEntry
    | SaidEntry
    | ChildEntry
    | FindingEntry
    | DispositionEntry
    | NoteEntry
    | RedactionEntry
    | CheckpointEntry
    | CloseEntry
    | RunEntry
    | DeletionEntry
)
