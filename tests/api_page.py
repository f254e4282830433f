"""The page of the Python API, from signatures and docstrings: what `import groundwire` offers, and
what the documentation imports besides.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator

import msgspec

import groundwire as gw
from tests.house.tree import CHECKOUT, text_of

HEADING = """\
# The Python API

<!-- Made by `make docs` from signatures and docstrings. -->

`import groundwire as gw`. What is not on this page is not for use from outside, and may change.
Every error is a `gw.GroundwireError`: `error.reason` is one of the [reason codes](reasons.md)."""

ERRORS = """\
## Errors and warnings

| name | kind of | raised or warned of when |
|---|---|---|"""

BESIDES = """\
## Names of other modules

For your tests, and used in the pages of this documentation."""

# What is read first stands first; whatever else the front door offers comes after it.
_FIRST = ("Project", "Session", "tool")
# Without an underscore for the rooms beside theirs, and of no use from outside.
_WIRING = {
    "begin_guarded",
    "child_path",
    "declared_policy",
    "notify",
    "on_the_wire",
    "outside_run",
    "ran",
    "record_child",
    "record_guarded",
    "run_guard",
    "sent",
}

_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_RAISES = re.compile(r"^Raises(.*):$")
_RAISED = re.compile(r"(\w+(?:, \w+)*): (.+)")
_WIDTH = 92


def api_page() -> str:
    """docs/reference/python-api.md."""
    offered = {name: getattr(gw, name) for name in gw.__all__}
    failures = {name: kind for name, kind in offered.items() if _is_failure(kind)}
    parts = [HEADING]
    for name in (*_FIRST, *(each for each in offered if each not in {*_FIRST, *failures})):
        parts += _entry(f"gw.{name}", offered[name])
    rows = [
        f"| `gw.{name}` | `{kind.__mro__[1].__name__}` | {' '.join(_prose(kind).split())} |"
        for name, kind in failures.items()
    ]
    parts.append("\n".join((ERRORS, *rows)))
    parts.append(BESIDES)
    for module, name in imported_in_documentation():
        parts += _entry(name, getattr(importlib.import_module(module), name), module)
    return "\n\n".join(parts) + "\n"


def _is_failure(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Exception)


def imported_in_documentation() -> list[tuple[str, str]]:
    """Each (module, name) that an example in a page imports from inside the package."""
    found = set()
    for page in (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))):
        for block in _BLOCK.findall(text_of(page)):
            for node in ast.walk(ast.parse(block)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                    "groundwire."
                ):
                    found |= {(node.module or "", alias.name) for alias in node.names}
    return sorted(found)


def _entry(title: str, value: object, module: str = "") -> Iterator[str]:
    """A heading, the signature, the docstring; of a class its public members too."""
    yield f"{'###' if module else '##'} {title}"
    if module:
        yield f"`from {module} import {title}`"
    name = title.removeprefix("gw.")
    if not inspect.isclass(value):
        yield _code(_signature(name, value)) if callable(value) else _code(f"{name}: {value!r}")
        yield _prose(value)
        return
    yield _code(_fields(value) if issubclass(value, msgspec.Struct) else _class(value))
    yield _prose(value)
    yield from _members(name, value)


def _members(owner: str, kind: type) -> Iterator[str]:
    seen: set[str] = set()
    for each in (one for one in kind.__mro__ if one.__module__.startswith("groundwire.")):
        for name, member in vars(each).items():
            if name.startswith("_") or name in seen | _WIRING:
                continue
            seen.add(name)
            if isinstance(member, property):
                returns = _returns(member.fget)
                yield _code(f"{owner}.{name}: {returns}") + "\n\n" + _prose(member)
            elif inspect.isfunction(member):
                yield _code(_signature(f"{owner}.{name}", member)) + "\n\n" + _prose(member)


def _class(kind: type) -> str:
    made = kind.__init__
    return _signature(kind.__name__, made) if inspect.isfunction(made) else kind.__name__


def _fields(kind: type[msgspec.Struct]) -> str:
    """The fields of a document, in their order."""
    hints: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        hints |= inspect.get_annotations(each)
    return "\n".join(
        (kind.__name__, *(f"    {_field(field, hints)}" for field in msgspec.structs.fields(kind)))
    )


def _field(field: msgspec.structs.FieldInfo, hints: dict[str, str]) -> str:
    default = field.default
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    if default is msgspec.NODEFAULT:
        return f"{field.name}: {hints[field.name]}"
    plain = isinstance(default, msgspec.Struct) and default == type(default)()
    spelled = f"{type(default).__name__}()" if plain else repr(default)
    if inspect.isfunction(default):
        spelled = default.__name__
    return f"{field.name}: {hints[field.name]} = {spelled}"


def _node(function: object) -> ast.FunctionDef | ast.AsyncFunctionDef:
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))  # type: ignore[arg-type]  # a function
    [node] = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return node


def _returns(function: object) -> str:
    returns = _node(function).returns
    return "None" if returns is None else ast.unparse(returns)


def _signature(name: str, function: object) -> str:
    """The signature as the source spells it, without `self`; a parameter a line where it is long."""
    node = _node(function)
    parameters = _parameters(node.args)
    is_made = node.name == "__init__"
    returns = "" if is_made or node.returns is None else f" -> {ast.unparse(node.returns)}"
    kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    line = f"{kind}{name}({', '.join(parameters)}){returns}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join((f"{kind}{name}(", *(f"    {each}," for each in parameters), f"){returns}"))


def _parameters(arguments: ast.arguments) -> list[str]:
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(placed) - len(arguments.defaults)) + list(arguments.defaults)
    spelled = [
        _parameter(each, default)
        for each, default in zip(placed, defaults, strict=True)
        if each.arg not in {"self", "cls"}
    ]
    if arguments.vararg:
        spelled.append("*" + ast.unparse(arguments.vararg))
    elif arguments.kwonlyargs:
        spelled.append("*")
    spelled += map(_parameter, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        spelled.append("**" + ast.unparse(arguments.kwarg))
    return spelled


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    equals = " = " if argument.annotation else "="
    return ast.unparse(argument) + ("" if default is None else equals + ast.unparse(default))


def _code(text: str) -> str:
    quoted = text if '"' in text else text.replace("'", '"')
    return f"```text\n{quoted}\n```"


def _prose(value: object) -> str:
    """The docstring, with what it raises as a list."""
    lines = inspect.cleandoc(getattr(value, "__doc__", None) or "").splitlines()
    told: list[str] = []
    raising = False
    for line in lines:
        if start := _RAISES.match(line):
            raising = True
            told += [f"Raises{start[1]}:", ""]
        elif raising and (raised := _RAISED.match(line.strip())) and not line.startswith("     "):
            names = ", ".join(f"`{name}`" for name in raised[1].split(", "))
            told.append(f"* {names}: {raised[2]}")
        elif raising and line.strip():
            told.append(f"  {line.strip()}")
        else:
            raising = raising and not line.strip()
            told.append(line)
    return "\n".join(told)
