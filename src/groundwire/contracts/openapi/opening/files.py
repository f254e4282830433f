"""The files of one description, each asked for once and read once; and what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.places import Outside
from groundwire.contracts.reading.plain_text import MAX_BYTES
from groundwire.contracts.reading.text import Text, read
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings

MAX_FILES = 2_000

ReadFile = Callable[[str], bytes | None]


class Files:
    """Reads by the caller's `read_file`, which is asked only for names below its root."""

    def __init__(self, read_file: ReadFile, readings: Readings | None = None) -> None:
        self._read_file = read_file
        self._readings = readings or Readings()
        self._texts: dict[str, Text | str] = {}
        self._bytes = 0
        self._root = b""

    def root(self, name: str) -> Text:
        """The file that the description begins in; parts of it may stand in other texts too.

        Raises:
            Unreadable: `missing-description`; as `read`.
        """
        data = self._read_file(name)
        if data is None:
            raise Unreadable("missing-description", "The description's file is not there.")
        self._bytes += len(data)
        self._root = data
        text = self._texts[name] = self._readings.read(data, name)
        return text

    def to_write(self, name: str) -> Text:
        """The file that the description begins in, read again: a text that may be written into."""
        text = self._texts[name] = read(self._root, name)
        return text

    def text(self, name: str) -> Text:
        """Another file of the description.

        Raises:
            Outside: `reference-dangling` (no such file), `reference-unreadable:` and why.
            Unreadable: `too-large`, where all files together are.
        """
        found = self._texts.get(name)
        if found is None:
            found = self._texts[name] = self._read(name)
        if isinstance(found, str):
            raise Outside(found)
        return found

    def others(self, root: str) -> Mapping[str, Text]:
        """Every file that was read but `root`, by name, sorted."""
        return {
            name: text
            for name, text in sorted(self._texts.items())
            if name != root and isinstance(text, Text)
        }

    def _read(self, name: str) -> Text | str:
        if len(self._texts) >= MAX_FILES:
            raise Unreadable("too-large", f"The description has over {MAX_FILES} files.")
        data = self._read_file(name)
        if data is None:
            return "reference-dangling"
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            message = f"The description's files have over {MAX_BYTES >> 20} MiB together."
            raise Unreadable("too-large", message)
        try:
            return read(data, name)
        except Unreadable as error:
            return f"reference-unreadable:{error.reason}"


def member(value: JSON, name: str) -> JSON:
    """The member or element `name` of `value`.

    Raises:
        Outside: `reference-dangling`.
    """
    found: JSON
    if isinstance(value, dict) and name in value:
        found = value[name]
        return found
    # Documents are made of lists and dictionaries only: they were read here.
    if isinstance(value, list) and name.isascii() and name.isdecimal() and len(name) < 10:
        index = int(name)
        if index < len(value):
            found = value[index]
            return found
    raise Outside("reference-dangling")


def at(value: JSON, names: tuple[str, ...]) -> JSON:
    """What stands in `value` where `names` lead.

    Raises:
        Outside: `reference-dangling`.
    """
    for name in names:
        value = member(value, name)
    return value


def path_of_anchor(document: JSON, name: str) -> tuple[str, ...]:
    """The names on the way to the schema whose `$anchor` is `name`: the only one, or none.

    Raises:
        Outside: `reference-dangling`.
    """
    found: list[tuple[str, ...]] = []
    seen: set[int] = set()
    waiting: list[tuple[JSON, tuple[str, ...]]] = [(document, ())]
    while waiting:
        value, path = waiting.pop()
        if id(value) in seen:
            continue
        if isinstance(value, dict):
            seen.add(id(value))
            if name in (value.get("$anchor"), value.get("$dynamicAnchor")):
                found.append(path)
            waiting += [(each, (*path, key)) for key, each in value.items() if _holds(each)]
        elif isinstance(value, list):
            seen.add(id(value))
            waiting += [(e, (*path, str(i))) for i, e in enumerate(value) if _holds(e)]
    if len(found) != 1:
        raise Outside("reference-dangling")
    return found[0]


def _holds(value: JSON) -> bool:
    return isinstance(value, dict | list)
