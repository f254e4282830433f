"""Declarations: what an author says of tools, arguments, claims and checks. Data only.

The same for `groundwire.toml`, for `gw.tool(...)` and `gw.Claim(...)` in Python, and for MCP `_meta`.
Paths: an argument's is dotted (`machine`, `filter.hosts[*]`); one into a result is a JSON path of the
small kind `$.data.items[*].name` (names, `[*]`, whole numbers; nothing else).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Effect: TypeAlias = Literal["unstated", "read", "write", "external", "destructive"]
SourceKind: TypeAlias = Literal["result", "user", "free-text", "derived", "list", "pattern"]
ColumnType: TypeAlias = Literal["number", "string", "boolean", "date"]
Aggregate: TypeAlias = Literal["", "count", "sum", "mean", "min", "max"]
EvidencePosture: TypeAlias = Literal["off", "assist", "guard", "rails"]
Rules: TypeAlias = Literal["default", "original"]


class ArgumentSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where one argument of a tool comes from.

    `result`: the values at `at` of results of `tool` (`at` empty: anywhere in them). `user`: what a
    person said. `free-text` and `derived`: composed or computed by the model, never judged by
    place. `list`: several values in one text, each judged alone. `pattern`: any text that matches
    `pattern` whole.
    """

    argument: str
    kind: SourceKind
    tool: str = ""
    at: str = ""
    pattern: str = ""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What a column of a tool's rows holds. `nullable` is about values, not about being there."""

    name: str
    type: ColumnType
    nullable: bool = False


class OutputSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where the schema of a tool's results is written.

    `schema`: in the JSON Schema file `file`. `operation`: it is what `operation` of the description
    `file` answers with `status` (empty: when all goes well). `mcp`: an MCP server says it of its
    tool's structured content.
    """

    kind: Literal["schema", "operation", "mcp"]
    file: str = ""
    operation: str = ""
    status: str = ""


class Settling(msgspec.Struct, frozen=True, kw_only=True):
    """Which read says whether a deed was done: `tool`, by the values at `at` of its result.

    One of `landed`: it was done. One of `absent`: it was not. Anything else says nothing.
    """

    tool: str
    at: str
    landed: tuple[str | int | bool, ...]
    absent: tuple[str | int | bool, ...] = ()


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A field of the structured answer states a fact: `answer` is its dotted path.

    `tolerance` is an absolute number (`"0.5"`) or a share (`"1%"`), empty for none. `synonyms` are
    groups of texts that mean the same. `order` says which of several facts settles: the last that
    arrived or the last that was measured. `aggregate` compares with a figure over all entities
    (`entity` is then `*`) of `field`. `ignore_case`: capitals do not matter; `as_set`: the order of
    a list does not, nor how often something stands in it.
    """

    answer: str
    entity: str
    field: str
    tolerance: str = ""
    unit: str = ""
    synonyms: tuple[tuple[str, ...], ...] = ()
    order: Literal["arrival", "measured_at"] = "arrival"
    aggregate: Aggregate = ""
    ignore_case: bool = False
    as_set: bool = False


class ToolGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Tools that are offered and withheld together; `parkable` false: never withheld."""

    name: str
    tools: tuple[str, ...]
    parkable: bool = True


class Off(msgspec.Struct, frozen=True, kw_only=True):
    """A check that is not to file, for one tool or for all, why, and until when (`YYYY-MM-DD`).

    Lines that had run out when the run began are not in force and not here.
    """

    check: str
    reason: str
    until: str
    tool: str = ""


class TokenShape(msgspec.Struct, frozen=True, kw_only=True):
    """A shape of values that an answer must not invent; `pattern` has to match a whole token."""

    name: str
    pattern: str


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence gate over answers: what becomes a candidate, and what follows if one has none.

    `off`: no gate. `assist`: recorded. `guard`: one round of revision is offered to the host.
    `rails`: the answer is refused after it.
    """

    posture: EvidencePosture = "off"
    min_digits: int = 4
    shapes: tuple[TokenShape, ...] = ()
    exempt: tuple[str, ...] = ()
    exempt_patterns: tuple[str, ...] = ()


class CheckRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the checks of a run judge. `original` gives the verdicts of the family they come from.

    `equivalences_off` names spellings that are not to be taken for one another. `pins` are regular
    expressions: a message that one matches is a rule that has to stay in view.
    `prior_turns` arms the notice that an answer rests on earlier turns alone, `empty_lookups` that
    of lookups that found nothing, `columns` says what a wrong column means.
    """

    rules: Rules = "default"
    evidence: Evidence = Evidence()
    equivalences_off: tuple[str, ...] = ()
    pins: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    groups: tuple[ToolGroup, ...] = ()
    off: tuple[Off, ...] = ()
    prior_turns: bool = True
    empty_lookups: bool = True
    columns: Literal["off", "warn", "enforce"] = "warn"
