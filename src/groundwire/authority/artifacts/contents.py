"""Contents: what kind of artifact bytes are, by their structure. Never raises, whatever they are.

JSON is parsed. Of YAML only the keys of one level are looked at: no YAML is read here, and what a
tag or an anchor hides is not seen. A contract inside another file (a block of text, a string) is
found where it is written plainly.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.contracts.shape import speaks_of_values

_LOOKED_AT: Final = 1 << 22

_ROOTS: Final = {"openapi": "openapi", "swagger": "openapi", "asyncapi": "asyncapi"}
_BESIDE: Final = frozenset(
    ("paths", "info", "components", "webhooks", "channels", "definitions", "servers", "operations")
)
# The version at the head of a contract: `openapi: 3.0.3`, quoted or not, at any depth.
_HEAD: Final = re.compile(
    r"""^([ \t]*(?:-[ ]+)?)["']?(openapi|swagger|asyncapi)["']?[ \t]*:[ \t]*["']?[0-9]""",
    re.MULTILINE,
)
_KEY: Final = re.compile(r"""^([ \t]*)["']?([A-Za-z]{4,10})["']?[ \t]*:""", re.MULTILINE)
# The same between braces: JSON in a string, YAML in its flow style.
_INSIDE: Final = re.compile(
    r"""[{,]\s*\\?["']?(openapi|swagger|asyncapi)\\?["']?\s*:\s*\\?["']?[0-9]"""
)
_BESIDE_INSIDE: Final = re.compile(
    r"""[{,]\s*\\?["']?(?:paths|info|components|webhooks|channels|definitions)\\?["']?\s*:\s*[{\[]"""
)
_PROTO: Final = re.compile(
    r"""^[ \t]*(?:syntax[ \t]*=[ \t]*["']proto[23]["']|edition[ \t]*=[ \t]*["']20[0-9]{2}["'])[ \t]*;""",
    re.MULTILINE,
)
_GRAPHQL: Final = re.compile(
    r"^[ \t]*(?:extend[ \t]+)?(?:type[ \t]+(?:Query|Mutation|Subscription)\b[^{}\n]*|schema[ \t]*)\{",
    re.MULTILINE,
)
_JSON_SCHEMA: Final = "json-schema.org/"
_YAML_SCHEMA: Final = re.compile(
    r"""^["']?\$schema["']?[ \t]*:[ \t]*["']?https?://json-schema\.org/""", re.MULTILINE
)


def kinds_by_content(content: bytes) -> frozenset[str]:
    """Every kind of contract that the bytes hold. Looks at the first four megabytes."""
    if b"\0" in content[:4096] and not content.startswith(
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    ):
        return frozenset()
    text = _text(content[:_LOOKED_AT])
    whole = _json(content) if text.lstrip()[:1] in {"{", "["} else None
    found = _of_json(whole) if isinstance(whole, Mapping) else set()
    return frozenset(found | _of_text(text))


def _of_json(document: Mapping[str, object]) -> set[str]:
    kinds = {kind for root, kind in _ROOTS.items() if isinstance(document.get(root), str)}
    tools = document.get("tools")
    if isinstance(document.get("mcpServers"), Mapping) or (
        isinstance(tools, list) and any(_is_tool(tool) for tool in tools)
    ):
        kinds.add("mcp-manifest")
    if _is_schema(document):
        kinds.add("json-schema")
    return kinds


def _is_schema(document: Mapping[str, object]) -> bool:
    """Whether it says that it is one, or says of values what only a schema says."""
    schema = document.get("$schema")
    if isinstance(schema, str) and _JSON_SCHEMA in schema:
        return True
    return speaks_of_values(document)


def _is_tool(value: object) -> bool:
    return isinstance(value, Mapping) and "name" in value and (
        "inputSchema" in value or "input_schema" in value
    )  # fmt: skip


def _of_text(text: str) -> set[str]:
    # Each pattern has a word that is in everything it finds; to look for the word costs nothing.
    found: set[str] = set()
    if any(root in text for root in _ROOTS):
        found |= {_ROOTS[root] for root in _headed(text)}
        if _BESIDE_INSIDE.search(text):
            found |= {_ROOTS[match[1]] for match in _INSIDE.finditer(text)}
    if ("proto" in text or "edition" in text) and _PROTO.search(text):
        found.add("protobuf")
    if ("type" in text or "schema" in text) and _GRAPHQL.search(text):
        found.add("graphql")
    if _JSON_SCHEMA in text and _YAML_SCHEMA.search(text):
        found.add("json-schema")
    return found


def _headed(text: str) -> set[str]:
    """The roots at whose own depth another key of a contract stands: a mention alone is none."""
    heads = {(len(match[1].expandtabs()), match[2]) for match in _HEAD.finditer(text)}
    if not heads:
        return set()
    depths = {len(match[1].expandtabs()) for match in _KEY.finditer(text) if match[2] in _BESIDE}
    return {root for depth, root in heads if depth in depths}


def _text(content: bytes) -> str:
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, "replace")
    return content.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _json(content: bytes) -> object:
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
