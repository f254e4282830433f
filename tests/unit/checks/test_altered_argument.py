from __future__ import annotations

import pytest

from tests.stories import Story, call, frame, message, response

KIND = "altered-argument"
USER = message("user", "Write the setup page.")


def told(wire: str, ran: str | None, **more: object) -> Story:
    story = Story()
    story.request(frame(USER, tools=("write_page",)))
    story.respond(response(call("write_page", wire)))
    story.execute("write_page", ran, **more)  # type: ignore[arg-type]  # a test's shorthand
    return story


@pytest.mark.parametrize(
    ("wire", "ran", "path", "grade"),
    [
        (
            '{"path":"a.md","content":"# S\\n1. inst',
            '{"path":"a.md","content":"# S"}',
            "",
            "repaired",
        ),
        ('{"path":"a.md","mode":"append"}', '{"path":"a.md"}', "/mode", "dropped"),
        ('{"path":"a.md"}', '{"path":"b.md"}', "/path", "changed"),
        ('{"lines":[1,2,3]}', '{"lines":[1,2]}', "/lines/2", "dropped"),
        ('{"on":1}', '{"on":true}', "/on", "changed"),
    ],
)
def test_what_a_tool_ran_with_and_the_model_did_not_write_is_a_defect(
    wire: str, ran: str, path: str, grade: str
) -> None:
    (finding,) = told(wire, ran).filed(KIND)
    assert (finding.seam, finding.path, finding.grade, finding.advisory) == (
        "choice",
        path,
        grade,
        False,
    )


@pytest.mark.parametrize(
    ("wire", "ran", "grade"),
    [
        ('{"line":"5"}', '{"line":5}', "coerced"),
        ('{"on":"true"}', '{"on":true}', "coerced"),
        ('{"path":"a.md"}', '{"path":"a.md","mode":"replace"}', "defaulted"),
    ],
)
def test_what_a_signature_may_do_is_a_place_to_look(wire: str, ran: str, grade: str) -> None:
    (finding,) = told(wire, ran).filed(KIND)
    assert (finding.grade, finding.advisory) == (grade, True)


@pytest.mark.parametrize(
    ("wire", "ran"),
    [
        ('{"a":1.0,"b":[true]}', '{"b":[true],"a":1}'),
        ("", "{}"),
        ('{"a":"\\u00e9"}', '{"a":"é"}'),
        ('{"n":' + "9" * 400 + "}", '{"n":' + "9" * 400 + "}"),
    ],
)
def test_another_spelling_of_the_same_json_is_silent(wire: str, ran: str) -> None:
    story = told(wire, ran)
    assert story.filed(KIND) == []
    assert story.row(KIND) == {"passed": 1}


def test_an_execution_joined_to_no_call_is_no_pass() -> None:
    assert told('{"a":1}', '{"a":2}', lane=None).row(KIND)["reasons"] == {"unlinked": 1}


def test_arguments_that_were_not_kept_are_no_pass() -> None:
    assert told('{"a":1}', None, reason="no-json").row(KIND)["reasons"] == {"no-json": 1}


def test_what_was_withheld_is_not_compared() -> None:
    mark = "⟦withheld bearer 0123456789ab⟧"
    assert told(f'{{"key":"{mark}"}}', '{"key":"x"}').filed(KIND) == []


def test_a_run_that_records_no_execution_could_not_be_checked() -> None:
    story = Story()
    story.request(frame(USER))
    story.respond(response(call("write_page")))
    story.end()
    assert story.row(KIND)["reasons"] == {"no-execution": 1}


def test_a_run_without_calls_has_nothing_to_check() -> None:
    story = Story()
    story.request(frame(USER))
    story.respond(response("Done."))
    story.end()
    assert story.row(KIND)["reasons"] == {"no-call": 1}
