"""Declaring: whether what is declared of a deed fits the tools that a table has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from groundwire.authority.reading.values import nearest
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.session.guarding.shapes.tools import GivenTool


def require_arguments(given: GivenTool, declared: ToolDeclaration) -> None:
    """The tool takes each argument of `once_per`; one that takes any argument is not judged.

    Raises:
        PolicyError: `no-such-argument`: every call would be refused as `once-key-missing`.
    """
    takes = given.schema.get("properties")
    if given.schema.get("additionalProperties") is not False or not isinstance(takes, Mapping):
        return
    for name in declared.once_per:
        first = name.split(".")[0]
        if first not in takes:
            near = nearest(first, [str(each) for each in takes])
            hint = f"the nearest is {near!r}" if near else "none is called nearly so"
            raise PolicyError(
                "no-such-argument",
                f"`once_per` of tool {given.name!r} names {first!r}, which it does not take; {hint}."
                " No call of it would be carried out.",
            )


def doubts(declared: ToolDeclaration, known: Mapping[str, ToolDeclaration]) -> Iterable[str]:
    """What speaks against `settled_by`; no refusal, for a tool may be declared later on."""
    if declared.settled_by is None:
        return ()
    name = declared.settled_by.tool
    reads = [each.name for each in known.values() if each.effect == "read"]
    if name in reads:
        return ()
    near = nearest(name, reads)
    hint = f"; the nearest is {near!r}" if near else ""
    return (f"`settled_by` names {name!r}, which is no tool that is declared to read{hint}",)
