"""Patterns as they are met in schemas: as languages where they are regular, tried where not."""

from __future__ import annotations

import jsonschema_rs

from groundwire.contracts.regex import strings
from groundwire.contracts.regex.expressions import Expressions, TooLarge
from groundwire.contracts.regex.reading import NotRegular, read_pattern


class Languages:
    """The patterns of both documents, each read once."""

    def __init__(self) -> None:
        self.expressions = Expressions()
        self._read: dict[str, int | str] = {}
        self._tried: dict[tuple[str, str], bool | None] = {}

    def language(self, pattern: str) -> int | str:
        """The expression of `pattern`, or the reason why it has none."""
        known = self._read.get(pattern)
        if known is None:
            try:
                known = read_pattern(pattern, self.expressions)
            except NotRegular as error:
                known = str(error.args[0])
            self._read[pattern] = known
        return known

    def matches(self, pattern: str, text: str) -> bool | None:
        """Whether `pattern` is found in `text`; None where that cannot be told."""
        key = (pattern, text)
        if key not in self._tried:
            self._tried[key] = self._try(pattern, text)
        return self._tried[key]

    def _try(self, pattern: str, text: str) -> bool | None:
        language = self.language(pattern)
        if isinstance(language, int):
            try:
                return strings.matches(language, text, self.expressions)
            except TooLarge:
                return None
        try:
            return jsonschema_rs.Draft202012Validator({"pattern": pattern}).is_valid(text)
        except (ValueError, jsonschema_rs.ValidationError):
            return None
