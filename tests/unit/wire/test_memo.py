"""What was read once is remembered within a bound."""

from __future__ import annotations

from groundwire.wire.memo import Memo


def test_the_latest_are_remembered_and_the_oldest_forgotten() -> None:
    memo: Memo[int, str] = Memo(100)
    for number in range(100):
        memo.put(number, str(number), 10)
    assert memo.get(99) == "99"
    assert memo.get(95) == "95"
    assert memo.get(0) is None


def test_what_is_looked_up_stays() -> None:
    memo: Memo[int, str] = Memo(100)
    memo.put(-1, "kept", 10)
    for number in range(200):
        memo.put(number, str(number), 10)
        assert memo.get(-1) == "kept"


def test_it_never_holds_much_more_than_twice_its_room() -> None:
    memo: Memo[int, str] = Memo(1000)
    for number in range(5000):
        memo.put(number, "", 10)
        assert len(memo._young) + len(memo._old) <= 2 * 102


def test_one_thing_larger_than_the_room_is_remembered() -> None:
    memo: Memo[int, str] = Memo(10)
    memo.put(1, "large", 1000)
    assert memo.get(1) == "large"


def test_all_are_looked_up_as_one_by_one_would_be() -> None:
    memo: Memo[int, str] = Memo(100)
    for number in range(100):
        memo.put(number, str(number), 10)
    old = next(number for number in range(100) if number in memo._old)
    assert memo.get_all([99, old, 0, 99]) == ["99", str(old), None, "99"]
    assert old in memo._young
    assert memo.get_all([]) == []
