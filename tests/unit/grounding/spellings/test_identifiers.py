from __future__ import annotations

import pytest

from groundwire.documents.frame import ToolSpec
from groundwire.grounding.folding import fold
from groundwire.grounding.ground import Ground
from groundwire.grounding.spellings.identifiers import forms_of, prefix_of
from tests.stories import frame, message


def standing(value: str, text: str) -> tuple[str, str]:
    ground = Ground()
    ground.show(0, frame(message("user", text)))
    found = ground.support(0, value)
    return found.grade, found.method


@pytest.mark.parametrize(
    ("value", "text", "method"),
    [
        ("+1 415-555-0137", "call (415) 555-0137", "phone"),
        ("4155550137", "call 415.555.0137 now", "phone"),
        ("00:1a:2b:3c:4d:5e", "port 001A.2B3C.4D5E", "hardware-address"),
        ("001a2b3c4d5e", "port 00-1A-2B-3C-4D-5E", "hardware-address"),
        ("50:06:01:60:3b:a0:11:22", "wwpn 500601603ba01122", "hardware-address"),
        ("10.2.0.7", "at 010.002.000.007", "ip"),
        ("fe80::1", "at fe80:0:0:0:0:0:0:1", "ip"),
        (
            "5f8a1c2e-1b2c-4d3e-8f90-a1b2c3d4e5f6",
            "id {5F8A1C2E1B2C4D3E8F90A1B2C3D4E5F6}",
            "uuid",
        ),
        ("https://shop.example:443/a%20b", "see http://www.shop.example/a%20b/", "url"),
        ("https://shop.example/caf%C3%A9", "see https://shop.example/café", "url"),
        ("db-7", "host db-7.prod.example.com is up", "host"),
        ("ord-4471", "order ORD 4471 was sent", "record-id"),
        ("INV-42310", "invoice INV00042310", "record-id"),
    ],
)
def test_an_identifier_in_another_spelling_of_its_form_is_the_same(
    value: str, text: str, method: str
) -> None:
    assert standing(value, text) == ("exact", method)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("+1 415-555-0137", "call (415) 555-0138"),
        ("+49 415-555-0137", "call +1 (415) 555-0137"),
        ("00:1a:2b:3c:4d", "port 001A.2B3C.4D5E"),
        ("00:1a:2b:3c:4d:5f", "port 001A.2B3C.4D5E"),
        ("10.2.0.71", "at 010.002.000.007"),
        ("https://shop.example/a", "see https://shop.example/b"),
        ("htps://shop.example/a", "see https://shop.example/a"),
        ("ftp://shop.example/a", "see https://shop.example/a2"),
        ("db", "host db.prod.example.com is up"),
        ("web-7", "mail me at ivy@web-7.prod.example.com"),
        ("rack-7", "see rack-7.txt"),
        ("ord-4471", "order ORX 4471 was sent"),
        ("ord-0471", "order ord 471"),
        ("card_7334", "credit_card_7334"),
        ("silva7872", "amelia.silva7872@example.com"),
        ("silva7872", "silva7872@example.com"),
    ],
)
def test_a_piece_of_one_or_another_one_is_not_the_same(value: str, text: str) -> None:
    assert standing(value, text)[0] != "exact"


@pytest.mark.parametrize("value", ["ivy stone", "2031-05-02", "note", "12"])
def test_what_has_no_known_form_has_none(value: str) -> None:
    assert [form.name for form, _ in forms_of(fold(value))] in ([], ["phone"])


def test_a_record_id_has_a_prefix() -> None:
    assert prefix_of("#w9502126") == ("#w", "9502126")
    assert prefix_of("w123") is None


@pytest.mark.parametrize(
    ("value", "grade"),
    [("#W9502126", "exact"), ("#X9502126", "nowhere"), ("#W9502127", "nowhere")],
)
def test_a_number_that_a_user_said_may_get_the_prefix_that_a_description_gives_its_kind(
    value: str, grade: str
) -> None:
    tool = ToolSpec(name="order", schema='{"description":"The id, such as #W0000000"}')
    ground = Ground()
    ground.show(0, frame(message("user", "my order is 9502126"), tools=(tool,)))
    found = ground.support(0, value, (tool,))
    assert found.grade == grade
    if grade == "exact":
        assert found.method == "record-prefix"


def test_a_prefix_that_nothing_gives_is_an_invention() -> None:
    ground = Ground()
    ground.show(0, frame(message("user", "my order is 9502126")))
    assert ground.support(0, "#W9502126").grade == "nowhere"
