"""Once: what an author says of a tool whose deeds are each to be done at most once."""

from __future__ import annotations

from groundwire.authority.reading.sources import read_argument
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_array,
    read_entries,
    read_json_path,
    read_name,
    read_table,
    show,
    wrong_type,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import Settling
from groundwire.documents.policy import ToolDeclaration
from groundwire.grounding.once.keys import same_value


def read_once_per(value: object, path: Path) -> tuple[str, ...]:
    """The arguments that tell one deed of the tool from another."""
    return read_entries(
        value, path, _read_key, "an empty list tells no call from another; name an argument"
    )


def read_once_key(value: object, path: Path) -> str:
    """The argument that takes an idempotency key: one at the top, for it may be filled in."""
    argument = _read_key(value, path)
    if "." in argument:
        raise Misdeclared(
            "bad-argument-path", path, f"{show(argument)} is no argument of the tool's own"
        )
    return argument


def read_settling(value: object, tool: str, path: Path) -> Settling:
    """The read by which a deed that nobody saw end is settled."""
    table = read_table(value, "tools.<name>.settled_by", path)
    demand(table, ("tool", "at", "landed"), "what settles a deed", path)
    reads = read_name(table["tool"], (*path, "tool"))
    if reads == tool:
        raise Misdeclared(
            "tool-sources-itself",
            (*path, "tool"),
            "a tool cannot say of itself what became of it; name a tool that reads",
        )
    made = Settling(
        tool=reads,
        at=read_json_path(table["at"], (*path, "at")),
        landed=_words(table["landed"], (*path, "landed")),
        absent=_words(table["absent"], (*path, "absent")) if "absent" in table else (),
    )
    both = {same_value(each) for each in made.landed} & {same_value(each) for each in made.absent}
    if both:
        raise Misdeclared(
            "repeated-entry",
            (*path, "absent"),
            "a value says that it was done and that it was not; keep it in one of the lists",
        )
    return made


def demand_once(declared: ToolDeclaration, path: Path) -> None:
    """What is said of doing it once goes together with the rest.

    Raises:
        Misdeclared: `missing-setting`, `once-of-a-read`.
    """
    for key, said in (("settled_by", declared.settled_by), ("once_key", declared.once_key)):
        if said and not declared.once_per:
            raise Misdeclared(
                "missing-setting",
                (*path, key),
                f"'{key}' needs 'once_per': the arguments that tell one deed from another",
            )
    if declared.once_per and declared.effect == "read":
        raise Misdeclared(
            "once-of-a-read",
            (*path, "once_per"),
            "a tool that reads does nothing that could be done twice; take 'once_per' out, or"
            " correct its effect",
        )
    if declared.once_key and declared.once_key in declared.once_per:
        raise Misdeclared(
            "repeated-entry",
            (*path, "once_key"),
            "an idempotency key tells no deed from another; take it out of 'once_per'",
        )


def _read_key(value: object, path: Path) -> str:
    argument = read_argument(value, path)
    if "[" in argument:
        raise Misdeclared(
            "bad-argument-path", path, f"{show(argument)} names many values; name one argument"
        )
    return argument


def _words(value: object, path: Path) -> tuple[str | int | bool, ...]:
    """One or more values, none of them twice as they are compared: `1` is not `true`."""
    words: dict[str, str | int | bool] = {}
    for index, element in enumerate(read_array(value, path)):
        word = _read_word(element, (*path, index))
        if same_value(word) in words:
            raise Misdeclared(
                "repeated-entry", (*path, index), f"{show(word)} stands twice; keep one"
            )
        words[same_value(word)] = word
    if not words:
        raise Misdeclared(
            "empty-declaration",
            path,
            "an empty list names no value; leave the key out, or name one",
        )
    return tuple(words.values())


def _read_word(value: object, path: Path) -> str | int | bool:
    if isinstance(value, str):
        return read_name(value, path)
    if isinstance(value, int):
        return value
    raise wrong_type("a text, a whole number, true or false", value, path)
