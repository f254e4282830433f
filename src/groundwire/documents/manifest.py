"""Manifest: the tool calls of a run, and where in each later request their results stood.

It is computed from a recording or a log, and adds nothing to what those hold. Digests in it have no
salt: whoever can guess a text can tell that it is the one.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.call import Executor
from groundwire.documents.injection import Form

MANIFEST = "groundwire-manifest/1"

Source: TypeAlias = Literal["recording", "reconstructed", "records"]
Standing: TypeAlias = Literal["injected", "provided-upfront", "not-observed", "not-injected"]


class Stretch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A result in one place of every request of its lane from `first_request` to `last_request`.

    `body_start:body_end` are bytes of the exact request body, the JSON value at `pointer` (RFC
    6901); both -1 where no body is known. `text_start:text_end` are characters, `text_bytes` the
    UTF-8 bytes, of the unescaped text of that value. `form` compares that text with what the tool
    returned where the host said so in the same words (`compared_with = "returned"`), else with what
    the lane carried first. `injected` and `returned` are digests of the two texts.
    """

    body_end: int
    body_start: int
    compared_with: Literal["returned", "first-carried"]
    first_request: int
    form: Form
    injected: str
    lane: int
    last_request: int
    message: int
    pointer: str
    returned: str
    text_bytes: int
    text_end: int
    text_start: int


class CallRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool call.

    `chosen_in` is the exchange whose response chose it and `position` its place among the parts of
    that response; None and -1 where no response of the run did. `inputs` digests the exact text of
    its arguments, empty where no call was seen for a result; `inputs_text` is that text and is left
    out of the manifest's digest, which covers it by `inputs`. `output` digests the text that the
    tool returned, as far as `output_from` knows it: the host's word, the first request that carried
    it, the response of a provider that ran the tool. `output_sha256` is the plain SHA-256 of the
    same text.
    """

    chosen_in: int | None
    executed_by: Executor
    id: str
    injections: tuple[Stretch, ...]
    inputs: str
    inputs_text: str | None
    lane: int
    output: str
    output_from: Literal["returned", "first-carried", "response", "stated", "unknown"]
    output_sha256: str
    position: int
    standing: Standing
    tool: str


class Boundary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The context at one request.

    `before` and `after` are heads of the lane's chain over message commitments, `frame` the digest
    of the whole frame, `body` the SHA-256 of the raw request body; empty where a log was imported.
    `results` counts results that stand here in a place where the request before had none.
    `held` names the state that the provider keeps, which nobody saw. `why` is the reason code where
    the request could not be read.
    """

    after: str
    at: str
    before: str
    body: str
    exchange: int
    frame: str
    held: str
    lane: int
    model: str
    provider: str
    results: int
    state: Literal["observed", "not-observed", "unreadable", "reconstructed"]
    why: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last response of a lane that said something and chose no call of the host."""

    characters: int
    digest: str
    exchange: int
    lane: int
    sha256: str


class Gap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the run that the manifest cannot speak of, and the reason code of that."""

    exchange: int
    part: Literal["request", "response", "held-by-provider"]
    why: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`tool_call_sequence_manifest` (`calls`) and `context_window_snapshot_hashes` (`boundaries`).

    Calls are in the order of the request that carried them first, then by place; one that no request
    carried stands after the response that chose it. `unlinked` counts executions that the host
    told of and that belong to no call seen here. With a gap, there may be calls that it does not list.
    """

    answers: tuple[Answer, ...]
    boundaries: tuple[Boundary, ...]
    calls: tuple[CallRow, ...]
    format: str
    gaps: tuple[Gap, ...]
    run: str
    source: Source
    unlinked: int
