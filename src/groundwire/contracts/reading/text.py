"""A file of JSON or YAML as a value, with the line and column that each part of it stands at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.json_places import Places, steps_of
from groundwire.contracts.reading.json_text import read_json
from groundwire.contracts.reading.plain_text import checked, demand_utf8
from groundwire.contracts.reading.unread import Settled
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.reading.versions.edits import read_edited

Kind: TypeAlias = Literal["json", "yaml"]
Finder: TypeAlias = Callable[[tuple[str, ...]], tuple[int, int] | None]


class Text:
    """A file that was read.

    `unread` are the pointers of what is not as it was written, and why; `numbers` those of the
    numbers among it, and how they were written. Parts of `value` that an alias of YAML repeats are one object; whoever writes into it writes
    into all of them.
    """

    def __init__(
        self,
        kind: Kind,
        settled: Settled,
        find: Callable[[], Finder] | None = None,
        data: bytes = b"",
    ) -> None:
        """`find` makes what finds places; without it `data` is the JSON that was read."""
        self.kind = kind
        self.value = settled.value
        self.unread: Mapping[str, str] = settled.unread
        self.numbers: Mapping[str, str] = settled.numbers
        self._make = find
        self._find: Finder | None = None
        self._data = data
        self.edit: Edit | None = None
        """By way of which version it was read, if by way of one."""
        self.leads_outside: bool | None = None
        """Whether something in it may refer to another file; None until somebody looked."""

    @cached_property
    def _places(self) -> Places:
        return Places(self._data)

    def position(self, pointer: str) -> tuple[int, int] | None:
        """Line and column, from 1, of the key at an RFC 6901 pointer, or of an array's element.

        None where nothing stands there. The text is gone through for it at the first question;
        columns count characters.
        """
        if self._find is None:
            self._find = self._make() if self._make else self._places.at
        return self._find(steps_of(pointer))

    def edited(self, data: bytes) -> Text | None:
        """Another version of the file, read by way of this one; None where that is no shorter way.

        Then it has parts of this text's value in it.
        """
        if not self._data or self.unread:
            return None
        try:
            text = checked(data)
        except Unreadable:
            return None
        found = read_edited(self._data, self.value, self._places, text)
        if found is None:
            return None
        made = Text("json", Settled(found.value), data=text)
        made.edit = Edit(self, found.path, found.part)
        return made


class Edit:
    """What a text has that `earlier` has not: `part`, at `path`; all else is the same objects."""

    def __init__(self, earlier: Text, path: tuple[str, ...], part: JSON) -> None:
        self.earlier = earlier
        self.path = path
        self.part = part


def must_be_json(name: str) -> bool:
    """Whether a file of this name is JSON or wrong."""
    return name.lower().endswith(".json")


def read(data: bytes, name: str) -> Text:
    """The value of a file: JSON where `name` ends so or it reads so, else YAML 1.2.

    Nothing is guessed right: a key that stands twice, a tag, an alias without end or a second
    document is refused.

    Raises:
        Unreadable: `too-large`, `empty-file`, `not-utf-8`, `nul-in-file`; as `read_json`; as
            `yaml_text.load`; `yaml-not-installed`.
    """
    text = checked(data)
    is_json = must_be_json(name)
    if is_json or text.lstrip()[:1] in {b"{", b"["}:
        try:
            settled = read_json(text)
        except Unreadable as error:
            # Braces are YAML as well; and what no YAML makes good is told as JSON.
            if is_json or error.reason != "not-json":
                raise
        else:
            return Text("json", settled, data=text)
    return _read_yaml(text)


def _read_yaml(text: bytes) -> Text:
    try:
        # Only where a file is YAML: PyYAML is an extra, and takes time to import.
        from groundwire.contracts.reading import yaml_text  # noqa: PLC0415 -- see above
    except ModuleNotFoundError as error:
        if error.name != "yaml":
            raise
        message = "YAML is read by PyYAML; install it: pip install 'groundwire[contracts]'."
        raise Unreadable("yaml-not-installed", message) from error
    demand_utf8(text)
    loaded = yaml_text.load(text)
    return Text("yaml", loaded.settled, lambda: loaded.at)
