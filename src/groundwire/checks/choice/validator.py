"""Validators of tool schemas: the library `jsonschema-rs`, held to what was served."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol

import msgspec

_MOST = 20
_LARGEST = 4 << 20
_COMMON = 1 << 14


class Mismatch(msgspec.Struct, frozen=True):
    """One place that does not fit: a JSON pointer, the schema's keyword, what it says."""

    pointer: str
    rule: str
    says: str
    value: str = ""


class Unusable(msgspec.Struct, frozen=True):
    """Why a schema cannot be held against anything."""

    reason: str


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
    def iter_errors(self, instance: object) -> Iterable[_Error]: ...


class Validator:
    """A schema ready to be held against arguments."""

    def __init__(self, validates: _Validates) -> None:
        self._validates = validates

    def mismatches(self, arguments: object) -> list[Mismatch]:
        """Where the arguments do not fit, at most twenty places; no places where they fit."""
        found: list[Mismatch] = []
        for error in self._validates.iter_errors(arguments):
            pointer = "".join(map(_token, error.instance_path))
            rule = next(
                (str(part) for part in reversed(error.schema_path) if isinstance(part, str)), ""
            )
            found.append(Mismatch(pointer, rule, error.message, _text(error.instance)))
            if len(found) == _MOST:
                break
        return found


def validator_of(schema: str) -> Validator | Unusable:
    """The schema made ready; nothing is fetched, and patterns are matched in linear time.

    Unusable: `no-schema-served` (none was), `unreadable-schema` (no JSON, no schema, a reference
    to another document, a pattern that linear matching cannot do).
    """
    if not schema.strip() or len(schema) > _LARGEST:
        return Unusable("no-schema-served" if not schema.strip() else "unreadable-schema")
    # Loaded when the first call is judged: a run without calls never needs it.
    import jsonschema_rs  # noqa: PLC0415 -- see above

    try:
        value = msgspec.json.decode(schema)
        if not isinstance(value, dict):
            return Unusable("unreadable-schema")
        made = jsonschema_rs.validator_for(
            value, offline=True, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, TypeError, RecursionError, msgspec.DecodeError):
        return Unusable("unreadable-schema")
    return Validator(made)


def made_ready(schema: str) -> Validator | Unusable:
    """As `validator_of`; of schemas of a common size the last ones are kept for other runs."""
    return _kept(schema) if len(schema) <= _COMMON else validator_of(schema)


_kept = lru_cache(maxsize=256)(validator_of)


def _token(part: str | int) -> str:
    return "/" + str(part).replace("~", "~0").replace("/", "~1")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return repr(value)[:400]
