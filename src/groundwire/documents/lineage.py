"""Lineage: what a verdict on the origin of an answer is given from, and the verdict."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.entry import Count
from groundwire.documents.manifest import Manifest

LINEAGE = "urn:groundwire:lineage:v1"

SignatureWord: TypeAlias = Literal[
    "verified", "unsigned", "mismatch", "altered-after-signing", "unknown-key", "not-injected"
]
Word: TypeAlias = Literal[
    "NO_TOOL_CALLS", "ATTRIBUTION_GAP", "UNSIGNED_TOOL_RESULT", "PROVENANCE_VERIFIED"
]
Directive: TypeAlias = Literal["PROCEED", "HALT"]
Standing: TypeAlias = Literal["VERIFIED", "UNVERIFIED", "NOT_ATTRIBUTED", "ORDINARY"]


class SignatureState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What whoever checked the signature on one result found; this is no signature itself.

    `output` is the digest of the text that the signature was found to be over, as the manifest
    spells it: a state over another text than the row's counts for nothing. `by` is whose key it was.
    """

    by: Literal["service", "host"]
    call: str
    lane: Count
    output: str
    state: SignatureWord


class Segment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Characters `[start, end)` of the answer, and what they come from.

    `calls` are places in the manifest's list of calls. `method` is that of the edge: `verbatim`,
    `value`, `derived`, `argument-flow`, `declared` or `ablation`; empty where `word` is not `result`.
    """

    calls: tuple[Count, ...]
    end: Count
    method: Literal["", "verbatim", "value", "derived", "argument-flow", "declared", "ablation"]
    start: Count
    word: Literal["result", "model", "user", "system", "unsupported"]


class Mapping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`output_to_tool_call_mapping` of one answer; segments may lie over one another.

    `answer` is the digest that the manifest has of it.
    """

    answer: str
    segments: tuple[Segment, ...]


class BareRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call as another recorder keeps it: digests, and the byte at which its result began.

    `offset` is None where nobody knows it. `signature` is the answer of whoever checked one: a
    string that was only carried along is `unsigned`.
    """

    id: str
    inputs: str
    output: str
    offset: Count | None = None
    signature: SignatureWord = "unsigned"
    signed_by: Literal["service", "host"] = "service"
    tool: str = ""


class LineagePolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an answer has to have. `host` says whether a signature by the host itself counts."""

    host: Literal["ignored", "counts"] = "ignored"
    signatures: Literal["reported", "required"] = "reported"


class LineageVerdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of the truth table, and what it was read from.

    `why` is the code of the row (docs/reference/lineage.md), `message` a sentence, `calls` the ids
    of the calls it speaks of. `manifest` digests the manifest, `digest` everything that was judged:
    manifest, mapping, signature states and policy. Empty where there was none, or it has no canonical form.
    """

    calls: tuple[str, ...]
    digest: str
    directive: Directive
    manifest: str
    message: str
    output: Standing
    verdict: Word
    why: str


class LineageStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`identity` says at `at` that this manifest is what it read from a run.

    `manifest` has no texts; `digest` is the manifest's. `root` and `size` name the recording by its
    RFC 9162 tree, empty and 0 where a log was read.
    """

    at: str
    digest: str
    identity: str
    manifest: Manifest
    root: str
    size: Count
