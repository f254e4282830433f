from __future__ import annotations

import pytest

from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Media, Message, ResultPart
from tests.stories import Story, call, frame, message, response, result

KIND = "unsupported-quote"
PAGE = "The gate closes at nine on weekdays. Visitors sign in at the lodge by the river."
OTHER = "The ferry leaves from the old pier. Dogs are welcome on board."


def shown(*messages: Message, held: str | None = None) -> Frame:
    return frame(
        message("user", "When does it close?"),
        message("assistant", call("read_page", {"path": "gate.md"})),
        result(PAGE),
        message("assistant", call("read_page", {"path": "ferry.md"}, "c2")),
        result(OTHER, "c2"),
        *messages,
        held=held,
    )


def ask(answer: str, given: Frame | None = None) -> tuple[Story, list[Finding]]:
    story = Story()
    story.request(given or shown())
    story.respond(response(answer))
    return story, story.filed(KIND)


@pytest.mark.parametrize(
    "words",
    [
        "The gate closes at nine on weekdays",
        "the  GATE closes at nine, on weekdays!",
        "The gate closes \u2026 sign in at the lodge",
        "The gate closes ... sign in at the lodge",
        "The gate [...] closes at nine",
        "**The gate** closes at nine",
    ],
)
def test_words_that_stand_in_a_result_are_a_quote_however_they_are_set(words: str) -> None:
    story, filed = ask(f'The page says "{words}".')
    assert filed == []
    assert story.row(KIND)["passed"] == 1


def test_words_that_stand_nowhere_are_fabricated() -> None:
    story, (finding,) = ask('The page says "All staff must leave before the evening bell".')
    assert (finding.grade, finding.advisory) == ("fabricated", False)
    assert "leave before the evening bell" in finding.message
    assert ". It stands nowhere in what the run was shown." in finding.message
    assert story.row(KIND)["failed"] == 1


def test_words_that_mostly_stand_are_doubt() -> None:
    _, (finding,) = ask('The page says "The gate closes at nine on weekdays and Visitors sign in"')
    assert finding.advisory


def test_words_put_together_from_two_texts_are_spliced() -> None:
    _, (finding,) = ask('The page says "The gate closes at nine on the old pier".')
    assert finding.grade == "spliced"
    assert "read_page" in finding.message


def test_words_of_a_result_in_the_users_mouth_are_misattributed() -> None:
    _, (finding,) = ask('You said "The gate closes at nine on weekdays".')
    assert (finding.grade, finding.advisory) == ("misattributed", False)


def test_words_of_the_user_in_a_tools_mouth_are_misattributed() -> None:
    _, (finding,) = ask('The tool returned "When does it close".')
    assert finding.grade == "misattributed"


def test_words_of_another_file_than_the_one_named_are_doubt() -> None:
    _, (finding,) = ask('The file ferry.md says "The gate closes at nine on weekdays".')
    assert (finding.grade, finding.advisory) == ("misattributed", True)
    assert ask('The file gate.md says "The gate closes at nine on weekdays".')[1] == []


def test_words_of_a_page_that_a_person_handed_over_may_be_the_pages() -> None:
    given = frame(message("user", "Here it is: " + PAGE * 6))
    assert ask('The tool returned "The gate closes at nine on weekdays".', given)[1] == []


def test_what_the_model_gave_to_a_tool_itself_it_may_quote() -> None:
    note = call("write_note", {"text": "Bring the long ladder to the lodge"}, "c3")
    given = shown(message("assistant", note), result("ok", "c3"))
    assert ask('The note says "Bring the long ladder to the lodge".', given)[1] == []


def test_escapes_tags_and_separators_of_thousands_make_no_difference() -> None:
    text = '{"line": "The gate\\nis <b>closed</b> to 1,200 guests"}'
    given = frame(
        message("user", "Well?"), message("assistant", call("read_page", {})), result(text)
    )
    assert ask('The page says "The gate is closed to 1200 guests".', given)[1] == []


def test_a_source_that_the_run_was_not_shown_is_known_by_heart() -> None:
    words = '"all things considered the tide waits for nobody"'
    assert ask(f"The article says {words}.", frame(message("user", "Well?")))[1] == []
    assert ask(f"The famous Harbour Code document says {words}.")[1] == []
    assert len(ask(f"The document says {words}.")[1]) == 1


def test_where_something_was_shown_that_is_not_read_nothing_is_filed() -> None:
    unread = [
        message("user", Media(media_type="image/png", digest="sha256:0", size=9)),
        message("tool", ResultPart("c2", "x", opaque=1)),
        result('{"file_id": "file_12", "type": "file"}', "c2"),
        result('{"TYPE" : "Image"}', "c2"),
        result("data:image/png;base64,AAAA", "c2"),
        result("See the VIDEO intro", "c2"),
        result("\u0130zmir: see the f\u0131le 9", "c2"),
        message("user", "This is file pump12:"),
    ]
    for part in unread:
        story, filed = ask('The page says "All staff must leave by then".', shown(part))
        assert filed == []
        assert story.row(KIND)["reasons"] == {"unread-media": 1}


def test_where_the_provider_keeps_the_conversation_nothing_is_filed() -> None:
    story, filed = ask('The page says "All staff must leave by then".', shown(held="resp_1"))
    assert filed == []
    assert story.row(KIND)["reasons"] == {"held-by-provider": 1}


def test_a_quote_with_a_marked_secret_is_left_out() -> None:
    assert ask('The page says "the code is \u27e6withheld token 1\u27e7 for all".')[1] == []


def test_a_citation_of_a_number_that_no_source_has_is_filed() -> None:
    given = frame(message("user", "[1] The gate closes. [2] The ferry leaves. When?"))
    assert ask("At nine [1], from the pier [2].", given)[1] == []
    _, (finding,) = ask("At nine [1], from the pier [4].", given)
    assert (finding.grade, finding.witnesses[0].value) == ("no-source", "[4]")
    assert "numbered 1 to 2" in finding.message


def test_citations_count_anything_where_nobody_numbered_the_sources() -> None:
    story, filed = ask("It closes at nine [3].")
    assert filed == []
    assert story.row(KIND)["passed"] == 1


def test_an_answer_without_a_quote_is_not_judged() -> None:
    story, _ = ask("It closes at nine.")
    assert story.row(KIND) == {"not_applicable": 1, "reasons": {"no-quote": 1}}
