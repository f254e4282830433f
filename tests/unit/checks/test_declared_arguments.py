"""Arguments whose source is declared one by one, and what the host said of values."""

from __future__ import annotations

import pytest

from groundwire.checks.choice.unsupported_argument import UnsupportedArgument
from groundwire.checks.engine import Engine
from groundwire.documents.declaration import ArgumentSource, CheckRules, SourceKind
from groundwire.documents.event import Authored, Declared, Executed, Vouched
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Message
from groundwire.documents.policy import ToolDeclaration
from tests.stories import Story, call, frame, message, response, result

KIND = "unsupported-argument"
USER = message("user", "Restart db-7, please, in hall North Gate.")
LISTED = (
    message("assistant", call("list_hosts", {}, "c0")),
    result(
        '{"hosts":[{"name":"db-7","rack":"rack-12"},{"name":"db-8","rack":"rack-44"}],'
        '"note":"see rack-99"}',
        "c0",
    ),
)


def source(argument: str, kind: SourceKind = "result", **given: str) -> ArgumentSource:
    if kind == "result":
        given = {"tool": "list_hosts", **given}
    return ArgumentSource(argument=argument, kind=kind, **given)


def judged(
    arguments: object, *sources: ArgumentSource, shown: tuple[Message, ...] = (USER, *LISTED)
) -> tuple[tuple[Finding, ...], dict[str, object]]:
    story = Story(Engine((UnsupportedArgument(),)))
    story.declare(ToolDeclaration(name="restart", arguments=sources))
    story.request(frame(*shown))
    found = story.respond(response(call("restart", arguments)))
    return found, story.row(KIND)


def test_a_value_of_the_declared_field_is_a_pass() -> None:
    found, row = judged({"host": "db-8"}, source("host", at="$.hosts[*].name"))
    assert found == ()
    assert row["grades"] == {"exact:declared": 1}


def test_a_value_from_another_field_or_another_source_is_a_doubt() -> None:
    (finding,), row = judged({"rack": "rack-99"}, source("rack", at="$.hosts[*].rack"))
    assert (finding.grade, finding.advisory) == ("elsewhere", True)
    assert "not by `list_hosts` at `$.hosts[*].rack`" in finding.message
    assert row["passed"] == 1
    (finding,), _ = judged({"rack": "db-8"}, source("rack", at="$.hosts[*].rack"))
    assert (finding.grade, finding.advisory) == ("elsewhere", True)
    assert "at `/hosts/1/name`" in finding.message
    (finding,), _ = judged({"hall": "North Gate"}, source("hall"))
    assert (finding.grade, finding.advisory) == ("elsewhere", True)


def test_a_value_that_nothing_served_is_a_defect_however_it_is_worded() -> None:
    (finding,), _ = judged({"note": "the gate in the south"}, source("note"))
    assert (finding.grade, finding.advisory) == ("nowhere", False)
    assert "It has to come from a result of `list_hosts`" in finding.message


def test_real_values_of_two_records_are_a_doubt_about_the_second() -> None:
    sources = (source("host", at="$.hosts[*].name"), source("rack", at="$.hosts[*].rack"))
    found, _ = judged({"host": "db-7", "rack": "rack-12"}, *sources)
    assert found == ()
    (finding,), _ = judged({"host": "db-7", "rack": "rack-44"}, *sources)
    assert (finding.grade, finding.path, finding.advisory) == ("other-record", "/rack", True)
    assert "wrong place" in finding.message


def test_what_a_results_own_call_was_given_belongs_to_its_record() -> None:
    shown = (
        message("assistant", call("list_hosts", {"host": "db-7"}, "c1")),
        result('{"rack":"rack-12"}', "c1"),
        message("assistant", call("list_hosts", {"host": "db-8"}, "c2")),
        result('{"rack":"rack-44"}', "c2"),
    )
    sources = (source("host"), source("rack"))
    listed = (*LISTED, *shown)
    found, _ = judged({"host": "db-7", "rack": "rack-12"}, *sources, shown=(USER, *listed))
    assert found == ()


def test_what_the_user_has_to_say_is_looked_for_in_what_users_said() -> None:
    assert judged({"host": "db-7"}, source("host", "user"))[0] == ()
    (finding,), _ = judged({"host": "db-8"}, source("host", "user"))
    assert (finding.grade, finding.advisory) == ("elsewhere", True)
    assert "Declare" not in finding.message
    (finding,), _ = judged({"host": "db-9"}, source("host", "user"))
    assert (finding.grade, finding.advisory) == ("nowhere", False)


@pytest.mark.parametrize("kind", ["free-text", "derived"])
def test_what_a_model_words_or_computes_is_not_looked_for(kind: SourceKind) -> None:
    found, row = judged({"note": "made up w4711"}, source("note", kind))
    assert found == ()
    assert row["grades"] == {kind: 1}


def test_the_elements_of_a_declared_list_are_judged_one_by_one() -> None:
    assert judged({"hosts": "db-7, db-8"}, source("hosts", "list"))[0] == ()
    (finding,), _ = judged({"hosts": "db-7, db-9"}, source("hosts", "list"))
    assert (finding.grade, finding.advisory) == ("nowhere", False)
    assert "`db-9`" in finding.message


def test_the_elements_of_a_list_of_a_declared_field_come_from_there() -> None:
    listed = source("hosts", "list", tool="list_hosts", at="$.hosts[*].name")
    assert judged({"hosts": "db-7, db-8"}, listed)[0] == ()
    (finding,), _ = judged({"hosts": "db-7, rack-99"}, listed)
    assert (finding.grade, finding.advisory) == ("elsewhere", True)
    (finding,), _ = judged({"hosts": "db-7, db-9"}, listed)
    assert not finding.advisory


def test_a_declared_form_is_enough_and_another_form_is_not() -> None:
    form = source("day", "pattern", pattern=r"\d{4}-\d\d-\d\d")
    assert judged({"day": "2031-05-02"}, form)[0] == ()
    (finding,), _ = judged({"day": "db-7"}, form)
    assert (finding.grade, finding.advisory) == ("other-form", True)
    (finding,), _ = judged({"day": "db-9"}, form)
    assert (finding.grade, finding.advisory) == ("nowhere", False)


def test_where_single_arguments_are_declared_the_others_are_not_judged() -> None:
    found, row = judged({"host": "db-7", "other": "db-9"}, source("host"))
    assert found == ()
    assert row["grades"] == {"exact:declared": 1}


def test_a_source_holds_for_every_item_under_it_and_for_short_and_numeric_values() -> None:
    assert len(judged({"racks": [{"id": 9}, {"id": 8}]}, source("racks[*].id"))[0]) == 2
    assert len(judged({"racks": ["r9"]}, source("racks"))[0]) == 1


def story_of(*, arm_all: bool = True) -> Story:
    story = Story(Engine((UnsupportedArgument(),)))
    story.declare(arm_all=arm_all)
    return story


def test_a_number_is_judged_where_its_field_says_that_it_is_an_identifier() -> None:
    story = story_of()
    story.request(frame(message("user", "Cancel order 4411.")))
    assert story.respond(response(call("cancel", {"order_id": 4411, "count": 9999}))) == ()
    story.request(frame(message("user", "Cancel order 4411.")))
    (finding,) = story.respond(response(call("cancel", {"order_id": 4412})))
    assert (finding.grade, finding.path, finding.advisory) == ("nowhere", "/order_id", False)


def test_a_vouched_value_is_excused_last_and_counted() -> None:
    story = story_of()
    story.tell(Vouched(step=1, at="", value="row: DB-9 | ok", source="a click"))
    story.tell(Vouched(step=2, at="", value="db-6", source=" "))
    story.request(frame(USER))
    assert story.respond(response(call("restart", {"host": "db-9", "other": "db-7"}))) == ()
    assert story.row(KIND)["grades"] == {"vouched": 1, "exact": 1}
    story.request(frame(USER))
    assert len(story.respond(response(call("restart", {"host": "db-6"})))) == 1


def test_what_the_host_wrote_itself_serves_nothing() -> None:
    story = story_of()
    text = "Your answer named db-9, which no result holds."
    story.tell(Authored(step=1, at="", text=text, kind="correction"))
    story.request(frame(USER, message("user", f"Restart db-8.\n{text}")))
    assert story.respond(response(call("restart", {"host": "db-8"}))) == ()
    story.request(frame(USER, message("user", f"Restart db-8.\n{text}")))
    (finding,) = story.respond(response(call("restart", {"host": "db-9"})))
    assert finding.grade == "self"
    assert "the host wrote itself" in finding.message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("user-evicted", "a user message that the window has since dropped"),
        ("served-evicted", "a tool result of `list_hosts`"),
        ("returned-unserved", "no request has shown it"),
        ("never-served", "stands nowhere"),
        ("self-made", "the model's own earlier text"),
    ],
)
def test_a_finding_says_where_the_value_comes_from(given: str, words: str) -> None:
    story = story_of()
    value = {"user-evicted": "db-71", "served-evicted": "db-72", "returned-unserved": "db-73"}
    listing = result('{"host":"db-72"}', "c0", name="list_hosts")
    own = message("assistant", "Perhaps it is db-75.")
    story.request(frame(message("user", "Restart db-71."), own, LISTED[0], listing))
    story.tell(
        Executed(
            step=3,
            at="",
            execution=0,
            call_id="c9",
            link="id",
            exchange=0,
            lane=0,
            name="list_hosts",
            arguments="{}",
            result='{"host":"db-73"}',
        )
    )
    story.request(frame(message("user", "Go on."), own))
    host = value.get(given, "db-75" if given == "self-made" else "db-79")
    (finding,) = story.respond(response(call("restart", {"host": host})))
    assert words in finding.message
    assert not finding.advisory


def test_a_value_that_stands_withheld_is_never_filed() -> None:
    story = story_of()
    story.request(frame(USER))
    value = "token \u27e6withheld secret a1b2c3\u27e7"
    assert story.respond(response(call("login", {"token_id": value}))) == ()
    assert story.row(KIND)["grades"] == {"withheld": 1}


def test_where_not_everything_is_held_nothing_is_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire.grounding.index.Index.unread", range(1, 2))
    story = story_of()
    story.request(frame(USER, message("user", "And db-9.")))
    assert story.respond(response(call("restart", {"host": "db-4"}))) == ()
    assert story.row(KIND)["reasons"] == {"index-truncated": 1}


def test_an_equivalence_that_is_turned_off_accepts_nothing() -> None:
    story = Story(Engine((UnsupportedArgument(),)))
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=(),
            grounding="whole",
            posture="observe",
            arm_all=True,
            checks=CheckRules(equivalences_off=("case",)),
        )
    )
    story.request(frame(USER))
    assert len(story.respond(response(call("restart", {"host": "DB-7"})))) == 1


def test_under_the_original_rules_a_piece_passes_and_an_echo_serves() -> None:
    story = Story(Engine((UnsupportedArgument(),)))
    story.tell(
        Declared(
            step=0,
            at="",
            declarations=(),
            grounding="whole",
            posture="observe",
            arm_all=True,
            checks=CheckRules(rules="original"),
        )
    )
    asked = message("assistant", call("find", {"host": "db-9"}))
    story.request(frame(message("user", "db-70"), asked, result("no db-9")))
    arguments = {"host": "db-7 ", "other": "db-9", "order_id": 4411}
    assert story.respond(response(call("restart", arguments))) == ()


def test_of_an_undeclared_tool_words_and_computed_amounts_are_doubts_and_texts_are_silent() -> None:
    story = story_of()
    story.request(frame(USER))
    given = {"channel": "general", "price": "12.50", "body": "hello all", "query": "gate"}
    found = story.respond(response(call("post", given)))
    assert [(finding.path, finding.advisory) for finding in found] == [
        ("/channel", True),
        ("/price", True),
    ]
    assert story.row(KIND)["grades"] == {"nowhere": 2, "worded": 1, "exact:case": 1}


def test_of_an_undeclared_tool_an_invented_address_in_a_text_is_a_defect() -> None:
    story = story_of()
    story.request(frame(USER))
    body = "please see https://shop.example/verify?token=12 today"
    (finding,) = story.respond(response(call("mail", {"body": body})))
    assert not finding.advisory
    assert "`https://shop.example/verify?token=12`" in finding.message


def test_the_words_of_a_search_are_silent_but_for_an_address_without_its_label() -> None:
    story = story_of()
    story.request(frame(message("user", "Find what ivy@example.com wrote.")))
    assert story.respond(response(call("find", {"query": "from:ivy@example.com"}))) == ()
    story.request(frame(message("user", "Find what ivy@example.com wrote.")))
    assert story.respond(response(call("find", {"query": "rtx4090"}))) == ()
    story.request(frame(message("user", "Find what ivy@example.com wrote.")))
    (finding,) = story.respond(response(call("find", {"query": "from:ivy@example.org"})))
    assert "`ivy@example.org`" in finding.message


def test_a_placeholder_is_a_defect_and_so_are_words_where_an_identifier_belongs() -> None:
    story = story_of()
    story.request(frame(USER))
    given = {"name": "<host name here>", "host_id": "result of the search"}
    found = story.respond(response(call("restart", given)))
    assert [finding.advisory for finding in found] == [False, False]
