"""Two spellings of one deed have one key, and two deeds have two."""

from __future__ import annotations

import json
import unicodedata
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.errors import EncodingError
from groundwire.grounding.once.keys import business_key

EXAMPLES = settings(max_examples=120, deadline=None)
WORDS = st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    LEAVES | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def key(text: str) -> str | None:
    """The key of a call with this as its argument; None where it says nothing."""
    try:
        return business_key(f'{{"a":{text}}}', ("a",))
    except EncodingError as error:
        if error.reason not in ("once-key-missing", "number-out-of-range"):
            raise
        return None


@EXAMPLES
@given(WORDS, st.sampled_from(["", " ", "\t", "\u2003", "\u200b", "\x00", "\ufe0f"]))
def test_case_white_space_and_what_nobody_sees_make_no_other_key(word: str, around: str) -> None:
    respelled = [word.upper(), word.casefold(), unicodedata.normalize("NFD", word)]
    first = key(json.dumps(word))
    for each in respelled:
        # Upper case is lossy for a few letters: what casefolds to another text is another word.
        if unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", each).casefold()) != (
            unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
        ):
            continue
        assert key(json.dumps(f"{around}{each}{around}")) == first


@EXAMPLES
@given(NUMBERS, NUMBERS)
def test_numbers_are_one_key_just_where_they_are_one_float(one: Decimal, other: Decimal) -> None:
    assert (key(f"{one:f}") == key(f"{other:f}")) is (float(one) == float(other))
    assert key(f"{one:f}") == key(f"{one:E}".replace("E+", "e+"))


@EXAMPLES
@given(WORDS)
def test_what_a_key_says_of_a_word_has_the_same_key(word: str) -> None:
    first = key(json.dumps(word))
    kind, seen = json.loads(first)[0] if first is not None else ("number", "")
    if kind == "text":
        assert key(json.dumps(seen)) == first


@EXAMPLES
@given(VALUES)
def test_a_key_is_the_same_whatever_the_json_is_spelt_like(value: object) -> None:
    spaced = json.dumps(value, indent=1, ensure_ascii=False)
    assert key(json.dumps(value)) == key(spaced)


@EXAMPLES
@given(VALUES, VALUES)
def test_values_of_two_kinds_are_two_keys(one: object, other: object) -> None:
    kinds = [
        "flag"
        if isinstance(each, bool)
        else "number"
        if isinstance(each, int | float)
        else type(each)
        for each in (one, other)
    ]
    text = str in kinds and "number" in kinds  # a number may stand in a text
    first, second = key(json.dumps(one)), key(json.dumps(other))
    if kinds[0] != kinds[1] and not text and first is not None:
        assert first != second
