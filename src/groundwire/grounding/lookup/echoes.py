"""Echoes: results that only say a value again that the model had made up.

Who wrote a value first is kept. "No record for zeus-77" puts `zeus-77` into a result, and the model
that invented it may take it from there: an echo serves nothing. A result that shows the value
without having been asked for it is no echo, and neither is a user who says it.
"""

from __future__ import annotations

from groundwire.grounding.folding import fold
from groundwire.grounding.index import Hit, Index
from groundwire.grounding.passages import Passage
from groundwire.grounding.records.reading import read_result

# Besides the value itself: fewer fields than this may be a mere "not found".
_FIELDS = 2


class Echoes:
    """Which call each result answers."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._calls: dict[str, int] = {}
        self._nameless: list[int] = []
        self._asked: dict[int, int] = {}

    def note(self, number: int, passage: Passage) -> None:
        """The passage is known from now on; calls come before their results."""
        if passage.voice == "call":
            if passage.call_id:
                self._calls[passage.call_id] = number
            else:
                self._nameless.append(number)
        elif passage.voice == "result":
            if passage.call_id:
                asked = self._calls.get(passage.call_id)
            else:
                asked = self._nameless.pop(0) if self._nameless else None
            if asked is not None:
                self._asked[number] = asked

    def tool(self, passage: Passage) -> str:
        """The tool of a result, by its call where the wire does not name it."""
        if passage.tool or passage.voice != "result":
            return passage.tool
        asked = self._calls.get(passage.call_id) if passage.call_id else None
        return "" if asked is None else self._index.passage(asked).tool

    def arguments(self, number: int) -> str:
        """The arguments of the call that this result answers; empty where nobody knows."""
        asked = self._asked.get(number)
        return "" if asked is None else self._index.passage(asked).text

    def is_echo(self, number: int, folded: str) -> bool:
        """Whether this passage holds the folded value only because its own call named it.

        That takes that the model wrote it before anything else held it; of a declared absence,
        only that it was looked for.
        """
        asked = self._asked.get(number)
        if asked is None:
            # What a tool returned is known before its call stands in a frame.
            passage = self._index.passage(number)
            asked = self._calls.get(passage.call_id) if passage.voice == "returned" else None
        if asked is None or not self._index.holds(asked, folded):
            return False
        return self._index.passage(number).absent or self._index.first_is_own(folded)

    def confirms(self, hit: Hit) -> bool:
        """Whether an echo is a record of the value: other fields that its call did not name.

        That is what a tool answers that has found or made it. It still is the model's value.
        """
        passage = hit.passage
        if passage.failed or passage.absent:
            return False
        arguments = fold(self.arguments(hit.number))
        for record in read_result(passage.text).records:
            texts = [fold(field.text) for field in record.fields]
            if hit.spelling in texts:
                return sum(1 for text in texts if text and text not in arguments) >= _FIELDS
        return False
