"""Run keys: one key a run, vouched for by an identity key and forgotten at the run's close."""

from __future__ import annotations

from groundwire.errors import TrustError
from groundwire.keys.ed25519 import Ed25519Signer
from groundwire.keys.signer import Signer


class _Forgettable:
    """A signer whose private key can be let go of; its public half stays."""

    __slots__ = ("_signer", "key_id", "public_key")

    def __init__(self, signer: Ed25519Signer) -> None:
        self._signer: Ed25519Signer | None = signer
        self.key_id: str = signer.key_id
        self.public_key: bytes = signer.public_key

    def sign(self, message: bytes) -> bytes:
        if self._signer is None:
            raise TrustError(
                "run-key-forgotten",
                "The run's key was forgotten when the run closed; open a new run to sign.",
            )
        return self._signer.sign(message)

    def forget(self) -> None:
        self._signer = None

    def __repr__(self) -> str:
        return f"RunKey({self.key_id!r})"

    def __reduce__(self) -> str:
        raise TrustError("key-not-copied", "A run key is not pickled; a child opens its own run.")


class RunKey:
    """The key that signs one run's checkpoints. `signer` is safe to hand out: it is forgotten too.

    It does not know when it was made, for which run, or in which process: the certificate states
    the first two, the store checks the third.
    """

    __slots__ = ("_key",)

    def __init__(self, signer: Ed25519Signer) -> None:
        self._key = _Forgettable(signer)

    @property
    def signer(self) -> Signer:
        """The run key as a signer; after `forget` its `sign` raises, its public half stays."""
        return self._key

    def forget(self) -> None:
        """Nothing signs with this key any more, through whichever reference; twice is the same.

        The last reference is dropped and the cryptography library frees its copy. Python cannot
        promise that no other copy is left: the seed came in as `bytes`, which cannot be
        overwritten, and memory may have been swapped out, dumped, or copied by a fork.
        """
        self._key.forget()


def new_run_key(seed: bytes) -> RunKey:
    """A run key from 32 fresh random bytes, which the caller drops and never stores.

    Raises:
        EncodingError: `bad-seed`.
    """
    return RunKey(Ed25519Signer.from_seed(seed))
