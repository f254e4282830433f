from __future__ import annotations

import pytest
from msgspec import structs

from groundwire.canon import digest
from groundwire.documents.content import Content, Withheld
from groundwire.recording import content as contents
from groundwire.recording.content import LARGEST_INLINE, are_committed

SALT = "000102030405060708090a0b0c0d0e0f"
HELD = Withheld(shape="jwt", size=40, withheld="gw1:" + "9" * 64)


def committed(**form: object) -> Content:
    line = Content(commitment="", salt=SALT, **form)
    return structs.replace(line, commitment=contents.commitment(line))


TEXT = committed(text="h\u00e9llo")
FORMS = [TEXT, committed(b64="/w=="), committed(parts=("key ", HELD)), committed(text="")]
LARGE = committed(file="sha256:" + "ab" * 32, size=LARGEST_INLINE + 1)


def test_contents_of_every_form_are_committed_together_where_each_is() -> None:
    assert are_committed([])
    assert are_committed([*FORMS, LARGE])
    assert are_committed(FORMS[:1])


@pytest.mark.parametrize("place", range(5))
def test_one_content_with_another_commitment_is_enough(place: int) -> None:
    lines = [*FORMS, LARGE]
    lines[place] = structs.replace(lines[place], commitment="gw1:" + "0" * 64)
    assert not are_committed(lines)


@pytest.mark.parametrize(
    "more", [{"b64": "/w=="}, {"parts": ()}, {"parts": ("a", HELD)}, {"file": ""}, {"size": 0}]
)
def test_a_text_with_another_form_beside_it_is_none(more: dict[str, object]) -> None:
    assert not are_committed([FORMS[3], structs.replace(TEXT, **more), FORMS[1]])


def test_a_form_that_breaks_its_rules_is_none() -> None:
    data = b"plain"
    stated = digest.commitment(bytes.fromhex(SALT), "b64", data)
    assert not are_committed([TEXT, Content(commitment=stated, salt=SALT, b64="cGxhaW4=")])
    assert not are_committed([Content(commitment=stated, salt=SALT)])


@pytest.mark.parametrize("size", [LARGEST_INLINE // 4, LARGEST_INLINE + 1])
def test_a_text_too_long_for_its_line_is_never_taken(size: int) -> None:
    text = "x" * size
    stated = digest.commitment(bytes.fromhex(SALT), "text", text.encode())
    line = Content(commitment=stated, salt=SALT, text=text)
    assert are_committed([line]) is (size <= LARGEST_INLINE)
