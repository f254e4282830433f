from __future__ import annotations

import pytest

from groundwire.grounding.sentences.acts import TOLD_OF, acts


def told(text: str, **says: str) -> list[str]:
    return [act.verb for act in acts(text, says)]


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("I have cancelled your booking.", ["cancel"]),
        ("I've canceled your booking.", ["cancel"]),
        ("I\u2019ve now sent the mail.", ["send"]),
        ("I already sent the mail.", ["send"]),
        ("We refunded the full amount.", ["refund"]),
        ("Your order has been refunded.", ["refund"]),
        ("Your seats have now been booked.", ["book"]),
        ("The file was successfully deleted.", ["delete"]),
        ("Successfully deployed the service.", ["deploy"]),
        ("The mail was written and sent successfully.", ["send"]),
        ("The ticket is now closed.", ["close"]),
        ("I looked it up and cancelled the visit.", ["cancel"]),
        ("I have found it, booked it and paid the fee.", ["book", "pay"]),
        ("I have booked it, and the fee will be charged later.", ["book"]),
        ("**Done:** I have restarted the pump.", ["restart"]),
        ("1. I have restarted the pump.\n2. I have sent a mail.", ["restart", "send"]),
        ("I can confirm that I have restarted the pump.", ["restart"]),
        ("I sent it at noon and deleted the draft.", ["send", "delete"]),
    ],
)
def test_what_is_told_as_done_is_an_act(text: str, verbs: list[str]) -> None:
    assert told(text) == verbs


@pytest.mark.parametrize(
    "text",
    [
        "I have not cancelled your booking.",
        "I haven't cancelled your booking.",
        "I couldn't cancel it, so nothing has been refunded.",
        "No order has been cancelled.",
        "I never sent the mail.",
        "I will cancel it.",
        "Your order will be refunded.",
        "The refund will have been paid by Friday.",
        "I can cancel it for you.",
        "I would have cancelled it.",
        "If I have cancelled it, you get a mail.",
        "Once the order has been cancelled, you get a mail.",
        "After I have sent it, I will tell you.",
        "Let me know when it has been delivered.",
        "Has your order been refunded?",
        "Have I cancelled the right one?",
        "Shall I confirm that the order has been cancelled?",
        "Would you like me to cancel it?",
        "Please check whether the mail has been sent.",
        'The page says "I have cancelled your booking".',
        "`I have cancelled it` is what it prints.",
        "```\nI have cancelled it.\n```",
        "> I have cancelled it.",
        "<thinking>I have cancelled it.</thinking>",
        "The mail says that your order has been cancelled.",
        "According to the log, the pump has been restarted.",
        "You have cancelled the order.",
        "Ines has sent the mail.",
        "The order has been cancelled by the shop.",
        "The order has already been cancelled.",
        "The order has previously been refunded.",
        "The order that was sent on Monday is here.",
        "I tried to cancel it.",
        "I have booked nothing yet.",
        "What I sent you is a draft.",
        "The mail I sent you is a draft.",
        "In the story, I sent the mail.",
        "As of May the order has been cancelled.",
        "It has been booked for you since Monday.",
        "I have attempted to send it, but the pump was not restarted.",
        "I need to know the date.",
        "I have looked at the order.",
        "It should have been refunded.",
        "For example, your order has been refunded.",
        "Here is a draft of the mail:\n\nDear Ines,\nI have sent the invoice.\nBest regards",
        "Body: I have sent the invoice.",
    ],
)
def test_what_claims_no_deed_of_the_speaker_is_none(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("Your refund has been processed.", "refund"),
        ("The return request for the lamp has been submitted.", "return"),
        ("The return for the lamp (item 4) from order 9 has been processed.", "return"),
        ("Your reservation has been confirmed.", "book"),
        ("I have made the reservation.", "book"),
        ("I have processed the exchange.", "exchange"),
        ("Your order has been placed.", "buy"),
        ("The order cancellation has been processed.", "cancel"),
        ("The payment for the reservation has been processed.", "pay"),
    ],
)
def test_a_verb_that_says_nothing_means_the_noun_beside_it(text: str, family: str) -> None:
    (act,) = acts(text)
    assert act.families == {family}


@pytest.mark.parametrize("text", ["All tasks have been completed.", "I have done the sums."])
def test_a_verb_that_says_nothing_without_such_a_noun_is_no_act(text: str) -> None:
    assert told(text) == []


def test_a_declared_verb_is_an_act_in_one_word_or_two() -> None:
    assert told("I have frobbed the pump.", frobbed="frob") == ["frob"]
    assert told("I have rolled back the release.", **{"rolled back": "roll back"}) == ["roll back"]
    assert told("I have rolled the dice.", **{"rolled back": "roll back"}) == []


def test_a_summary_may_tell_of_the_model_by_another_name() -> None:
    text = "The assistant has cancelled the visit. The user has sent a mail."
    assert [act.verb for act in acts(text, by=TOLD_OF)] == ["cancel"]
    assert told(text) == []


def test_a_verb_counts_once_in_a_sentence() -> None:
    assert told("I have sent A and I have sent B.") == ["send"]


def test_an_act_knows_what_its_verb_and_the_name_of_a_file_stand_for() -> None:
    (act,) = acts("I emailed you the list.")
    assert "email" in act.words
    (act,) = acts("I have deleted plan.csv.")
    assert "file" in act.words


def test_an_act_knows_its_sentence_and_where_it_stands() -> None:
    text = "Hello.\n- I have sent the invoices."
    (act,) = acts(text)
    assert act.sentence.text == "I have sent the invoices."
    assert text[act.sentence.start :] == act.sentence.text
    assert "invoice" in act.words


@pytest.mark.parametrize(
    "told",
    [
        "I have **cancelled** your booking.",
        "Your booking has been _cancelled_.",
        "Your booking has been ***cancelled***.",
        "I have\u200b can\u00adcelled your booking.",
    ],
)
def test_marks_that_make_a_word_stand_out_or_that_nobody_sees_hide_no_act(told: str) -> None:
    assert [act.verb for act in acts(told)] == ["cancel"]


def test_what_a_mask_hides_is_no_emphasis() -> None:
    assert list(acts("It says 'has been' `cancelled` here.")) == []
