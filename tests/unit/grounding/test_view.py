from __future__ import annotations

from groundwire.documents.frame import Message
from groundwire.grounding.view import Numbers, Shown, View
from tests.stories import frame, message


class Counting:
    def __init__(self) -> None:
        self.known: dict[Shown, Numbers] = {}
        self.asked = 0

    def __call__(self, shown: Shown) -> Numbers:
        self.asked += 1
        own = isinstance(shown, Message) and shown.role == "assistant"
        number = (len(self.known),)
        numbers = Numbers(own=number) if own else Numbers(served=number)
        return self.known.setdefault(shown, numbers)


def test_a_frame_that_grows_asks_only_for_what_is_new() -> None:
    view, number = View(), Counting()
    messages = [message("user", str(n)) for n in range(50)]
    for length in range(1, 51):
        view.show(frame(*messages[:length]), number)
    assert number.asked == 50
    assert len(view.served) == 50


def test_what_the_window_dropped_is_gone_and_what_comes_back_is_not() -> None:
    view, number = View(), Counting()
    first, second = message("user", "one"), message("user", "two")
    view.show(frame(first, second), number)
    view.show(frame(second), number)
    assert view.gone == set(number.known[first].served)
    view.show(frame(first, second), number)
    assert view.gone == set()


def test_a_message_that_stands_twice_is_seen_while_one_of_them_stands() -> None:
    view, number = View(), Counting()
    same = message("user", "same")
    view.show(frame(same, same), number)
    view.show(frame(same), number)
    assert view.served == set(number.known[same].served)


def test_a_new_system_prompt_replaces_the_old_one() -> None:
    view, number = View(), Counting()
    view.show(frame(system="old"), number)
    view.show(frame(system="new"), number)
    assert len(view.served) == 1
    assert len(view.gone) == 1


def test_the_models_own_text_is_never_served() -> None:
    view, number = View(), Counting()
    view.show(frame(message("assistant", "mine")), number)
    assert (view.served, len(view.own)) == (set(), 1)
