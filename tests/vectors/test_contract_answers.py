"""Answers about contracts are the same on each run; and the judge of their witnesses can say no."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from bench.contracting.pairs import changes, is_there
from bench.contracting.sameness import answers
from bench.contracting.witnesses import confirm

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, Content


def api(longest: int) -> dict[str, Any]:
    text = {"type": "string", "maxLength": longest, "nullable": True}
    named = {"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}}
    body = {"content": {"application/json": {"schema": named}}}
    return {
        "openapi": "3.0.3",
        "info": {"title": "", "version": "1"},
        "paths": {"/pets/{id}": {"post": {"requestBody": body, "responses": {"200": {"description": ""}}}}},
        "components": {"schemas": {"Name": text}},
    }  # fmt: skip


def told(value: JSON) -> Change:
    """The one change from 9 characters to 5, with another witness."""
    [change] = changes(api(9), api(5))
    assert change.witness is not None
    content = Content("application/json", {"name": value})
    asked = msgspec.structs.replace(change.witness.asked, content=content)
    return msgspec.structs.replace(
        change, witness=msgspec.structs.replace(change.witness, asked=asked)
    )


def test_a_witness_is_confirmed_on_the_documents_as_they_stand() -> None:
    found = confirm(api(9), api(5), changes(api(9), api(5)))
    assert (found.changes, found.of_values, found.not_confirmed) == (1, 1, ())


@pytest.mark.parametrize("value", ["short", "much too long", None, 5])
def test_a_witness_that_both_take_or_the_sender_may_not_send_is_not_confirmed(value: Any) -> None:
    found = confirm(api(9), api(5), (told(value),))
    assert found.not_confirmed == ("request-property-max-length-lowered of POST /pets/{id}",)


@pytest.mark.slow
@pytest.mark.skipif(not is_there("openapi-oasdiff"), reason="../shared/cases is not there: not run")
def test_the_answers_are_the_same_bytes_whatever_the_hash_seed() -> None:
    found = answers(every=12, runs=5, real=False)
    assert len(found[0]) > 10_000
    assert len(set(found)) == 1
