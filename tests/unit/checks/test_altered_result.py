from __future__ import annotations

import pytest

from tests.stories import Story, call, frame, message, response, result

KIND = "altered-result"
USER = message("user", "How full are the disks?")
RETURNED = '{"host": "petrel", "disks": [{"id": "d1", "used": 412}, {"id": "d2", "used": 90}]}'


def told(returned: str | None, served: str, **more: object) -> Story:
    story = Story()
    story.request(frame(USER))
    story.respond(response(call("disks")))
    story.execute("disks", "{}", result=returned, **more)  # type: ignore[arg-type]  # shorthand
    story.request(frame(USER, message("assistant", call("disks")), result(served)))
    return story


@pytest.mark.parametrize(
    ("served", "relation"),
    [
        (RETURNED, "same"),
        ('{"disks":[{"used":412,"id":"d1"},{"id":"d2","used":90}],"host":"petrel"}', "json"),
        (
            "{'host': 'petrel', 'disks': [{'id': 'd1', 'used': 412}, {'id': 'd2', 'used': 90}]}",
            "json",
        ),
        (
            (
                "{'disks': [{'id': 'd1', 'used': 412},\n           {'id': 'd2', 'used': 90}],\n"
                " 'host': 'petrel'}"
            ),
            "json",
        ),
        (
            '[{"type":"text","text":' + repr(RETURNED).replace('"', '\\"').replace("'", '"') + "}]",
            "blocks",
        ),
        (f"Result of the call:\n{RETURNED}\n(end)", "wrapped"),
        (RETURNED[:60], "shortened"),
        (RETURNED[:60] + "\n[cut at 60 characters]", "shortened"),
        ('{"host":"petrel"}', "projected"),
        ('{"host":"petrel","disks":[{"id":"d1","used":412}]}', "projected"),
        (
            '{"host":"petrel","disks":[{"id":"d1","used":412},{"id":"d2","used":90}],"took":3}',
            "extended",
        ),
    ],
)
def test_a_known_rendering_of_what_was_returned_is_silent(served: str, relation: str) -> None:
    story = told(RETURNED, served)
    assert story.filed(KIND) == []
    assert story.row(KIND)["grades"] == {relation: 1}


def test_the_texts_of_content_blocks_are_what_a_server_returned() -> None:
    blocks = '{"content":[{"type":"text","text":"d1: 412"},{"type":"text","text":"d2: 90"}]}'
    assert told(blocks, "d1: 412\nd2: 90").row(KIND)["grades"] == {"blocks": 1}


def test_structured_content_is_a_rendering_of_its_own() -> None:
    assert told("2 disks", RETURNED, structured=RETURNED).row(KIND)["grades"] == {"structured": 1}


def test_a_declared_rendering_is_one() -> None:
    assert told(RETURNED, "d1 412, d2 90", rendered="d1 412, d2 90").row(KIND)["grades"] == {
        "rendered": 1
    }


@pytest.mark.parametrize(
    ("returned", "served", "path"),
    [
        (RETURNED, RETURNED.replace("412", "41"), "/disks/0/used"),
        ("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6", "a: 1\nb: 2\nc: 30\nd: 4\ne: 5\nf: 6", "/2"),
        ("the disk d1 holds 412 files of 500", "the disk d1 holds 41 files of 500", "/4"),
    ],
)
def test_a_value_that_the_tool_did_not_return_is_a_defect(
    returned: str, served: str, path: str
) -> None:
    (finding,) = told(returned, served).filed(KIND)
    assert (finding.seam, finding.path, finding.advisory) == ("write", path, False)


@pytest.mark.parametrize("served", ["There are two disks.", "OK", '{"summary":"two disks"}'])
def test_a_rendering_that_nobody_knows_accuses_nobody(served: str) -> None:
    story = told(RETURNED, served)
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"]["unknown-rendering"] == 1  # type: ignore[index]  # a count


def test_a_tool_that_raised_returned_nothing_to_compare() -> None:
    story = told("boom", "Error: boom", outcome="raised")
    assert story.row(KIND)["reasons"]["raised"] == 1  # type: ignore[index]  # a count


def test_a_result_without_an_execution_is_no_pass() -> None:
    story = Story()
    story.request(frame(USER, message("assistant", call("disks")), result("x")))
    assert story.row(KIND)["reasons"] == {"no-execution": 1}


def test_a_result_that_stays_in_view_is_looked_at_once() -> None:
    story = told(RETURNED, RETURNED.replace("412", "41"))
    story.request(
        frame(
            USER,
            message("assistant", call("disks")),
            result(RETURNED.replace("412", "41")),
            message("user", "And?"),
        )
    )
    (finding,) = story.filed(KIND)
    assert finding.count == 1
