"""Ledger: what results say of entities, in the order in which the results came.

A result of a tool with `entity_at` says it at declared paths, `gw.Facts` says it by itself; every
other result says nothing here. Only entities that a claim asks for are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

import msgspec

from groundwire.canon import jcs
from groundwire.canon.jcs import JSON
from groundwire.canon.paths import Steps, follow, parse, pointer, values_at
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.transcript import Served, Transcript
from groundwire.documents.fact import facts_in
from groundwire.documents.instant import Instant, read_instant
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding.folding import fold

EVERY = "*"
# What nests deeper than this is no table of facts.
DEEPEST = 64
_ENTITY = "entity"


class Fact(msgspec.Struct, frozen=True):
    """One value of one field of an entity, and where it was read.

    `result` numbers the result among all of the run, `batch` the calls that were made together:
    results of one batch came at the same time. `turn` is that in which it was served.
    """

    entity: str
    field: str
    value: JSON
    result: int
    batch: int
    turn: int
    step: int
    tool: str
    call_id: str
    pointer: str
    measured: Instant | None = None
    measured_at: str = ""
    source: str = ""
    enveloped: bool = False


class Row(msgspec.Struct, frozen=True):
    """What one row says of its entity. `point`: it is one field of a series, with its own time."""

    entity: str
    columns: Mapping[str, JSON]
    pointer: str
    measured_at: JSON = None
    point: bool = False


class Sheet(msgspec.Struct, frozen=True):
    """The rows of one result. `whole` is how many rows it has, with those that are not kept."""

    served: Served
    batch: int
    rows: tuple[Row, ...]
    whole: int
    source: str = ""
    enveloped: bool = False


class Ledger:
    """What the results of a run say; read once, when an answer is to be judged."""

    def __init__(self, run: Transcript) -> None:
        self._run = run
        self._read = 0
        self._sheets: dict[int, list[Sheet]] = {}
        self._wanted: frozenset[str] = frozenset()

    def sheets(self, lane: int) -> Sequence[Sheet]:
        """The results of the lane that state facts somebody asks for, in order of arrival."""
        self._catch_up()
        return self._sheets.get(lane, ())

    def facts(self, lane: int, entity: str, field: str, *, nested: bool = True) -> list[Fact]:
        """What is said of the field of the entity in this lane, in order of arrival; `*`: of all.

        `nested`: a field that is no column may be a path through columns, joined by stops.
        """
        name = fold(entity)
        return [
            fact
            for sheet in self.sheets(lane)
            for row in sheet.rows
            if name in (EVERY, fold(row.entity))
            for fact in _facts_of(sheet, row, field, nested=nested)
        ]

    def _catch_up(self) -> None:
        claims = self._run.rules.claims
        wanted = frozenset(fold(claim.entity) for claim in claims)
        if not wanted <= self._wanted:
            # Entities are asked for that were not kept before.
            self._wanted |= wanted
            self._read = 0
            self._sheets.clear()
        for served in self._run.served[self._read :]:
            sheet = self._sheet(served)
            if sheet is not None:
                self._sheets.setdefault(served.lane, []).append(sheet)
        self._read = len(self._run.served)

    def _sheet(self, served: Served) -> Sheet | None:
        declared = self._run.tools.get(served.tool)
        for text in texts_of(served):
            value = document(text)
            if value is None:
                continue
            batch = served.batch
            known = facts_in(value)
            if known is not None:
                told: list[Row] = [
                    Row(str(row[_ENTITY]), row, f"/facts/{place}", known.measured_at)
                    for place, row in enumerate(known.rows)
                ]
                told += [
                    Row(p.entity, {p.metric: p.value}, f"/series/{p.place}", p.t, point=True)
                    for p in known.points
                ]
                return self._kept(served, batch, told, known.source, enveloped=True)
            rows = list(declared_rows(value, declared)) if declared is not None else []
            if rows:
                return self._kept(served, batch, rows)
        return None

    def _kept(
        self,
        served: Served,
        batch: int,
        rows: Sequence[Row],
        source: str = "",
        *,
        enveloped: bool = False,
    ) -> Sheet | None:
        asked = EVERY in self._wanted
        kept = tuple(row for row in rows if asked or fold(row.entity) in self._wanted)
        if not kept:
            return None
        return Sheet(served, batch, kept, len(rows), source, enveloped)


def declared_rows(value: JSON, declared: ToolDeclaration) -> Iterator[Row]:
    """What a result says at the declared paths; nothing where its tool declares no `entity_at`."""
    if not declared.entity_at:
        return
    places = list(_places(value, declared.rows_at))
    times = values_at(value, declared.as_of) if declared.as_of else []
    steps = parse(declared.entity_at)
    for number, (place, row) in enumerate(places):
        if not isinstance(row, Mapping):
            continue
        name = _entity(row, steps, declared.entity_at)
        if name is None:
            continue
        at = times[0] if len(times) == 1 else times[number] if len(times) == len(places) else None
        yield Row(name, row, place, at)


def _entity(row: Mapping[str, JSON], steps: Steps, entity_at: str) -> str | None:
    """Whom the row is about: a text or a whole number; None for anything else, or several."""
    only = steps[0] if len(steps) == 1 else None
    # By far the most rows: one name deep.
    named = [row.get(only)] if isinstance(only, str) else values_at(row, entity_at)
    if len(named) != 1 or isinstance(named[0], bool) or not isinstance(named[0], str | int):
        return None
    return str(named[0])


def _places(value: JSON, rows_at: str) -> Iterator[tuple[str, JSON]]:
    found = list(follow(value, rows_at)) if rows_at else [("", value)]
    if len(found) == 1 and isinstance(found[0][1], list):
        base, rows = found[0]
        if isinstance(rows, list):
            yield from ((f"{base}/{place}", row) for place, row in enumerate(rows))
        return
    yield from found


def _facts_of(sheet: Sheet, row: Row, field: str, *, nested: bool) -> Iterator[Fact]:
    found = _column(row, field, nested=nested)
    if found is None:
        return
    place, value = found
    served = sheet.served
    at = row.measured_at
    yield Fact(
        entity=row.entity,
        field=field,
        value=value,
        result=served.number,
        batch=sheet.batch,
        turn=served.turn,
        step=served.step,
        tool=served.tool,
        call_id=served.part.call_id,
        pointer=place,
        measured=read_instant(at),
        measured_at=at if isinstance(at, str) else "" if at is None else str(at),
        source=sheet.source,
        enveloped=sheet.enveloped,
    )


def _column(row: Row, field: str, *, nested: bool) -> tuple[str, JSON] | None:
    if field in row.columns:
        if field == _ENTITY and not row.point and row.pointer.startswith("/facts/"):
            return None
        place = "/value" if row.point else pointer((field,))
        return row.pointer + place, row.columns[field]
    if not nested or "." not in field:
        return None
    value: JSON = row.columns
    keys = field.split(".")
    for key in keys:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return row.pointer + pointer(keys), value


def texts_of(served: Served) -> Iterator[str]:
    """The texts that may hold the facts of a result: what its tool returned, then what was shown.

    None of a call that failed.
    """
    executions = () if served.chosen is None else served.chosen.executions
    if executions:
        ran = executions[-1]
        if ran.outcome != "returned":
            return
        yield from (text for text in (ran.result, ran.structured) if text)
    text = served.part.text
    if not is_failure(text, is_error=served.part.is_error):
        yield text


def document(text: str) -> JSON:
    """The object or list that the text is; None where it is neither."""
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return jcs.decode_foreign(text.encode(), max_depth=DEEPEST).value
    except (EncodingError, UnicodeEncodeError):
        return None


_KNOWN: WeakKeyDictionary[Transcript, Ledger] = WeakKeyDictionary()


def ledger_of(run: Transcript) -> Ledger:
    """The ledger of this run, the same for every check that asks."""
    known = _KNOWN.get(run)
    if known is None:
        known = _KNOWN[run] = Ledger(run)
    return known
