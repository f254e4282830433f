"""Refusing: which keyword of a schema takes offence at a value, and at which part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol, TypeAlias

import jsonschema_rs
import msgspec

Path: TypeAlias = tuple[str | int, ...]

DISCRIMINATOR = "discriminator"
"""The keyword of a refusal that OpenAPI's discriminator makes."""
FALSE = "false"
"""The keyword of a schema that is just `false`."""
_REST: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
# A validator tells of every branch of every choice below: as many as branches to the power of depth.
_DEEPEST: Final = 8


class Refusal(msgspec.Struct, frozen=True):
    """One keyword that does not hold.

    `pointer` leads to the schema that has the keyword, as `#/components/schemas/A`; `path` to the
    part of the value. Of `anyOf` and `oneOf` that no branch fulfils, `branches` holds what each
    branch takes offence at. `name` is the member that is wanting, or one that is too much.
    """

    keyword: str
    pointer: str
    path: Path
    name: str = ""
    branches: tuple[tuple[Refusal, ...], ...] = ()


class Origin(Protocol):
    """Leads from steps in the schema that a validator reads to those in its document.

    False besides where what stands there is a discriminator's.
    """

    def __call__(self, steps: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
        """Where that stands."""
        ...


def as_it_stands(steps: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """The origin in a schema that is read as it stands."""
    return steps, True


def refusals_of(
    validator: jsonschema_rs.Validator, value: object, origin: Origin = as_it_stands
) -> tuple[Refusal, ...]:
    """Every keyword that refuses the value, by place in the value and then in the schema.

    None of a value that nests deeper than `_DEEPEST`: what there is to tell could fill any memory.

    Raises:
        ValueError, jsonschema_rs.ValidationError: as the validator does.
    """
    if _is_deeper(value, _DEEPEST):
        return ()
    return _sorted(_each(validator.iter_errors(value), origin))


def _is_deeper(value: object, most: int) -> bool:
    """Whether more containers than `most` are inside of one another."""
    if not isinstance(value, dict | list | tuple):
        return False
    below = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_is_deeper(each, most - 1) for each in below)


def pointer_of(steps: Sequence[str | int]) -> str:
    """The pointer of these steps from the root, as the fragment of a URI."""
    names = (str(step).replace("~", "~0").replace("/", "~1").replace("%", "%25") for step in steps)
    return "/".join(("#", *names))


def _sorted(found: Iterable[Refusal]) -> tuple[Refusal, ...]:
    def order(refusal: Refusal) -> tuple[list[str], str, str, str]:
        return [str(step) for step in refusal.path], refusal.pointer, refusal.keyword, refusal.name

    return tuple(sorted(found, key=order))


def _each(errors: Iterable[jsonschema_rs.ValidationError], origin: Origin) -> Iterator[Refusal]:
    for error in errors:
        keyword, inside = _keyword(error.kind.name, error.schema_path)
        steps, is_written = origin(tuple(map(str, inside)))
        keyword = keyword if is_written else DISCRIMINATOR
        names = [""]
        branches: tuple[tuple[Refusal, ...], ...] = ()
        match error.kind:
            case jsonschema_rs.ValidationErrorKind.Required() as kind:
                names = [str(kind.property)]
            case (
                jsonschema_rs.ValidationErrorKind.AdditionalProperties()
                | jsonschema_rs.ValidationErrorKind.UnevaluatedProperties()
            ) as kind:
                names = sorted(map(str, kind.unexpected))
            case (
                jsonschema_rs.ValidationErrorKind.AnyOf()
                | jsonschema_rs.ValidationErrorKind.OneOfNotValid()
            ) as kind:
                branches = tuple(_sorted(_each(branch, origin)) for branch in kind.context)
            case _:
                pass
        for name in names:
            yield Refusal(keyword, pointer_of(steps), tuple(error.instance_path), name, branches)


def _keyword(kind: str, steps: Sequence[str | int]) -> tuple[str, Sequence[str | int]]:
    """The keyword, and the steps to the schema that has it."""
    if kind == "falseSchema":
        rest = steps[-1] if steps and steps[-2:-1] != ["properties"] else ""
        return (str(rest), steps[:-1]) if rest in _REST else (FALSE, steps)
    if kind == "propertyNames" and kind in steps:
        last = len(steps) - 1 - list(reversed(steps)).index(kind)
        return kind, steps[:last]
    return (str(steps[-1]), steps[:-1]) if steps else (kind, steps)
