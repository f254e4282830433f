"""A description that was read by way of another version leads outside where its new part does."""

from __future__ import annotations

import msgspec
import pytest

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.readings import Readings

LONG = "x" * 70_000
OTHER: JSON = {"A": {"type": "integer"}}


def described(schema: JSON) -> bytes:
    return msgspec.json.encode(
        {
            "openapi": "3.1.0",
            "info": {"title": LONG, "version": "1"},
            "paths": {},
            "components": {"schemas": {"S": schema, "T": {"type": "string"}}},
        }
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "other.json#/A"},
        {"properties": {"a": {"$ref": "other.json#/A"}}},
        {"oneOf": [], "discriminator": {"propertyName": "k", "mapping": {"a": "other.json#/A"}}},
        {"$ref": "#/components/schemas/T"},
        {"type": "integer"},
    ],
)
def test_what_is_new_is_led_inside_and_the_old_is_left_as_it_was(schema: JSON) -> None:
    readings = Readings()

    def opened(data: bytes, readings: Readings | None = None) -> object:
        files = {"api.json": data, "other.json": msgspec.json.encode(OTHER)}
        return open_description("api.json", files.get, readings).root

    old = opened(described({"type": "number"}), readings)
    before = msgspec.json.encode(old)
    assert opened(described(schema), readings) == opened(described(schema))
    assert msgspec.json.encode(old) == before
    # And back again, from what leads outside to what does not.
    assert msgspec.json.encode(opened(described({"type": "number"}), readings)) == before


def test_a_reference_that_alone_is_new_is_seen() -> None:
    readings = Readings()
    files = {"other.json": msgspec.json.encode(OTHER)}
    for target in ("#/components/schemas/T", "other.json#/A"):
        files["api.json"] = described({"$ref": target})
        found = open_description("api.json", files.get, readings).root
    assert msgspec.json.encode(found) == msgspec.json.encode(
        open_description("api.json", files.get).root
    )
    assert b"x-groundwire-files" in msgspec.json.encode(found)


def test_what_leads_outside_is_written_into_on_its_own() -> None:
    readings = Readings()
    files = {"api.json": described({"$ref": "other.json#/A"})}
    files["other.json"] = msgspec.json.encode(OTHER)
    first, again = (open_description("api.json", files.get, readings).root for _ in range(2))
    assert first == again
    assert "x-groundwire-files" in again
