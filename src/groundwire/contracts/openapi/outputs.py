"""What an operation answers, as one JSON Schema that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import DIALECTS
from groundwire.contracts.jsonschema.compiling.openapi.marks import MARKS, Marks
from groundwire.contracts.jsonschema.compiling.openapi.projecting import Projection
from groundwire.contracts.jsonschema.compiling.references import References, Unresolved
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation, operations
from groundwire.contracts.openapi.resolving import Resolved, Resolver, join
from groundwire.contracts.reading.unreadable import Unreadable

_WRITTEN_IN: Final = {
    "draft-4": "http://json-schema.org/draft-04/schema#",
    "draft-6": "http://json-schema.org/draft-06/schema#",
    "draft-7": "http://json-schema.org/draft-07/schema#",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    # Once `nullable` and the like are spelt out, what is left is draft 4.
    "openapi-3.0": "http://json-schema.org/draft-04/schema#",
}
_WELL: Final = "200"


def output_schema(description: Description, operation: str, status: str = "") -> dict[str, JSON]:
    """The schema of what comes back in JSON from `operation`: `GET /users/{id}`, or an operationId.

    `status` names a status code; without it the answer is that of 200, of all 2XX, of the only
    success, or the default one, whichever is described first. It is read as a reader does:
    `writeOnly` properties are not looked at, a discriminator's unknown value says nothing, and what
    is `nullable` in 3.0 may be null though its `enum` does not list that, as many descriptions mean it.
    Headers, and answers that are no JSON, are not its business.

    Raises:
        Unreadable: `operation-unknown`, `output-not-described` (no such answer, none in JSON, or
            one without a schema), `output-ambiguous` (several successes, none of them 200);
            `output-unreadable`: a part of it could not be read or leads nowhere.
    """
    resolver = Resolver(description)
    found = _operation(resolver, operation)
    responses = resolver.at(join(found.pointer, "responses"))
    answer = resolver.at(_response(responses, status))
    content = answer if answer.reason else resolver.at(join(answer.pointer, "content"))
    media = _media(content)
    schema = join(content.pointer, media, "schema")
    entry = resolver.written(join(content.pointer, media))
    if not isinstance(entry.value, Mapping) or "schema" not in entry.value:
        raise _not_described(f"Its {media} answer has no schema.")
    dialect = DIALECTS[description.dialect]
    references = References(description.root, dialect.id_keyword)
    marks = Marks(references, MARKS["produces"], ref_alone=dialect.ref_alone)
    projection = Projection(description.root, references, dialect, marks, sends=False)
    try:
        made = projection.of(references.resolve(schema, ()))
    except Unresolved as error:
        message = f"The schema of its answer cannot be followed: {error.args[0]}."
        raise Unreadable("output-unreadable", message) from error
    except RecursionError as error:
        raise Unreadable("too-deep", "The schema of its answer nests too deep.") from error
    if description.dialect == "openapi-3.0":
        _list_null(made)
    return {"$schema": _WRITTEN_IN[description.dialect], **made}


def _list_null(made: JSON) -> None:
    """Each `enum` beside what may be null lists that; in 3.0 only `nullable` makes lists of types."""
    waiting = [made]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            kinds, listed = value.get("type"), value.get("enum")
            if isinstance(kinds, list) and "null" in kinds and isinstance(listed, list):
                value["enum"] = [*listed, *([] if None in listed else [None])]
            # A property may be called `enum`; what is listed is data.
            is_data = isinstance(listed, list)
            waiting += [each for name, each in value.items() if name != "enum" or not is_data]


def _operation(resolver: Resolver, wanted: str) -> Operation:
    """The operation of this method and path, or of this operationId where it is the only one."""
    method, _, template = wanted.partition(" ")
    label = f"{method.upper()} {template.strip()}"
    named: list[Operation] = []
    for each in operations(resolver):
        if isinstance(each, Operation):
            if each.label == label:
                return each
            if each.members.get("operationId") == wanted:
                named.append(each)
        elif each.template in {"", template.strip()} and each.method in {"", method.upper()}:
            message = f"What it says of {wanted} could not be read: {each.reason}."
            raise Unreadable("output-unreadable", message)
    if len(named) != 1:
        says = "It has several operations" if named else "It has no operation"
        raise Unreadable("operation-unknown", f"{says} {wanted!r:.80}; name one, as GET /users.")
    return named[0]


def _response(responses: Resolved, status: str) -> str:
    """The pointer of the answer that is meant."""
    if responses.reason and responses.reason != "reference-dangling":
        message = f"What the operation answers could not be read: {responses.reason}."
        raise Unreadable("output-unreadable", message)
    by_name = {name.upper(): name for name in responses.members}
    for name in (status or _WELL, f"{(status or _WELL)[0]}XX"):
        if name in by_name:
            return join(responses.pointer, by_name[name])
    successes = [name for name in by_name if name.startswith("2")]
    if not status and len(successes) == 1:
        return join(responses.pointer, by_name[successes[0]])
    if not status and successes:
        message = f"Several answers say that all went well ({', '.join(successes)}); name a status."
        raise Unreadable("output-ambiguous", message)
    if "DEFAULT" in by_name:
        return join(responses.pointer, by_name["DEFAULT"])
    raise _not_described(f"No answer {status or '2XX'} of the operation is described.")


def _media(content: Resolved) -> str:
    """The name of what is in JSON; of several, `application/json`."""
    if content.reason and content.reason != "reference-dangling":
        message = f"What is in the answer could not be read: {content.reason}."
        raise Unreadable("output-unreadable", message)
    plain: dict[str, str] = {}
    for name in content.members:
        plain.setdefault(name.partition(";")[0].strip().lower(), name)
    in_json = [each for each in plain if each.endswith(("/json", "+json"))]
    for each in ("application/json", *sorted(in_json), "application/*", "*/*"):
        if each in plain:
            return plain[each]
    raise _not_described("The answer holds no JSON.")


def _not_described(says: str) -> Unreadable:
    return Unreadable("output-not-described", says)
