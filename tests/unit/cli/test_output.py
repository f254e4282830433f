from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from groundwire.cli.output import say, say_json, shown

EVIL = "a\x1b[2J\x7f\x9b\u202eb\u2066\u2028\ufeff\U000e0041\nc"


def test_a_character_that_does_not_print_stands_as_its_escape() -> None:
    assert shown(EVIL) == ("a\\x1b[2J\\x7f\\x9b\\u202eb\\u2066\\u2028\\ufeff\\U000e0041\\nc")
    assert shown("Grüße, 東京 🙂 \\n") == "Grüße, 東京 🙂 \\n"


def test_every_line_said_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say([EVIL, "plain"])
    say(["aside"], file=sys.stderr)
    out, err = capsys.readouterr()
    assert out.count("\n") == 2
    assert all(line.isprintable() for line in out.splitlines())
    assert err == "aside\n"


def test_json_is_ascii_where_a_character_does_not_print_and_reads_back_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_json({"text": EVIL, EVIL: ["Grüße", 1.5, None]})
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert out[:-1].isprintable()
    assert "\\u009b" in out
    assert "\\u202e" in out
    assert "\\udb40\\udc41" in out
    assert "Grüße" in out
    assert json.loads(out) == {"text": EVIL, EVIL: ["Grüße", 1.5, None]}


def test_text_that_has_no_utf8_is_spelled_in_json_wherever_it_stands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_json({"a\udcff": [1, None, {"b": "\ud800é"}], "c": "plain 🙂"})
    assert json.loads(capsys.readouterr().out) == {
        "a\\udcff": [1, None, {"b": "\\ud800é"}],
        "c": "plain 🙂",
    }


def test_no_control_or_format_character_of_unicode_is_printed_raw(
    capsys: pytest.CaptureFixture[str],
) -> None:
    every = "".join(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Zl", "Zp"}
    )
    say_json([every])
    say([every])
    out = capsys.readouterr().out
    assert not set(every) - {"\n"} & set(out)
    assert json.loads(out.partition("\n")[0]) == [every]
