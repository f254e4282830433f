from __future__ import annotations

import pytest

from groundwire.grounding import boundaries
from groundwire.grounding.boundaries import standing, token_around
from groundwire.grounding.folding import fold

WHOLE = [
    ("db-7", "hosts: db-7, db-8"),
    ("db-7", "db-7 (online)"),
    ("db-7", "it is db-7."),
    ("db-7", '{"host":"db-7"}'),
    ("db-7", "[db-7](x) **db-7**"),
    ("db-7", "host=db-7;port=1"),
    ("db-7", "host:db-7"),
    ("db-7", "id:db-7 up"),
    ("db-7", "db-7's disk"),
    ("db-7", "a,db-7,b"),
    ("4711", "#4711"),
    ("w4711", "#w4711 shipped"),
    ("ivy", "@ivy wrote"),
    ("ops@example.com", "mail ops@example.com."),
    ("www.shop.example", "https://www.shop.example/"),
    ("srv/app.log", "/srv/app.log"),
    ("src/app.py", "src/app.py:42: error"),
    ("src/app.py", "src/app.py:42:10"),
    ("1,234", "it costs 1,234."),
    ("2002", "ids 2001,2002,2003"),
    ("2031-05-02", "at 2031-05-02T10:00:00Z"),
    ("10:30", "at 10:30:00"),
    ("2031-05-02 10:30", "2031-05-02 10:30:00.000"),
    ("main street", "12 Main Street, Ashby"),
    ("東京都", "明日東京都に行く"),
    ("서울", "서울에서"),
    ("abc", "中abc文"),
    ("v2", "v1 v2 v3"),
    ("query", "https://h.example/?query=1"),
    ("4711", "https://h.example/?id=4711&x=1"),
    ("https://h.example/a", "see https://h.example/a?"),
]
INSIDE = [
    ("4711-delta", "bkp-4711-delta-tier2"),
    ("bkp-4711", "bkp-4711-delta"),
    ("srv-1", "srv-10"),
    ("srv-1", "srv-1-old"),
    ("card_73", "card_7334"),
    ("card", "gift__card"),
    ("gift", "gift__card"),
    ("7334", "credit_card_7334"),
    ("ivy", "ivy@example.com"),
    ("example.com", "ops@example.com"),
    ("example.com", "a.example.com"),
    ("report", "report.csv"),
    ("/srv/app", "/srv/app/log"),
    ("/app", "srv/app"),
    ("25:b5:aa:00", "20:00:00:25:b5:aa:00:1f"),
    ("20:00:00:25", "20:00:00:25:b5:aa:00:1f"),
    ("20:00", "20:00:00:25:b5:aa:00:1f"),
    ("cd:ef:01", "ab:cd:ef:01"),
    ("beef:01", "dead:beef:01"),
    ("10.2.0", "10.2.0.7"),
    ("1,234", "1,234,567"),
    ("234,567", "1,234,567"),
    ("2031-05", "2031-05-02"),
    ("https://h.example/a", "https://h.example/a?b=1"),
    ("https://h.example/a", "https://h.example/a#part"),
    ("https://h.example/?a=1", "https://h.example/?a=1&b=2"),
    ("order", "orders"),
    ("mail", "e-mail"),
    ("-4711", "bkp-4711"),
    ("bkp-", "bkp-4711"),
    (r"d:\vault", r"d:\vault\x"),
]


@pytest.mark.parametrize(("value", "text"), WHOLE)
def test_a_value_between_edges_is_whole(value: str, text: str) -> None:
    assert standing(fold(text), value)[0] == "whole"


@pytest.mark.parametrize(("value", "text"), INSIDE)
def test_a_piece_of_a_longer_value_is_inside(value: str, text: str) -> None:
    assert standing(fold(text), value)[0] == "inside"


def test_what_is_not_there_is_absent() -> None:
    assert standing("db-7", "db-8") == ("absent", -1)


def test_whole_wins_over_inside_wherever_it_stands() -> None:
    assert standing("srv-10 srv-1x srv-1", "srv-1") == ("whole", 14)


def test_a_whole_value_after_unspaced_letters_is_found_in_the_same_run() -> None:
    assert standing("abcは中abc文", "abc")[0] == "whole"


def test_a_separator_joins_nothing_where_it_is_named_as_one() -> None:
    assert standing("/srv/app/log", "app", "/")[0] == "whole"
    assert standing("/srv/app-1/log", "app", "/")[0] == "inside"


def test_the_longer_token_around_a_piece_is_shown() -> None:
    text = "job bkp-4711-delta-tier2, done"
    place = text.index("4711")
    assert token_around(text, place, place + 4) == "bkp-4711-delta-tier2"


def test_the_token_around_is_cut_at_its_reach() -> None:
    assert len(token_around("x" * 10_000, 5_000, 5_004, reach=50)) == 104


@pytest.mark.parametrize(("unit", "most"), [("a", 1), ("abc", 1), ("a-", 3_000), ("a_", 3_000)])
def test_each_run_of_letters_is_tried_at_most_once(
    monkeypatch: pytest.MonkeyPatch, unit: str, most: int
) -> None:
    tried: list[int] = []
    is_whole = boundaries.is_whole

    def counted(text: str, start: int, end: int, separators: str) -> bool:
        tried.append(start)
        return is_whole(text, start, end, separators)

    monkeypatch.setattr(boundaries, "is_whole", counted)
    assert standing(unit * 3_000, unit * 20)[0] == "inside"
    assert len(tried) <= most
