"""Which protocol an address speaks."""

from __future__ import annotations

import pytest

from groundwire.wire.providers import recognise, undecoded


@pytest.mark.parametrize(
    ("host", "path", "provider"),
    [
        ("api.openai.com", "/v1/chat/completions", "openai-chat"),
        ("api.openai.com", "/v1/responses", "openai-responses"),
        ("api.anthropic.com", "/v1/messages", "anthropic"),
        ("api.anthropic.com", "/v1/messages?beta=true", "anthropic"),
        ("gateway.test", "/openai/deployments/x/chat/completions?api-version=1", "openai-chat"),
        ("localhost", "v1beta/openai/chat/completions", "openai-chat"),
        ("gateway.test", "/anthropic/v1/messages/", "anthropic"),
        ("api.openai.com", "/v1/threads/t/messages", None),
        ("API.openai.com", "/v1/messages", None),
        ("api.anthropic.com", "/v1/messages/count_tokens", None),
        ("api.anthropic.com", "/v1/messages/batches", None),
        ("api.openai.com", "/v1/responses/resp_1", None),
        ("api.openai.com", "/v1/embeddings", None),
        ("api.openai.com", "/v1/completions", None),
        ("api.openai.com", "/", None),
        ("api.openai.com", "", None),
    ],
)
def test_the_end_of_the_path_tells(host: str, path: str, provider: str | None) -> None:
    assert recognise(host, path) == provider


@pytest.mark.parametrize(
    ("host", "path", "name"),
    [
        ("generativelanguage.googleapis.com", "/v1beta/models/x:generateContent", "gemini"),
        ("", "v1beta/models/x:streamGenerateContent?alt=sse", "gemini"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "/model/x/converse", "bedrock"),
        ("bedrock-runtime.eu-west-1.amazonaws.com", "/model/x/other", "bedrock"),
        ("", "model/x/converse-stream", "bedrock"),
        ("api.openai.com", "/v1/chat/completions", None),
    ],
)
def test_protocols_that_are_known_and_not_read_are_named(
    host: str, path: str, name: str | None
) -> None:
    assert undecoded(host, path) == name
    if name:
        assert recognise(host, path) is None
