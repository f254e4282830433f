"""One tree of errors, split by whose fault it is; each carries one reason code.

`str(error)` is a sentence that says what to do next. `error.reason` is the code: it never
changes its meaning between releases and is what a program should look at.
"""

from __future__ import annotations


class GroundwireError(Exception):
    """Something groundwire refuses to go on with; see `reason` and the message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type[GroundwireError], tuple[str, str]]:
        return type(self), (self.reason, self.message)


class EncodingError(GroundwireError):
    """Bytes that are not the document they should be."""


class TrustError(GroundwireError):
    """A signature, digest, chain or key that does not hold."""


class GuardError(GroundwireError):
    """A decision that does not permit what was asked."""


class HostError(GroundwireError):
    """Something outside groundwire failed: a disk, a network, a stranger's code."""


class PolicyError(GroundwireError):
    """A declaration that cannot be what was meant."""
