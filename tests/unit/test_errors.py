"""The tree of errors: one root, a code that programs read, a sentence that people read."""

from __future__ import annotations

import copy
import pickle

import pytest

from groundwire import errors

KINDS = (
    errors.EncodingError,
    errors.TrustError,
    errors.GuardError,
    errors.HostError,
    errors.PolicyError,
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_caught_as_ours_and_as_no_other_kind(
    kind: type[errors.GroundwireError],
) -> None:
    error = kind("some-reason", "do this next")
    assert isinstance(error, errors.GroundwireError)
    assert [other for other in KINDS if isinstance(error, other)] == [kind]


def test_the_code_and_the_sentence_are_kept_apart() -> None:
    error = errors.TrustError("bad-signature", "the signature does not verify; ask the sender")
    assert error.reason == "bad-signature"
    assert str(error) == "the signature does not verify; ask the sender"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_survives_the_way_between_processes(kind: type[errors.GroundwireError]) -> None:
    error = kind("some-reason", "do this next")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert (twin.reason, twin.message) == ("some-reason", "do this next")
