"""Of headers, parameters and paths only what is on a list is recorded."""

from __future__ import annotations

import pytest

from groundwire.recording.withholding.headers import (
    recorded_clear,
    recorded_headers,
    recorded_parameters,
    recorded_path,
)
from tests.unit.recording.withholding.test_secrets import SECRETS


def test_what_is_on_the_list_is_recorded_in_lower_case() -> None:
    headers = [("Content-Type", "application/json"), ("X-Request-ID", "req_1")]
    assert recorded_headers(headers) == {
        "content-type": "application/json",
        "x-request-id": "req_1",
    }


@pytest.mark.parametrize(
    "name",
    [
        "Authorization", "Proxy-Authorization", "X-Api-Key", "api-key", "Cookie", "Set-Cookie",
        "OpenAI-Organization", "OpenAI-Project", "X-Forwarded-For", "X-Amz-Security-Token",
        "X-Goog-Api-Key", "X-Nobody-Thought-Of-This", "Ocp-Apim-Subscription-Key", "Referer",
    ],
)  # fmt: skip
def test_what_is_on_no_list_stays_out(name: str) -> None:
    assert recorded_headers([(name, "value")]) == {}


def test_rate_limits_are_recorded_by_their_prefix() -> None:
    name = "x-ratelimit-remaining-tokens"
    assert recorded_headers([(name, "9")]) == {name: "9"}


def test_values_of_a_repeated_header_are_joined() -> None:
    assert recorded_headers([("Date", "a"), ("date", "b")]) == {"date": "a, b"}


def test_a_content_length_that_says_no_more_than_the_size_is_left_out() -> None:
    assert recorded_headers([("content-length", "7")], size=7) == {}
    assert recorded_headers([("content-length", "8")], size=7) == {"content-length": "8"}
    assert recorded_headers([("content-length", "7")]) == {"content-length": "7"}


def test_a_value_that_is_no_unicode_text_is_still_recorded_as_text() -> None:
    assert recorded_headers([("user-agent", "a\udcffb")]) == {"user-agent": "a?b"}


def test_a_path_is_recorded_without_query_and_fragment() -> None:
    assert recorded_path("/v1/messages?key=k#top") == ("/v1/messages", 0)


@pytest.mark.parametrize("name", sorted(set(SECRETS) - {"private-key", "openssh"}))
def test_a_segment_that_is_a_secret_is_withheld(name: str) -> None:
    secret = SECRETS[name]
    assert recorded_path(f"/v1/{secret}/berths") == ("/v1/{withheld}/berths", 1)
    escaped = "".join(f"%{ord(character):02x}" for character in secret)
    assert recorded_path(f"/v1/{escaped}/berths?{secret}") == ("/v1/{withheld}/berths", 1)


def test_ids_in_a_path_stay() -> None:
    path = "/v1/files/file-8f14e45fceea167a5a36dedd4bea2543/3f2c4b1a-7d6e-4f5a-8b9c-0d1e2f3a4b5c"
    assert recorded_path(path) == (path, 0)


def test_parameters_on_the_list_are_recorded_and_no_others() -> None:
    found = recorded_parameters("/v1/x?beta=true&key=secret&api-version=2024-10-21&flag#beta=no")
    assert found == {"?beta": "true", "?api-version": "2024-10-21"}


def test_text_in_clear_has_its_secrets_taken_out() -> None:
    secret = SECRETS["github-classic"]
    assert recorded_clear(f"agent {secret} of the quay") == ("agent {withheld} of the quay", 1)
    assert recorded_clear("plain \udcff") == ("plain ?", 0)
