"""Files that several ask for: each is read once, and a later version by way of an earlier one."""

from __future__ import annotations

from groundwire.contracts.reading.text import Text, must_be_json, read


class Readings:
    """What was read of the versions of one file, for as long as they are compared.

    The texts are not to be written into: parts of one stand in another too.
    """

    def __init__(self) -> None:
        self._known: list[tuple[bytes, bool, Text]] = []

    def read(self, data: bytes, name: str) -> Text:
        """As `text.read`.

        Raises:
            Unreadable: as that.
        """
        # Of a name only that counts; see `text.read`.
        json = must_be_json(name)
        for known, is_json, text in self._known:
            if known == data and is_json == json:
                return text
        found = None
        for _, _, text in self._known:
            found = text.edited(data)
            if found is not None:
                break
        found = found or read(data, name)
        self._known.append((data, json, found))
        return found
