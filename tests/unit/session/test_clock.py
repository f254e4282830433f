"""Salts: fresh at each call, and in each process."""

from __future__ import annotations

from groundwire.session.clock import Salts, now, random_bytes


def test_salts_are_sixteen_bytes_and_never_repeat() -> None:
    salts = Salts()
    drawn = [salts() for _ in range(1000)]
    assert {len(salt) for salt in drawn} == {16}
    assert len(set(drawn)) == 1000


def test_a_salt_pool_is_not_carried_into_another_process() -> None:
    salts = Salts()
    salts()
    salts._owner = -1
    rest = list(salts._pool)
    assert salts() not in rest


def test_the_clock_is_in_utc_and_the_generator_gives_what_is_asked() -> None:
    assert now().utcoffset().total_seconds() == 0
    assert len(random_bytes(32)) == 32
