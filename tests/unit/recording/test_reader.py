from __future__ import annotations

import msgspec
import pytest

from groundwire.canon import merkle
from groundwire.errors import EncodingError, GroundwireError, TrustError
from groundwire.recording.frames import Frames
from groundwire.recording.reader import Missing, Reader, read
from tests.recordings import (
    ANSWER,
    CALL,
    DROPPED,
    LARGE,
    RESULT,
    SHELL,
    USER,
    Draft,
    body_of,
    lines,
    root,
    sample,
)


def opened(draft: Draft, **files: bytes) -> Reader:
    return read(lines(draft.data()), {**draft.files, **files}.get)


def shown(reader: Reader, exchange: int) -> list[bytes | Missing]:
    return [reader.content(commitment) for commitment in reader.messages(exchange)]


def test_a_recording_nobody_verified_says_so() -> None:
    assert opened(sample()).standing == "unverified"
    assert read(lines(sample().data()), {}.get, "holds").standing == "holds"


def test_entries_come_in_order_with_the_opening_first() -> None:
    reader = opened(sample())
    assert [entry.seq for entry in reader.entries] == list(range(22))
    assert reader.opening.agent == "harbour-watch"
    assert reader.exchanges == (0, 1, 2, 3)


def test_a_recording_without_opening_says_so() -> None:
    with pytest.raises(EncodingError, match="does not begin"):
        _ = read([], {}.get).opening


def test_frames_are_built_from_parent_keep_replaced_and_append() -> None:
    reader = opened(sample())
    assert shown(reader, 0) == [USER.encode()]
    assert shown(reader, 1) == [USER.encode(), CALL.encode(), RESULT.encode()]
    assert shown(reader, 2) == [USER.encode(), CALL.encode(), DROPPED.encode(), USER.encode()]
    assert reader.messages(3) == ()
    # in any order, with and without a frame remembered
    assert shown(reader, 1) == [USER.encode(), CALL.encode(), RESULT.encode()]
    assert shown(reader, 0) == [USER.encode()]


def test_bodies_are_built_again_byte_for_byte() -> None:
    reader = opened(sample())
    assert reader.body(0) == body_of(SHELL, [USER])
    assert reader.body(1) == body_of(SHELL, [USER, CALL, RESULT])
    assert reader.body(2) == body_of(SHELL, [USER, CALL, DROPPED, USER])
    assert reader.answer(0) == ANSWER
    assert reader.answer(1) == b"\xff\xfe cut"


def test_a_body_that_is_not_the_one_that_left_is_refused() -> None:
    draft = Draft().open().certificate()
    draft.request(0, b"another body", [USER], shell=SHELL)
    with pytest.raises(TrustError) as caught:
        opened(draft).body(0)
    assert caught.value.reason == "body-differs"


def test_an_answer_that_is_not_the_one_that_came_is_refused() -> None:
    draft = Draft().open().certificate()
    wrong = '{"body":"sha256:' + "0" * 64 + '"}'
    draft.entry(
        "response/1", {"body": "here", "digests": wrong}, captured=4, encoding="", exchange=0,
        lane=0, outcome="complete", status=200, streamed=False,
    )  # fmt: skip
    with pytest.raises(TrustError):
        opened(draft).answer(0)


def test_contents_that_are_not_there_say_why() -> None:
    draft = sample()
    result = draft.commitment_of(RESULT)
    reader = opened(draft.redacted([result]))
    assert reader.content(result) == Missing("redacted")
    assert reader.body(1) == Missing("redacted")
    assert reader.body(0) == body_of(SHELL, [USER])
    assert reader.content("gw1:" + "0" * 64) == Missing("missing")
    assert reader.answer(9) == Missing("missing")


def test_a_withheld_secret_is_marked_and_the_body_is_not_passed_off_as_whole() -> None:
    reader = opened(sample())
    whole = reader.request(3).holds["whole"]
    shown = reader.content(whole)
    assert isinstance(shown, bytes)
    assert shown.startswith("token=⟦withheld provider-key ".encode())
    assert reader.exact(whole) == Missing("withheld")
    assert reader.body(3) == Missing("withheld")
    draft = Draft().open()
    secret = {"shape": "pem", "size": 9, "withheld": "gw1:" + "1" * 64}
    draft.entry("note/1", {"text": [secret]}, topic="withheld", count=1)
    alone = draft.commitment_of([secret])
    assert opened(draft).content(alone) == Missing("withheld")


def test_a_large_content_comes_from_its_file_and_only_if_it_is_that_file() -> None:
    draft = sample()
    large = b'{"pad":"' + b"x" * LARGE + b'"}'
    (name,) = draft.files
    assert opened(draft).answer(3) == large
    assert read(lines(draft.data()), {}.get).answer(3) == Missing("missing")
    for other in (large[:-1], large + b" ", large.replace(b"x", b"y", 1)):
        with pytest.raises(TrustError) as caught:
            opened(draft, **{name: other}).answer(3)
        assert caught.value.reason == "attachment-changed"


def test_a_torn_end_is_left_out() -> None:
    data = sample().data()
    reader = read(lines(data + b'{"@":"note/1","at'), {}.get)
    assert reader.torn == 17
    assert len(reader.entries) == 22
    assert read(lines(data + b"\x00" * 4096), {}.get).torn == 4096
    with pytest.raises(EncodingError):
        read([*lines(data), b"torn", b"more\n"], {}.get)


def request(draft: Draft, exchange: int, **fields: object) -> None:
    draft.request(exchange, body_of(SHELL, []), [], shell=SHELL, **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"parent": 0, "keep": 2},
        {"parent": 7, "keep": 0},
        {"parent": 1, "keep": 0},
        {"parent": None, "keep": 1},
        {"parent": 0, "keep": 0, "lane": 1},
        {"parent": 0, "keep": 1, "replaced": [(1, "x")]},
        {"parent": 0, "keep": 1, "replaced": [(0, "x"), (0, "y")]},
    ],
)
def test_a_delta_that_leads_nowhere_is_refused(fields: dict[str, object]) -> None:
    draft = Draft().open()
    draft.request(0, body_of(SHELL, [USER]), [USER], shell=SHELL)
    request(draft, 1, **fields)
    with pytest.raises(EncodingError) as caught:
        opened(draft)
    assert caught.value.reason == "frame-malformed"


def test_an_exchange_number_stands_once() -> None:
    draft = Draft().open()
    request(draft, 0)
    request(draft, 0)
    with pytest.raises(EncodingError):
        opened(draft)


def test_a_delta_over_many_turns_gives_what_each_turn_showed() -> None:
    draft = Draft().open()
    frames: list[list[str]] = []
    for turn in range(40):
        before = frames[-1] if frames else []
        keep = max(0, len(before) - 3) if turn % 7 == 6 else len(before)
        replaced = [(keep - 1, f'"turn {turn} instead"')] if turn % 5 == 4 and keep else []
        now = before[:keep]
        for index, message in replaced:
            now[index] = message
        added = [f'"turn {turn}, {each}"' for each in range(turn % 4)]
        frames.append(now + added)
        draft.request(
            turn, body_of(SHELL, frames[-1]), added, shell=SHELL, keep=keep,
            parent=turn - 1 if turn else None, replaced=replaced,
        )  # fmt: skip
    expected = [[message.encode() for message in frame] for frame in frames]
    forward, backward = opened(draft), opened(draft)
    assert [shown(forward, turn) for turn in range(40)] == expected
    assert [shown(backward, turn) for turn in reversed(range(40))] == expected[::-1]
    assert all(forward.body(turn) == body_of(SHELL, frames[turn]) for turn in range(40))


def test_an_entry_has_a_proof_that_it_is_in_the_tree() -> None:
    draft = sample()
    reader = opened(draft)
    for size in (1, 5, draft.size):
        for sequence in (0, size // 2, size - 1):
            proof = reader.inclusion(sequence, size)
            assert proof.root == root(draft.leaves[:size])
            merkle.verify_inclusion(
                bytes.fromhex(proof.leaf[5:]), proof.index, proof.size,
                [bytes.fromhex(node) for node in proof.proof], bytes.fromhex(proof.root[5:]),
            )  # fmt: skip
    with pytest.raises(EncodingError):
        reader.inclusion(5, 5)


@pytest.mark.parametrize("shell", [{}, [], "x", {"after": "", "before": "", "between": 1}])
def test_a_shell_that_is_none_is_refused(shell: object) -> None:
    draft = Draft().open()
    draft.request(0, b"x", [], shell=shell)
    with pytest.raises(GroundwireError) as caught:
        opened(draft).body(0)
    assert caught.value.reason == "shell-malformed"


def test_a_body_is_whole_or_in_parts_and_says_which() -> None:
    for fields in (
        {"whole": True},
        {"whole": False, "holds": {"shell": "gw1:", "whole": "gw1:"}},
        {"whole": True, "holds": {"shell": "gw1:", "whole": "gw1:"}},
        {"holds": {}},
    ):
        request = opened(sample()).request(2)
        with pytest.raises(EncodingError) as caught:
            Frames().take(
                msgspec.structs.replace(request, parent=None, keep=0, replaced=(), **fields)
            )
        assert caught.value.reason == "frame-malformed"


def test_a_whole_body_has_no_messages() -> None:
    request = opened(sample()).request(3)
    Frames().take(request)
    with pytest.raises(EncodingError):
        Frames().take(msgspec.structs.replace(request, append=("gw1:",)))
