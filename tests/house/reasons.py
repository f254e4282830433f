"""The reason codes in src: every text that reaches the first argument of an error.

A code may be written at the raise, or be handed to a function or class that passes it on; both are
followed. A code that is computed is not found, and so must not be.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.house.tree import modules, shown, syntax

ROOTS = {
    "GroundwireError",
    "EncodingError",
    "TrustError",
    "GuardError",
    "HostError",
    "PolicyError",
    "UnsupportedValuesError",
}
Definition = ast.FunctionDef | ast.AsyncFunctionDef
# Callable's name -> the position and name of the parameter that its reason goes to. A private
# name is prefixed with its module's: it means nothing elsewhere.
Carriers = Mapping[str, tuple[int, str]]


@cache
def reasons_in_source() -> dict[str, list[str]]:
    """Every reason code that src can raise, with the places it is written at."""
    found: dict[str, list[str]] = {}
    carriers = _carriers()
    for path in modules():
        for call, argument in _reason_arguments(path, syntax(path), carriers):
            for constant in _constants(argument):
                found.setdefault(constant, []).append(f"{shown(path)}:{call.lineno}")
    return found


def _carriers() -> Carriers:
    """Error classes, and every function and exception class whose parameter ends up in one."""
    carriers: dict[str, tuple[int, str]] = dict.fromkeys(ROOTS, (0, "reason"))
    while True:
        before = len(carriers)
        for path in modules():
            for name, definition, skip in _definitions(syntax(path)):
                carried = _carried_parameter(path, definition, carriers, skip)
                known = _known_as(path, name)
                if known not in carriers and carried is not None:
                    carriers[known] = carried
        if len(carriers) == before:
            return carriers


def _definitions(tree: ast.Module) -> Iterator[tuple[str, Definition, int]]:
    """Functions by their name and exception classes by theirs; how many parameters are `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, Definition):
                    decorators = {ast.unparse(decorator) for decorator in member.decorator_list}
                    is_init = member.name == "__init__"
                    is_static = "staticmethod" in decorators
                    yield node.name if is_init else member.name, member, 0 if is_static else 1
        elif isinstance(node, ast.Module):
            yield from ((n.name, n, 0) for n in node.body if isinstance(n, Definition))


def _known_as(path: Path, name: str) -> str:
    return f"{shown(path)}:{name}" if name.startswith("_") else name


def _carried_parameter(
    path: Path, definition: Definition, carriers: Carriers, skip: int
) -> tuple[int, str] | None:
    positional = [a.arg for a in definition.args.posonlyargs + definition.args.args][skip:]
    named = [a.arg for a in definition.args.kwonlyargs]
    passed = {
        name
        for _, argument in _reason_arguments(path, definition, carriers)
        for name in _names(argument)
    }
    if definition.name == "__init__" and "reason" in positional and _keeps_reason(definition):
        passed.add("reason")
    for name in positional + named:
        if name in passed:
            return (positional.index(name) if name in positional else -1), name
    return None


def _keeps_reason(definition: Definition) -> bool:
    return any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "self.reason"
        for node in ast.walk(definition)
    )


def _reason_arguments(
    path: Path, tree: ast.AST, carriers: Carriers
) -> Iterator[tuple[ast.Call, ast.expr]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = _known_as(path, ast.unparse(node.func).rpartition(".")[2])
        if name not in carriers:
            continue
        position, keyword = carriers[name]
        if 0 <= position < len(node.args):
            yield node, node.args[position]
        yield from ((node, k.value) for k in node.keywords if k.arg == keyword)


def _leaves(argument: ast.expr) -> Iterator[ast.expr]:
    """What an argument may be: the branches of a choice, else itself."""
    match argument:
        case ast.IfExp(body=body, orelse=orelse):
            yield from _leaves(body)
            yield from _leaves(orelse)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _leaves(value)
        case _:
            yield argument


def _names(argument: ast.expr) -> Iterator[str]:
    yield from (leaf.id for leaf in _leaves(argument) if isinstance(leaf, ast.Name))


def _constants(argument: ast.expr) -> Iterator[str]:
    """The texts an argument may be; none for one that is passed on."""
    for leaf in _leaves(argument):
        if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str):
            yield leaf.value
        elif isinstance(leaf, ast.JoinedStr):
            yield ast.unparse(leaf)  # put together at run time: never a code that is listed
