"""Secrets are found by their shape, in every spelling that crosses a wire; nothing else is."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import time
import uuid
from itertools import pairwise

import pytest

from groundwire.recording.withholding.secrets import Secret, find_secrets


def letters(seed: str, size: int, alphabet: str = "") -> str:
    alphabet = alphabet or "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    return "".join(random.Random(seed).choices(alphabet, k=size))


URL_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
HEX = "0123456789abcdef"
PEM_BODY = "\n".join(letters(f"pem {line}", 64) for line in range(25))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----"


def token(header: str = "eyJhbGciOiJIUzI1NiJ9") -> str:
    payload = base64.urlsafe_b64encode(b'{"sub":"harbour","iat":1}').decode().rstrip("=")
    return f"{header}.{payload}.{letters('signature', 43, URL_SAFE)}"


# Made here and by nobody else: every one of them opens nothing.
SECRETS = {
    "openai-old": "sk-" + letters("a", 48),
    "openai-project": "sk-proj-" + letters("b", 120, URL_SAFE),
    "anthropic": "sk-ant-api03-" + letters("c", 93, URL_SAFE) + "AA",
    "openrouter": "sk-or-v1-" + letters("d", 64, HEX),
    "short-proxy-key": "sk-" + letters("e7", 22),
    "xai": "xai-" + letters("f", 80),
    "groq": "gsk_" + letters("g", 52),
    "hugging-face": "hf_" + letters("h", 34),
    "aws-id": "AKIA" + letters("i", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "aws-temporary-id": "ASIA" + letters("j", 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "google": "AIza" + letters("k", 35, URL_SAFE),
    "google-oauth": "ya29.a0" + letters("l", 80, URL_SAFE),
    "github-classic": "ghp_" + letters("m", 36),
    "github-app": "ghs_" + letters("n", 36),
    "github-fine": "github_pat_" + letters("o", 22) + "_" + letters("p", 59),
    "gitlab": "glpat-" + letters("q", 20, URL_SAFE[:-2]),
    "slack-bot": "xoxb-" + letters("r", 12, "0123456789") + "-" + letters("s", 24),
    "slack-user": "xoxp-" + letters("t", 12, "0123456789") + "-" + letters("u", 32, HEX),
    "stripe": "sk_live_" + letters("v", 24),
    "stripe-restricted": "rk_live_" + letters("w", 24),
    "sendgrid": "SG." + letters("x", 22) + "." + letters("y", 43),
    "npm": "npm_" + letters("z", 36),
    "jwt": token(),
    "private-key": PEM,
    "openssh": PEM.replace("RSA", "OPENSSH"),
}  # fmt: skip


@pytest.fixture(params=sorted(SECRETS), ids=str)
def secret(request: pytest.FixtureRequest) -> bytes:
    return SECRETS[request.param].encode()


def cut_out(data: bytes) -> bytes:
    for found in reversed(find_secrets(data)):
        data = data[: found.start] + data[found.end :]
    return data


def test_a_secret_on_its_own_is_found_whole(secret: bytes) -> None:
    assert [(found.start, found.end) for found in find_secrets(secret)] == [(0, len(secret))]


@pytest.mark.parametrize(
    "around",
    [
        (b"the key is ", b". Keep it."), (b"KEY=", b"\n"), (b'{"key":"', b'"}'), (b"(", b")"),
        (b"https://host/path?token=", b"&page=2"), (b"token%3D", b"%26page"),
        (b"first line\\n", b"\\nlast"), (b"\\\\n", b"\\\\n"), (b"\xc3\xa9", b"\xe2\x98\x82"),
        (b"`", b"`"), (b">", b"<"), (b"--api-key ", b" --verbose"),
    ],
)  # fmt: skip
def test_a_secret_is_found_between_other_things_and_they_stay(
    secret: bytes, around: tuple[bytes, bytes]
) -> None:
    assert cut_out(around[0] + secret + around[1]) == around[0] + around[1]


@pytest.mark.parametrize(
    "before",
    [
        b"key-", b"api_key_", b"MY_KEY_", b"apiKey-", b" token2-", b"a.b/key-", b"x=my-key_",
        b'"the-key-', b"line\\nkey-", b"token%3Dkey_",
    ],
)  # fmt: skip
def test_a_secret_behind_a_word_with_a_hyphen_is_found(secret: bytes, before: bytes) -> None:
    assert cut_out(before + secret + b" end") == before + b" end"


@pytest.mark.parametrize("name", ["slack-bot", "github-classic", "github-fine", "gitlab", "aws-id"])
def test_a_secret_that_no_word_ends_like_is_found_behind_one(name: str) -> None:
    secret = SECRETS[name].encode()
    assert cut_out(b"my-key" + secret) == b"my-key"
    assert cut_out(b"use token" + secret + b" now") == b"use token now"


def test_a_secret_is_found_through_json_in_json_in_json(secret: bytes) -> None:
    text = secret.decode()
    for _ in range(3):
        text = json.dumps({"note": f"use {text} now"})
        remaining = cut_out(text.encode())
        assert find_secrets(remaining) == []
        assert SECRETS["private-key"][40:100].encode() not in remaining
        assert secret[12:] not in remaining


@pytest.mark.parametrize("spelled", ["s", "k", "-", "a", "0", "9"])
def test_a_secret_spelled_with_unicode_escapes_is_found(spelled: str) -> None:
    secret = SECRETS["anthropic"].replace(spelled, f"\\u{ord(spelled):04X}")
    data = f'{{"key":"{secret}","more":"\\u00e9 \\u0041"}}'.encode()
    assert cut_out(data) == b'{"key":"","more":"\\u00e9 \\u0041"}'


def test_a_secret_behind_an_escaped_line_feed_or_bracket_is_found() -> None:
    for escape in (b"\\u000a", b"\\u003c", b"\\\\u0022", b"\\u001b"):
        data = b"x" + escape + SECRETS["github-classic"].encode() + escape + b"y"
        assert cut_out(data) == b"x" + escape + escape + b"y"


def test_equal_secrets_have_equal_bytes_whatever_announces_them() -> None:
    key = SECRETS["openai-old"].encode()
    data = b"Authorization: Bearer " + key + b"\nx-api-key: " + key + b"\nplain " + key
    found = find_secrets(data)
    assert [data[each.start : each.end] for each in found] == [key, key, key]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"Authorization: Basic aGFyYm91cjpxdWF5", b"aGFyYm91cjpxdWF5"),
        (b'{"authorization": "Bearer q83hf02jf82h3f8h"}', b"q83hf02jf82h3f8h"),
        (b'{\\"Authorization\\": \\"token 9f8e7d6c5b4a\\"}', b"9f8e7d6c5b4a"),
        (b"Bearer abc123def456ghi789/x+y==", b"abc123def456ghi789/x+y=="),
        (b"bearer abc123def456ghi789", b"abc123def456ghi789"),
        (b"bearer: abc123def456ghi789", b"abc123def456ghi789"),
        (b'{"bearer_token":"abc123def456ghi789"}', b"abc123def456ghi789"),
        (b'{\\"bearerToken\\": \\"abc123def456ghi789\\"}', b"abc123def456ghi789"),
        (b"key=Bearer%20abc123def456ghi789", b"abc123def456ghi789"),
        (b"bearer=abc123def456ghi789", b"abc123def456ghi789"),
        (b"x-api-key: 0a1b2c3d4e5f6a7b8c9d", b"0a1b2c3d4e5f6a7b8c9d"),
        (b'"X-Api-Key":"0a1b2c3d4e5f6a7b8c9d"', b"0a1b2c3d4e5f6a7b8c9d"),
        (b"postgres://quay:Tide-7-out@db.internal/berths", b"Tide-7-out"),
        (b"aws_secret_access_key = " + b"Ab3/" * 10, b"Ab3/" * 10),
        (b"AWS_SECRET_ACCESS_KEY=" + b"Ab3+" * 10, b"Ab3+" * 10),
        (b'"SecretAccessKey":"' + b"Ab3/" * 10 + b'"', b"Ab3/" * 10),
        (b'"SecretAccessKey":"' + b"Ab3\\/" * 10 + b'"', b"Ab3\\/" * 10),
    ],
)
def test_a_value_that_a_name_announces_is_found_and_the_name_stays(
    text: bytes, value: bytes
) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "bearer of bad news, the authorization department said authorization is required",
        "Authorization: required", "Authorization header missing", "Bearer <token>",
        "Bearer $TOKEN and Authorization: Bearer {token}", "x-api-key: your-api-key-goes-here",
        "sk-learn-pipeline-with-many-words-in-it", "risk-management-of-2024-and-2025-harbours",
        "a task-1234567890abcdef1234 and a desk-0a1b2c3d4e5f6071829",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----",
        "paste the -----BEGIN PRIVATE KEY----- block here and go on writing prose after it",
        "mail harbour.master@quay.example or http://quay.example:8080/a@b",
        "ghp_ is a prefix, so are sk-, AKIA and xoxb-; AKIAEXAMPLE is too short",
        "call_Zt9nQ4cW1xYvB2mK8rL5pD0s toolu_01A09q90qw90lq917835lq9 chatcmpl-9aB8cD7eF6gH5iJ4kL3",
        "msg_0123456789abcdef0123456789 req_011CSHoEeqs5C35K2UUqR7Fy resp_67ccd2bed1ec8190b14f964a",
        "tool_call_id hf_dataset_download_with_a_long_name npm_config_registry_and_cache_folder",
        "eyJ is how base64 of JSON begins: eyJhbGciOiJIUzI1NiJ9 alone is a header",
        "version 1.eyJ.2", "file-2024-05-04T10-20-30-harbour-report.json", "SG.1 is a gate",
        "main-sk-9f86d081884c7d659a2f.js and page-sk-9f86d081884c7d659a2feaa0c55ad015-bundle",
        "acme-sk-admin-dashboard-frontend and acme-sk-proj-2024-harbour-masters-report",
        "disk_live_20240101backup1 task_test_20240101backup1 berlin_api_20240101backup12345678901234",
        "shelf_9f86d081884c7d659a2feaa0c55ad0150 highs_20240504T102030Z0000000 pnpm_store_v3",
        "the bearer: a person of note", "bearer_token_provider", "bearer token: see the vault",
        "partition-key: 0a1b2c3d4e5f6a7b8c9d", '{"secret_access_key": "rotate it monthly"}',
    ],
)  # fmt: skip
def test_words_ids_and_slugs_are_not_secrets(text: str) -> None:
    assert find_secrets(text.encode()) == []


@pytest.mark.parametrize("seed", range(5))
def test_uuids_digests_and_media_are_not_secrets(seed: int) -> None:
    chosen = random.Random(seed)
    data = chosen.randbytes(200_000)
    texts = [
        base64.b64encode(data),
        base64.urlsafe_b64encode(data),
        b"data:image/png;base64," + base64.b64encode(data),
        b" ".join(str(uuid.UUID(int=chosen.getrandbits(128))).encode() for _ in range(2000)),
        b" ".join(hashlib.sha256(b"%d" % n).hexdigest().encode() for n in range(2000)),
        b" ".join(hashlib.sha1(b"%d" % n).hexdigest().encode() for n in range(2000)),
        json.dumps({hashlib.md5(b"%d" % n).hexdigest(): n for n in range(2000)}).encode(),
    ]
    assert [len(find_secrets(text)) for text in texts] == [0] * len(texts)


def test_a_prefix_that_stands_by_chance_in_base64_is_none() -> None:
    chosen = random.Random(7)
    parts = [base64.urlsafe_b64encode(chosen.randbytes(96)) for _ in range(400)]
    assert find_secrets(b"7-ghp_".join(parts)) == []
    assert find_secrets(b"Q9-sk-".join(parts)) == []


def stream(pieces: list[str]) -> bytes:
    events = [
        "data: " + json.dumps({"choices": [{"delta": {"content": piece}}]}) for piece in pieces
    ]
    return ("\n\n".join([*events, "data: [DONE]"]) + "\n\n").encode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 40])
def test_a_secret_that_a_stream_hands_over_in_pieces_is_found_in_every_piece(
    secret: bytes, size: int
) -> None:
    text = f"the key is {secret.decode()} and no other"
    data = stream([text[at : at + size] for at in range(0, len(text), size)])
    left = cut_out(data)
    said = "".join(
        json.loads(line[6:])["choices"][0]["delta"]["content"]
        for line in left.decode().split("\n\n")
        if line.startswith("data: {")
    )
    assert said == "the key is  and no other"


def test_the_pieces_of_a_streamed_secret_are_one_secret_and_its_continuations() -> None:
    key = SECRETS["anthropic"]
    found = find_secrets(stream([key[:9], key[9:30], key[30:]]))
    assert [each.shape for each in found] == ["provider-key", "continued", "continued"]
    assert found[0].joined == key.encode()


def test_streamed_arguments_of_every_protocol_are_joined() -> None:
    key = SECRETS["github-classic"]
    halves = [key[:11], key[11:]]
    chat = [{"choices": [{"delta": {"tool_calls": [{"function": {"arguments": half}}]}}]} for half in halves]  # fmt: skip
    answers = [{"type": "response.function_call_arguments.delta", "delta": half} for half in halves]
    blocks = [{"delta": {"type": "input_json_delta", "partial_json": half}} for half in halves]
    for events in (chat, answers, blocks):
        data = "".join(f"event: x\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        left = cut_out(data)
        assert not any(half.encode() in left for half in halves)


def test_a_private_key_cut_off_before_its_end_is_found_as_far_as_it_goes() -> None:
    data = ("begin " + PEM[:700]).encode()
    assert cut_out(data) == b"begin "


def test_stretches_are_in_order_and_apart() -> None:
    data = b" ".join(value.encode() for value in SECRETS.values()) * 3
    found = find_secrets(data)
    assert found == sorted(found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) == 3 * len(SECRETS)


def test_a_secret_prints_as_its_place_and_never_as_itself_where_it_was_whole() -> None:
    assert find_secrets(SECRETS["openai-old"].encode()) == [Secret(0, 51, "provider-key")]


def in_pieces(secret: str, *, key: str = "content", escaped: bool = False) -> str:
    pieces = [secret[at : at + 5] for at in range(0, len(secret), 5)]
    if escaped:
        pieces = ["".join(f"\\u{ord(c):04x}" for c in piece) for piece in pieces]
    return "".join(f'data: {{"delta":{{"{key}":"{piece}"}}}}\n\n' for piece in pieces)


@pytest.mark.parametrize("before", ["retry: 3000\n\n", "\ufeff", "\n\r\n", ": ping\n\n"])
@pytest.mark.parametrize("escaped", [False, True])
def test_attack_a_stream_that_begins_oddly_hides_no_secret_in_its_pieces(
    before: str, *, escaped: bool
) -> None:
    stream = (before + in_pieces(SECRETS["openai-project"], escaped=escaped)).encode()
    first, *rest = find_secrets(stream)
    assert first.shape == "provider-key"
    assert rest
    assert {each.shape for each in rest} == {"continued"}
    assert find_secrets((before + in_pieces(SECRETS["openai-project"], key="reasoning")).encode())


def test_attack_text_made_to_look_like_the_heads_of_tokens_costs_no_seconds() -> None:
    before = time.process_time()
    assert find_secrets(b"eyJ" * 66_000 + b".eyJ" * 100) == []
    assert find_secrets(b".eyJ" * 50_000) == []
    assert time.process_time() - before < 1.5
