"""Validators of declared outputs: the library `jsonschema-rs`, within bounds, blind to formats."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Protocol

import msgspec

from groundwire.canon import jcs
from groundwire.canon.jcs import JSON
from groundwire.checks.write.outputs.bounding import NotFollowed, Places, fits_in, size
from groundwire.errors import EncodingError

LARGEST: Final = 1 << 20
"""Characters of a schema."""

# Draft 4 says that 1.0 is no integer; whoever wrote it in JSON may not know the difference.
_STRICT_INTEGERS: Final = "draft-04"
# Some drafts demand these of a text, and readers need not know them.
_CONTENT: Final = ('"contentMediaType"', '"contentEncoding"')
_EXACT: Final = 1 << 53
_SCALARS: Final[tuple[JSON, ...]] = (None, True, 0.5)


class Unusable(msgspec.Struct, frozen=True):
    """Why nothing can be held against a schema."""

    reason: str


class Misfit(msgspec.Struct, frozen=True):
    """The first place that does not fit: a JSON pointer, the schema's keyword, what that says.

    `value` is what stands there. `says` quotes no value.
    """

    pointer: str
    rule: str
    says: str
    value: object


class _Error(Protocol):
    @property
    def message(self) -> str: ...
    @property
    def instance_path(self) -> list[str | int]: ...
    @property
    def schema_path(self) -> list[str | int]: ...
    @property
    def instance(self) -> object: ...


class _Validates(Protocol):
    def is_valid(self, instance: object) -> bool: ...


class Prepared:
    """A schema that results can be held against."""

    def __init__(
        self,
        text: str,
        schema: JSON,
        validates: _Validates,
        first: Callable[[object], _Error | None],
    ) -> None:
        """`first` gives the first error of a value, in the schema's order.

        Raises:
            NotFollowed: it refers to what is not followed.
        """
        self._validates = validates
        self._first = first
        self._places = Places(schema)
        self._size = size(self._places)
        self._demands_content = any(word in text for word in _CONTENT)
        dialect = schema.get("$schema") if isinstance(schema, dict) else None
        self._strict_integers = isinstance(dialect, str) and _STRICT_INTEGERS in dialect

    def misfit(self, value: JSON) -> Misfit | Unusable | None:
        """The first place at which the value does not fit, in the schema's order; None where it fits.

        Floats without a fraction are made integers in `value` where the draft tells them apart.
        Unusable: `too-many-steps`, `schema-not-followed`, `content-demanded`.
        """
        values = _counted(value)
        if self._strict_integers:
            value = _whole(value)
        try:
            if not fits_in(self._places, self._size, value, values):
                return Unusable("too-many-steps")
        except NotFollowed:
            return Unusable("schema-not-followed")
        if self._validates.is_valid(value):
            return None
        if self._demands_content:
            return Unusable("content-demanded")
        first = self._first(value)
        if first is None:
            return None
        pointer = "".join(map(_token, first.instance_path))
        return Misfit(pointer, _rule(first), first.message, first.instance)

    def is_of_texts(self, text: str) -> bool:
        """Whether it speaks of texts: it takes this one, and not every other scalar."""
        return self._validates.is_valid(text) and not all(map(self._validates.is_valid, _SCALARS))


@lru_cache(maxsize=64)
def prepared(text: str) -> Prepared | Unusable:
    """The schema made ready; nothing is fetched, and patterns are matched in linear time.

    `$schema` says the draft; without it, it is 2020-12. Unusable: `unreadable-schema` (no JSON, no
    schema, of an unknown draft, a reference that leads nowhere or outside), `schema-not-followed`
    (one by a name), `pattern-not-linear` (a pattern that linear matching cannot do).
    """
    if len(text) > LARGEST:
        return Unusable("unreadable-schema")
    # Loaded when the first schema is there: most runs have none.
    import jsonschema_rs  # noqa: PLC0415 -- see above

    try:
        schema = jcs.decode_foreign(text.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return Unusable("unreadable-schema")
    if not isinstance(schema, dict):
        return Unusable("unreadable-schema")

    def made(patterns: jsonschema_rs.RegexOptions | None) -> Prepared:
        validates = jsonschema_rs.validator_for(
            schema, offline=True, validate_formats=False, mask="the value", pattern_options=patterns
        )

        def first(value: object) -> _Error | None:
            try:
                validates.validate(value)
            except jsonschema_rs.ValidationError as error:
                return error
            return None

        return Prepared(text, schema, validates, first)

    try:
        return made(jsonschema_rs.RegexOptions())
    except NotFollowed:
        return Unusable("schema-not-followed")
    except (ValueError, TypeError, RecursionError):
        pass
    try:
        made(None)
    except (ValueError, TypeError, RecursionError, NotFollowed):
        return Unusable("unreadable-schema")
    return Unusable("pattern-not-linear")


def _counted(value: JSON) -> int:
    """How many values it holds, itself and keys among them."""
    count, waiting = 0, [value]
    while waiting:
        held = waiting.pop()
        count += 1
        if isinstance(held, dict):
            count += len(held)
            waiting += held.values()
        elif isinstance(held, list):
            waiting += held
    return count


def _whole(value: JSON) -> JSON:
    """The value with integers for floats that have no fraction; containers are changed in place."""
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            for name, each in held.items():
                held[name] = _integer(each)
            waiting += held.values()
        elif isinstance(held, list):
            held[:] = map(_integer, held)
            waiting += held
    return _integer(value)


def _integer(value: JSON) -> JSON:
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value


def _rule(error: _Error) -> str:
    return next((str(part) for part in reversed(error.schema_path) if isinstance(part, str)), "")


def _token(part: str | int) -> str:
    return "/" + str(part).replace("~", "~0").replace("/", "~1")
