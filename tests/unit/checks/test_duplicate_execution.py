from __future__ import annotations

from collections.abc import Sequence

import pytest

from groundwire.documents.declaration import Settling
from groundwire.documents.event import Guarded
from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response

KIND = "duplicate-execution"
PAY = ToolDeclaration(name="pay", effect="write", volatile=("request_id",))
LOOK = ToolDeclaration(name="look", effect="read")
USER = message("user", "Pay the bill.")


class Told:
    """A conversation in which calls are chosen, answered and chosen again."""

    def __init__(self, *tools: ToolDeclaration) -> None:
        self.story = Story()
        self.story.declare(*tools)
        self.messages: list[Message] = [USER]
        self.calls = 0

    def step(
        self, name: str, arguments: object, answer: str | None = "done", *, error: bool = False
    ) -> None:
        self.calls += 1
        part = call(name, arguments, call_id=f"c{self.calls}")
        self.story.request(frame(*self.messages))
        self.story.respond(response(part))
        self.messages.append(message("assistant", part))
        if answer is not None:
            shown = ResultPart(f"c{self.calls}", answer, is_error=error)
            self.messages.append(message("tool", shown))

    def say(self, text: str) -> None:
        self.messages.append(message("user", text))

    def filed(self) -> Sequence[tuple[str, bool]]:
        return [(finding.grade, finding.advisory) for finding in self.story.filed(KIND)]


def test_a_write_chosen_again_after_it_succeeded_is_a_defect() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7})
    told.step("pay", {"bill": 7})
    assert told.filed() == [("succeeded", False)]


def test_a_read_chosen_again_is_a_place_to_look() -> None:
    told = Told(LOOK)
    told.step("look", {"bill": 7})
    told.step("look", {"bill": 7})
    assert told.filed() == [("succeeded", True)]


def test_a_write_in_a_later_turn_is_a_place_to_look() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7})
    told.say("Once more, please.")
    told.step("pay", {"bill": 7})
    assert told.filed() == [("succeeded", True)]


def test_a_write_after_an_unknown_outcome_is_a_defect_in_any_turn() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7}, None)
    told.story.execute("pay", '{"bill":7}', call_id="c1", outcome="unknown")
    told.messages.append(message("tool", ResultPart("c1", "timed out", is_error=True)))
    told.say("Did it work?")
    told.step("pay", {"bill": 7})
    assert told.filed() == [("unknown", False)]


@pytest.mark.parametrize(
    ("tools", "steps"),
    [
        ((PAY,), [("pay", {"bill": 7}), ("pay", {"bill": 8})]),
        ((PAY, LOOK), [("look", {}), ("pay", {"bill": 7}), ("look", {})]),
        ((LOOK,), [("look", {}), ("undeclared", {}), ("look", {})]),
        (
            (PAY, ToolDeclaration(name="refund", effect="write")),
            [("pay", {"bill": 7}), ("refund", {"bill": 7}), ("pay", {"bill": 7})],
        ),
        (
            (ToolDeclaration(name="set", effect="write", idempotent=True),),
            [("set", {"to": 1}), ("set", {"to": 1})],
        ),
        ((), [("pay", {"bill": 7}), ("pay", {"bill": 7})]),
    ],
    ids=[
        "other arguments",
        "a write between reads",
        "something undeclared between reads",
        "a write between writes",
        "idempotent",
        "no effect declared",
    ],
)
def test_what_has_a_reason_to_run_again_is_silent(
    tools: tuple[ToolDeclaration, ...], steps: list[tuple[str, object]]
) -> None:
    told = Told(*tools)
    for name, arguments in steps:
        told.step(name, arguments)
    assert told.filed() == []


@pytest.mark.parametrize(
    ("reason", "disposition"), [("no-response", "not_applicable"), ("not-json", "unreachable")]
)
def test_where_no_answer_came_nothing_was_missed(reason: str, disposition: str) -> None:
    story = Story()
    story.declare(PAY)
    story.request(frame(USER))
    story.respond(None, reason=reason)
    assert story.row(KIND)[disposition] == 1


def test_trying_again_after_a_failure_is_silent() -> None:
    for answer, error in (("no", True), ("Error: the service is away", False)):
        told = Told(PAY)
        told.step("pay", {"bill": 7}, answer, error=error)
        told.step("pay", {"bill": 7})
        assert told.filed() == []


def test_reading_again_in_a_later_turn_is_silent() -> None:
    told = Told(LOOK)
    told.step("look", {})
    told.say("And now?")
    told.step("look", {})
    assert told.filed() == []


def test_volatile_arguments_and_another_spelling_make_no_other_call() -> None:
    told = Told(PAY)
    told.step("pay", '{"bill": 7.0, "request_id": "a"}')
    told.step("pay", '{"request_id":"b","bill":7}')
    assert told.filed() == [("succeeded", False)]


def test_arguments_that_are_no_json_cannot_be_compared() -> None:
    told = Told(PAY)
    told.step("pay", "{'bill'")
    assert told.story.row(KIND)["reasons"] == {"unreadable-arguments": 1}


# --- tools that do each deed once -------------------------------------------------------------------

SETTLED = Settling(tool="get_payment", at="$.status", landed=("paid",), absent=("not_found",))
ONCE = ToolDeclaration(
    name="pay_invoice", effect="external", volatile=("idempotency_key",), once_per=("invoice",),
    settled_by=SETTLED,
)  # fmt: skip
GET = ToolDeclaration(name="get_payment", effect="read")
WRITE = ToolDeclaration(name="note", effect="write")


def paid(*, outcome: str = "unknown") -> Told:
    told = Told(ONCE, GET, WRITE)
    first = {"invoice": "INV-7", "amount": 120.0, "idempotency_key": "k-1"}
    told.step("pay_invoice", first, None)
    told.story.execute("pay_invoice", "{}", call_id="c1", outcome=outcome)
    failed = outcome != "returned"
    text = "timed out" if failed else "paid"
    told.messages.append(message("tool", ResultPart("c1", text, is_error=failed)))
    return told


@pytest.mark.parametrize(
    ("invoice", "filed"),
    [("INV-7", [("unknown", False)]), ("INV-8", []), ("inv-7 ", [("unknown", False)])],
)
def test_the_deed_is_the_same_whatever_else_the_call_says(
    invoice: str, filed: list[tuple[str, bool]]
) -> None:
    told = paid()
    told.step("pay_invoice", {"invoice": invoice, "amount": 120, "idempotency_key": "k-2"})
    assert told.filed() == filed


def test_a_deed_of_which_nothing_was_attempted_may_be_tried_again() -> None:
    told = paid(outcome="raised")
    told.step("pay_invoice", {"invoice": "INV-7"})
    assert told.filed() == []


@pytest.mark.parametrize(
    ("invoice", "says", "filed"),
    [
        ("inv-7", '{"status":"not_found"}', []),
        ("INV-7", '{"status":"paid"}', [("succeeded", False)]),
        ("INV-7", '{"status":"pending"}', [("unknown", False)]),
        ("INV-8", '{"status":"not_found"}', [("unknown", False)]),
    ],
)
def test_a_declared_read_says_whether_the_deed_was_done(
    invoice: str, says: str, filed: list[tuple[str, bool]]
) -> None:
    told = paid()
    told.step("get_payment", {"invoice": invoice}, says)
    told.step("pay_invoice", {"invoice": "INV-7", "amount": 120, "idempotency_key": "k-1"})
    assert told.filed() == filed


def test_a_read_says_nothing_of_a_deed_that_is_known_to_be_done() -> None:
    told = paid(outcome="returned")
    told.step("get_payment", {"invoice": "INV-7"}, '{"status":"not_found"}')
    told.step("pay_invoice", {"invoice": "INV-7"})
    assert told.filed() == [("succeeded", False)]


def test_a_deed_is_done_once_whatever_is_written_in_between_and_in_any_turn() -> None:
    told = paid(outcome="returned")
    told.step("note", {"text": "paid"})
    told.say("Next, please.")
    told.step("pay_invoice", {"invoice": "INV-7"})
    assert told.filed() == [("succeeded", False)]
    (found,) = told.story.filed(KIND)
    assert "`invoice`" in found.message
    assert "to be done once" in found.message


# --- what the guard saw -----------------------------------------------------------------------------


def guarded(told: Told, outcome: str, *, late: bool = False) -> None:
    event = Guarded(
        step=0, at="", guarded=0, state="outcome", call_id="c1", link="id", exchange=0, lane=0,
        name="pay", document=None, outcome=outcome, late=late,
    )  # fmt: skip
    told.story.tell(event)


def test_a_call_that_the_guard_refused_was_not_carried_out_whatever_is_shown_of_it() -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7}, None)
    guarded(told, "refused")
    told.messages.append(message("tool", ResultPart("c1", '{"next":"ask-person"}')))
    told.step("pay", {"bill": 7})
    assert told.filed() == []


@pytest.mark.parametrize(
    ("late", "filed"), [(False, [("unknown", False)]), (True, [("succeeded", False)])]
)
def test_a_tool_that_raised_may_have_had_its_effect_if_the_guard_says_so(
    late: bool, filed: list[tuple[str, bool]]
) -> None:
    told = Told(PAY)
    told.step("pay", {"bill": 7}, None)
    told.story.execute("pay", '{"bill":7}', call_id="c1", outcome="raised")
    guarded(told, "unknown")
    if late:
        guarded(told, "executed", late=True)
    told.messages.append(message("tool", ResultPart("c1", "Error", is_error=True)))
    told.step("pay", {"bill": 7})
    assert told.filed() == filed
