"""What was read of a text is kept, and no more of it than was said."""

from __future__ import annotations

import gc
import weakref

import pytest

from groundwire.grounding.binding.names import Names
from groundwire.grounding.records import evidence as room
from groundwire.grounding.records.evidence import Evidence
from groundwire.grounding.records.keeping import Kept
from groundwire.grounding.records.record import Field, Reading, Record


def kept(most: int) -> tuple[Kept[list[str]], list[tuple[str, str]]]:
    asked: list[tuple[str, str]] = []

    def read(text: str, beside: str) -> list[str]:
        asked.append((text, beside))
        return [text, beside]

    return Kept(read, most), asked


def test_a_text_is_read_once_with_what_stands_beside_it() -> None:
    keep, asked = kept(100)
    assert keep("a") is keep("a")
    assert keep("a", "b") is not keep("a")
    assert asked == [("a", ""), ("a", "b")]


def test_the_texts_kept_have_no_more_characters_than_were_allowed() -> None:
    keep, asked = kept(16)
    for text in ("a" * 4, "b" * 4, "c" * 4, "a" * 4, "d" * 4):
        keep(text)
    assert len(asked) == 4
    # The one that was asked for longest ago is gone, the others are not.
    for text in ("a" * 4, "c" * 4, "d" * 4):
        keep(text)
    assert len(asked) == 4
    keep("b" * 4)
    assert len(asked) == 5


def test_a_text_is_kept_however_long_it_is() -> None:
    keep, asked = kept(10)
    keep("a" * 4)
    assert keep("b" * 99) is keep("b" * 99)
    assert keep("c" * 99) is keep("c" * 99)
    assert len(asked) == 3
    keep("a" * 4)
    assert len(asked) == 4


def test_a_text_that_is_forgotten_takes_its_names_with_it() -> None:
    record = Record(table=0, parent=-1, pointer="", names=("petrel-7",), fields=(), end=1)
    evidence = Evidence(Reading(records=(record,), prose=()))
    Names([evidence])
    gone = weakref.ref(evidence)
    del evidence
    gc.collect()
    assert gone() is None


def test_values_are_not_read_to_say_that_a_short_text_was_read_whole() -> None:
    evidence = Evidence(Reading(records=(), prose=("12 crates",)))
    assert not evidence.capped
    assert "sites" not in vars(evidence)
    assert [str(site.number) for site in evidence.sites] == ["12"]


def test_more_values_than_are_read_are_said_to_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_VALUES", 2)
    field = Field(key="used", pointer="/used", text="41 42 43", number=None)
    record = Record(table=0, parent=-1, pointer="", names=(), fields=(field,), end=1)
    assert Evidence(Reading(records=(record,), prose=())).capped
    assert Evidence(Reading(records=(), prose=("41 42 43",))).capped
    assert not Evidence(Reading(records=(), prose=("a few words, 41 of them",))).capped
