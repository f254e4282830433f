"""Which passphrases are refused, and that one is typed twice."""

from __future__ import annotations

import pytest

from groundwire.cli.terminal.passphrases import SHORTEST, check
from groundwire.errors import PolicyError
from tests.terminals import at_terminal

CHOOSE = (
    "from groundwire.cli.terminal.opening import open_terminal\n"
    "from groundwire.cli.terminal.passphrases import choose\n"
    "from groundwire.errors import PolicyError\n"
    "terminal = open_terminal()\n"
    "try:\n    terminal.write(f'<{len(choose(terminal, [\"ada\"]))}>')\n"
    "except PolicyError as error:\n    terminal.write(f'<{error.reason}>')\n"
)


@pytest.mark.parametrize(
    "passphrase",
    [
        "",
        "short one",
        "elevenchars",
        "aaaaaaaaaaaaaaa",
        "abababababababab",
        "abcabcabcabcabc",
        "!!!!!!!!!!!!!!",
        "            ",
        "abcdefghijklmnop",
        "ponmlkjihgfedcba",
        "123456789012",
        "password1234",
        "Pass-Phrase-2026",
        "P a s s w o r d 12",
        "correct horse battery staple",
        "qwertyuiop12",
        "groundwire-2026",
        "groundwire approve ada",
        "adalovelace-ada",
        "AdaLovelace2026",
        "iloveyou1234!",
        "changeme changeme",
    ],
)
def test_a_trivial_passphrase_is_refused_and_not_repeated(passphrase: str) -> None:
    with pytest.raises(PolicyError) as caught:
        check(passphrase, ["ada", "adalovelace"])
    assert caught.value.reason == "passphrase-weak"
    assert not passphrase.strip() or passphrase not in str(caught.value)


@pytest.mark.parametrize(
    "passphrase",
    [
        "kettle under brass moon",
        "x7!Qp_2vRk9$",
        "Straßenbahn um halb neun",
        "渡辺は猫が三匹いる家に住む",
    ],
)
def test_any_other_of_twelve_characters_is_taken(passphrase: str) -> None:
    assert len(passphrase) >= SHORTEST
    check(passphrase, ["ada", "adalovelace"])


def test_a_short_name_does_not_make_every_word_weak() -> None:
    check("caravan nadir amber", ["a", "ad", ""])


def test_a_passphrase_is_typed_twice_and_shown_never() -> None:
    with at_terminal("-c", CHOOSE) as typist:
        typist.answer("Passphrase: ", "kettle under brass moon")
        typist.answer("The same again: ", "kettle under brass moon")
        typist.wait_for("<23>")
        assert typist.end() == 0
        assert "kettle" not in typist.seen


def test_two_that_differ_are_refused() -> None:
    with at_terminal("-c", CHOOSE) as typist:
        typist.answer("Passphrase: ", "kettle under brass moon")
        typist.answer("The same again: ", "kettle under brass noon")
        typist.wait_for("<passphrase-differs>")


def test_a_weak_one_is_not_asked_for_twice() -> None:
    with at_terminal("-c", CHOOSE) as typist:
        typist.answer("Passphrase: ", "ada ada ada ada")
        typist.wait_for("<passphrase-weak>")
        assert typist.end() == 0
        assert "again" not in typist.seen
