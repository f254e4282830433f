"""What a file is, by what it holds."""

from __future__ import annotations

import pytest

from groundwire.contracts.detecting import detect

OPENAPI = [
    ("a.txt", '{"openapi": "3.0.3", "paths": {}}'),
    ("a.yaml", "openapi: 3.1.0\npaths: {}"),
    ("notes", "# a note\nswagger: '2.0'\npaths: {}"),
    ("a.yaml", "openapi: 3.0\npaths: {}"),
    ("a.yaml", "openapi: three\ninfo: {}"),
    ("a.json", '{"\\u006fpenapi": "3.0.3"}'),
    ("a.yaml", "{? openapi : 3.0.3, paths: {}}"),
    ("a.yaml", '"open\\x61pi": 3.0.3'),
]
SCHEMA = [
    ("a", '{"$schema": "https://json-schema.org/draft/2020-12/schema"}'),
    ("a", '{"type": "object", "properties": {}}'),
    ("a", "type: array\nitems: {}"),
    ("a", '{"type": "string", "enum": []}'),
    ("a", '{"$defs": {}}'),
]
NEITHER = [
    ("openapi.yaml", "a: 1"),
    ("openapi.json", '{"openapi": "3.0.3", "openapi": "3.0.3"}'),
    ("openapi.json", '{"openapi": "3.0.3"'),
    ("openapi.yaml", "- openapi: 3.0.3"),
    ("a.yaml", "text: |\n  openapi: 3.0.3\n  paths: {}"),
    ("a.yaml", "dependencies:\n  openapi: 3.0.3"),
    ("a.yaml", "openapi: ^1.2"),
    ("a.yaml", "openapi: true"),
    ("a.json", '{"type": "object"}'),
    ("a.json", '{"type": "object", "properties": 1}'),
    ("a.json", '{"$schema": "https://example.com/other", "type": "object", "properties": {}}'),
    ("a.json", ""),
    ("a.md", "openapi: [ broken"),
    ("a.bin", "openapi\0"),
]


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        *((path, text, "openapi") for path, text in OPENAPI),
        *((path, text, "json-schema") for path, text in SCHEMA),
        *((path, text, None) for path, text in NEITHER),
    ],
)
def test_a_file_is_what_it_holds_and_not_what_it_is_called(
    path: str, text: str, kind: str | None
) -> None:
    assert detect(path, text.encode()) == kind


def test_bytes_that_are_no_text_are_no_contract() -> None:
    assert detect("openapi.yaml", b"\xff\xfeo\0p\0e\0n\0a\0p\0i\0") is None
    assert detect("openapi.yaml", b"openapi: 3.0.3 \xff") is None
