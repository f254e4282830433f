from __future__ import annotations

import msgspec
import pytest

from groundwire.documents.frame import Media, Message, Reasoning, ToolSpec
from groundwire.grounding.ground import Ground, Support
from groundwire.grounding.index import Index
from groundwire.grounding.lookup.echoes import Echoes
from tests.stories import call, frame, message, result

USER = message("user", "Restart db-7 in hall North Gate.")


def support(value: str, *messages: Message, tools: tuple[ToolSpec, ...] = ()) -> Support:
    ground = Ground()
    ground.show(0, frame(*messages, tools=tools))
    return ground.support(0, value, tools)


@pytest.mark.parametrize(
    ("value", "text", "method"),
    [
        ("db-7", "Restart db-7.", "exact"),
        ("  DB-7 ", "Restart db-7.", "case"),
        ("hall North  Gate", "In hall\nnorth gate", "case+white-space"),
        ("#w4711", "order W4711", "sigil"),
        ("w4711", "order #W4711", "case"),
        ("https://shop.example/a/", "see shop.example/a", "scheme"),
        ("shop.example", "see https://www.shop.example/", "www"),
        ("1500", "costs 1,500", "thousands"),
        ("/srv/log/app.txt", "app.txt was put into srv/log", "path"),
        ("app.txt", "/srv/log/app.txt", "path"),
        ("2031-05-02", "on May 2nd, 2031", "date"),
        ("db-7, db-8", "db-8 and db-7", "list"),
    ],
)
def test_a_value_that_was_served_whole_is_exact(value: str, text: str, method: str) -> None:
    found = support(value, message("user", text))
    assert (found.grade, found.method) == ("exact", method)


@pytest.mark.parametrize(
    "text",
    [
        r'{"path":"D:\\vault\\x","note":"caf\u00e9 \"blue\""}',
        r'{"path":"D:\\vault\\x","note":"café \"blue\""}' + "\n[note: 2 rows]",
        r'{"a":1}{"path":"D:\\vault\\x","note":"café \"blue\""}',
        r'{"path":"D:\\vault\\x","note":"café \"blue\"","cut":"her',
        msgspec.json.encode(r'{"path":"D:\\vault\\x","note":"café \"blue\""}').decode(),
        r"{'path': 'D:\\vault\\x', 'note': 'caf\xe9 " + r"\"blue\"'}",
    ],
    ids=["escaped", "with-notes", "two-blocks", "cut-short", "in-a-string", "of-python"],
)
@pytest.mark.parametrize("value", [r"D:\vault\x", 'café "blue"'])
def test_a_result_that_is_json_is_read_unescaped(text: str, value: str) -> None:
    assert support(value, call_message(), result(text)).grade == "exact"


def call_message() -> Message:
    return message("assistant", call("list_hosts"))


@pytest.mark.parametrize(
    ("value", "text", "around"),
    [
        ("4711-delta", "job bkp-4711-delta-tier2 ran", "bkp-4711-delta-tier2"),
        ("srv-1", "srv-10 is up", "srv-10"),
        ("card_7334", "credit_card_7334", "credit_card_7334"),
        ("12 Main Str", "12 Main Street", "12 main street"),
    ],
)
def test_a_piece_of_a_served_value_is_a_fragment_and_shows_the_whole(
    value: str, text: str, around: str
) -> None:
    found = support(value, message("user", text))
    assert found.grade == "fragment"
    assert found.hit is not None
    assert found.hit.around == around


@pytest.mark.parametrize(
    "own",
    [
        message("assistant", "I think it is db-9."),
        message("assistant", Reasoning("db-9, perhaps")),
        message("assistant", call("restart", {"host": "db-9"})),
        message("assistant", "Its job is bkp-db-9-tier2."),
    ],
    ids=["prose", "reasoning", "earlier-call", "cut-from-prose"],
)
def test_a_value_that_only_the_model_wrote_is_self(own: Message) -> None:
    assert support("db-9", USER, own).grade == "self"


def test_a_value_in_no_text_is_nowhere() -> None:
    found = support("db-9", USER)
    assert (found.grade, found.hit, found.gone) == ("nowhere", None, None)


@pytest.mark.parametrize("word", ["rack-enum", "rack-default", "rack-const", "rack-example"])
def test_a_value_of_any_offered_schema_is_exact(word: str) -> None:
    fields = {
        "enum": ["rack-enum"],
        "default": "rack-default",
        "const": "rack-const",
        "examples": ["rack-example"],
    }
    tool = ToolSpec(name="move", schema=msgspec.json.encode({"properties": {"r": fields}}).decode())
    found = support(word, USER, tools=(ToolSpec(name="other", schema="{}"), tool))
    assert (found.grade, found.method) == ("exact", "schema")
    assert found.hit is not None
    assert found.hit.passage.tool == "move"


def test_the_tool_whose_schema_holds_a_value_whole_is_named() -> None:
    longer = ToolSpec(name="other", schema='{"enum":["rack-enum-12"]}')
    whole = ToolSpec(name="move", schema='{"enum":["rack-enum"]}')
    hit = support("rack-enum", USER, tools=(longer, whole)).hit
    assert hit is not None
    assert hit.passage.tool == "move"


def test_a_piece_of_a_schemas_value_is_not_served_by_it() -> None:
    tool = ToolSpec(name="move", schema='{"enum":["rack-enum-12"]}')
    assert support("rack-enum", USER, tools=(tool,)).grade == "nowhere"


def test_the_tools_of_another_request_serve_nothing() -> None:
    ground, tool = Ground(), ToolSpec(name="move", schema='{"enum":["rack-enum"]}')
    ground.show(0, frame(USER))
    assert ground.support(0, "rack-enum", (tool,)).grade == "exact"
    assert ground.support(0, "rack-enum", ()).grade == "nowhere"
    newer = ToolSpec(name="move", schema='{"enum":["rack-new"]}')
    assert ground.support(0, "rack-new", (newer,)).grade == "exact"
    assert ground.support(0, "rack-enum", (newer,)).grade == "nowhere"


def test_a_value_the_window_dropped_is_nowhere_and_known_to_be_gone() -> None:
    ground = Ground()
    listing = result('{"host":"db-9"}', name="list_hosts")
    ground.show(0, frame(USER, call_message(), listing))
    assert ground.support(0, "db-9").grade == "exact"
    ground.show(0, frame(USER))
    found = ground.support(0, "db-9")
    assert found.grade == "nowhere"
    assert found.gone is not None
    assert found.gone.passage.tool == "list_hosts"


def test_a_piece_of_a_dropped_value_in_the_models_own_words_is_self_and_gone() -> None:
    ground = Ground()
    prose = message("assistant", "The job is bkp-4711-delta-tier2.")
    ground.show(0, frame(USER, call_message(), result("bkp-4711-delta-tier2"), prose))
    ground.show(0, frame(USER, prose))
    found = ground.support(0, "4711-delta")
    assert found.grade == "self"
    assert found.gone is not None
    assert found.gone.around == "bkp-4711-delta-tier2"


def test_what_another_lane_saw_serves_nothing_here() -> None:
    ground = Ground()
    ground.show(0, frame(message("user", "db-9")))
    ground.show(1, frame(USER))
    assert ground.support(1, "db-9").grade == "nowhere"
    assert ground.support(1, "db-9").gone is None
    assert ground.support(0, "db-9").grade == "exact"


def test_where_the_provider_keeps_the_conversation_earlier_texts_are_not_gone() -> None:
    ground = Ground()
    ground.show(0, frame(message("user", "db-9")))
    ground.show(0, frame(message("user", "go on"), held="resp_1"))
    assert not ground.is_judgeable(0)
    assert ground.support(0, "db-9").grade == "exact"


def test_the_latest_passage_that_holds_the_value_is_named() -> None:
    found = support("db-7", USER, result("db-7", "c1", "one"), result("db-7", "c2", "two"))
    assert found.hit is not None
    assert found.hit.passage.call_id == "c2"


@pytest.mark.parametrize(
    ("value", "shape", "part"),
    [
        ("db-9", "token", ""),
        ("ivy stone", "short-phrase", ""),
        ("Please look after the lights in there", "phrase", ""),
        ("2031-05-03", "moment", ""),
        ("17:45", "moment", ""),
        ("refund w4712 to the customer today", "token", "w4712"),
        ("refund w4711 to the customer today", "phrase", ""),
        ("first line w4712\nsecond line", "phrase", ""),
        (r"say again \"w4711\" and\nw4711", "phrase", ""),
    ],
)
def test_an_unsupported_value_has_a_shape(value: str, shape: str, part: str) -> None:
    found = support(value, message("user", "Today is 2031-05-02, order W4711."))
    assert (found.grade, found.shape, found.part) == ("nowhere", shape, part)


@pytest.mark.parametrize(
    ("value", "grade", "part"),
    [
        ('{"host":"db-7","hall":{"name":"North Gate"}}', "exact", ""),
        ('["db-7",{"n":3}]', "exact", ""),
        ('{"n":3}', "exact", ""),
        ('{"host":"db-7","other":"db-9"}', "nowhere", "db-9"),
        ('{"note":"look after it well please","host":"db-9"}', "nowhere", "db-9"),
        ('{"inner":"{\\"host\\":\\"db-9\\"}"}', "nowhere", "db-9"),
        ('{"note":"look after it well please","host":"db-7"}', "nowhere", ""),
        ('{"host":"db-7",', "nowhere", ""),
    ],
)
def test_a_value_that_is_json_is_judged_by_its_strings(value: str, grade: str, part: str) -> None:
    found = support(value, USER)
    assert (found.grade, found.part) == (grade, part)


def test_a_date_of_a_year_that_nothing_served_is_an_invention_like_any_other() -> None:
    assert support("2031-05-03", USER).shape == "token"


@pytest.mark.parametrize("value", ["----", "\u2026\u2026\u2026\u2026", "!!!!"])
def test_a_value_without_letters_or_digits_is_looked_up_too(value: str) -> None:
    assert support(value, message("user", f"a {value} b")).grade == "exact"
    assert support(value, USER).grade == "nowhere"


def test_media_make_a_request_unread_until_the_window_drops_them() -> None:
    ground = Ground()
    ground.show(0, frame(message("user", Media("image/png", "sha256:", 1))))
    assert ground.has_unread(0)
    ground.show(0, frame(USER))
    assert not ground.has_unread(0)


def test_a_text_is_read_once_however_many_frames_show_it() -> None:
    ground = Ground()
    shown = [message("user", f"line {n}") for n in range(200)]
    for length in range(1, 201):
        ground.show(0, frame(*shown[:length]))
        ground.support(0, f"line {length - 1}")
    assert ground.counts(0) == (200, 0)


def test_past_what_is_held_nothing_is_read_and_whoever_asks_is_told() -> None:
    ground = Ground(Index(most_characters=20))
    ground.show(0, frame(USER))
    assert ground.support(0, "db-7").grade == "exact"
    assert not ground.is_truncated(0)
    ground.show(0, frame(USER, message("user", "And db-9.")))
    assert ground.support(0, "db-9").grade == "nowhere"
    assert ground.is_truncated(0)
    ground.show(0, frame(USER))
    assert not ground.is_truncated(0)
    assert ground.support(0, "----").grade == "nowhere"


def test_a_piece_is_found_however_many_texts_came_before_and_after() -> None:
    ground = Ground()
    texts = [f"job bkp-{number:05}-delta and {'words ' * 200}" for number in range(150)]
    for upto in (1, 80, 150):
        ground.show(0, frame(*(message("user", text) for text in texts[:upto])))
        for number in (0, upto // 3, upto - 1):
            found = ground.support(0, f"{number:05}-delta")
            assert (found.grade, found.hit and found.hit.around) == (
                "fragment",
                f"bkp-{number:05}-delta",
            )
            assert ground.support(0, f"bkp-{number:05}-delta").grade == "exact"


def test_a_value_that_the_models_prose_holds_whole_is_self_even_beside_a_longer_one() -> None:
    own = message("assistant", "I mean db-9.")
    assert support("db-9", message("user", "db-90"), own).grade == "self"
    assert support("db-9", message("user", "db-90")).grade == "fragment"


def test_a_text_that_came_after_the_last_look_is_found() -> None:
    ground, shown = Ground(), [USER]
    ground.show(0, frame(*shown))
    assert ground.support(0, "db-9").grade == "nowhere"
    shown.append(message("user", "And db-9."))
    ground.show(0, frame(*shown))
    assert ground.support(0, "db-9").grade == "exact"


def test_a_list_is_asked_once_whether_a_result_only_repeats_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []
    is_echo = Echoes.is_echo

    def spied(self: Echoes, number: int, folded: str) -> bool:
        asked.append(number)
        return is_echo(self, number, folded)

    monkeypatch.setattr(Echoes, "is_echo", spied)
    ground = Ground()
    value = ", ".join(str(number) for number in range(100, 160))
    ground.show(0, frame(message("user", value.replace(",", " or"))))
    assert ground.support(0, value).grade == "exact"
    assert len(asked) == 1
