from __future__ import annotations

import pytest

from tests.recordings import CALL, DROPPED, RESULT, SHELL, USER, Draft, body_of, tagged
from tests.unit.verify.judging import at, judge, reason


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
