from __future__ import annotations

import pytest

from groundwire.checks.write.results.rows import read_rows
from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response

KIND = "empty-lookup"
USER = message("user", "Is the port of petrel logged in?")
LOGIN = ToolDeclaration(name="login_of", arguments_from=("inventory",))
PORT = "20:00:00:11:c4:a1:00:2e"


def shown(
    name: str, arguments: object, text: str, call_id: str, *, error: bool = False
) -> list[Message]:
    return [
        message("assistant", call(name, arguments, call_id)),
        message("tool", ResultPart(call_id, text, is_error=error)),
    ]


def told(
    *results: list[Message], tool: ToolDeclaration = LOGIN, returned: str | None = None
) -> Story:
    story = Story()
    story.declare(tool)
    messages = [USER, *(each for pair in results for each in pair)]
    if returned is not None:
        story.request(frame(USER))
        story.respond(response(call("login_of", {"port": PORT}, "c2")))
        story.execute("login_of", "{}", call_id="c2", result=returned)
    story.request(frame(*messages))
    return story


INVENTORY = shown("inventory", {"host": "petrel"}, f'[{{"port":"{PORT}"}}]', "c1")


@pytest.mark.parametrize(
    "nothing",
    [
        "[]",
        f'{{"groundwire_absence":1,"looked_for":["{PORT}"],"checked":["fabric a"]}}',
    ],
    ids=["no rows", "a declared absence"],
)
def test_nothing_found_for_what_a_source_served_is_a_place_to_look(nothing: str) -> None:
    story = told(INVENTORY, shown("login_of", {"port": PORT}, nothing, "c2"))
    (finding,) = story.filed(KIND)
    assert (finding.seam, finding.path, finding.advisory) == ("write", "/port", True)
    assert [subject.id for subject in finding.subjects] == ["login_of", "inventory"]
    assert story.row(KIND)["failed"] == 1


def test_rows_at_a_declared_path_can_be_empty_too() -> None:
    tool = ToolDeclaration(
        name="login_of",
        arguments=(ArgumentSource(argument="port", kind="result", tool="inventory"),),
        rows_at="$.data.rows",
    )
    nothing = shown("login_of", {"port": PORT}, '{"data":{"rows":[]}}', "c2")
    assert len(told(INVENTORY, nothing, tool=tool).filed(KIND)) == 1


def test_the_tools_own_answer_counts_and_not_what_the_host_made_of_it() -> None:
    lookup = shown("login_of", {"port": PORT}, "Nothing to report.", "c2")
    assert len(told(INVENTORY, lookup, returned="[]").filed(KIND)) == 1


@pytest.mark.parametrize(
    ("results", "count"),
    [
        ((INVENTORY, shown("login_of", {"port": PORT}, '[{"up":true}]', "c2")), {"passed": 1}),
        (
            (INVENTORY, shown("login_of", {"port": "20:00:00:11:c4:a1:00:ff"}, "[]", "c2")),
            {"passed": 1},
        ),
        ((INVENTORY, shown("login_of", {"port": PORT[:-3]}, "[]", "c2")), {"passed": 1}),
        ((INVENTORY, shown("login_of", {"port": "2e", "n": 7}, "[]", "c2")), {"passed": 1}),
    ],
    ids=["rows", "another value", "a piece of the value", "nothing to look for"],
)
def test_what_says_nothing_of_a_source_passes(
    results: tuple[list[Message], ...], count: dict[str, int]
) -> None:
    story = told(*results)
    assert story.filed(KIND) == []
    assert {name: story.row(KIND)[name] for name in count} == count


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        ((INVENTORY, shown("login_of", {"port": PORT}, '{"rows":[]}', "c2")), "unreadable-rows"),
        ((INVENTORY, shown("login_of", {"port": PORT}, "none found", "c2")), "unreadable-rows"),
        ((INVENTORY, shown("login_of", {"port": PORT}, "[]", "c2", error=True)), "error"),
        ((INVENTORY,), "no-armed-result"),
        (
            (shown("other", {}, PORT, "c1"), shown("login_of", {"port": PORT}, "[]", "c2")),
            "sources-served-nothing",
        ),
        (
            (shown("inventory", {}, "", "c1"), shown("login_of", {"port": PORT}, "[]", "c2")),
            "sources-served-nothing",
        ),
        ((INVENTORY, shown("login_of", "{'port'", "[]", "c2")), "unreadable-arguments"),
    ],
)
def test_where_nothing_can_be_compared_the_reason_is_kept(
    results: tuple[list[Message], ...], reason: str
) -> None:
    story = told(*results)
    assert story.filed(KIND) == []
    assert story.row(KIND)["reasons"] == {reason: 1}


def test_the_last_page_of_a_lookup_that_had_rows_is_an_end() -> None:
    story = told(
        INVENTORY,
        shown("login_of", {"port": PORT, "page": 1}, '[{"up":true}]', "c2"),
        shown("login_of", {"port": PORT, "page": 2}, "[]", "c3"),
    )
    assert story.filed(KIND) == []


def test_the_notice_can_be_switched_off() -> None:
    story = Story()
    story.declare(LOGIN, checks={"empty_lookups": False})
    story.request(frame(USER, *INVENTORY, *shown("login_of", {"port": PORT}, "[]", "c2")))
    assert story.row(KIND)["reasons"] == {"switched-off": 1}


@pytest.mark.parametrize("text", ['{"note":"caf\\u00e9","rows":[]}', '{"a":"groundwire_absence"}'])
def test_an_object_without_a_declared_path_is_no_list_of_rows_however_it_is_spelled(
    text: str,
) -> None:
    assert read_rows(text).shape == "unreadable"
    assert not read_rows(text).empty
