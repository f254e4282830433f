"""Every rule by its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from groundwire.contracts.openapi.rules import exchanges, messages, schemas
from groundwire.contracts.openapi.rules.rule import Rule


def table(*tables: Iterable[Rule]) -> Mapping[str, Rule]:
    """The rules of all the tables by name, in the order of their names.

    Raises:
        ValueError: two have the same name, which is a fault of the tables.
    """
    found: dict[str, Rule] = {}
    for rule in (each for rules in tables for each in rules):
        if rule.name in found:
            raise ValueError(f"Two rules are called {rule.name}.")
        found[rule.name] = rule
    return MappingProxyType({name: found[name] for name in sorted(found)})


BY_NAME: Final[Mapping[str, Rule]] = table(exchanges.RULES, messages.RULES, schemas.RULES)
