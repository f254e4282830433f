"""What solvers for values without parts have in common: enumerations, null and booleans."""

from __future__ import annotations

from collections.abc import Callable

from groundwire.contracts.jsonschema.answers import Answer, Branch, Empty, Found, Unknown
from groundwire.contracts.jsonschema.values import Scalar, Type, plain, scalar_order


def excluded(branch: Branch) -> frozenset[Scalar]:
    """The scalars that the value must not be."""
    return frozenset(value for enum, sign in branch.enums if not sign for value in enum.values)


def candidates(branch: Branch, kind: Type) -> list[Scalar] | None:
    """The scalars of `kind` that the value may be; None where any may do."""
    allowed = [frozenset(enum.values) for enum, sign in branch.enums if sign]
    if not allowed:
        return None
    left = frozenset.intersection(*allowed) - excluded(branch)
    return sorted((each for each in left if each[0] == kind), key=scalar_order)


def first_that_fits(
    values: list[Scalar], fits: Callable[[Scalar], bool | None], reason: str
) -> Answer:
    """The first of `values` that fits; those of which it is not known are guesses."""
    guesses: list[Scalar] = []
    for value in values:
        fit = fits(value)
        if fit:
            return value_of(value)
        if fit is None:
            guesses.append(value)
    return Unknown(reason, (plain(guesses[0]),)) if guesses else Empty()


def value_of(key: Scalar) -> Answer:
    """The value of `key`, found; not known where it is a number that JSON values cannot hold."""
    value = plain(key)
    if value is None and key[0] != "null":
        return Unknown("number-not-representable")
    return Found(value)


def solve_null(branch: Branch) -> Answer:
    """Null, where it is not excluded."""
    wanted = candidates(branch, "null")
    if ("null", None) in excluded(branch) or wanted == []:
        return Empty()
    return Found(None)


def solve_boolean(branch: Branch) -> Answer:
    """True or false, where not both are excluded."""
    wanted = candidates(branch, "boolean")
    if wanted is None:
        both: list[Scalar] = [("boolean", True), ("boolean", False)]
        wanted = [each for each in both if each not in excluded(branch)]
    return Found(wanted[0][1] is True) if wanted else Empty()
