"""Split: a request body taken apart into a shell and the raw slices of its messages."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Slice(msgspec.Struct, frozen=True):
    """`[start, end)` of one message's JSON value in the body, in bytes."""

    start: int
    end: int


class Split(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A body as `before`, messages joined by `between`, `after`.

    `kept` is how many leading messages are byte-identical with those of the body it was compared
    with. `regular` is false where the separators differ from one another: such a body is recorded
    whole. `messages` holds the exact bytes of every message, in order (shared objects with the
    previous split for the first `kept`). `body_digest` is `sha256:` of the whole body.
    """

    before: bytes
    between: bytes
    after: bytes
    messages: Sequence[bytes]
    kept: int
    body_digest: str
    size: int
    regular: bool
