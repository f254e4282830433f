"""A name and a hint raise suspicion and never lower it; of declarations the stricter holds."""

from __future__ import annotations

import itertools
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.documents.declaration import Effect
from groundwire.guard.effects import (
    STRICTEST_LAST,
    Hints,
    Stated,
    held,
    hints_of,
    propose_effect,
    rank,
    suspicions,
    words_of,
)
from tests.house.tree import CHECKOUT

NAMES = tomllib.loads((CHECKOUT / "vectors" / "effects" / "names.toml").read_text())
UNSAFE: dict[str, str] = NAMES["unsafe"]
HARMLESS: list[str] = NAMES["harmless"]["names"]
EFFECTS: tuple[Effect, ...] = ("read", "write", "external", "destructive")
BOTH = (True, False)
ANY_HINTS = [
    Hints(read_only=one, destructive=two, open_world=three)
    for one, two, three in itertools.product((None, True, False), repeat=3)
]


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_name_is_suspected_as_its_words_say_and_never_called_a_read(name: str) -> None:
    found = suspicions(name)
    assert (found[0].effect if found else "none") == UNSAFE[name]
    for hints, trusted, changed in itertools.product(ANY_HINTS, BOTH, (0, 1)):
        if not (trusted and hints.read_only):
            proposed = propose_effect(name, hints, trusted=trusted, changed=changed)
            assert proposed.effect != "read"


@pytest.mark.parametrize("name", HARMLESS)
def test_a_declared_read_is_not_suspected_for_a_word_that_only_contains_a_verb(name: str) -> None:
    assert held(name, [Stated("groundwire.toml", "read")]).notes == ()


@given(st.text(max_size=40), st.sampled_from(EFFECTS), st.sampled_from(ANY_HINTS))
def test_no_name_and_no_hint_changes_a_declared_effect(
    name: str, effect: Effect, hints: Hints
) -> None:
    assert held(name, [Stated("groundwire.toml", effect)], hints).effect == effect
    assert all(rank(each.effect) > rank("read") for each in suspicions(name, hints))


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(EFFECTS, 2)))
def test_of_declarations_that_disagree_the_stricter_holds_and_both_are_named(
    one: Effect, other: Effect
) -> None:
    found = held("tool", [Stated("groundwire.toml", one), Stated("@gw.tool", other)])
    assert found.effect == max(one, other, key=STRICTEST_LAST.index)
    (note,) = found.notes
    assert f"{one!r} by groundwire.toml" in note
    assert f"{other!r} by @gw.tool" in note


def test_an_undeclared_tool_has_no_effect_whatever_its_name_says() -> None:
    assert held("read_file", []).effect == "unstated"
    assert held("purge", [Stated("groundwire.toml", "unstated")]).notes == ()


def test_a_declared_read_whose_name_or_server_says_otherwise_is_named_in_the_report() -> None:
    hints = Hints(read_only=False, destructive=True, open_world=True)
    found = held("list_and_purge", [Stated("groundwire.toml", "read")], hints)
    assert found.effect == "read"
    assert found.notes == (
        "declared as 'read', though its name says 'purge'",
        "declared as 'read', though its server says destructiveHint",
        "declared as 'read', though its server says openWorldHint",
        "declared as 'read', though its server says that it is not read-only",
    )


@pytest.mark.parametrize("name", ["look", "git_status", "send_mail", "purge"])
def test_a_read_is_proposed_only_on_the_word_of_a_trusted_server_that_nothing_contradicts(
    name: str,
) -> None:
    for hints, trusted, changed in itertools.product(ANY_HINTS, BOTH, (0, 3)):
        proposed = propose_effect(name, hints, trusted=trusted, changed=changed)
        quiet = not changed and not suspicions(name, hints)
        assert (proposed.effect == "read") == bool(trusted and hints.read_only and quiet)


def test_what_was_seen_to_change_something_is_proposed_as_a_write_at_least() -> None:
    assert propose_effect("read_file", changed=2).effect == "write"
    assert propose_effect("read_file", changed=2).for_reading == ""
    assert propose_effect("purge", changed=2).effect == "destructive"


def test_what_speaks_for_reading_is_said_and_not_taken() -> None:
    proposed = propose_effect("read_file")
    assert (proposed.effect, proposed.for_reading) == (
        "write",
        "its name says 'read', which proves nothing",
    )
    assert propose_effect("WriteSearch").for_reading == ""
    untrusted = propose_effect("look", Hints(read_only=True))
    assert (untrusted.effect, untrusted.for_reading) == (
        "write",
        "its server says so, unvouched for",
    )


@pytest.mark.parametrize(
    ("annotations", "hints"),
    [
        (None, Hints()),
        ([], Hints()),
        ({"readOnlyHint": "true", "destructiveHint": 1}, Hints()),
        (
            {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": True, "title": "x"},
            Hints(read_only=True, destructive=False, open_world=True),
        ),
    ],
)
def test_a_hint_is_true_or_false_or_none_at_all(annotations: object, hints: Hints) -> None:
    assert hints_of(annotations) == hints


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("listAndPurge", ("list", "and", "purge")),
        ("HTTPDelete2", ("http", "delete", "2")),
        ("mcp__files__read-file", ("mcp", "files", "read", "file")),
        ("Bash", ("bash",)),
        ("", ()),
    ],
)
def test_a_name_is_read_word_by_word(name: str, words: tuple[str, ...]) -> None:
    assert words_of(name) == words
