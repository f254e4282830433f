"""Payloads: findings of a record, read so that nothing in them can stop the read-out.

A record may come from another version or from somebody's hands. What is missing or malformed
becomes a warning beside what could be read.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.documents.finding import Finding, Subject

UNKNOWN = "unstated"


def read_finding(payload: JSON) -> tuple[Finding, tuple[str, ...]]:
    """The finding as far as it can be read, and what could not be. Raises nothing."""
    if isinstance(payload, Mapping):
        try:
            return msgspec.convert(payload, Finding), ()
        except (msgspec.ValidationError, RecursionError):
            return _salvaged(payload)
    return _empty(), ("the payload is no object",)


def _salvaged(payload: Mapping[str, JSON]) -> tuple[Finding, tuple[str, ...]]:
    finding, warnings = _empty(), []
    for field in msgspec.structs.fields(Finding):
        if field.name not in payload:
            if field.required:
                warnings.append(f"{field.name} is missing")
            continue
        try:
            value = msgspec.convert(payload[field.name], field.type)
        except (msgspec.ValidationError, RecursionError):
            warnings.append(f"{field.name} is malformed")
            continue
        finding = msgspec.structs.replace(finding, **{field.name: value})
    return finding, tuple(warnings)


def _empty() -> Finding:
    return Finding(
        kind=UNKNOWN,
        seam="claim",
        subjects=(Subject(UNKNOWN, ""),),
        witnesses=(),
        message="The record does not say.",
        lane=-1,
        step=-1,
    )
