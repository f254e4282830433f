"""Results as records: entity, field, value, in whatever spelling a tool prints them."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from groundwire.grounding.records.evidence import read_evidence
from groundwire.grounding.records.lenient import MOST_LEAVES
from groundwire.grounding.records.reading import read_result

ROWS = [("ada", Decimal(3)), ("ben", Decimal(4))]


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "ada", "n": 3}, {"name": "ben", "n": 4}]',
        "[{'name': 'ada', 'n': 3}, {'name': 'ben', 'n': 4}]",
        '[{"name": "ada", "n": 3}, {"name": "ben", "n": 4}]\nNote: from the cache.',
        '[{"name": "ada", "n": 3}, {"name": "ben", "n": 4',
        '{"name": ["ada", "ben"], "n": [3, 4]}',
        '{"name": {"0": "ada", "1": "ben"}, "n": {"0": 3, "1": 4}}',
        "name,n\nada,3\nben,4\n",
        "| name | n |\n|---|---|\n| ada | 3 |\n| ben | 4 |",
        "- name: ada\n  n: 3\n- name: ben\n  n: 4",
        '```json\n[{"name": "ada", "n": 3}, {"name": "ben", "n": 4}]\n```',
    ],
)
def test_rows_are_the_same_in_every_spelling(text: str) -> None:
    found = [
        (record.fields[0].text, record.fields[1].number)
        for record in read_result(text).records
        if len(record.fields) == 2
    ]
    assert found == ROWS


def test_two_blocks_are_both_read() -> None:
    reading = read_result('{"a": 1}\n{"b": 2}')
    assert [f.key for record in reading.records for f in record.fields] == ["a", "b"]


def test_a_cut_block_says_so_and_a_whole_one_does_not() -> None:
    assert read_result('{"rows": [{"id": 1}, {"id": 2}').cut
    assert not read_result('{"rows": [{"id": 1}, {"id": 2}]}').cut


def test_a_result_is_named_by_its_calls_arguments() -> None:
    (record,) = read_result('{"temp_c": 4}', '{"city": "Oslo"}').records
    assert ("argument city", "Oslo") in [(field.key, field.text) for field in record.fields]


def test_objects_under_keys_that_are_alike_are_records_of_their_own() -> None:
    text = '{"home_name": "Owls", "home_line": {"pts": 3, "reb": 1}, "away_name": "Elks", '
    text += '"away_line": {"pts": 2, "reb": 5}}'
    named = {record.names[0]: record.names for record in read_result(text).records if record.names}
    assert "Owls" in named["home_line"]
    assert "Elks" in named["away_line"]


def test_prices_by_class_are_parts_of_their_row() -> None:
    text = '[{"id": "HA1", "seats": {"eco": 1, "biz": 2}, "prices": {"eco": 90, "biz": 300}}]'
    row = read_result(text).records[-1]
    assert [field.key for field in row.fields] == [
        "id", "seats eco", "seats biz", "prices eco", "prices biz",
    ]  # fmt: skip


def test_nan_and_huge_numbers_are_text() -> None:
    (record, *_) = read_result('{"a": NaN, "b": 1e400, "c": -Infinity, "d": 7}').records
    assert [field.number for field in record.fields] == [None, None, None, Decimal(7)]


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "(" * 5000, "- " * 5000 + "a: 1"]
)
def test_deep_nesting_is_read_as_far_as_it_goes(text: str) -> None:
    read_result(text)


@pytest.mark.slow
def test_a_million_rows_are_read_up_to_a_cap_that_is_told() -> None:
    rows = msgspec.json.encode([{"id": n} for n in range(1_000_000)]).decode()
    evidence = read_evidence(rows)
    assert evidence.capped
    assert len(evidence.sites) <= MOST_LEAVES


def test_more_rows_than_are_read_is_told() -> None:
    rows = msgspec.json.encode([{"id": n} for n in range(MOST_LEAVES + 10)]).decode()
    assert read_result(rows).capped
