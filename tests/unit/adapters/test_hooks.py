"""What surrounds one SDK call, without any SDK."""

from __future__ import annotations

import contextvars
from types import SimpleNamespace

import pytest

from groundwire.adapters.crossing import Stopped
from groundwire.adapters.hooks import Composing
from groundwire.adapters.tap import watching_here
from groundwire.errors import HostError


def composing() -> Composing:
    return Composing(SimpleNamespace(), (None, SimpleNamespace(method="post")), {})


def test_a_call_abandoned_to_the_collector_ends_quietly_in_another_context():
    call = composing()
    contextvars.copy_context().run(call.__enter__)
    call.__exit__(GeneratorExit, GeneratorExit(), None)
    assert watching_here.get() is None


def test_a_stop_becomes_the_policys_own_error():
    error = HostError("recording-failed", "The disk is full.")
    with pytest.raises(HostError) as caught, composing():
        raise Stopped(error)
    assert caught.value is error


def test_any_other_error_passes_as_it_is():
    with pytest.raises(ZeroDivisionError), composing():
        raise ZeroDivisionError
