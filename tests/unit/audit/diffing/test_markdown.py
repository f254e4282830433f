"""The comment of a pull request: nothing of a file is markup in it, a link or a person's name."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from groundwire.audit.diffing.markdown import code, markdown, plain, sentence
from groundwire.cli.output import shown
from groundwire.contracts.changes import Change
from tests.unit.audit.diffing.showing import HOSTILE, change, compared

READ = MarkdownIt("commonmark").enable(["table", "strikethrough"])
USUAL = {
    "paragraph", "bullet_list", "list_item", "inline", "text", "code_inline", "strong", "softbreak",
    "fence",
}  # fmt: skip


def tokens(text: str) -> list[Token]:
    found = READ.parse(text)
    return found + [each for token in found for each in token.children or ()]


def printed(*changes: Change, **more: str) -> str:
    return "\n".join(shown(line) for line in markdown([compared(*changes, **more)]))


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_file_breaks_out(text: str) -> None:
    found = change(text, answer={text: text}, name=text, reason=text, instead=text, pardoned=text)
    comment = printed(found, path=text) + "\n" + printed(unreadable=text, reason="x", path=text)
    read = tokens(comment)
    assert {each.type.removesuffix("_open").removesuffix("_close") for each in read} <= USUAL
    assert sum(each.type == "bullet_list_open" for each in read) <= 2
    assert [each.content for each in read if each.type == "strong_open"] == [""] * 4
    for each in read:
        if each.type == "text":
            assert "@" not in each.content
            assert "#" not in each.content
    assert "<img" not in READ.render(comment)
    assert all(line.isprintable() for line in comment.split("\n"))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_and_code_read_as_what_they_were(text: str) -> None:
    for made in (plain(text), code(text), sentence(text)):
        line = tokens(shown(f"a {made} b"))
        inline = [each.content for each in line if each.type in {"text", "code_inline"}]
        said = shown(f"a {text} b")
        assert "".join(inline).replace("`", "").split() == said.replace("`", "").split()


def test_what_stands_between_ticks_is_code() -> None:
    assert sentence("`maxLength` was 3.") == "`maxLength` was 3\\."
    assert sentence("a ` b") == "a \\` b"


def test_no_link_begins_on_its_own() -> None:
    assert plain("http://a www.b.example") == "http\\://a www\\.b\\.example"


def test_fifty_changes_are_shown_and_the_rest_counted() -> None:
    comment = printed(*(change(number=n) for n in range(53)))
    assert comment.count("- **breaking**") == 50
    assert comment.endswith("\n3 more are not shown here.")


def test_a_change_has_its_exchange_in_a_fence_of_its_own() -> None:
    fences = [each for each in tokens(printed(change(answer="```"))) if each.type == "fence"]
    assert [each.content for each in fences] == [
        '> GET /users\n> X-A: It is gone.\n< 200\n< Content-Type: application/json\n< "```"\n'
    ]
