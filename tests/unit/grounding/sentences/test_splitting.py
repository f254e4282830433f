from __future__ import annotations

from groundwire.grounding.sentences.splitting import masked, sentences


def split(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_full_stops_and_line_breaks_end_a_sentence() -> None:
    assert split("One. Two! Three?\nFour") == ["One.", "Two!", "Three?", "Four"]


def test_a_full_stop_within_a_name_number_or_title_ends_none() -> None:
    text = "It is 3.5 m, e.g. for Dr. Ines, in report.pdf."
    assert split(text) == [text]


def test_marks_of_lists_and_headings_are_no_part_of_a_sentence() -> None:
    assert split("## Done\n- **Sent** it.\n12. Booked it.") == ["Done", "Sent** it.", "Booked it."]


def test_a_sentence_knows_where_it_stands() -> None:
    text = "Hello.\n\n1. It is done."
    last = list(sentences(text))[-1]
    assert text[last.start :] == last.text


def test_a_question_is_known_through_closing_marks() -> None:
    assert [sentence.asks for sentence in sentences("Is it? It is. (**Is it?**)")] == [
        True,
        False,
        True,
    ]


def test_what_others_say_and_code_keeps_its_place_and_loses_its_letters() -> None:
    for text in (
        'He said "I have sent it" then.',
        "He said \u201cI have sent it\u201d then.",
        "Run `I have sent it` then.",
        "```\nI have sent it\n```\n",
        "```\nI have sent it",
        "> I have sent it\n",
        "<think>I have sent it</think>",
        "He said 'I have sent it' then.",
        "Here you are:\n\nDear Ines,\nI have sent it\nKind regards\n",
        "Subject: I have sent it\n",
    ):
        hidden = masked(text)
        assert len(hidden) == len(text)
        assert "sent" not in hidden


def test_an_apostrophe_hides_nothing() -> None:
    assert masked("It's Ines' pump and Bo's lamp") == "It's Ines' pump and Bo's lamp"


def test_what_stands_after_a_closed_draft_is_read_again() -> None:
    text = "Draft:\nDear Bo,\nI have paid it.\nBest regards\nI have sent it."
    assert "paid" not in masked(text)
    assert "I have sent it." in masked(text)


def test_a_greeting_that_begins_an_answer_is_no_draft() -> None:
    assert "sent" in masked("Hi Bo,\nI have sent it.")
