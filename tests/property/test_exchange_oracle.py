"""Verdicts about descriptions hold against a second reader of them, exchange by exchange."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.contracts.changes import Change, Content
from groundwire.contracts.openapi.comparing import compare
from tests.unit.contracts.openapi.describing import described
from tests.unit.contracts.openapi.editing import Editor
from tests.unit.contracts.openapi.oracle import Contract, Request, Response
from tests.unit.contracts.openapi.trying import Trier

SEEDS = st.integers(0, 2**48)
TRIES = 25
BOTH = (True, False)
VERSIONS = ("3.0.3", "3.1.0")
# Rules about what stands in a body: there a witness has one reading.
OF_BODIES = ("request-body-", "request-property-", "response-body-", "response-property-")
NOT_ABOUT_VALUES = ("required", "removed")


class Tried:
    """A description, one that differs in a few things, and what is said of the two."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        editor = Editor(self.chance, self.chance.choice(VERSIONS))
        self.old = editor.description()
        self.new = copy.deepcopy(self.old)
        self.edits = [editor.edit(self.new) for _ in range(self.chance.choice([1, 1, 1, 2, 3]))]
        self.changes = compare(described(self.old), described(self.new))
        self.before, self.after = Contract(self.old), Contract(self.new)
        self.grades: dict[str, set[str]] = {}
        for change in self.changes:
            for label in change.reaches:
                self.grades.setdefault(label, set()).add(change.grade)

    def operations(self, root: Any) -> Iterator[tuple[str, str, Any, Any]]:
        """Template, method, operation and path item of each."""
        for template, item in root["paths"].items():
            for method in ("post", "put"):
                if method in item:
                    yield template, method, item[method], item

    def requests(self) -> Iterator[tuple[str, Request]]:
        """Requests that the old contract takes, with the operation's label."""
        trier = Trier(self.chance, self.before)
        base = self.before.bases()[0]
        for template, method, operation, item in self.operations(self.old):
            for _ in range(TRIES):
                made = trier.request(base + template, method, operation, item)
                # As sent and as read: the two see marks differently.
                if made is not None and all(self.before.accepts(made, mine=each) for each in BOTH):
                    yield f"{method.upper()} {template}", made

    def responses(self) -> Iterator[tuple[str, Any, Response]]:
        """Responses that the new contract allows, with the old operation."""
        trier = Trier(self.chance, self.after)
        for template, method, operation, _ in self.operations(self.new):
            was = self.old["paths"].get(template, {}).get(method)
            for _ in range(TRIES if was is not None else 0):
                made = trier.response(operation)
                if made is not None and all(
                    self.after.allows(operation, made, mine=each) for each in BOTH
                ):
                    yield f"{method.upper()} {template}", was, made

    @property
    def is_unsure(self) -> bool:
        return self.before.is_unsure or self.after.is_unsure


def holds_for_what_is_tried(seed: int) -> int:
    """How many exchanges were tried; none of them may break what is not said to be broken."""
    tried = Tried(seed)
    count = 0
    for label, request in tried.requests():
        count += 1
        if tried.after.accepts(request) is False and not tried.is_unsure:
            assert tried.grades.get(label, set()) & {"breaking", "undecided"}, (
                seed,
                label,
                request,
            )
    for label, was, response in tried.responses():
        count += 1
        if tried.before.allows(was, response) is False and not tried.is_unsure:
            told = tried.grades.get(label, set())
            # Of a status or type that was not listed policy decides how grave it is.
            if tried.before.lists(was, response):
                told &= {"breaking", "undecided"}
            assert told, (seed, label, response)
    return count


def witnesses_hold(seed: int) -> int:
    """How many witnesses were judged; none may be taken by the side that is said to refuse it."""
    tried = Tried(seed)
    count = 0
    for change in tried.changes:
        about_value = change.rule.startswith(OF_BODIES) and not change.rule.endswith(NOT_ABOUT_VALUES)  # fmt: skip
        if about_value and change.grade == "breaking" and change.witness is not None:
            refused = _is_refused(tried, change)
            assert refused or tried.is_unsure, (seed, change)
            count += 1
    return count


def _is_refused(tried: Tried, change: Change) -> bool:
    witness = change.witness
    assert witness is not None
    method, template = change.reaches[0].split(" ", 1)
    if witness.answered is None:
        target, _, query = witness.asked.target.partition("?")
        pairs = [each.partition("=") for each in query.split("&") if each]
        media, body = _content(witness.asked.content)
        request = Request(
            method=method,
            target=target,
            query=tuple((unquote(name), unquote(text)) for name, _, text in pairs),
            headers=witness.asked.headers,
            media=media,
            body=body,
        )
        return tried.after.accepts(request) is not True
    was = tried.old["paths"].get(template, {}).get(method.lower())
    if was is None:
        return True
    media, body = _content(witness.answered.content)
    response = Response(
        status=witness.answered.status, headers=witness.answered.headers, media=media, body=body
    )
    return tried.before.allows(was, response) is not True


def _content(content: Content | None) -> tuple[str, Any]:
    return ("", None) if content is None else (content.media_type, content.value)


@settings(max_examples=120)
@given(SEEDS)
def test_no_exchange_that_is_tried_breaks_what_is_called_compatible(seed: int) -> None:
    holds_for_what_is_tried(seed)


@settings(max_examples=120)
@given(SEEDS)
def test_a_witness_of_a_body_is_refused_by_a_second_reader(seed: int) -> None:
    witnesses_hold(seed)


@settings(max_examples=60)
@given(SEEDS)
def test_texts_and_references_to_what_stood_there_are_no_change(seed: int) -> None:
    chance = random.Random(seed)
    old = Editor(chance, chance.choice(VERSIONS)).description()
    assert compare(described(old), described(_told_otherwise(old))) == ()


def _told_otherwise(root: Any) -> Any:
    """The same with texts, extensions and an example, each body's schema by reference."""
    new = copy.deepcopy(root)
    schemas = new["components"]["schemas"]
    for item in new["paths"].values():
        for operation in (item.get("post"), item.get("put")):
            if operation is None:
                continue
            operation |= {"summary": "s", "description": "d", "x-a": {"b": 1}, "tags": ["t"]}
            for message in (operation.get("requestBody", {}), *operation["responses"].values()):
                for entry in message.get("content", {}).values():
                    if "schema" in entry:
                        name = f"Hoisted{len(schemas)}"
                        schemas[name] = {"title": "t", "x-b": 1, **entry["schema"]} if "$ref" not in entry["schema"] else entry["schema"]  # fmt: skip
                        entry["schema"] = {"$ref": f"#/components/schemas/{name}"}
                        entry["example"] = {"any": "thing"}
    return new


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 6000, 500))
def test_both_hold_for_many(start: int) -> None:
    seeds = range(start, start + 500)
    assert sum(map(holds_for_what_is_tried, seeds)) > 10_000
    assert sum(map(witnesses_hold, seeds)) > 20
