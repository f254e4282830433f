"""Files that several ask for: each is read once, and a later version by way of an earlier one."""

from __future__ import annotations

from groundwire.contracts.reading.text import Text, read


class Readings:
    """What was read of the versions of one file, for as long as they are compared.

    The texts are not to be written into: parts of one stand in another too.
    """

    def __init__(self) -> None:
        self._known: list[tuple[bytes, str, Text]] = []

    def read(self, data: bytes, name: str) -> Text:
        """As `text.read`.

        Raises:
            Unreadable: as that.
        """
        for known, called, text in self._known:
            if known == data and called == name:
                return text
        found = None
        for _, _, text in self._known:
            found = text.edited(data)
            if found is not None:
                break
        found = found or read(data, name)
        self._known.append((data, name, found))
        return found
