"""Properties of grounding: what was served whole is found, and a cut-out piece is not."""

from __future__ import annotations

import json
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.ground import Ground
from groundwire.grounding.spellings.plain import plain
from tests.stories import frame, message, result

LETTERS = string.ascii_lowercase + string.digits
PIECE = st.text(LETTERS, min_size=2, max_size=6)
IDENTIFIER = st.lists(PIECE, min_size=2, max_size=4).map("-".join)
ANY = st.text(max_size=40)
# Between words: what ends a token on both sides, whatever stands beyond it.
EDGE = st.sampled_from([" ", "\n", '"', "(", ")", "[", "|", ";", " - ", "=", "<", "`", "\u3002"])


def grade(value: str, *texts: str) -> str:
    ground = Ground()
    ground.show(0, frame(*(message("user", text) for text in texts)))
    return ground.support(0, value).grade


@given(IDENTIFIER, ANY, EDGE, EDGE, ANY)
def test_an_identifier_between_edges_is_whole(
    value: str, before: str, left: str, right: str, after: str
) -> None:
    text = fold(f"{before}{left}{value}{right}{after}")
    assert standing(text, fold(value))[0] == "whole"
    assert grade(value, f"{before}{left}{value}{right}{after}") == "exact"


@given(IDENTIFIER, st.integers(1, 5), st.integers(0, 5))
def test_an_identifier_cut_at_its_ends_is_a_fragment(value: str, left: int, right: int) -> None:
    piece = value[left : len(value) - right].strip("-")
    if len(piece) >= 4 and piece != value and value.count(piece) == 1:
        assert grade(piece, f"job {value} ran") == "fragment"


@given(IDENTIFIER, IDENTIFIER)
def test_an_identifier_that_stands_nowhere_is_nowhere(value: str, other: str) -> None:
    if value not in other:
        assert grade(value, f"job {other} ran") == "nowhere"


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=30), max_size=5), st.integers(0, 2))
def test_every_string_of_a_json_result_is_exact_however_often_it_is_nested(
    values: dict[str, str], depth: int
) -> None:
    text = json.dumps(values)
    for _ in range(depth):
        text = json.dumps({"inner": text})
    ground = Ground()
    ground.show(0, frame(result(text)))
    for value in values.values():
        if fold(value) and "\\" not in value and "''" not in value:
            assert ground.support(0, value).grade == "exact", value


@given(ANY)
def test_a_text_is_its_own_first_reading(text: str) -> None:
    assert readings(text)[0] == fold(text)


@given(ANY, ANY)
def test_spellings_are_folded_pieces_of_the_value_or_the_same_amount_and_never_empty(
    one: str, two: str
) -> None:
    value = fold(one + two)
    if value:
        for spelling, method in plain(value):
            assert spelling
            assert spelling in value or method in {"www", "thousands", "number", "unit"}


@settings(max_examples=60)
@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), st.data())
def test_a_view_that_was_shown_frame_by_frame_sees_what_a_fresh_one_sees(
    letters: list[str], data: st.DataObject
) -> None:
    messages = [message("user", f"value-{letter}-{letter}") for letter in letters]
    stepwise = Ground()
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(messages)))
        shown = frame(*messages[start : data.draw(st.integers(start, len(messages)))])
        stepwise.show(0, shown)
        fresh = Ground()
        fresh.show(0, shown)
        for letter in "abcdef":
            value = f"value-{letter}-{letter}"
            assert stepwise.support(0, value).grade == fresh.support(0, value).grade
