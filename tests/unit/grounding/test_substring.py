from __future__ import annotations

from groundwire.grounding.substring import ExternalGround, judge, usable


def test_a_piece_of_a_served_value_passes_here() -> None:
    assert judge("db-7", served=["db-70"], own=[], enums=frozenset()) == ("served", "")


def test_the_enum_is_asked_first_and_external_ground_last() -> None:
    ground = (ExternalGround("fast lane", "click"),)
    assert judge("FAST", served=["fast"], own=[], enums={"fast"}, external=ground)[0] == "schema"
    assert judge("fast", served=["fast"], own=[], enums=set(), external=ground)[0] == "served"
    assert judge("fast", served=[], own=["fast"], enums=set(), external=ground) == (
        "external",
        "click",
    )


def test_the_models_own_text_supports_nothing() -> None:
    assert judge("db-7", served=["x"], own=["I saw DB-7"], enums=set())[0] == "self"
    assert judge("db-7", served=["x"], own=["nothing"], enums=set())[0] == "nowhere"


def test_escapes_are_not_read_here() -> None:
    assert judge(r"D:\v", served=[r'{"p":"D:\\v"}'], own=[], enums=set())[0] == "nowhere"


def test_an_entry_without_value_or_source_grounds_nothing() -> None:
    entries = [None, 5, {"value": " ", "source": "s"}, {"value": "v", "source": ""}, {"value": 5}]
    assert usable(entries) == ()
    assert usable([{"value": "v", "source": "s"}]) == (ExternalGround("v", "s"),)
