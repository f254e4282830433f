"""Lexing: the words of a statement, told apart exactly as its database tells them apart.

Everything else reads these and not the text: a library that takes one character for another kind of
blank, or a comment to end elsewhere, would read another statement than the one that runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from groundwire.documents.sql import Dialect

TokenKind: TypeAlias = Literal["word", "name", "string", "number", "parameter", "mark"]

STRING: Final = "gw0string"
"""What stands in the place of every string in `plain_text`."""
MOST_CHARACTERS: Final = 100_000
MOST_TOKENS: Final = 20_000

_BLANKS: Final[Mapping[Dialect, str]] = {"sqlite": " \t\n\f\r", "postgresql": " \t\n\r\f"}
_LINE_END: Final[Mapping[Dialect, re.Pattern[str]]] = {
    "sqlite": re.compile("\n"),
    "postgresql": re.compile("[\n\r]"),
}
_WORD: Final = re.compile(r"[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_$\u0080-\U0010ffff]*")
_NUMBER: Final = re.compile(
    r"0[xX][0-9A-Fa-f_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?"
)
_PARAMETER: Final[Mapping[Dialect, re.Pattern[str]]] = {
    "sqlite": re.compile(r"\?[0-9]*|[:@$][A-Za-z0-9_\u0080-\U0010ffff]+"),
    "postgresql": re.compile(r"\$[0-9]+"),
}
_DOLLAR: Final = re.compile(r"\$(?:[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)?\$")
_MARKS: Final = frozenset("+-*/<>=~!@#%^&|?:.,;()[]")
_ENDS_OF_NAMES: Final[Mapping[str, str]] = {"`": "`", "[": "]", '"': '"'}
_AS_SEEN: Final[Mapping[Dialect, str]] = {"sqlite": "?", "postgresql": "$1"}


class Token(NamedTuple):
    """One word of a statement, from `at` until before `end` in its text.

    `text` of a `word` is what is written; of a `name` what stands between its quotes; of a `string`
    too, escapes and all; of the others what is written.
    """

    kind: TokenKind
    text: str
    at: int
    end: int

    @property
    def keyword(self) -> str:
        """A word in capitals, to be compared with keywords; "" of anything else."""
        return self.text.upper() if self.kind == "word" and self.text.isascii() else ""

    @property
    def mark(self) -> str:
        """The character of a mark; "" of anything else."""
        return self.text if self.kind == "mark" else ""


class Unlexed(Exception):
    """The text cannot be told apart into words; `reason` is a code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def tokens_of(text: str, dialect: Dialect) -> tuple[Token, ...]:
    """The words of the text without its comments.

    Of PostgreSQL as it is with `standard_conforming_strings` on, and its own placeholders, `$1`: those
    of psycopg (`%s`) are none.

    Raises:
        Unlexed: `sql-too-long`, `sql-unclosed`, `sql-character`, `sql-spelling`.
    """
    if len(text) > MOST_CHARACTERS:
        raise Unlexed("sql-too-long")
    found = list(_Lexer(text, dialect).tokens())
    if len(found) > MOST_TOKENS:
        raise Unlexed("sql-too-long")
    return tuple(found)


def plain_text(tokens: Iterable[Token], dialect: Dialect) -> str:
    """The statement spelled so that it can be read in one way alone, for a library to parse.

    No comment, one blank for all blanks, every name that is no plain word in double quotes, and
    another text in the place of each string.
    """
    pieces: list[str] = []
    end = -1
    for token in tokens:
        if token.at != end or token.kind != "mark":
            pieces.append(" ")
        pieces.append(_plain(token, dialect))
        # What follows a mark directly may be the rest of one operator; nothing else needs to touch.
        end = token.end if token.kind == "mark" else -1
    return "".join(pieces).strip()


def segments(tokens: Iterable[Token]) -> list[tuple[Token, ...]]:
    """What stands between semicolons; empty statements are left out."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.mark == ";":
            found.append([])
        else:
            found[-1].append(token)
    return [tuple(each) for each in found if each]


def word_set(listed: str) -> frozenset[str]:
    """The words of a list that is written as people read it, with blanks between."""
    return frozenset(listed.split())


def folded_name(token: Token, dialect: Dialect) -> str:
    """The name that a word or a quoted name stands for, as the database folds it."""
    if token.kind == "word" or dialect == "sqlite":
        return _lower(token.text)
    return token.text


def _lower(text: str) -> str:
    """ASCII capitals made small; no database folds others the same everywhere."""
    return "".join(each.lower() if each.isascii() else each for each in text)


def _plain(token: Token, dialect: Dialect) -> str:
    match token.kind:
        case "string":
            return f"'{STRING}'"
        case "parameter":
            return _AS_SEEN[dialect]
        case "name":
            return '"' + token.text.replace('"', '""') + '"'
        case "word" if not token.text.isascii() or "$" in token.text:
            return '"' + folded_name(token, dialect) + '"'
        case _:
            return token.text


class _Lexer:
    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect: Dialect = dialect
        self._at = 0

    def tokens(self) -> Iterator[Token]:
        after_string = False
        while (token := self._next()) is not None:
            if self._dialect == "postgresql" and after_string and token.kind == "string":
                # Over a line's end they are one string, which escapes as the first of them does.
                raise Unlexed("sql-spelling")
            after_string = token.kind == "string"
            yield token

    def _next(self) -> Token | None:
        self._pass_over()
        text, at = self._text, self._at
        if at >= len(text):
            return None
        for read in (self._quoted, self._parameter, self._word, self._number):
            if (token := read()) is not None:
                self._at = token.end
                return token
        if text[at] not in _MARKS:
            raise Unlexed("sql-character")
        self._at = at + 1
        return Token("mark", text[at], at, self._at)

    def _pass_over(self) -> None:
        """Blanks and comments."""
        text, blanks = self._text, _BLANKS[self._dialect]
        while self._at < len(text):
            if text[self._at] in blanks:
                self._at += 1
            elif text.startswith("--", self._at):
                found = _LINE_END[self._dialect].search(text, self._at)
                self._at = found.start() if found else len(text)
            elif text.startswith("/*", self._at):
                self._at = self._after_comment(self._at + 2)
            else:
                return

    def _after_comment(self, at: int) -> int:
        """Comments nest in PostgreSQL, and in SQLite they do not."""
        depth, text = 1, self._text
        while depth:
            end, begin = text.find("*/", at), text.find("/*", at)
            if end < 0:
                raise Unlexed("sql-unclosed")
            if self._dialect == "postgresql" and 0 <= begin < end:
                depth, at = depth + 1, begin + 2
            else:
                depth, at = depth - 1, end + 2
        return at

    def _quoted(self) -> Token | None:
        """A string or a name in quotes, with what may stand before the quote."""
        text, at = self._text, self._at
        first, postgresql = text[at], self._dialect == "postgresql"
        if first == "'":
            return self._until("'", at + 1, "string")
        if first == '"' or (not postgresql and first in _ENDS_OF_NAMES):
            return self._until(_ENDS_OF_NAMES[first], at + 1, "name")
        if postgresql and first == "$" and (tag := _DOLLAR.match(text, at)):
            end = text.find(tag[0], tag.end())
            if end < 0:
                raise Unlexed("sql-unclosed")
            return Token("string", text[tag.end() : end], at, end + len(tag[0]))
        if postgresql and text[at : at + 2].upper() == "U&" and text[at + 2 : at + 3] in {"'", '"'}:
            raise Unlexed("sql-spelling")  # a name or a string with escapes of its own choosing
        if text[at + 1 : at + 2] == "'" and first in ("eEbBxXnN" if postgresql else "xX"):
            return self._until("'", at + 2, "string", escapes=first in "eE")
        return None

    def _until(self, quote: str, at: int, kind: TokenKind, *, escapes: bool = False) -> Token:
        text, begin = self._text, at
        while at < len(text):
            if escapes and text[at] == "\\":
                at += 2
            elif text[at] != quote:
                at += 1
            elif quote != "]" and text.startswith(quote, at + 1):
                at += 2
            else:
                inner = text[begin:at]
                if quote != "]":
                    inner = inner.replace(quote * 2, quote)
                return Token(kind, inner, self._at, at + 1)
        raise Unlexed("sql-unclosed")

    def _parameter(self) -> Token | None:
        text = self._text
        found = self._matched(_PARAMETER[self._dialect], "parameter")
        if self._dialect == "postgresql" or found is None or text[found.at] == "?":
            return found
        if text.startswith(("(", "::"), found.end):
            # The name goes on, as Tcl has it, over what would be a quote elsewhere.
            raise Unlexed("sql-spelling")
        return found

    def _word(self) -> Token | None:
        return self._matched(_WORD, "word")

    def _number(self) -> Token | None:
        return self._matched(_NUMBER, "number")

    def _matched(self, pattern: re.Pattern[str], kind: TokenKind) -> Token | None:
        found = pattern.match(self._text, self._at)
        return Token(kind, found[0], found.start(), found.end()) if found else None
