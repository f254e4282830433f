"""A file that is one JSON Schema: opened, and compared by who sends what it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import UNSET

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, Where, gravest_first
from groundwire.contracts.jsonschema.compiling.dialects import dialect_of
from groundwire.contracts.openapi import libraries
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.explaining.asking import Asking
from groundwire.contracts.openapi.explaining.explain import explain
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import join, names_of
from groundwire.contracts.openapi.rules.rule import Rule
from groundwire.contracts.openapi.schemas import Schemas
from groundwire.contracts.reading.text import Text
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings
from groundwire.contracts.verdict import Compatible, Direction, Undecided

UNDECIDED: Final = "schema-undecided"
NOT_COMPARED: Final = "contract-not-compared"

RULES: Final = (
    Rule(
        name=UNDECIDED,
        grade="undecided",
        means="Whether the change of a schema breaks anyone was neither proven nor refuted.",
        instead="Make the change smaller, or say the same in keywords that are understood.",
    ),
    Rule(
        name=libraries.REMOVED,
        grade="breaking",
        means="A component of a description without operations is gone.",
        instead="Keep it, and mark it as deprecated.",
    ),
    Rule(
        name=libraries.CHANGED,
        grade="undecided",
        means="A component of a description without operations changed, to what effect is not known.",
        instead="Look at the change yourself.",
    ),
    Rule(
        name=NOT_COMPARED,
        grade="undecided",
        means="A contract changed that is of a kind which nothing compares yet.",
        instead="Look at the change yourself.",
    ),
)


class _Locator:
    """The places of one file."""

    def __init__(self, name: str, text: Text) -> None:
        self._name = name
        self._text = text

    def where(self, pointer: str) -> Where:
        """As `Locator.where`."""
        plain = join("", *names_of(pointer)).replace("%25", "%")
        return Where(self._name, plain, *(self._text.position(plain) or (0, 0)))


def open_schema(
    name: str, read_file: Callable[[str], bytes | None], readings: Readings | None = None
) -> Description:
    """The schema in a file; what it refers to in other files is not read.

    Raises:
        Unreadable: as `read`; `missing-description`, `not-a-schema`, `dialect-unknown`.
    """
    data = read_file(name)
    if data is None:
        raise Unreadable("missing-description", "The schema's file is not there.")
    text = (readings or Readings()).read(data, name)
    root = text.value
    if not isinstance(root, dict):
        raise Unreadable("not-a-schema", "The file is no object.")
    dialect = dialect_of(root)
    if dialect is None:
        raise Unreadable("dialect-unknown", "`$schema` names no dialect that is known.")
    return Description(
        version=dialect.name,
        root=root,
        dialect=dialect.name,
        locator=_Locator(name, text),
        unread={f"#{pointer}": reason for pointer, reason in text.unread.items()},
    )


def compare_schemas(
    old: Description, new: Description, directions: Sequence[Direction], options: Options
) -> tuple[Change, ...]:
    """What the change does to those who send such values (`accepts`) or read them (`produces`)."""
    schemas = Schemas(old, new, options)
    found: dict[tuple[str, str, str], Change] = {}
    for direction in directions:
        for finding in _findings(schemas, direction, options):
            change = _change(finding, old, new)
            found.setdefault((finding.rule, finding.before, finding.after), change)
    return gravest_first(tuple(found.values()))


def _findings(schemas: Schemas, direction: Direction, options: Options) -> Iterator[Finding]:
    verdict = schemas.ask("#", "#", direction)
    match verdict:
        case Compatible():
            pass
        case Undecided(reason=reason):
            yield Finding(
                rule=UNDECIDED,
                grade="undecided",
                says=f"whether what {_WHO[direction]} still fits was not decided",
                before="#",
                after="#",
                reason=reason,
            )
        case _:
            asking = Asking(schemas, direction)
            yield from explain(asking, ("#", "#"), direction, verdict, "body", _part, options.knobs)


_WHO: Final[dict[Direction, str]] = {
    "accepts": "users of the schema send",
    "produces": "users of the schema read",
}


def _part(value: JSON) -> Part:
    return Part(location="body", name="application/json", value=value)


def _change(finding: Finding, old: Description, new: Description) -> Change:
    """The whole value is what shows it: there is no exchange around it."""
    return Change(
        rule=finding.rule,
        grade=finding.grade,
        says=finding.says,
        before=old.locator.where(finding.before) if finding.before else None,
        after=new.locator.where(finding.after) if finding.after else None,
        instead=finding.instead,
        reason=finding.reason,
        value=finding.part.value if finding.part else UNSET,
    )
