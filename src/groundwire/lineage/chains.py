"""Context chains: what a lane's frames hash to, one step for each message.

`context(0) = digest("context")`; `context(i) = digest("context", context(i-1), commitment of
message i)`; the frame is `digest("frame", commitment of the shell, context)`. Over commitments, not
contents, so they bind what is in a recording and say nothing of what was taken out
(recording-format, Chains).
"""

from __future__ import annotations

from collections.abc import Iterable

from groundwire.canon import digest

EMPTY = digest.tagged("context")


def extend(context: str, commitment: str) -> str:
    """The head after one more message.

    Raises:
        EncodingError: `bad-digest`.
    """
    return digest.tagged("context", digest.raw(context), digest.raw(commitment))


def context_of(commitments: Iterable[str], start: str = EMPTY) -> str:
    """The head after these messages, in order; `start` is the head of a prefix already known.

    Raises:
        EncodingError: `bad-digest`.
    """
    context = start
    for commitment in commitments:
        context = extend(context, commitment)
    return context


def frame_of(shell: str, context: str) -> str:
    """The frame digest of a body that stands by parts: its shell's commitment and chain head.

    Raises:
        EncodingError: `bad-digest`.
    """
    return digest.tagged("frame", digest.raw(shell), digest.raw(context))


def whole_frame_of(commitment: str) -> str:
    """The frame digest of a body that stands as one content; its context is `EMPTY`.

    Raises:
        EncodingError: `bad-digest`.
    """
    return digest.tagged("frame", digest.raw(commitment))
