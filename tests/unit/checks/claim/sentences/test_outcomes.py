from __future__ import annotations

import pytest

from groundwire.checks.claim.sentences.outcomes import is_empty, is_failure


@pytest.mark.parametrize(
    "text",
    [
        "Error: no seat",
        "ValueError: no seat",
        "An error occurred",
        "Traceback (most recent call last):",
        "Failed to send.",
        "Cannot close it.",
        "404 Not Found",
        "Permission denied",
        "2 validation errors",
        "Booking ID not found.",
        "The amount must be greater than 0.",
        '{"error": "no seat"}',
        '{"success": false}',
        '{"ok": false, "data": 1}',
        '{"status": "failed"}',
    ],
)
def test_a_result_that_says_so_failed(text: str) -> None:
    assert is_failure(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "Error rate: 5 %",
        "Sent. The old address was not found, success all the same.",
        '{"error": null, "data": 1}',
        '{"status": "closed"}',
        '{"success": true}',
        "3 rows",
        "A long report. " * 60 + "One seat was not found.",
    ],
)
def test_a_result_that_does_not_plainly_say_so_did_not_fail(text: str) -> None:
    assert not is_failure(text)
    assert is_failure(text, is_error=True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "[]",
        "{}",
        "null",
        "None",
        '{"rows": []}',
        '{"rows": [], "total": 0}',
        "No results.",
        "0 rows",
        "Nothing found.",
        "No matching records were found.",
        '[{"a": null}]',
        '{"groundwire_absence": 1, "looked_for": ["petrel-7"], "checked": ["the register"]}',
    ],
)
def test_a_result_with_nothing_in_it_is_empty(text: str) -> None:
    assert is_empty(text)


@pytest.mark.parametrize(
    "text", ["ok", "[1]", '{"rows": [1]}', '{"done": true}', "No. 7 is open", '{"broken": ', "[[]"]
)
def test_a_result_with_something_in_it_is_not(text: str) -> None:
    assert not is_empty(text)
