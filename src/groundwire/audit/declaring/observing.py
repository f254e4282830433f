"""Observing: where the arguments of calls stood before they were used, counted over many runs.

Nothing is judged: a value that stood somewhere need not have come from there. Values are only
counted and not kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import msgspec

from groundwire.canon import jcs, paths
from groundwire.canon.paths import EACH, Step
from groundwire.checks.transcript import Chosen, Lane, Served, Transcript
from groundwire.documents.event import (
    Declared,
    Event,
    Executed,
    Guarded,
    Requested,
    Responded,
)
from groundwire.documents.frame import ToolSpec
from groundwire.documents.outcome import Intent
from groundwire.errors import EncodingError
from groundwire.grounding.folding import fold
from groundwire.grounding.leaves import SHORTEST, Leaf, read_leaves
from groundwire.grounding.passages import without_looked_for
from groundwire.grounding.schemas import schema_value
from groundwire.grounding.spellings.composed import elements
from groundwire.grounding.spellings.keys import key_says
from groundwire.grounding.spellings.plain import plain
from groundwire.grounding.spellings.shapes import shape_of

MOST_SCALARS = 50_000
"""Of a result that holds more values, the rest is not looked at."""

ANYWHERE = ""
"""The path of a value that stands in a result's text, at no path of a JSON value."""

_PROSE = frozenset({"composed", "phrase", "short-phrase"})
_COMPUTED = frozenset({"moment", "quantity"})
_PROSE_WORDS = 4

Place = tuple[str, str]


@dataclass
class ArgumentSeen:
    """One argument of one tool. Every count is of values, and one value may count in several.

    `places` are (tool, JSON path) where values stood. `tools` are tools in whose results they stood
    anywhere. `unseen` stood in no result and no user said them; of these `prose` are texts and
    `computed` dates and numbers, `listed` are lists all of whose elements were served or said.
    """

    values: int = 0
    small: int = 0
    places: Counter[Place] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    said: int = 0
    enumerated: int = 0
    unseen: int = 0
    listed: int = 0
    prose: int = 0
    computed: int = 0


@dataclass
class ToolSeen:
    """One tool: its latest schema, its calls and results, its arguments by dotted path.

    `rows` counts the results whose only list of objects, beside those within records, stands at
    that path. `changed` counts guarded calls that were carried out and had something to change.
    """

    schema: str = ""
    calls: int = 0
    results: int = 0
    arguments: dict[str, ArgumentSeen] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    changed: int = 0


@dataclass
class Observed:
    """What runs have shown of every tool, by name.

    `declared` are the tools whose arguments a run itself had declared, by code or by its policy.
    """

    runs: int = 0
    tools: dict[str, ToolSeen] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)

    def tool(self, name: str) -> ToolSeen:
        """What was seen of the tool, from here on at least nothing."""
        return self.tools.setdefault(name, ToolSeen())


class _Scalars:
    """The values in one JSON result, by folded text, with the paths they stand at."""

    def __init__(self, text: str) -> None:
        self.at: dict[str, set[str]] = {}
        self.row_paths: set[str] = set()
        self.is_json = False
        try:
            value = jcs.decode_foreign(text.encode()).value
        except (EncodingError, UnicodeEncodeError):
            return
        if isinstance(value, dict | list):
            self.is_json = True
            self._read(value)

    def _read(self, value: jcs.JSON) -> None:
        waiting: list[tuple[tuple[Step, ...], jcs.JSON]] = [((), value)]
        left = MOST_SCALARS
        while waiting and left:
            steps, inner = waiting.pop()
            if len(steps) > paths.MAX_STEPS:
                continue
            if isinstance(inner, dict):
                waiting += [((*steps, name), each) for name, each in inner.items()]
            elif isinstance(inner, list):
                records = inner and all(isinstance(each, dict) for each in inner)
                if records and EACH not in steps:
                    self.row_paths.add(paths.spelled(steps))
                waiting += [((*steps, EACH), each) for each in inner]
            elif isinstance(inner, str | int | float) and not isinstance(inner, bool):
                left -= 1
                self.at.setdefault(fold(str(inner)), set()).add(paths.spelled(steps))


def observe(runs: Iterable[Iterable[Event]]) -> Observed:
    """What these runs show of where the arguments of their calls stood."""
    observed = Observed()
    for events in runs:
        observed.runs += 1
        watched = _Run(observed)
        for event in events:
            watched.see(event)
    return observed


class _Run:
    """One run, folded."""

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._transcript = Transcript()
        self._scalars: dict[int, _Scalars] = {}
        self._called = 0
        self._served = 0
        self._meant: set[int] = set()

    def see(self, event: Event) -> None:
        """The event is part of what was observed."""
        run = self._transcript
        run.see(event)
        match event:
            case Declared(declarations=declarations):
                self._observed.declared |= {
                    tool.name for tool in declarations if tool.arguments or tool.arguments_from
                }
            case Requested(frame=frame) if frame is not None:
                for tool in frame.tools:
                    self._observed.tool(tool.name).schema = tool.schema
                for served in run.served[self._served :]:
                    self._note_result(served)
                self._served = len(run.served)
            case Responded():
                for chosen in run.called[self._called :]:
                    if chosen.response is not None:
                        self._note_call(chosen)
            case Executed(name=name):
                self._observed.tool(name)
            case Guarded():
                self._note_guarded(event)
            case _:
                pass
        self._called = len(run.called)

    def _note_guarded(self, event: Guarded) -> None:
        if event.state == "intent" and _has_changes(event.document):
            self._meant.add(event.guarded)
        elif event.state == "outcome" and event.outcome == "executed":
            self._observed.tool(event.name).changed += event.guarded in self._meant

    def _note_result(self, served: Served) -> None:
        if not served.tool:
            return
        seen = self._observed.tool(served.tool)
        seen.results += 1
        text = without_looked_for(served.part.text)
        scalars = self._scalars[served.number] = _Scalars(
            served.part.text if text is None else text
        )
        if len(scalars.row_paths) == 1:
            seen.rows[next(iter(scalars.row_paths))] += 1

    def _note_call(self, chosen: Chosen) -> None:
        call = chosen.call
        lane = self._transcript.lane(chosen.lane)
        if call.executed_by != "host" or lane.frame is None:
            return
        seen = self._observed.tool(call.name)
        seen.calls += 1
        spec = next((tool for tool in lane.frame.tools if tool.name == call.name), None)
        try:
            leaves = read_leaves(call.arguments, lambda _: True)
        except EncodingError:
            return
        for leaf in leaves:
            name = dotted(leaf.path)
            self._note_value(seen.arguments.setdefault(name, ArgumentSeen()), leaf, lane, spec)

    def _note_value(
        self, seen: ArgumentSeen, leaf: Leaf, lane: Lane, spec: ToolSpec | None
    ) -> None:
        seen.values += 1
        if spec is not None and leaf.value in _choices(spec.schema):
            seen.enumerated += 1
        if leaf.number and len(leaf.value) < SHORTEST and key_says(leaf.key) != "identifier":
            seen.small += 1
            return
        found = set(self._places(leaf.value, lane))
        seen.places.update(found)
        seen.tools.update({tool for tool, _ in found})
        said = self._transcript.ground.said_by_user(lane.number, leaf.value) is not None
        seen.said += said
        if found or said:
            return
        seen.unseen += 1
        folded = fold(leaf.value)
        parts = elements(folded)
        if parts and all(self._is_served(part, lane) for part in parts):
            seen.listed += 1
            return
        says = key_says(leaf.key)
        shape = shape_of(folded, says)
        seen.computed += leaf.number or shape in _COMPUTED
        prose = shape in _PROSE and (says == "text" or len(folded.split()) >= _PROSE_WORDS)
        seen.prose += prose or says == "program"

    def _places(self, value: str, lane: Lane) -> Iterator[Place]:
        spellings = [spelling for spelling, _ in plain(fold(value) or " ")]
        found: dict[str, set[str]] = {}
        for served in lane.results:
            scalars = self._scalars.get(served.number)
            if not served.tool or scalars is None:
                continue
            at = {path for spelling in spellings for path in scalars.at.get(spelling, ())}
            if at or not scalars.is_json:
                found.setdefault(served.tool, set()).update(at)
        for tool, places in found.items():
            # A result that only says again what its own call asked for is no source.
            hits = self._transcript.ground.in_results_of(lane.number, value, tool)
            if next(hits, None) is not None:
                for path in sorted(places) or (ANYWHERE,):
                    yield tool, path

    def _is_served(self, value: str, lane: Lane) -> bool:
        said = self._transcript.ground.said_by_user(lane.number, value)
        return said is not None or next(self._places(value, lane), None) is not None


def dotted(path: tuple[str, ...]) -> str:
    """The declared form of a path to an argument: `filter.hosts[*]`."""
    name = ""
    for step in path:
        name += "[*]" if step.isdigit() else f".{step}" if name else step
    return name


@lru_cache(maxsize=512)
def _has_changes(document: str | None) -> bool:
    """Whether an intent, as it was recorded, changes something; not where it cannot be read."""
    try:
        intent = msgspec.json.decode(document or "", type=Intent)
    except (msgspec.DecodeError, UnicodeError):
        return False
    return bool(intent.asked.changes)


def _choices(schema: str) -> frozenset[str]:
    """Every text and number that the schema lists: `enum`, `const`, `default`, `examples`."""
    found: set[str] = set()
    waiting = [schema_value(schema)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in {"enum", "examples"} and isinstance(inner, list):
                    found.update(str(each) for each in inner if isinstance(each, str | int))
                elif key in {"const", "default"} and isinstance(inner, str | int):
                    found.add(str(inner))
                waiting.append(inner)
        elif isinstance(value, list):
            waiting += value
    return frozenset(found)
