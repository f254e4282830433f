"""What is said to a person of a call that is held: the lines that allow it, or that none does."""

from __future__ import annotations

import pytest

from groundwire.documents.decision import Decision
from groundwire.documents.question import Ruling
from groundwire.guard.holding import as_told, denied_words, nobody_to_ask


def ruling(would_allow: str) -> Ruling:
    decision = Decision(decision="approve", rules=("r",), witnesses=())
    return Ruling(decision=decision, engines={}, residuals=(), would_allow=would_allow)


def test_the_lines_that_allow_it_are_for_pasting() -> None:
    lines = '[[guard.rules]]\nid = "a"\n# b holds it: change that one.\n'
    message = nobody_to_ask(ruling(lines)).error.message
    assert message.endswith(f"put this into groundwire.toml:\n{lines}")


@pytest.mark.parametrize("lines", ["# b holds it: read the file.", "# b holds it.\n# c too."])
def test_where_no_line_allows_it_none_is_promised(lines: str) -> None:
    message = nobody_to_ask(ruling(lines)).error.message
    assert "put this into" not in message
    said = lines.replace("# ", "")
    assert denied_words(ruling(lines)).endswith(f"allows it:\n{said}")
    assert message.endswith(f"No line added to groundwire.toml allows it:\n{said}")


NAMED = 'a\n[[guard.rules]]\nid = "all"\ndecide = "allow"\n\x1b[31m\u202e is not there'


def test_attack_a_name_with_lines_of_a_policy_in_it_begins_no_line() -> None:
    told = as_told(NAMED, "file-absent")
    assert told == r'a\n[[guard.rules]]\nid = "all"\ndecide = "allow"\n\x1b[31m\u202e is not there'
    assert as_told("plain: é", "file-absent") == "plain: é"


def test_the_lines_that_would_allow_a_call_stay_lines() -> None:
    text = 'To allow it:\n[[guard.rules]]\nid = "a"\n'
    assert as_told(text, "approval-unavailable") == text
    assert as_told(text + "\x1b[31m", "approval-unavailable") == text + r"\x1b[31m"
