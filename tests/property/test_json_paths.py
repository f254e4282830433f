"""Any text is a path or an `EncodingError`; a path leads to what its pointers name."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.canon import paths
from groundwire.canon.paths import EACH, Steps
from groundwire.errors import EncodingError

STEPS: st.SearchStrategy[Steps] = st.lists(
    st.text(max_size=6) | st.integers(0, 10**9 - 1) | st.just(EACH), max_size=12
).map(tuple)
KEYS = st.sampled_from(["a", "b c", "~/", "0", ""])
DOCUMENTS = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
SHORT: st.SearchStrategy[Steps] = st.lists(
    KEYS | st.integers(0, 2) | st.just(EACH), max_size=4
).map(tuple)


@given(text=st.text(max_size=30) | st.text("$.[]*'\"\\a0", max_size=20).map(lambda t: f"${t}"))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_path_or_an_encoding_error(text: str) -> None:
    try:
        steps = paths.parse(text)
    except EncodingError as error:
        assert error.reason == "bad-json-path"  # noqa: PT017 -- either way is right here
        return
    assert paths.parse(paths.spelled(steps)) == steps


@given(steps=STEPS)
@settings(max_examples=200, deadline=None)
def test_steps_are_spelled_so_that_they_are_read_again(steps: Steps) -> None:
    assert paths.parse(paths.spelled(steps)) == steps


@given(document=DOCUMENTS, steps=SHORT)
@settings(max_examples=200, deadline=None)
def test_every_pointer_names_the_value_beside_it_and_the_path_leads_there(
    document: object, steps: Steps
) -> None:
    path = paths.spelled(steps)
    for place, value in paths.follow(document, path):  # type: ignore[arg-type]  # JSON by its making
        assert paths.pointers(path).fullmatch(place)
        assert _at(document, place) is value


def _at(document: object, place: str) -> object:
    for token in place.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]  # type: ignore[index] # a dict then
    return document
