"""Facts and absences that tools return: made strictly, read strictly, and plain JSON to a host."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

import groundwire as gw
from groundwire.documents import fact
from groundwire.documents.fact import Known, Point, facts_in
from groundwire.documents.frame import ResultPart
from groundwire.errors import EncodingError
from groundwire.grounding import passages
from groundwire.session.executions.values import result_of
from groundwire.session.executions.wrapping import recorded

GOOD = {
    "groundwire_facts": 1,
    "facts": [{"entity": "tank-7", "level": 2719}],
    "provenance": {"measured_at": "2031-05-02", "source": "telemetry"},
}
SERIES = {
    "groundwire_facts": 1,
    "series": [{"t": "2031-05-02T10:00Z", "entity": "tank-7", "metric": "level", "value": 3}],
    "grain": {"interval": "1h", "aggregation": "mean"},
    "provenance": {"measured_at": "2031-05-02", "source": "telemetry"},
}


def test_facts_are_a_dictionary_that_any_host_can_hand_on() -> None:
    told = gw.Facts(
        [{"entity": "tank-7", "level": 2719}],
        measured_at=datetime(2031, 5, 2, 10, tzinfo=UTC),
        source="telemetry",
        coverage={"checked": ["tanks"], "not_checked": ["pipes"]},
        clarify="Which tank?",
    )
    assert json.loads(str(told)) == json.loads(json.dumps(told)) == dict(told)
    assert told["provenance"] == {
        "measured_at": "2031-05-02T10:00:00+00:00",
        "source": "telemetry",
    }
    assert result_of(told).text == str(told)
    assert copy.deepcopy(told) == told
    assert facts_in(json.loads(str(told))) == Known(
        rows=({"entity": "tank-7", "level": 2719},),
        points=(),
        measured_at="2031-05-02T10:00:00+00:00",
        source="telemetry",
    )


def test_a_wrapped_tool_that_returns_facts_returns_them_unchanged() -> None:
    def level() -> gw.Facts:
        return gw.Facts([{"entity": "a", "level": 1}], measured_at="2031-05-02", source="s")

    assert recorded(level, "level")()["facts"] == [{"entity": "a", "level": 1}]


def test_points_of_a_series_are_read_with_their_own_times() -> None:
    found = facts_in(SERIES)
    assert found is not None
    assert found.points == (Point("tank-7", "level", 3, "2031-05-02T10:00Z", 0),)


@pytest.mark.parametrize(
    "change",
    [
        {"groundwire_facts": 2},
        {"groundwire_facts": True},
        {"facts": []},
        {"facts": {}},
        {"facts": None},
        {"facts": [{"level": 1}]},
        {"facts": [{"entity": " ", "level": 1}]},
        {"facts": [{"entity": 7, "level": 1}]},
        {"facts": [3]},
        {"provenance": {"measured_at": "2031-05-02"}},
        {"provenance": {"measured_at": "lately", "source": "s"}},
        {"provenance": {"measured_at": "2031-05-02", "source": ""}},
        {"provenance": {"measured_at": "2031-05-02", "source": "s", "more": 1}},
        {"provenance": {"measured_at": "2031-05-02", "source": "s", "age_seconds": -1}},
        {"provenance": {"measured_at": "2031-05-02", "source": "s", "age_seconds": True}},
        {"provenance": {"measured_at": "2031-05-02", "source": "s", "source_export_date": 3}},
        {"coverage": {"looked": ["x"]}},
        {"coverage": {"checked": "x"}},
        {"coverage": {"checked": [""]}},
        {"clarify": ""},
        {"render": "table"},
        {"grain": {"interval": "1h"}},
        {"edges": [{"from": "a", "to": "b"}]},
    ],
)
def test_a_document_with_any_fault_is_ordinary_data(change: dict[str, object]) -> None:
    assert facts_in(GOOD) is not None
    assert facts_in(GOOD | change) is None


@pytest.mark.parametrize(
    "change",
    [
        {"grain": None},
        {"grain": {"interval": "1h", "aggregation": "sum"}},
        {"grain": {"interval": "1h", "aggregation": "total_bytes"}},
        {"grain": {"interval": "1h", "aggregation": "mean", "is_counter": "no"}},
        {"grain": {"interval": "", "aggregation": "mean"}},
        {"series": [{"t": "soon", "entity": "a", "metric": "m", "value": 1}]},
        {"series": [{"entity": "a", "metric": "m", "value": 1}]},
        {"series": [{"t": "2031-05-02", "entity": "a", "metric": "m", "value": 1, "u": 1}]},
    ],
)
def test_a_series_needs_its_grain_and_its_times(change: dict[str, object]) -> None:
    assert facts_in(SERIES) is not None
    assert facts_in({k: v for k, v in (SERIES | change).items() if v is not None}) is None


def test_a_counter_that_says_whether_it_is_one_is_taken() -> None:
    grain = {"interval": "1h", "aggregation": "sum", "is_counter": False}
    assert facts_in(SERIES | {"grain": grain}) is not None


def test_a_word_that_only_contains_a_counting_word_is_none() -> None:
    grain = {"interval": "1h", "aggregation": "consumption"}
    assert facts_in(SERIES | {"grain": grain}) is not None


def test_an_envelope_that_only_asks_back_is_taken() -> None:
    assert facts_in({"groundwire_facts": 1, "clarify": "Which tank?"}) is not None
    assert facts_in({"groundwire_facts": 1}) is None
    assert facts_in([GOOD]) is None


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), Decimal(1), b"x", {1: 2}, object(), {"a": {3}}]
)
def test_facts_that_have_no_json_are_refused_when_they_are_made(value: object) -> None:
    with pytest.raises(EncodingError) as raised:
        gw.Facts([{"entity": "a", "level": value}], measured_at="2031-05-02", source="s")
    assert raised.value.reason == "bad-facts"


def test_no_facts_at_all_is_a_job_for_an_absence() -> None:
    with pytest.raises(EncodingError, match="nothing_found"):
        gw.Facts([], measured_at="2031-05-02", source="s")


def test_facts_that_never_end_are_refused_without_a_traceback_of_their_own() -> None:
    deep: list[object] = []
    deep.append(deep)
    with pytest.raises(EncodingError) as raised:
        gw.Facts([{"entity": "a", "level": deep}], measured_at="2031-05-02", source="s")
    assert raised.value.reason == "bad-facts"


def test_an_absence_says_what_was_looked_for_and_where() -> None:
    told = gw.nothing_found(
        "tank-9", ["register of tanks"], not_checked=["archive"], try_instead="list_tanks"
    )
    assert dict(told) == {
        "groundwire_absence": 1,
        "outcome": "nothing_found",
        "looked_for": "tank-9",
        "checked": ["register of tanks"],
        "not_checked": ["archive"],
        "try_instead": "list_tanks",
        "retry_returns_the_same": True,
        "note": told["note"],
    }
    assert "tank-9" not in str(told["note"])
    assert json.loads(str(told)) == told


def test_what_an_absence_looked_for_never_grounds() -> None:
    assert passages.ABSENCE == fact.ABSENCE
    told = gw.nothing_found({"id": "tank-9"}, ["register of tanks"])
    (passage,) = passages.passages("tool", (ResultPart("c1", str(told)),))
    assert passage.absent
    assert "tank-9" not in passage.text
    assert "register of tanks" in passage.text


@pytest.mark.parametrize(
    "given",
    [
        {"checked": []},
        {"checked": "register"},
        {"checked": [""]},
        {"checked": ["a"], "not_checked": [3]},
        {"checked": ["a"], "cannot_cover": "b"},
        {"checked": ["a"], "try_instead": " "},
        {"checked": ["a"], "looked_for": object()},
    ],
)
def test_an_absence_that_says_too_little_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(EncodingError) as raised:
        gw.nothing_found(**({"looked_for": "x"} | given))
    assert raised.value.reason == "bad-absence"


def test_facts_stay_json_through_msgspec_too() -> None:
    told = gw.Facts([{"entity": "a", "level": 1}], measured_at="2031-05-02", source="s")
    assert msgspec.json.decode(msgspec.json.encode(told)) == dict(told)
