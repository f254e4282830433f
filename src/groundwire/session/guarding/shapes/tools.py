"""Tools as they are given: a function, an object, an SDK's tool, a description beside its function.

Recognised by what they have, never by what they are called; no SDK is imported. What a tool does
(its effect) is not read off any of these: it is declared.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Final, TypeAlias

import msgspec

from groundwire.errors import PolicyError
from groundwire.guard.effects import Hints, hints_of
from groundwire.session.executions.wrapping import recorded_name
from groundwire.session.guarding.shapes.schemas import (
    Arguments,
    Bound,
    Schema,
    signature_of,
)

Work: TypeAlias = Callable[[], object]
AsyncWork: TypeAlias = Callable[[], Awaitable[object]]

_NO_ARGUMENTS: Final[Schema] = {"type": "object", "properties": {}}
_SCHEMAS: Final = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parametersJsonSchema",
    "parameters_json_schema",
)
_OBJECT_SCHEMAS: Final = ("args_schema", "input_schema", "inputSchema", "parameters", "schema")

_GEMINI_TYPES: Final = {
    kind.upper(): kind
    for kind in ("array", "boolean", "integer", "null", "number", "object", "string")
}


class GivenTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool by its name, as it is offered and as it is called.

    `work` and `async_work` take the parsed arguments and give what then carries the call out; they
    run nothing themselves and raise GuardError (`arguments-do-not-fit`) where the arguments do not
    fit the function. Both None: a description without code, which only a declared target that
    groundwire writes itself can carry out. `hints` are those of an MCP server, where it gave some.
    """

    name: str
    description: str
    schema: Schema
    work: Callable[[Arguments], Work] | None
    async_work: Callable[[Arguments], AsyncWork] | None
    hints: Hints = Hints()


def given_tools(tools: Iterable[object]) -> tuple[GivenTool, ...]:
    """Every tool that was given, in that order; a description of several is several.

    Takes functions, sync and async; objects with `execute`, or with `function` as the reference loop's
    have it; LangChain tools; and pairs of a tool as
    OpenAI, Anthropic or Gemini take it, or MCP lists it, with its function (or functions by name).

    Raises:
        PolicyError: `not-tools`, `not-a-tool`, `no-tool-schema`: which, and what would do.
    """
    if isinstance(tools, str | bytes | Mapping) or not isinstance(tools, Iterable):
        raise PolicyError(
            "not-tools", f"A list of tools is wanted, not {type(tools).__name__}; hand in a list."
        )
    found: list[GivenTool] = []
    for place, tool in enumerate(tools):
        try:
            found += _given(tool, place)
        except PolicyError:
            raise
        except Exception as error:
            raise _unknown(place, "looking at it fails") from error
    return tuple(found)


def _given(tool: object, place: int) -> Iterator[GivenTool]:
    if isinstance(tool, GivenTool):
        yield tool
    elif isinstance(tool, tuple) and len(tool) == 2:
        yield from _described(tool[0], tool[1], place)
    elif isinstance(tool, type):
        raise _unknown(place, f"{tool.__name__} is a class; make one of it")
    elif isinstance(tool, Mapping):
        yield from _described(tool, None, place)
    elif callable(getattr(tool, "invoke", None)) and _text(tool, "name"):
        yield _langchain(tool, place)
    elif callable(execute := getattr(tool, "execute", getattr(tool, "function", None))):
        yield _object(tool, execute, place)
    elif callable(tool):
        yield _function(tool, _name_of(tool, place))
    elif _declares_functions(tool):
        yield from _described(tool, None, place)
    else:
        raise _unknown(place, f"{type(tool).__name__} is no kind of tool")


# --- functions and objects ------------------------------------------------------------------


def _function(function: Callable[..., object], name: str, description: str = "") -> GivenTool:
    signature = signature_of(function, name)
    return _called(
        name,
        description or inspect.getdoc(function) or "",
        signature.schema,
        function,
        signature.bound,
    )


def _called(
    name: str,
    description: str,
    schema: Schema,
    function: Callable[..., object],
    bound: Callable[[Arguments], Bound],
) -> GivenTool:
    def work(arguments: Arguments) -> Callable[[], object]:
        by_position, by_name = bound(arguments)
        return partial(function, *by_position, **by_name)

    asynchronous = _is_async(function)
    return GivenTool(
        name=name,
        description=description,
        schema=schema,
        work=None if asynchronous else work,
        async_work=work if asynchronous else None,  # type: ignore[arg-type]  # it is async
    )


def _by_name(arguments: Arguments) -> Bound:
    return (), dict(arguments)


def _object(tool: object, execute: Callable[..., object], place: int) -> GivenTool:
    name = _text(tool, "name")
    if not name:
        raise _unknown(place, "the object has `execute` and no `name`")
    schema = _schema_of(tool)
    description = _text(tool, "description") or inspect.getdoc(tool) or ""
    if schema is None:
        return _function(execute, name, description)
    return _called(name, description, schema, execute, _by_name)


def _langchain(tool: object, place: int) -> GivenTool:
    """A LangChain tool, called through `invoke` and `ainvoke` so that it does all it does."""
    name = _text(tool, "name")
    schema = _schema_of(tool)
    if schema is None:
        raise _unknown(place, f"{name!r} has `invoke` and no schema of its arguments")
    invoke, ainvoke = getattr(tool, "invoke", None), getattr(tool, "ainvoke", None)
    # A tool of a coroutine alone has an `invoke` that only raises.
    only_async = (
        getattr(tool, "func", invoke) is None and getattr(tool, "coroutine", None) is not None
    )

    def work(arguments: Arguments) -> Work:
        return partial(_require(invoke), dict(arguments))

    def async_work(arguments: Arguments) -> AsyncWork:
        return partial(_require(ainvoke), dict(arguments))

    return GivenTool(
        name=name,
        description=_text(tool, "description"),
        schema=schema,
        work=None if only_async else work,
        async_work=async_work if callable(ainvoke) else None,
        # Where LangChain's adapters for MCP put a server's annotations.
        hints=hints_of(getattr(tool, "metadata", None)),
    )


def _require(function: object) -> Callable[..., Awaitable[object]]:
    if not callable(function):  # pragma: no cover -- looked at before
        raise PolicyError("not-a-tool", "The tool cannot be called; hand in one that can.")
    return function


# --- descriptions as providers take them ----------------------------------------------------


def _described(tool: object, functions: object, place: int) -> Iterator[GivenTool]:
    """A description, or several, with the function beside: one, or several by name."""
    found = _descriptions(_plain(tool), place)
    if callable(functions) and len(found) > 1:
        raise _unknown(place, "several functions are described and one is given; give a mapping")
    for description in found:
        function = functions.get(description.name) if isinstance(functions, Mapping) else functions
        if function is None and not isinstance(functions, Mapping):
            yield description
        elif callable(function):
            called = _called(
                description.name, description.description, description.schema, function, _by_name
            )
            yield msgspec.structs.replace(called, hints=description.hints)
        else:
            raise _unknown(place, f"no function is given beside {description.name!r}")


def _descriptions(tool: object, place: int) -> tuple[GivenTool, ...]:
    if not isinstance(tool, Mapping):
        raise _unknown(place, f"a {type(tool).__name__} describes no tool")
    several = tool.get("functionDeclarations", tool.get("function_declarations"))
    if isinstance(several, list | tuple):
        return tuple(found for each in several for found in _descriptions(_plain(each), place))
    kind = tool.get("type", "function")
    inner = _plain(tool.get("function")) if "function" in tool else tool
    ours = kind == "function" or (kind == "custom" and "input_schema" in tool)
    if not ours or not isinstance(inner, Mapping):
        raise _unknown(place, "it is a tool that the provider runs itself, or of an unknown type")
    name = inner.get("name")
    if not isinstance(name, str) or not name:
        raise _unknown(place, "its description has no `name`")
    schema = next((inner[key] for key in _SCHEMAS if inner.get(key) is not None), _NO_ARGUMENTS)
    if not isinstance(schema, Mapping):
        raise _unknown(place, f"the schema of {name!r} is no JSON object")
    said = inner.get("description")
    description = said if isinstance(said, str) else ""
    return (
        GivenTool(
            name=name,
            description=description,
            schema=_lowered(schema),
            work=None,
            async_work=None,
            hints=hints_of(inner.get("annotations")),
        ),
    )


def _lowered(schema: Schema) -> Schema:
    """Gemini's own schemas say `OBJECT` where JSON Schema says `object`."""

    def lowered(value: object) -> object:
        if isinstance(value, Mapping):
            return {
                key: _GEMINI_TYPES.get(each, each)
                if key == "type" and isinstance(each, str)
                else lowered(each)
                for key, each in value.items()
            }
        return [lowered(each) for each in value] if isinstance(value, list | tuple) else value

    made = lowered(schema)
    return made if isinstance(made, Mapping) else schema


def _declares_functions(tool: object) -> bool:
    """Whether it is an SDK's object that describes functions (`types.Tool`, `FunctionDeclaration`)."""
    return isinstance(_plain(tool), Mapping)


def _plain(value: object) -> object:
    """A pydantic model as its JSON without what is not set; anything else as it is."""
    dump = getattr(value, "model_dump", None)
    if isinstance(value, type | Mapping) or not callable(dump):
        return value
    try:
        plain: object = dump(mode="json", by_alias=True, exclude_none=True)
    except Exception:  # noqa: BLE001 -- a stranger's object; it is then no description
        return value
    return plain


# --- reading strangers ----------------------------------------------------------------------


def _schema_of(tool: object) -> Schema | None:
    for name in _OBJECT_SCHEMAS:
        found = getattr(tool, name, None)
        if isinstance(found, Mapping):
            return found
        if callable(make := getattr(found, "model_json_schema", None)):
            made = make()
            return made if isinstance(made, Mapping) else None
    return None


def _name_of(function: object, place: int) -> str:
    declared = recorded_name(function)
    if declared:
        return declared
    name = getattr(function, "__name__", "") or _text(function, "name")
    if not name or not name.isidentifier():
        raise _unknown(place, "it has no name that a model could call it by; give it a `def`")
    return name


def _text(tool: object, name: str) -> str:
    found = getattr(tool, name, "")
    return found if isinstance(found, str) else ""


def _is_async(function: object) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 -- whether its call is async, not whether it has one
    )


def _unknown(place: int, why: str) -> PolicyError:
    return PolicyError(
        "not-a-tool",
        f"The tool at place {place} cannot be used: {why}. Hand in a function, an object with "
        "`name` and `execute`, a LangChain tool, or a pair of a tool as your provider takes it and "
        "its function.",
    )
