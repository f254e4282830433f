from __future__ import annotations

import pytest

from groundwire.grounding.sentences.quotes import citations, quotes

WORDS = "the gate closes at nine"


def read(text: str) -> list[tuple[str, str, str]]:
    return [(quote.text, quote.source, quote.form) for quote in quotes(text)]


@pytest.mark.parametrize(
    ("lead", "source"),
    [
        ("The page says", "document"),
        ("The notice on the page clearly states:", "document"),
        ("According to the report,", "document"),
        ("Your file `notes.md` says", "document"),
        ("setup.cfg says:", "document"),
        ("Ines wrote:", "document"),
        ("The subject of the mail is", "document"),
        ("The tool returned", "tool"),
        ("The error message was", "tool"),
        ("The server responded with", "tool"),
        ("You said", "user"),
        ("You originally wrote:", "user"),
    ],
)
@pytest.mark.parametrize("marks", ['"{}"', "\u201c{}\u201d", "\u00ab{}\u00bb", '**"{}"**'])
def test_words_that_a_sentence_puts_into_a_mouth_are_a_quote(
    lead: str, source: str, marks: str
) -> None:
    assert read(f"{lead} {marks.format(WORDS)}.") == [(WORDS, source, "inline")]


@pytest.mark.parametrize(
    "text",
    [
        f'"{WORDS}"',
        f'The book is called "{WORDS}".',
        f'I named the file "{WORDS}".',
        f'The page should say "{WORDS}".',
        f'If the page says "{WORDS}", go home.',
        f'The page does not say "{WORDS}".',
        f'The page could have said something like "{WORDS}".',
        f'I updated the page so that it says "{WORDS}".',
        f'For example, the page says "{WORDS}".',
        f'I said "{WORDS}".',
        'The page says "shut".',
        'The page says "rescheduling".',
        f'```\nThe page says "{WORDS}"\n```',
    ],
)
def test_other_words_in_quotation_marks_are_none(text: str) -> None:
    assert read(text) == []


def test_the_lines_of_a_block_or_fence_are_quotes_where_the_line_before_says_whose() -> None:
    block = f"The page says:\n> {WORDS}\n> and opens again at six\n"
    assert read(block) == [
        (WORDS, "document", "block"),
        ("and opens again at six", "document", "block"),
    ]
    assert read(f"The tool returned this:\n```\n{WORDS}\n```\n") == [(WORDS, "tool", "fence")]
    assert read(f"The contents of the file:\n```\n{WORDS}\n```\n") == [(WORDS, "document", "fence")]


@pytest.mark.parametrize(
    "lead", ["Here is the code:", "Add this to the file:", "I wrote this file:", "Run it:", ""]
)
def test_a_fence_of_the_models_own_is_no_quote(lead: str) -> None:
    assert read(f"{lead}\n```\n{WORDS}\n```\n") == []


def test_a_quote_knows_where_it_stands_and_which_file_is_named() -> None:
    text = f'Hello. The file gate.md says "{WORDS}".'
    (quote,) = quotes(text)
    assert text[quote.start :].startswith(f'"{WORDS}')
    assert quote.name == "gate.md"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It closes at nine [1] and opens at six [3].", (1, 3)),
        ("It closes [1].\n\n[1] The notice", ()),
        ("Take `row[1]` and row[2].", ()),
        ("```\nrow = [1]\n```", ()),
        ("See [1](https://example.com).", ()),
        ("It closes at nine.", ()),
    ],
)
def test_citations_are_numbers_in_prose_that_the_answer_does_not_explain(
    text: str, numbers: tuple[int, ...]
) -> None:
    assert citations(text) == numbers
