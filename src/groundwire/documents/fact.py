"""Facts: what a tool may return in the place of plain JSON, so that answers can be held against it.

Both are dictionaries whose text is their JSON: a host hands them on as it hands on any result.
Reading is strict: a document with any fault is ordinary data. Spec: context integrity, 7.1 and 8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.documents.instant import read_instant
from groundwire.errors import EncodingError

FACTS: Final = "groundwire_facts"
ABSENCE: Final = "groundwire_absence"
_VERSION: Final = 1
_ENTITY: Final = "entity"
_KEYS: Final = frozenset(
    (FACTS, "facts", "series", "edges", "grain", "provenance", "coverage", "clarify")
)
_POINT: Final = frozenset(("t", _ENTITY, "metric", "value"))
_EDGE: Final = frozenset(("from", "to", "kind"))
_GRAIN: Final = frozenset(("interval", "aggregation", "is_counter", "collapsed"))
_PROVENANCE: Final = frozenset(("measured_at", "source", "age_seconds", "source_export_date"))
_COVERAGE: Final = frozenset(("checked", "not_checked", "cannot_cover"))
# An aggregation with one of these words may be a counter: then it has to say whether it is one.
_COUNTS: Final = re.compile(
    r"\b(?:sums?|counts?|counters?|totals?|tall(?:y|ies)|accumulat\w+|cumulative|increments?)\b",
    re.I,
)
_DEEPEST: Final = 64
_NOTE: Final = (
    "Nothing was found in what was checked. This is an answer and no error; asking again gives the "
    "same."
)


class _Returned(dict[str, JSON]):
    """A dictionary whose text is its JSON."""

    def __str__(self) -> str:
        return msgspec.json.encode(dict(self)).decode()


class Facts(_Returned):
    """What a tool knows, by entity, with when it was measured and where it was taken from."""

    def __init__(  # noqa: PLR0913 -- each is a key of the document, and named by who calls it
        self,
        facts: Sequence[Mapping[str, object]] = (),
        *,
        measured_at: str | datetime,
        source: str,
        series: Sequence[Mapping[str, object]] = (),
        edges: Sequence[Mapping[str, object]] = (),
        grain: Mapping[str, object] | None = None,
        age_seconds: float | None = None,
        source_export_date: str | date | None = None,
        coverage: Mapping[str, Sequence[str]] | None = None,
        clarify: str | None = None,
    ) -> None:
        """A dictionary that is these facts; `str` of it is their JSON.

        A fact is `{"entity": …}` with a column for each thing known; a column may be
        `{"kind": "unknown", "reason": …}`. A point of a series is `{"t", "entity", "metric",
        "value"}`, and series need a `grain` with `interval` and `aggregation`. `measured_at` is an
        ISO 8601 date or date-time. `coverage` has lists under `checked`, `not_checked` and
        `cannot_cover`; `clarify` is a question to the user. Does not look whether any of it is true.

        Raises:
            EncodingError: `bad-facts`, with what is wrong; also where there is nothing in it, for
                which `nothing_found` is there.
        """
        provenance = {
            "measured_at": measured_at,
            "source": source,
            "age_seconds": age_seconds,
            "source_export_date": source_export_date,
        }
        document = {
            FACTS: _VERSION,
            "facts": facts or None,
            "series": series or None,
            "edges": edges or None,
            "grain": grain,
            "provenance": {key: value for key, value in provenance.items() if value is not None},
            "coverage": coverage,
            "clarify": clarify,
        }
        plain = _plain({key: value for key, value in document.items() if value is not None})
        fault = "it is no object" if not isinstance(plain, dict) else _fault(plain)
        if fault:
            raise EncodingError("bad-facts", f"These facts cannot be used: {fault}.")
        super().__init__(plain if isinstance(plain, dict) else {})


class Absence(_Returned):
    """What a tool says that looked and found nothing. Made by `nothing_found`."""


class Point(msgspec.Struct, frozen=True):
    """One point of a series, and its place in it."""

    entity: str
    metric: str
    value: JSON
    t: JSON
    place: int


class Known(msgspec.Struct, frozen=True):
    """A result that was recognised as facts. `rows` are the facts as they stand, in order."""

    rows: tuple[Mapping[str, JSON], ...]
    points: tuple[Point, ...]
    measured_at: str
    source: str


def nothing_found(
    looked_for: object,
    checked: Sequence[str],
    not_checked: Sequence[str] = (),
    cannot_cover: Sequence[str] = (),
    try_instead: str | None = None,
) -> Absence:
    """A dictionary that says: looked, and it is not there. For a tool to return.

    `looked_for` never counts as served, so a failed lookup vouches for nothing. `checked` is what
    was looked through, in the tool's own words: whatever is written there, and in the other lists,
    does count as served, so put nothing into them that the model sent. An outage is no absence:
    raise an error then.

    Raises:
        EncodingError: `bad-absence`: nothing was checked, or an entry is no text.
    """
    lists = {"checked": checked, "not_checked": not_checked, "cannot_cover": cannot_cover}
    for name, entries in lists.items():
        if isinstance(entries, str) or not all(map(_is_text, entries)):
            raise EncodingError("bad-absence", f"`{name}` is a list of texts that say something.")
    if not checked:
        raise EncodingError(
            "bad-absence", "Say in `checked` what was looked through; without it nothing is known."
        )
    if try_instead is not None and not _is_text(try_instead):
        raise EncodingError("bad-absence", "`try_instead` is a text that says something.")
    try:
        wanted = _plain(looked_for)
    except EncodingError as error:
        raise EncodingError("bad-absence", "`looked_for` has no JSON; give it as text.") from error
    document: dict[str, JSON] = {ABSENCE: _VERSION, "outcome": "nothing_found"}
    document["looked_for"] = wanted
    document |= {name: list(entries) for name, entries in lists.items() if entries}
    if try_instead is not None:
        document["try_instead"] = try_instead
    return Absence(document | {"retry_returns_the_same": True, "note": _NOTE})


def facts_in(value: JSON) -> Known | None:
    """The facts that a result is; None where it is anything else, or has any fault."""
    if not isinstance(value, Mapping) or FACTS not in value or _fault(value):
        return None
    provenance = value.get("provenance")
    said = provenance if isinstance(provenance, Mapping) else {}
    return Known(
        rows=tuple(row for row in _list(value.get("facts")) if isinstance(row, Mapping)),
        points=tuple(
            Point(str(point["entity"]), str(point["metric"]), point["value"], point["t"], place)
            for place, point in enumerate(_list(value.get("series")))
            if isinstance(point, Mapping)
        ),
        measured_at=str(said.get("measured_at", "")),
        source=str(said.get("source", "")),
    )


def _fault(document: Mapping[str, JSON]) -> str:
    """The first thing that is wrong with it, in words; empty where nothing is."""
    unknown = sorted(set(document) - _KEYS)
    if unknown:
        return f"there is no key {unknown[0][:40]!r}"
    if document.get(FACTS) != _VERSION or isinstance(document.get(FACTS), bool):
        return f"{FACTS!r} must be {_VERSION}"
    data = [key for key in ("facts", "series", "edges") if key in document]
    if not data and not _is_text(document.get("clarify")):
        return "there are no facts; where nothing was found, return gw.nothing_found(…)"
    for key in data:
        rows = document[key]
        if not isinstance(rows, list) or not rows:
            return f"{key!r} must be a list with something in it"
        for place, row in enumerate(rows):
            if wrong := _row_fault(key, row):
                return f"{key}[{place}] {wrong}"
    return (
        (_provenance_fault(document.get("provenance")) if data else "")
        or _grain_fault(document.get("grain"), needed="series" in document)
        or _rest_fault(document)
    )


def _row_fault(kind: str, row: JSON) -> str:
    if not isinstance(row, Mapping):
        return "is no object"
    if kind == "edges":
        whole = set(row) == _EDGE and all(map(_is_text, row.values()))
        return "" if whole else "needs `from`, `to` and `kind`, all of them texts"
    if not _is_text(row.get(_ENTITY)):
        return "needs an `entity`, a text that names whom it is about"
    if kind == "facts":
        return ""
    if set(row) != _POINT or not _is_text(row["metric"]):
        return "needs `t`, `entity`, `metric` and `value`, and nothing else"
    return "" if read_instant(row["t"]) is not None else "has a `t` that is no ISO 8601 time"


def _provenance_fault(said: JSON) -> str:
    if not isinstance(said, Mapping) or set(said) - _PROVENANCE:
        return "'provenance' has `measured_at`, `source`, `age_seconds` and `source_export_date`"
    if not isinstance(said.get("measured_at"), str) or read_instant(said["measured_at"]) is None:
        return "`measured_at` must be an ISO 8601 date or date-time"
    if not _is_text(said.get("source")):
        return "`source` must name where the facts were taken from"
    age = said.get("age_seconds", 0)
    if isinstance(age, bool) or not isinstance(age, int | float) or age < 0:
        return "`age_seconds` must be a number of seconds"
    exported = said.get("source_export_date")
    return "" if exported is None or _is_text(exported) else "`source_export_date` must be a text"


def _grain_fault(grain: JSON, *, needed: bool) -> str:
    if grain is None:
        return "series need a `grain`" if needed else ""
    if not isinstance(grain, Mapping) or set(grain) - _GRAIN:
        return "'grain' has `interval`, `aggregation`, `is_counter` and `collapsed`"
    aggregation = grain.get("aggregation")
    if not _is_text(grain.get("interval")) or not isinstance(aggregation, str):
        return "a `grain` needs `interval` and `aggregation`, both texts"
    if not aggregation.strip():
        return "a `grain` needs `interval` and `aggregation`, both texts"
    if not isinstance(grain.get("is_counter", False), bool):
        return "`is_counter` is true or false"
    if _COUNTS.search(aggregation.replace("_", " ")) and "is_counter" not in grain:
        return "an aggregation that counts or sums has to say `is_counter`"
    return ""


def _rest_fault(document: Mapping[str, JSON]) -> str:
    coverage = document.get("coverage")
    if coverage is not None:
        if not isinstance(coverage, Mapping) or set(coverage) - _COVERAGE:
            return "'coverage' has the lists `checked`, `not_checked` and `cannot_cover`"
        if not all(
            isinstance(each, list) and all(map(_is_text, each)) for each in coverage.values()
        ):
            return "'coverage' has lists of texts"
    clarify = document.get("clarify")
    return "" if clarify is None or _is_text(clarify) else "`clarify` is a question, a text"


def _plain(value: object, depth: int = _DEEPEST) -> JSON:
    """The value made of the types that JSON has.

    Raises:
        EncodingError: `bad-facts` for what JSON has not.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, date):
        return value.isoformat()
    if depth and isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner, depth - 1) for key, inner in value.items()}
    if depth and isinstance(value, list | tuple):
        return [_plain(inner, depth - 1) for inner in value]
    raise EncodingError(
        "bad-facts",
        "These facts cannot be used: a value has no JSON; give texts, finite numbers, truth values, "
        "dates, lists and objects.",
    )


def _list(value: JSON) -> Sequence[JSON]:
    return value if isinstance(value, list) else ()


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
