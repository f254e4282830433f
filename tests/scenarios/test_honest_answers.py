"""Honest agents: what they rightly say, convert, add up and shorten is no finding."""

from __future__ import annotations

import msgspec
import pytest

from tests.stories import Story, call, frame, message, response, result

# What was asked, what the tool returned, what the agent said.
HONEST = {
    "cents": (
        "What do I owe?",
        [{"no": "INV-1001", "amount_cents": 129900}, {"no": "INV-1002", "amount_cents": 4550}],
        "You owe $1,344.50 in total: $1,299.00 for INV-1001 and $45.50 for INV-1002.",
    ),
    "another unit of speed": (
        "How windy is it?",
        {"wind": "11 m/s"},
        "The wind blows at 11 m/s (about 40 km/h).",
    ),
    "a script without spaces": (
        "\u6ce8\u6587\u306f\uff1f",
        {"id": "A-5521", "eta": "2031-04-12"},
        "A-5521\u306f\u767a\u9001\u6e08\u307f\u3067\u30012031\u5e744\u670812\u65e5\u306b\u5230\u7740\u4e88\u5b9a\u3067\u3059\u3002",
    ),
    "a number within such a script": (
        "\u6ce8\u6587\u306f\uff1f",
        {"count": 12400},
        "\u5728\u5eab\u306f12400\u500b\u3042\u308a\u307e\u3059\u3002",
    ),
    "a subtotal and its tax": (
        "I bought 3 items at $19.99 and one at $5. What is the total with 8% tax?",
        {"ok": True},
        "3 \u00d7 $19.99 = $59.97, plus $5 is $64.97. With 8% tax ($5.20) the total is $70.17.",
    ),
    "so many nights": (
        "Find a hotel.",
        [{"name": "Casa Azul", "price": 98}, {"name": "Ribeira Loft", "price": 115}],
        """**Casa Azul** \u2013 \u20ac98 per night, rated well
**Ribeira Loft** \u2013 \u20ac115 per night, rated well

For three nights Casa Azul comes to \u20ac294.""",
    ),
    "the parts of one record": (
        "How many failed?",
        {"ok": 187, "failed": 13},
        "13 of 200 jobs failed, which is 6.5%.",
    ),
    "an identifier that says it is cut": (
        "Delete session 9F1C2D3E-0A1B-4C5D-8E9F-001122334455.",
        {"done": True},
        "The session 9f1c2d3e\u2026 is gone.",
    ),
    "a value before its name": (
        "Latency?",
        [{"node": "n1", "ms": 120}, {"node": "n2", "ms": 80}, {"node": "n3", "ms": 100}],
        "The highest latency is 120 ms on n1 and the lowest is 80 ms on n2.",
    ),
    "what is there now": (
        "Move 250 from savings to checking.",
        [{"type": "checking", "balance": 120.55}, {"type": "savings", "balance": 1900}],
        "I moved $250. Checking now has $370.55 and savings $1,650.00.",
    ),
}
# One word of each made wrong: what accepts the above accepts no error.
WRONG = {
    "cents": ("$45.50 for", "$45.80 for"),
    "another unit of speed": ("40 km/h", "90 km/h"),
    "so many nights": ("294", "284"),
    "the parts of one record": ("of 200 jobs", "of 210 jobs"),
    "an identifier that says it is cut": ("9f1c2d3e", "9f1c2d4e"),
    "a value before its name": ("80 ms on n2", "80 ms on n3"),
    "what is there now": ("$370.55", "$370.65"),
}


def filed(asked: str, served: object, said: str) -> list[str]:
    story = Story()
    story.declare(arm_all=True)
    looked = message("assistant", call("look"))
    returned = result(msgspec.json.encode(served).decode())
    story.request(frame(message("user", asked), looked, returned, tools=("look",)))
    story.respond(response(said))
    return [one.kind for one in story.engine.findings() if not one.advisory]


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_is_not_accused(name: str) -> None:
    assert filed(*HONEST[name]) == []


@pytest.mark.parametrize("name", WRONG)
def test_the_same_answer_with_a_wrong_value_is(name: str) -> None:
    asked, served, said = HONEST[name]
    right, wrong = WRONG[name]
    assert said.count(right) == 1
    assert filed(asked, served, said.replace(right, wrong)) != []


def test_only_a_field_that_says_so_holds_cents() -> None:
    assert filed("What do I owe?", {"no": "INV-1", "amount": 4550}, "You owe $45.50.") != []


@pytest.mark.parametrize(("version", "grades"), [("2.4.2", []), ("2.4.7", ["nowhere"])])
def test_a_version_pinned_to_its_name_is_both_of_them(version: str, grades: list[str]) -> None:
    story = Story()
    story.declare(arm_all=True)
    looked = message("assistant", call("look"))
    asked = message("user", "Upgrade lodestar.")
    story.request(frame(asked, looked, result('["2.4.1","2.4.2"]'), tools=("look", "install")))
    story.respond(response(call("install", {"package": f"lodestar=={version}"}, "c2")))
    assert [one.grade for one in story.filed("unsupported-argument")] == grades


def test_arithmetic_over_what_a_person_said_is_no_evidence_of_an_earlier_turn() -> None:
    story = Story()
    story.declare(arm_all=True)
    story.request(frame(message("user", "3 items at $19.99?"), tools=("look",)))
    story.respond(response("3 \u00d7 $19.99 = $59.97."))
    assert story.engine.findings() == ()
