"""Schemas: the JSON Schema of a function's arguments, and its arguments as it wants them.

Both come from one reading of its signature. A type that msgspec does not know is asked for its own
schema (`model_json_schema`, `model_validate`: pydantic); one that has none is refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Final, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from groundwire.errors import GuardError, PolicyError

Arguments: TypeAlias = Mapping[str, object]
Schema: TypeAlias = Mapping[str, object]
Bound: TypeAlias = tuple[tuple[object, ...], dict[str, object]]
"""What a function is called with: by position, by name."""

# What msgspec takes for any type at all; `object` it would ask a hook about.
_Anything = TypeVar("_Anything")
_NAMED: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
)


class Signature(msgspec.Struct, frozen=True):
    """What a function takes: its arguments' JSON Schema, and how a call's become its own.

    `bound` raises GuardError (`arguments-do-not-fit`) for arguments that do not fit. It converts
    what JSON has no type for: dates, dataclasses, models.
    """

    schema: Schema
    bound: Callable[[Arguments], Bound]


def signature_of(function: Callable[..., object], name: str) -> Signature:
    """What this function takes, read off its parameters and their annotations.

    An argument without an annotation takes anything. `*args` cannot be given by a model and stay
    empty; `**kwargs` take every further argument.

    Raises:
        PolicyError: `no-tool-schema`: a type of which no JSON Schema can be made.
    """
    try:
        signature = inspect.signature(function)
        called = function if inspect.isroutine(function) else type(function).__call__
        hints = get_type_hints(called, include_extras=True)
    except Exception as error:
        raise _unreadable(name, "its signature or an annotation cannot be read") from error
    taken = [each for each in signature.parameters.values() if each.kind in _NAMED]
    more = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.parameters.values())
    try:
        struct = _struct(taken, hints, forbid=not more)
        schema = _schema(struct, taken)
    except Exception as error:
        raise _unreadable(name, "an annotation is no type that JSON can say") from error
    first = {each.name for each in taken if each.kind is inspect.Parameter.POSITIONAL_ONLY}

    def bound(arguments: Arguments) -> Bound:
        given = _converted(arguments, struct, name)
        if more:
            given |= {key: value for key, value in arguments.items() if key not in given}
        by_position = tuple(given[each.name] for each in taken if each.name in given.keys() & first)
        return by_position, {key: given[key] for key in given if key not in first}

    return Signature(schema, bound)


def _omitted() -> object:
    return msgspec.UNSET


def _struct(
    taken: list[inspect.Parameter], hints: Mapping[str, object], *, forbid: bool
) -> type[msgspec.Struct]:
    fields: list[tuple[str, type, object]] = []
    for parameter in taken:
        kind = _described(hints.get(parameter.name, _Anything))
        if parameter.default is inspect.Parameter.empty:
            fields.append((parameter.name, kind, msgspec.NODEFAULT))
        else:
            # The function's own default applies: what it is need not be a value of the annotation.
            fields.append((parameter.name, kind, msgspec.field(default_factory=_omitted)))
    return msgspec.defstruct("Arguments", fields, forbid_unknown_fields=forbid, kw_only=True)


def _described(kind: object) -> type:
    """The annotation, where a text beside the type is its description."""
    if get_origin(kind) is not Annotated:
        return kind  # type: ignore[return-value]  # whatever was annotated
    inner, *beside = get_args(kind)
    for each in beside:
        text = each if isinstance(each, str) else getattr(each, "description", None)
        if isinstance(text, str) and not isinstance(each, msgspec.Meta):
            inner = Annotated[inner, msgspec.Meta(description=text)]
        elif isinstance(each, msgspec.Meta):
            inner = Annotated[inner, each]
    return inner  # type: ignore[no-any-return]  # as above


def _schema(struct: type[msgspec.Struct], taken: list[inspect.Parameter]) -> Schema:
    definitions: dict[str, object] = {}

    def of_stranger(kind: type) -> dict[str, object]:
        if kind is object:
            return {"title": "Anything"}  # msgspec takes an empty one for none
        schema = dict(kind.model_json_schema())  # type: ignore[attr-defined]  # refused where it has none
        definitions.update(schema.pop("$defs", {}))
        return schema

    _, known = msgspec.json.schema_components((struct,), schema_hook=of_stranger)
    schema = {key: value for key, value in known.pop("Arguments").items() if key != "title"}
    properties = {name: dict(each) for name, each in schema["properties"].items()}
    for parameter in taken:
        if isinstance(parameter.default, str | int | float | bool):
            properties[parameter.name].setdefault("default", parameter.default)
    schema["properties"] = properties
    if known or definitions:
        schema["$defs"] = {**definitions, **known}
    return schema


def _converted(arguments: Arguments, struct: type[msgspec.Struct], name: str) -> dict[str, object]:
    def of_stranger(kind: type, value: object) -> object:
        if kind is object:
            return value
        return kind.model_validate(value)  # type: ignore[attr-defined]  # it had a schema

    try:
        converted = msgspec.convert(dict(arguments), struct, dec_hook=of_stranger)
    except Exception as error:
        raise GuardError(
            "arguments-do-not-fit",
            f"The call does not have the arguments that {name!r} takes"
            f" ({', '.join(struct.__struct_fields__) or 'none'}); nothing ran. Make it differently.",
        ) from error
    values = {key: getattr(converted, key) for key in struct.__struct_fields__}
    return {key: value for key, value in values.items() if value is not msgspec.UNSET}


def _unreadable(name: str, why: str) -> PolicyError:
    return PolicyError(
        "no-tool-schema",
        f"No JSON Schema can be made of the arguments of tool {name!r}: {why}. Annotate them with "
        "types that JSON has, or hand in a pair: the tool as your provider takes it, and the "
        "function.",
    )
