"""The nouns hold still, know their own fields, and give every line of a recording one type."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import typing

import msgspec
import pytest

from groundwire import documents
from groundwire.documents import (
    decision,
    entry,
    grant,
    notice,
    outcome,
    profile,
    receipt,
    statement,
)
from groundwire.documents.frame import Text
from groundwire.documents.policy import Policy

MODULES = [
    importlib.import_module(f"groundwire.documents.{found.name}")
    for found in pkgutil.iter_modules(documents.__path__)
]
NOUNS = sorted(
    {
        noun
        for module in MODULES
        for _, noun in inspect.getmembers(module, inspect.isclass)
        if issubclass(noun, msgspec.Struct) and noun.__module__ == module.__name__
    },
    key=lambda noun: f"{noun.__module__}.{noun.__name__}",
)
ENTRIES: tuple[type[entry.Entry], ...] = typing.get_args(entry.AnyEntry)
SECURITY = (
    statement.Certificate,
    statement.Checkpoint,
    statement.Redaction,
    statement.Deletion,
    entry.Envelope,
    entry.Signature,
    decision.Decision,
    decision.Witness,
    receipt.Receipt,
    receipt.Asked,
    receipt.Touched,
    grant.Grant,
    grant.Attestation,
    grant.Sighting,
    notice.Notice,
    notice.Delivery,
    notice.Notified,
    notice.Posted,
    outcome.Executed,
    outcome.Passed,
    outcome.Refused,
    outcome.Unknown,
    outcome.Intent,
    profile.Profile,
    profile.Row,
)


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_a_noun_cannot_be_changed_once_made(noun: type[msgspec.Struct]) -> None:
    assert noun.__struct_config__.frozen


@pytest.mark.parametrize("noun", NOUNS, ids=lambda noun: noun.__name__)
def test_a_noun_says_what_it_is(noun: type[msgspec.Struct]) -> None:
    assert inspect.getdoc(noun)


def test_a_frozen_noun_refuses_an_assignment() -> None:
    with pytest.raises(AttributeError):
        Text("a").text = "b"  # type: ignore[misc]  # what this test is about


@pytest.mark.parametrize("noun", [*ENTRIES, *SECURITY], ids=lambda noun: noun.__name__)
def test_a_security_document_refuses_a_field_it_does_not_know(noun: type[msgspec.Struct]) -> None:
    assert noun.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("noun", [*ENTRIES, *SECURITY], ids=lambda noun: noun.__name__)
def test_a_security_document_has_no_field_that_may_be_absent(noun: type[msgspec.Struct]) -> None:
    optional = [field.name for field in msgspec.structs.fields(noun) if not field.required]
    assert optional == []


def test_every_entry_kind_has_a_name_and_a_version_of_its_own() -> None:
    tags = [noun.__struct_config__.tag for noun in ENTRIES]
    assert len(set(tags)) == len(tags)
    for tag in tags:
        kind, _, version = str(tag).partition("/")
        assert kind.isidentifier()
        assert version.isdecimal()


def test_every_entry_kind_is_in_the_union_that_readers_decode() -> None:
    above = {entry.Entry, entry.PlainEntry}
    kinds = {noun for noun in NOUNS if issubclass(noun, entry.Entry) and noun not in above}
    assert kinds == set(ENTRIES)


@pytest.mark.parametrize("noun", ENTRIES, ids=lambda noun: noun.__name__)
def test_an_entry_holds_no_floats_and_only_ascii_keys(noun: type[entry.Entry]) -> None:
    for field in msgspec.structs.fields(noun):
        assert field.encode_name.isascii()
    schema = str(msgspec.json.schema(noun))
    assert "'number'" not in schema


def test_a_policy_without_declarations_loses_nothing_and_stops_nobody() -> None:
    policy = Policy()
    assert (policy.on_recording_error, policy.outside_session) == ("warn", "pass")
    assert policy.keep_days is None
    assert policy.content == "full"


def test_the_fields_of_every_line_are_declared_in_the_order_in_which_they_stand() -> None:
    # What is written in the order of its declaration is canonical only so.
    kinds = [each for each in vars(entry).values() if isinstance(each, msgspec.StructMeta)]
    assert len(kinds) > 20
    for kind in kinds:
        assert list(kind.__struct_encode_fields__) == sorted(kind.__struct_encode_fields__)
