"""A manifest as OpenTelemetry spans, in OTLP's JSON: no SDK is needed to write or to read it.

Names are those of the GenAI semantic conventions (in development as of this writing):
`invoke_agent`, `chat`, `execute_tool`. Attributes that the conventions do not have begin with
`groundwire.`. Ids are made from the manifest's digest, so the same run gives the same spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from groundwire.canon import digest, jcs
from groundwire.documents.manifest import Boundary, CallRow, Manifest
from groundwire.errors import EncodingError
from groundwire.keys.times import parse_time
from groundwire.lineage.manifest import digest_of, without_texts

JSON: TypeAlias = "bool | int | str | Sequence[JSON] | Mapping[str, JSON] | None"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INTERNAL, _CLIENT = 1, 3
_PROVIDERS = {"openai-chat": "openai", "openai-responses": "openai", "anthropic": "anthropic"}
_SCOPE = "groundwire.lineage"


def otel_of(manifests: Sequence[Manifest]) -> JSON:
    """One OTLP document with a trace for each manifest.

    A span of a tool call has no duration: a recording says when its result was carried first, not
    when the tool ran. Where a log has no clock, times are 0. No text of the run is in it, beside
    names and ids.

    Raises:
        EncodingError: a manifest has no digest.
    """
    spans = [span for manifest in manifests for span in _spans(manifest)]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes({"service.name": "groundwire"})},
                "scopeSpans": [{"scope": {"name": _SCOPE}, "spans": spans}],
            }
        ]
    }


def _spans(manifest: Manifest) -> Iterator[JSON]:
    name = digest_of(manifest)
    trace = name[4:36]
    root = _span_id(name, "run", 0)
    times = [_nanoseconds(boundary.at) for boundary in manifest.boundaries] or [0]
    whole = jcs.encode_document(without_texts(manifest)).decode()
    yield {
        **_span(trace, root, "", "invoke_agent", _INTERNAL, times[0], times[-1]),
        "attributes": _attributes(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.conversation.id": manifest.run,
                "groundwire.lineage.source": manifest.source,
            }
        ),
        "events": [
            {
                "name": "groundwire.lineage.manifest",
                "timeUnixNano": str(times[-1]),
                "attributes": _attributes(
                    {
                        "groundwire.lineage.manifest.digest": name,
                        "groundwire.lineage.manifest": whole,
                    }
                ),
            }
        ],
    }
    at = {each.exchange: _nanoseconds(each.at) for each in manifest.boundaries}
    for boundary in manifest.boundaries:
        yield _chat(trace, name, root, boundary)
    for number, row in enumerate(manifest.calls):
        yield _tool(trace, name, root, number, row, at)


def _chat(trace: str, name: str, root: str, boundary: Boundary) -> JSON:
    when = _nanoseconds(boundary.at)
    title = f"chat {boundary.model}".strip()
    return {
        **_span(
            trace, _span_id(name, "request", boundary.exchange), root, title, _CLIENT, when, when
        ),
        "attributes": _attributes(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": _PROVIDERS.get(boundary.provider, boundary.provider),
                "gen_ai.request.model": boundary.model,
                "groundwire.request": boundary.exchange,
                "groundwire.lane": boundary.lane,
                "groundwire.context.before": boundary.before,
                "groundwire.context.after": boundary.after,
                "groundwire.frame": boundary.frame,
                "groundwire.body": boundary.body,
                "groundwire.state": boundary.state,
            }
        ),
    }


def _tool(
    trace: str, name: str, root: str, number: int, row: CallRow, at: Mapping[int, int]
) -> JSON:
    parent = root if row.chosen_in is None else _span_id(name, "request", row.chosen_in)
    first = row.injections[0].first_request if row.injections else row.chosen_in
    when = 0 if first is None else at.get(first, 0)
    title = f"execute_tool {row.tool}".strip()
    return {
        **_span(trace, _span_id(name, "call", number), parent, title, _INTERNAL, when, when),
        "attributes": _attributes(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": row.tool,
                "gen_ai.tool.call.id": row.id,
                "gen_ai.tool.type": "function" if row.executed_by == "host" else "extension",
                "groundwire.inputs": row.inputs,
                "groundwire.output": row.output,
                "groundwire.output.sha256": row.output_sha256,
                "groundwire.standing": row.standing,
                "groundwire.injections": len(row.injections),
            }
        ),
    }


def _span(
    trace: str, span: str, parent: str, name: str, kind: int, start: int, end: int
) -> dict[str, JSON]:
    return {
        "traceId": trace,
        "spanId": span,
        **({"parentSpanId": parent} if parent else {}),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
    }


def _span_id(manifest: str, kind: str, number: int) -> str:
    return digest.tagged("lineage", manifest.encode(), kind.encode(), b"%d" % number)[4:20]


def _attributes(values: Mapping[str, str | int]) -> list[JSON]:
    """OTLP key values; what is not known is left out."""
    return [
        {
            "key": key,
            "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value},
        }
        for key, value in values.items()
        if value != ""
    ]


def _nanoseconds(at: str) -> int:
    try:
        return (parse_time(at) - _EPOCH) // timedelta(microseconds=1) * 1000
    except EncodingError:
        return 0
