"""The finding of a result that does not fit: what it says, and what of the value it shows."""

from __future__ import annotations

from typing import Final

import msgspec

from groundwire.canon import digest
from groundwire.checks.wording import clipped
from groundwire.checks.write.outputs.validator import Misfit
from groundwire.documents.declaration import OutputSource
from groundwire.documents.finding import Assertion, Finding, Subject
from groundwire.documents.policy import ToolDeclaration

_EXCERPT: Final = 120


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where the result stands; `is_told`: the host said what the tool returned."""

    lane: int
    step: int
    call_id: str
    source: str
    is_told: bool = True


def finding_of(kind: str, declared: ToolDeclaration, misfit: Misfit, place: Place) -> Finding:
    """The finding, the same for whatever value fails the same keyword at the same place."""
    subject = Subject("tool", declared.name)
    pointer = clipped(misfit.pointer, 80)
    where = f"`{pointer}` of" if pointer else "the whole of"
    call = f" (call {clipped(place.call_id, 48)})" if place.call_id else ""
    doubt = "" if place.is_told else " The host may have written it otherwise than the tool did."
    return Finding(
        kind=kind,
        seam="write",
        subjects=(subject,),
        witnesses=(
            Assertion(
                subject=subject,
                predicate="gave",
                value=_excerpt(misfit.value),
                provenance=place.source,
                step=place.step,
            ),
            Assertion(
                subject=subject,
                predicate="declared",
                value=f"{misfit.rule} {_schema_digest(declared)}",
                provenance=_written_in(declared.output),
                step=place.step,
            ),
        ),
        message=(
            f"The tool `{clipped(declared.name, 48)}` gave a result{call} that does not fit "
            f"{_written_in(declared.output)}: {where} it fails `{clipped(misfit.rule, 40)}`, "
            f"{clipped(misfit.says, 160)}. Mend the service, or the schema if the result is right."
            f"{doubt} Nothing was blocked."
        ),
        lane=place.lane,
        step=place.step,
        path=misfit.pointer,
        value_digest=digest.tagged("value", misfit.rule.encode(errors="surrogatepass")),
        grade=misfit.rule,
        advisory=not place.is_told,
    )


def _schema_digest(declared: ToolDeclaration) -> str:
    return digest.sha256(declared.output_schema.encode(errors="surrogatepass"))


def _written_in(output: OutputSource | None) -> str:
    match output:
        case None:
            return "the tool's declared output schema"
        case OutputSource(kind="mcp"):
            return "the outputSchema of the MCP tool"
        case OutputSource(kind="operation"):
            status = f" {clipped(output.status, 8)}" if output.status else ""
            operation = clipped(output.operation, 80)
            return f"the answer{status} of {operation} in {clipped(output.file, 80)}"
        case _:
            return f"the schema in {clipped(output.file, 80)}"


def _excerpt(value: object) -> str:
    """A beginning of the value, in JSON."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return clipped(text, _EXCERPT)
