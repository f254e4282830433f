from __future__ import annotations

import pytest

from groundwire.grounding.sentences.items import items


def read(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(item.text, item.marks) for item in items(text)]


def test_lines_with_a_mark_or_a_number_are_items() -> None:
    assert read("Open:\n- Bay 12\n* Bay 14\n1. Bay 16\n2) Bay 18\n\u2022 Bay 20") == [
        (f"Bay {number}", ("Bay", str(number))) for number in (12, 14, 16, 18, 20)
    ]


def test_rows_of_a_table_are_items_without_its_head_and_rule() -> None:
    assert read("| Bay | Load |\n|---|---|\n| B-12 | 40 kg |\n| B-14 | 70 kg |") == [
        ("B-12 | 40 kg", ("B-12", "40")),
        ("B-14 | 70 kg", ("B-14", "70")),
    ]


@pytest.mark.parametrize(
    ("item", "marks"),
    [
        ("Check the valve and close it", ()),
        ("**Valve:** close it slowly", ()),
        ("ask Ines Vogt about it", ("Ines", "Vogt")),
        ("Ines Vogt", ("Ines", "Vogt")),
        ("Write to ines@example.com about it", ("ines@example.com",)),
        ("Take 5 of them now", ()),
        ("Take 15 of them now", ("15",)),
    ],
)
def test_names_and_numbers_tell_one_item_from_another(item: str, marks: tuple[str, ...]) -> None:
    assert read(f"- {item}") == [(item, marks)]


def test_code_is_no_list() -> None:
    assert read("```\n- Bay 12\n```") == []
