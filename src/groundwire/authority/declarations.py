"""What an author may declare, and the one reading of it: a table in, a document or a refusal out.

Every reader takes the value that stood in the text and the path it stood at. None of them fills
in for a value that is there and wrong.
"""

from __future__ import annotations

import difflib
import posixpath
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import SplitResult, urlsplit

from groundwire.authority.toml_lines import Path
from groundwire.documents.policy import AnchorDeclaration, ToolDeclaration
from groundwire.errors import PolicyError

Table: TypeAlias = Mapping[str, object]
Choice = TypeVar("Choice", bound=str)

MAX_NAME = 1024
"""Characters in a name, path or address: a longer one is a paste that went wrong."""

KNOWN: Mapping[str, tuple[str, ...]] = {
    "": ("agent", "on_behalf_of", "recording", "checks", "tools", "anchors"),
    "recording": (
        "runs",
        "content",
        "on_recording_error",
        "outside_session",
        "keep_days",
        "rotate_bytes",
        "keyring",
    ),
    "checks": ("posture", "grounding"),
    "tools.<name>": ("arguments_from", "content"),
    "anchors[]": ("kind", "target"),
}
"""Every key there is, by the table it stands in."""

CONTENTS: tuple[Literal["full", "commitments"], ...] = ("full", "commitments")
ANCHOR_KINDS: tuple[Literal["folder", "http"], ...] = ("folder", "http")


class Misdeclared(Exception):
    """A value that cannot be what was meant; `path` is where it stands."""

    def __init__(self, reason: str, path: Path, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.path = path


def declare_tool(
    name: str, arguments_from: Iterable[str] | None = None, content: str | None = None
) -> ToolDeclaration:
    """What code declares about one tool, held to the rules of `groundwire.toml`.

    Raises:
        PolicyError: an empty or blank entry, a tool naming itself, an unknown `content`.
    """
    table: dict[str, object] = {}
    if arguments_from is not None:
        # A lone string would be read letter by letter; as it is, it is refused by its type.
        lone = isinstance(arguments_from, str)
        table["arguments_from"] = arguments_from if lone else list(arguments_from)
    if content is not None:
        table["content"] = content
    try:
        return read_tool(name, table, "full", ("tools", name))
    except Misdeclared as error:
        raise PolicyError(error.reason, f"tool {show(name)}: {error}") from error


def read_tool(
    name: str, value: object, content: Literal["full", "commitments"], path: Path
) -> ToolDeclaration:
    """One tool's declaration; `content` holds where its own table says nothing."""
    table = read_table(value, "tools.<name>", path)
    read_name(name, path)
    grounds: tuple[str, ...] = ()
    if "arguments_from" in table:
        grounds = _read_grounds(name, table["arguments_from"], (*path, "arguments_from"))
    if "content" in table:
        content = read_choice(table["content"], CONTENTS, (*path, "content"))
    return ToolDeclaration(name=name, arguments_from=grounds, content=content)


def _read_grounds(name: str, value: object, path: Path) -> tuple[str, ...]:
    grounds: list[str] = []
    for index, entry in enumerate(_read_array(value, path)):
        ground = read_name(entry, (*path, index))
        if ground == name:
            raise Misdeclared(
                "tool-sources-itself",
                (*path, index),
                f"a tool cannot be the source of its own arguments; take {show(name)} out of "
                "'arguments_from'",
            )
        if ground in grounds:
            raise Misdeclared(
                "repeated-entry", (*path, index), f"{show(ground)} stands twice; keep one"
            )
        grounds.append(ground)
    if not grounds:
        raise Misdeclared(
            "empty-declaration",
            path,
            "an empty list names no source; name the tools whose results these arguments come "
            "from, or leave the key out",
        )
    return tuple(grounds)


def read_anchors(value: object, path: Path) -> tuple[AnchorDeclaration, ...]:
    """Every `[[anchors]]` table, none of them twice."""
    if isinstance(value, Mapping):
        raise Misdeclared("wrong-type", path, "must be a list of tables: write [[anchors]]")
    anchors: list[AnchorDeclaration] = []
    seen: set[tuple[str, str]] = set()
    for index, element in enumerate(_read_array(value, path)):
        place = (*path, index)
        anchor = _read_anchor(element, place)
        is_folder = anchor.kind == "folder"
        identity = posixpath.normpath(anchor.target) if is_folder else anchor.target.rstrip("/")
        if (anchor.kind, identity) in seen:
            raise Misdeclared(
                "repeated-anchor", place, f"{show(anchor.target)} is an anchor already; keep one"
            )
        seen.add((anchor.kind, identity))
        anchors.append(anchor)
    return tuple(anchors)


def _read_anchor(value: object, path: Path) -> AnchorDeclaration:
    table = read_table(value, "anchors[]", path)
    for key in KNOWN["anchors[]"]:
        if key not in table:
            raise Misdeclared("missing-setting", path, f"an anchor needs '{key}'")
    kind = read_choice(table["kind"], ANCHOR_KINDS, (*path, "kind"))
    target = read_name(table["target"], (*path, "target"))
    if kind == "http":
        _judge_address(target, (*path, "target"))
    return AnchorDeclaration(kind=kind, target=target)


def _judge_address(target: str, path: Path) -> None:
    """Refuses what is no web address, and one that carries what should not be recorded."""
    parts = _web_address(target)
    if parts is None:
        raise Misdeclared("bad-anchor-target", path, "this is no address; write https://host/path")
    if parts.username is not None or parts.query or parts.fragment:
        # Not quoted in the message: the policy, and so this, ends up in files and terminals.
        raise Misdeclared(
            "bad-anchor-target",
            path,
            "the address carries a user, a query or a fragment, and every recording would hold "
            "it; leave only https://host/path",
        )


def _web_address(target: str) -> SplitResult | None:
    try:
        parts = urlsplit(target)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if usable else None


def read_table(value: object, kind: str, path: Path) -> Table:
    """A table all of whose keys are known ones of `kind`."""
    if not isinstance(value, Mapping):
        raise _wrong_type("a table", value, path)
    for key in value:
        if key not in KNOWN[kind]:
            raise _unknown_key(str(key), kind, (*path, key))
    return value


def read_tables(value: object, path: Path) -> Table:
    """A table whose keys are names of the author's own."""
    if not isinstance(value, Mapping):
        raise _wrong_type("a table", value, path)
    return value


def read_choice(value: object, choices: tuple[Choice, ...], path: Path) -> Choice:
    """The one of `choices` that `value` is."""
    for choice in choices:
        if isinstance(value, str) and value == choice:
            return choice
    listed = " or ".join(f'"{choice}"' for choice in choices)
    raise Misdeclared("unknown-choice", path, f"must be {listed}, not {show(value)}")


def read_count(value: object, least: int, most: int, path: Path) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(f"a whole number from {least} to {most}", value, path)
    if not least <= value <= most:
        raise Misdeclared(
            "out-of-range", path, f"must be from {least} to {most}, not {show(value)}"
        )
    return value


def read_name(value: object, path: Path) -> str:
    """A text of one line that begins and ends with something to see."""
    if not isinstance(value, str):
        raise _wrong_type("a text", value, path)
    if not value or value != value.strip():
        raise Misdeclared(
            "blank-name", path, f"must not be empty nor begin or end with a blank: {show(value)}"
        )
    if len(value) > MAX_NAME or any(unicodedata.category(c) in _UNSEEN for c in value):
        raise Misdeclared(
            "bad-name",
            path,
            f"must be one line of at most {MAX_NAME} characters without control characters",
        )
    return value


_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


def _read_array(value: object, path: Path) -> list[object]:
    if not isinstance(value, list):
        raise _wrong_type("a list", value, path)
    return value


def show(value: object) -> str:
    """`value` as a message may quote it: on one line and short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _wrong_type(wanted: str, value: object, path: Path) -> Misdeclared:
    return Misdeclared("wrong-type", path, f"must be {wanted}, not {show(value)}")


def _unknown_key(key: str, kind: str, path: Path) -> Misdeclared:
    place = f"[{kind}]" if kind else "the top level"
    home, nearest = _nearest(key, kind)
    elsewhere = "" if home == kind else f" in [{home}]" if home else " at the top level"
    return Misdeclared(
        "unknown-setting",
        path,
        f"there is no key {show(key)} in {place}; the nearest is '{nearest}'{elsewhere}. "
        f"Known in {place}: {', '.join(KNOWN[kind])}",
    )


def _nearest(key: str, kind: str) -> tuple[str, str]:
    """The known key most like `key`, one of the same table when in doubt."""

    def likeness(candidate: tuple[str, str]) -> float:
        table, name = candidate
        ratio = difflib.SequenceMatcher(a=key.casefold(), b=name).ratio()
        return ratio + (0.1 if table == kind else 0.0)

    candidates = [(table, name) for table, names in KNOWN.items() for name in names]
    return max(candidates, key=likeness)
