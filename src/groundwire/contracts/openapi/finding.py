"""Finding: one cause inside an exchange, before it is known which operations it reaches."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Field, Grade
from groundwire.contracts.jsonschema.refusing import Path

Location: TypeAlias = Literal["path", "query", "header", "cookie", "body"]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a witness that breaks: a parameter, a header field or a body, with its value.

    `name` is the parameter's or header's, or the body's media type. `fields` is how it looks on the
    wire: pairs of a query, one header field, the text of a path's variable; empty for a body.
    """

    location: Location
    name: str
    value: JSON
    fields: tuple[Field, ...] = ()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """As `Change`, but `before` and `after` are pointers of the two descriptions, empty for nowhere.

    Two of the same rule, grade and pointers are one cause.
    """

    rule: str
    grade: Grade
    says: str
    before: str = ""
    after: str = ""
    instead: str = ""
    reason: str = ""
    part: Part | None = None
    value: JSON = None


class Action(msgspec.Struct, frozen=True):
    """`name` is the last part of a rule's; `was` and `now` are the values of `keyword`, old and new.

    `of_member`: it is done to the member `member` of the object, not to the object as a whole.
    """

    name: str
    was: JSON = None
    now: JSON = None
    of_member: bool = False
    member: str = ""
    keyword: str = ""


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """What was done, at which schemas, and a whole value that shows it.

    `path` leads to the part of the value that is refused. `old` and `new` are pointers, empty where
    nothing speaks of that part.
    """

    action: Action
    old: str
    new: str
    path: Path
    value: JSON
