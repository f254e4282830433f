from __future__ import annotations

import unicodedata

import pytest

from groundwire.errors import PolicyError
from groundwire.targets.places.patterns import folded, is_above, is_covered


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/p/.env", ".env"),
        ("/p/a/b/.env", ".env"),
        ("/.env", "**/.env"),
        ("/p/.env.local", ".env*"),
        ("/p/keys/deep/x", "keys"),
        ("/p/a/x.pem", "a/*.pem"),
        ("/p/a/b/c/x", "p/**/x"),
        ("/p/x", "p/**/x"),
        ("/p/ab", "p/a?"),
        ("/etc/ssh/key", "/etc/ssh"),
    ],
)
def test_a_pattern_covers_what_it_names_and_what_is_below(path: str, pattern: str) -> None:
    assert is_covered(path, pattern)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/p/env", ".env"),
        ("/p/x.env", ".env"),
        ("/p/.envrc", ".env"),
        ("/p/a/b/x.pem", "a/*.pem"),
        ("/p/a", "p/a?"),
        ("/srv/etc/ssh", "/etc/ssh"),
        ("/p/a/x", "p/*/y"),
    ],
)
def test_a_pattern_covers_nothing_else(path: str, pattern: str) -> None:
    assert not is_covered(path, pattern)


@pytest.mark.parametrize(
    "spelling",
    [
        ".GIT", ".Git", ".g\u200cit", ".git\ufeff", "git~1", "GIT~1", ".git ", ".git.", ".git. .",
        ".git::$INDEX_ALLOCATION", ".g\u0131t".replace("\u0131", "i"),
    ],
)  # fmt: skip
def test_a_name_that_some_file_system_takes_for_another_is_folded_to_it(spelling: str) -> None:
    assert folded(spelling) == ".git"
    assert is_covered(f"/p/{spelling}/Hooks/x", ".git/hooks")


def test_unicode_forms_of_a_name_are_one_name() -> None:
    for form in ("NFC", "NFD"):
        name = unicodedata.normalize(form, "Geheim-ä")  # type: ignore[arg-type] # a form by its name
        assert is_covered(f"/p/{name}", unicodedata.normalize("NFD", "geheim-Ä"))
    assert folded("straße") == folded("STRASSE")


def test_names_that_differ_are_not_folded_together() -> None:
    names = ["a", "b", ".git", "git", ".gitignore", "git~2", "a.b", "...", ".", ".."]
    assert len({folded(name) for name in names}) == len(names)


def test_what_is_above_a_pattern_is_only_what_it_spells_out() -> None:
    assert is_above("/p/.git", ".git/hooks")
    assert not is_above("/p", ".git/hooks")
    assert not is_above("/p/.git/hooks", ".git/hooks")
    assert not is_above("/p", "groundwire.toml")


@pytest.mark.parametrize("pattern", ["", "/", "a/../b", "a\0b", "*" * 13, "x" * 5000])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PolicyError) as refused:
        is_covered("/a", pattern)
    assert refused.value.reason == "bad-path-pattern"
