from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from groundwire.documents.entry import RequestEntry
from groundwire.recording.lines import decode_line
from groundwire.verify import chains
from groundwire.verify.chains import Chains
from groundwire.verify.words import Broken
from tests.recordings import CALL, DROPPED, RESULT, SHELL, USER, Draft, body_of, tagged
from tests.unit.verify.judging import at, judge, reason, walked


def running() -> Draft:
    draft = Draft().open().certificate()
    draft.request(0, body_of(SHELL, [USER]), [USER], shell=SHELL)
    return draft.request(
        1, body_of(SHELL, [USER, CALL, RESULT]), [CALL, RESULT], parent=0, keep=1, shell=SHELL
    )


def test_chains_hold_over_appended_replaced_forked_and_whole_requests() -> None:
    draft = running()
    draft.request(2, b"", [USER], parent=1, keep=3, replaced=[(1, DROPPED)], shell=SHELL)
    draft.request(3, b"", [CALL], parent=0, keep=1, shell=SHELL)  # an older frame of the lane
    draft.request(4, b"", [], parent=2, keep=4, replaced=[(0, CALL), (3, RESULT)], shell=SHELL)
    draft.request(5, b"whole", [], unreadable="not-json")
    draft.request(6, b"", [RESULT], parent=4, keep=2, shell={**SHELL, "before": "{"})
    draft.request(7, b"", [], parent=6, keep=0, shell=SHELL)
    draft.request(8, b"", [USER], shell=SHELL, lane=3)
    assert judge(draft.close()).state == "holds"


def test_the_same_messages_in_another_shell_have_another_frame_digest() -> None:
    draft = running()
    other = {**SHELL, "before": "{"}
    for exchange, shell in ((2, SHELL), (3, other), (4, other), (5, SHELL)):
        draft.request(exchange, b"", [], parent=exchange - 1, keep=3, shell=shell)
    assert judge(draft.close()).state == "holds"


@pytest.mark.parametrize(
    "wrong",
    [
        {"context": tagged("context")},
        {"frame": tagged("frame", b"")},
        {"context": "gw1:" + "0" * 64},
        {"frame": "nothing"},
    ],
)
def test_a_digest_that_is_not_of_the_messages_is_refused(wrong: dict[str, str]) -> None:
    draft = running()
    draft.request(2, b"", [USER], parent=1, keep=3, shell=SHELL, **wrong)
    verdict = judge(draft.close())
    assert (verdict.reason, verdict.line) == (
        "context-wrong", at(draft, lambda line: b'"exchange":2' in line) + 1,
    )  # fmt: skip


def test_a_whole_body_has_an_empty_chain() -> None:
    draft = running()
    assert reason(draft.request(2, b"whole", [], context=tagged("value")).close()) == (
        "context-wrong"
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"parent": 1, "keep": 4},
        {"parent": 9, "keep": 0},
        {"parent": None, "keep": 1},
        {"parent": 1, "keep": 1, "lane": 2},
        {"parent": 1, "keep": 1, "replaced": [(1, "x")]},
        {"parent": 1, "keep": 2, "replaced": [(1, "x"), (1, "y")]},
        {"parent": 1, "keep": 2, "whole": True},
    ],
)
def test_a_delta_that_leads_nowhere_is_refused(fields: dict[str, object]) -> None:
    draft = running()
    draft.request(2, b"", [], shell=SHELL, **fields)
    verdict = judge(draft.checkpoint())
    assert (verdict.reason, verdict.line) == ("frame-wrong", len(draft.raw) - 1)


def test_an_exchange_number_stands_once() -> None:
    draft = running()
    assert reason(draft.request(1, b"", [], shell=SHELL).close()) == "frame-wrong"


def test_chains_are_checked_in_a_batch_and_beside_an_unknown_kind() -> None:
    for kinds in (("composed/1", {"call": 1}), ("weather/1", {})):
        draft = running()
        draft.entry(kinds[0], **kinds[1])
        draft.request(2, b"", [USER], shell=SHELL, frame=tagged("frame"))
        assert reason(draft.checkpoint()) == "context-wrong"


def long_frames(messages: int) -> Draft:
    """Two requests of one lane, each with a frame of its own of so many messages."""
    draft = Draft().open().certificate()
    for exchange in range(2):
        told = [f"message {each} of {exchange}" for each in range(messages)]
        draft.request(exchange, b"", told, shell=SHELL)
    return draft


def cost_of(draft: Draft) -> int:
    walk = walked(draft)
    assert walk.failure is None
    return walk.chains.cost


def test_a_run_that_goes_on_costs_nothing_beside_what_is_new() -> None:
    draft = Draft().open().certificate()
    draft.request(0, b"", [USER], shell=SHELL)
    for exchange in range(1, 60):
        draft.request(
            exchange, b"", [f"{exchange}"], parent=exchange - 1, keep=exchange, shell=SHELL
        )
    assert cost_of(draft.close()) == 0


def jumping(messages: int, jumps: int) -> Draft:
    draft = long_frames(messages)
    for jump in range(jumps):
        draft.request(2 + jump, b"", [], parent=jump % 2, keep=messages, shell=SHELL)
    return draft.close()


def putting(messages: int, times: int) -> Draft:
    draft = long_frames(messages)
    for time in range(times):
        draft.request(
            2 + time, b"", [], parent=1 + time, keep=messages, shell=SHELL,
            replaced=[(0, f"another {time}")],
        )  # fmt: skip
    return draft.close()


def climbing(depth: int, jumps: int) -> Draft:
    """Requests that jump to and fro between the ends of two long lines of requests."""
    draft = long_frames(1)
    for exchange in range(2, 2 * depth):
        draft.request(exchange, b"", [], parent=exchange - 2, keep=1, shell=SHELL)
    for jump in range(jumps):
        parent = 2 * depth - 2 + jump % 2
        draft.request(2 * depth + jump, b"", [], parent=parent, keep=1, shell=SHELL)
    return draft.close()


@pytest.mark.parametrize("kind", [jumping, putting, climbing])
def test_a_file_that_makes_a_verifier_hash_again_and_again_is_borne_only_so_far(
    kind: Callable[[int, int], Draft], monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = kind(40, 40)
    assert cost_of(draft) >= 40 * 40
    monkeypatch.setattr(chains, "SPARE", 300)
    monkeypatch.setattr(chains, "SPARE_A_REQUEST", 3)
    walk = walked(draft)
    assert walk.failure is not None
    assert walk.failure.code == "too-costly"
    assert judge(draft).state == "undecided"
    # What the last request cost may be over, and no more: it is as long as the file at most.
    requests = draft.data().count(b'"@":"request/1"')
    assert walk.chains.cost <= 300 + 3 * requests + 3 * 40


def test_each_request_may_cost_some_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "SPARE", 0)
    monkeypatch.setattr(chains, "SPARE_A_REQUEST", 2 * 40 + 2)
    assert judge(jumping(40, 40)).state == "holds"
    monkeypatch.setattr(chains, "SPARE_A_REQUEST", 40)
    assert judge(jumping(40, 40)).reason == "too-costly"


def requests() -> list[RequestEntry]:
    draft = running().request(2, b"", [USER], parent=1, keep=3, shell=SHELL)
    return [each for line in draft.raw if isinstance(each := decode_line(line), RequestEntry)]


def said_alone(several: list[RequestEntry]) -> Broken:
    alone = Chains()
    for number, request in enumerate(several, 1):
        try:
            alone.check(request, number)
        except Broken as broken:
            return broken
    raise AssertionError("None of them was refused.")


def said_following(several: list[RequestEntry]) -> Broken:
    with pytest.raises(Broken) as caught:
        Chains().follow(several, range(1, len(several) + 1))
    return caught.value


ANOTHER = "gw1:" + "A" * 64
REQUEST = requests()[2]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"keep": 2}, "context-wrong"),
        ({"keep": 4}, "frame-wrong"),
        ({"parent": 0}, "frame-wrong"),
        ({"parent": 0, "keep": 1}, "context-wrong"),
        ({"parent": 7}, "frame-wrong"),
        ({"parent": None}, "frame-wrong"),
        ({"lane": 4}, "frame-wrong"),
        ({"lane": 4, "parent": None, "keep": 0}, "context-wrong"),
        ({"append": (ANOTHER,)}, "frame-wrong"),
        ({"append": ()}, "context-wrong"),
        ({"exchange": 1}, "frame-wrong"),
        ({"whole": True}, "frame-wrong"),
        ({"replaced": ((0, "gw1:" + "0" * 64),)}, "context-wrong"),
        ({"context": REQUEST.frame}, "context-wrong"),
        ({"frame": REQUEST.context}, "context-wrong"),
        ({"holds": {}}, "frame-wrong"),
        ({"holds": {"shell": ""}}, "frame-wrong"),
        ({"holds": {"shell": ANOTHER}}, "frame-wrong"),
        ({"holds": {"shell": "gw1:" + "0" * 64}}, "context-wrong"),
        ({"holds": {**REQUEST.holds, "whole": REQUEST.holds["shell"]}}, "frame-wrong"),
    ],
)
def test_a_request_among_others_is_refused_as_it_is_alone(
    wrong: dict[str, object], why: str
) -> None:
    first, second, third = requests()
    for several in (
        [first, second, structs.replace(third, **wrong)],
        [structs.replace(third, **{"lane": 9, "parent": None, "keep": 0, **wrong}), third],
    ):
        alone, followed = said_alone(several), said_following(several)
        assert (followed.reason, followed.line, followed.message) == (
            alone.reason, alone.line, alone.message,
        )  # fmt: skip
        assert several[0] is not first or (alone.reason, alone.line) == (why, 3)


def test_the_line_of_a_request_that_is_refused_is_counted_over_other_entries() -> None:
    draft = running()
    draft.response(1, b"{}")
    draft.request(2, b"", [USER], parent=1, keep=3, shell=SHELL, context=tagged("context"))
    entries = [decode_line(line) for line in draft.raw if b'"content"' not in line[:15]][2:]
    with pytest.raises(Broken) as caught:
        Chains().follow(entries, [10, 20, 30, 40])
    assert caught.value.line == 40


def test_requests_followed_cost_nothing_and_stand_in_any_shell_that_they_name() -> None:
    draft = running()
    other = {**SHELL, "before": "{"}
    for exchange, shell in ((2, SHELL), (3, other), (4, other), (5, SHELL)):
        draft.request(exchange, b"", [], parent=exchange - 1, keep=3, shell=shell)
    draft.request(6, b"", [USER], shell=other, lane=1).request(7, b"", [USER], shell=SHELL, lane=2)
    several = [each for line in draft.raw if isinstance(each := decode_line(line), RequestEntry)]
    together = Chains()
    together.follow(several, range(len(several)))
    assert together.cost == 0
    before = structs.replace(several[2], exchange=8, parent=5)
    with pytest.raises(Broken):
        together.follow([structs.replace(before, holds=several[3].holds)], [9])
