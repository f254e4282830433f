from __future__ import annotations

from groundwire.grounding.ground import Ground, Support
from tests.stories import call, frame, message, result

USER = message("user", "Look after the fleet, please.")


def after(*texts: str, asked: str = "zeus-77") -> Support:
    """How `zeus-77` stands after the model asked for something first and these came back."""
    shown = [USER]
    for number, text in enumerate(texts):
        shown += [
            message("assistant", call("find", {"machine": asked}, f"c{number}")),
            result(text, f"c{number}"),
        ]
    ground = Ground()
    ground.show(0, frame(*shown))
    return ground.support(0, "zeus-77", key="machine")


def test_a_value_that_the_model_made_up_stays_its_own_however_often_it_is_echoed() -> None:
    found = after("no backup record for zeus-77", '{"error":"zeus-77 unknown"}')
    assert (found.grade, found.state, found.confirmed) == ("self", "self-made", False)


def test_a_result_that_shows_it_unasked_serves_it() -> None:
    assert after("fleet: zeus-77, hera-12", asked="all").grade == "exact"


def test_what_a_user_says_after_the_model_is_said_by_the_user() -> None:
    ground = Ground()
    asked = message("assistant", call("find", {"machine": "zeus-77"}))
    ground.show(0, frame(USER, asked, result("no zeus-77"), message("user", "yes, zeus-77")))
    assert ground.support(0, "zeus-77").grade == "exact"


def test_a_value_that_was_served_before_the_model_wrote_it_is_no_echo() -> None:
    ground = Ground()
    listing = [message("assistant", call("list", {}, "c0")), result("zeus-77", "c0")]
    asked = [message("assistant", call("find", {"machine": "zeus-77"})), result("zeus-77: ok")]
    ground.show(0, frame(USER, *listing, *asked))
    ground.show(0, frame(USER, *asked))
    assert ground.support(0, "zeus-77").grade == "exact"


def test_a_record_of_it_makes_the_models_own_value_a_doubt() -> None:
    found = after('{"machine":"zeus-77","hall":"North Gate","disks":12}')
    assert (found.grade, found.confirmed) == ("self", True)


def test_a_record_that_says_nothing_but_what_was_asked_confirms_nothing() -> None:
    assert not after('{"machine":"zeus-77","found":0}').confirmed


def test_results_without_ids_answer_the_calls_in_their_order() -> None:
    ground = Ground()
    asked = message("assistant", call("find", {"machine": "zeus-77"}, ""))
    ground.show(0, frame(USER, asked, result("no zeus-77", "")))
    assert ground.support(0, "zeus-77").grade == "self"


def test_a_declared_absence_never_grounds_what_it_looked_for() -> None:
    said = '{"groundwire_absence":1,"looked_for":{"machine":"zeus-77"},"checked":["hall-4 north"]}'
    found = after(said)
    assert (found.grade, found.state) == ("self", "self-made")
    ground = Ground()
    ground.show(0, frame(USER, message("assistant", call("find", {"machine": "x"})), result(said)))
    assert ground.support(0, "zeus-77").grade == "nowhere"
    assert ground.support(0, "hall-4 north").grade == "exact"


def test_a_date_reached_by_another_spelling_of_an_echo_is_an_echo() -> None:
    ground = Ground()
    asked = message("assistant", call("find", {"day": "2031-05-03"}))
    ground.show(0, frame(message("user", "It is 2031."), asked, result("nothing on May 3, 2031")))
    assert ground.support(0, "2031-05-03").grade == "self"


def test_what_the_tool_itself_returned_does_not_make_an_echo_evidence() -> None:
    text = '{"query":"zeus-77","found":false}'
    asked = message("assistant", call("find", {"machine": "zeus-77"}))
    ground = Ground()
    ground.show(0, frame(USER))
    ground.give_back(text, "find", "c1")
    ground.show(0, frame(USER, asked, result(text)))
    found = ground.support(0, "zeus-77", key="machine")
    assert (found.grade, found.state, found.gone) == ("self", "self-made", None)


def test_what_was_looked_for_was_not_returned() -> None:
    text = '{"groundwire_absence":1,"looked_for":"zeus-77","checked":["the register"]}'
    ground = Ground()
    ground.show(0, frame(USER))
    ground.give_back(text, "find", "c9")
    ground.show(0, frame(USER, message("assistant", call("find", {"machine": "zeus-77"}))))
    found = ground.support(0, "zeus-77", key="machine")
    assert (found.grade, found.state, found.gone) == ("self", "self-made", None)


def test_what_a_tool_returned_unasked_and_nobody_showed_is_gone() -> None:
    ground = Ground()
    ground.give_back('["zeus-77"]', "list", "c1")
    ground.show(0, frame(USER, message("assistant", call("list")), result("[]")))
    assert ground.support(0, "zeus-77").state == "returned-unserved"
