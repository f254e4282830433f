"""What the checks see of a body that holds secrets."""

from __future__ import annotations

from groundwire.documents.split import Split
from groundwire.session.live.showing import Showing
from groundwire.stores.memory import MemorySink
from groundwire.wire.split import Splitter
from tests.recorders import body_of, message, raw, recorder, split_of

TOKEN = "ghp_" + "A1b2C3d4" * 4


def test_a_body_with_marks_says_nothing_of_the_messages_before_it() -> None:
    showing, splitter = Showing(recorder(MemorySink())), Splitter()
    said = [raw(message("user", "Look it up.")), raw(message("tool", f"token {TOKEN}"))]
    splitter.split(body_of(split_of(said)), "openai-chat")
    split = splitter.split(
        body_of(split_of([*said, raw(message("user", "Go on."))])), "openai-chat"
    )
    assert split.kept == 2
    assert showing.of(split) is split
    showing.learn(split)
    shown = showing.of(split)
    assert shown is not None
    assert TOKEN.encode() not in b"".join(shown.messages)
    assert shown.kept == 0
    assert shown.messages[0] is split.messages[0]


def split_with(*said: bytes) -> Split:
    body = body_of(split_of([*said]))
    return Splitter().split(body, "openai-chat")


def test_a_message_of_which_only_a_mark_would_stand_hides_the_body() -> None:
    showing = Showing(recorder(MemorySink()))
    split = split_with(raw(message("user", "Go on.")), b'"\xff %b"' % TOKEN.encode())
    showing.learn(split)
    assert showing.of(split) is None


def test_a_body_without_secrets_stays_as_it_is_after_one_with_some() -> None:
    showing = Showing(recorder(MemorySink()))
    showing.learn(split_with(raw(message("tool", f"token {TOKEN}"))))
    clean = split_with(raw(message("user", "Go on.")))
    assert showing.of(clean) is clean


def test_a_secret_around_the_messages_is_a_mark_too() -> None:
    showing = Showing(recorder(MemorySink()))
    body = b'{"messages":[],"metadata":{"token":"%b"}}' % TOKEN.encode()
    split = Splitter().split(body, "openai-chat")
    showing.learn(split)
    shown = showing.of(split)
    assert shown is not None
    assert TOKEN.encode() not in shown.before + shown.after
