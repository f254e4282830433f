from __future__ import annotations

import pytest

from groundwire.grounding.spellings.keys import key_says
from groundwire.grounding.spellings.shapes import shape_of


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("db-7", "token"),
        ("ivy@example.com", "token"),
        ("www.shop.example", "token"),
        ("/srv/notes.md", "token"),
        ("/srv/notes", "word"),
        ("plan-of-may.docx", "token"),
        ("3358616356", "token"),
        ("05-16 10:00", "token"),
        ("general", "word"),
        ("on-hold", "word"),
        ("north gate", "short-phrase"),
        ("please look after the north gate", "phrase"),
        ("2031-05-03", "moment"),
        ("17:45", "moment"),
        ("$1,250.00", "quantity"),
        ("12.5", "quantity"),
        ("16gb", "quantity"),
        ("40%", "quantity"),
        ("(350 - 122) + 4", "quantity"),
        ("<your_password_here>", "placeholder"),
        ("[insert code here]", "placeholder"),
        ("{{order_id}}", "placeholder"),
        ("order-xxxxxx", "placeholder"),
    ],
)
def test_a_value_has_a_shape(value: str, shape: str) -> None:
    assert shape_of(value) == shape


@pytest.mark.parametrize(
    ("value", "key", "shape"),
    [
        ("result of the search", "product_id", "token"),
        ("general", "channelId", "token"),
        ("general", "title", "composed"),
        ("a long text about the north gate", "body", "composed"),
        ("select 12 from t44", "sql", "composed"),
        ("2031-05-03", "note", "moment"),
        ("1000", "price_max", "quantity"),
        ("w4711", "price", "token"),
        ("1000", "order", "token"),
    ],
)
def test_what_the_key_says_goes_before_what_the_value_looks_like(
    value: str, key: str, shape: str
) -> None:
    assert shape_of(value, key_says(key)) == shape


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("id", "identifier"),
        ("order_id", "identifier"),
        ("orderIds", "identifier"),
        ("discount_code", "identifier"),
        ("accountNumber", "identifier"),
        ("code", "program"),
        ("source_code", "program"),
        ("page_number", ""),
        ("identity", ""),
        ("idea", ""),
        ("message", "text"),
        ("maxPrice", "amount"),
        ("search-query", "text"),
        ("host", ""),
        ("", ""),
        ("0", ""),
    ],
)
def test_only_the_whole_name_of_a_field_says_anything(key: str, says: str) -> None:
    assert key_says(key) == says
