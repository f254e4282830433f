"""Effects: what is declared of a tool holds; names and hints only raise a suspicion.

A suspicion is for a person: it stands in the table's report and in the draft that `groundwire init
--effects` prints. It never makes a declared effect milder, and it allows and refuses nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from groundwire.documents.declaration import Effect

STRICTEST_LAST: Final[tuple[Effect, ...]] = (
    "unstated",
    "read",
    "write",
    "external",
    "destructive",
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Verbs by what they say. `_EITHER` are as often nouns: they count only in a name without a verb.
_VERBS: Final[dict[Effect, frozenset[str]]] = {
    "write": _words(
        "add append apply bash change chmod chown create disable edit enable eval exec execute "
        "generate import insert install make mkdir modify move overwrite powershell put rename "
        "replace run save shell stage terminal touch update upgrade upsert write"
    ),
    "external": _words(
        "approve book buy call charge deploy deposit donate email invite invoke mail merge notify "
        "pay post publish purchase push refund register reply send share submit subscribe sync "
        "transfer trigger tweet unsubscribe upload withdraw"
    ),
    "destructive": _words(
        "abort cancel clear deactivate decommission delete destroy discard drop erase evict forget "
        "halt kill prune purge remove reset revoke rm rmdir rotate shred shutdown suspend terminate "
        "truncate uninstall unlink wipe"
    ),
}
_READS: Final = _words(
    "browse cat check compare count describe diff explain fetch find get glob grep head inspect "
    "list lookup ls preview query read scan search select show stat status summarize tail validate "
    "verify view whoami"
)
_EITHER: Final = _words(
    "book call change charge commit copy drop exec execute import mail order post push refund "
    "release reply reset run share shell stage store sync terminal touch transfer update upgrade"
)
_NOUN_EFFECTS: Final[dict[str, Effect]] = {
    "commit": "write",
    "copy": "write",
    "order": "external",
    "release": "external",
    "store": "write",
}
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """What an MCP server says of its tool, as far as it says it. Nobody vouches for it."""

    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None


class Stated(msgspec.Struct, frozen=True):
    """An effect that somebody declared, and where (`groundwire.toml`, `@gw.tool`, …)."""

    where: str
    effect: Effect


class Suspicion(msgspec.Struct, frozen=True):
    """What a name or a hint makes one think of a tool, and why."""

    effect: Effect
    why: str


class Held(msgspec.Struct, frozen=True):
    """The effect that holds, and what the report has to say of it."""

    effect: Effect
    notes: tuple[str, ...]


class Proposed(msgspec.Struct, frozen=True):
    """An effect for a person to accept, and why.

    `for_reading` is what speaks for `read` instead and is not enough without them; "" for nothing.
    """

    effect: Effect
    why: str
    for_reading: str


def hints_of(annotations: object) -> Hints:
    """The hints in a tool's MCP `annotations`. A value that is neither true nor false is none."""
    if not isinstance(annotations, Mapping):
        return Hints()

    def said(name: str) -> bool | None:
        value = annotations.get(name)
        return value if isinstance(value, bool) else None

    return Hints(
        read_only=said("readOnlyHint"),
        destructive=said("destructiveHint"),
        open_world=said("openWorldHint"),
    )


def words_of(name: str) -> tuple[str, ...]:
    """The words of a tool's name: `listAndPurge`, `list_and_purge` and `list-and-purge` are alike."""
    return tuple(part.lower() for part in _PARTS.findall(name))


def suspicions(name: str, hints: Hints | None = None) -> tuple[Suspicion, ...]:
    """What the name and the hints make one suspect, the strictest first; often nothing.

    Never `read`: neither a name nor a hint shows that a tool changes nothing.
    """
    found = [*_by_name(name), *_by_hints(hints or Hints())]
    return tuple(sorted(found, key=lambda each: (-rank(each.effect), each.why)))


def rank(effect: Effect) -> int:
    """How strict an effect is; more is stricter."""
    return STRICTEST_LAST.index(effect)


def held(
    name: str, stated: Iterable[Stated], hints: Hints | None = None, *, owned: bool = False
) -> Held:
    """The strictest effect that is declared, with every disagreement and suspicion named.

    `unstated` where nobody declared one, whatever the name says. Of a tool that is `owned`
    groundwire carries out each change itself, as it was judged: a name says no more than that.
    """
    said = sorted(
        (each for each in stated if each.effect != "unstated"),
        key=lambda each: (-rank(each.effect), each.where),
    )
    effect: Effect = said[0].effect if said else "unstated"
    notes = []
    if len({each.effect for each in said}) > 1:
        sources = " and ".join(f"{each.effect!r} by {each.where}" for each in said)
        notes.append(f"declared as {sources}: the stricter holds, {effect!r}")
    if effect != "unstated" and not owned:
        notes += [
            f"declared as {effect!r}, though {each.why}"
            for each in suspicions(name, hints)
            if rank(each.effect) > rank(effect)
        ]
    return Held(effect, tuple(notes))


def propose_effect(
    name: str, hints: Hints | None = None, *, trusted: bool = False, changed: int = 0
) -> Proposed:
    """An effect for a person to accept: a change, where nothing speaks against it.

    `trusted`: the server of the hints is one whose hints may lower suspicion. `changed` is how many
    recorded calls of it were seen to change something; that none was shows nothing.
    """
    given = hints or Hints()
    found = suspicions(name, given)
    if found and (not changed or rank(found[0].effect) > rank("write")):
        effect, why = found[0].effect, found[0].why
    elif changed:
        effect, why = "write", "recorded calls changed something"
    elif trusted and given.read_only:
        return Proposed("read", "a server that you trust says so", "")
    else:
        effect, why = "write", "nothing shows that it changes nothing"
    return Proposed(effect, why, "" if changed else _for_reading(name, given, trusted=trusted))


_TARGET: Final = 'target = { files = "whole" }  # or what else it writes to; without one a person is asked each time'


def effect_lines(name: str, proposed: Proposed) -> str:
    """The lines of `groundwire.toml` that declare the proposed effect, for a person to correct."""
    key = name if _BARE.fullmatch(name) else _quoted(name)
    lines = [f"[tools.{key}]", f'effect = "{proposed.effect}"  # {proposed.why}']
    if proposed.for_reading:
        lines.append(f'# effect = "read"  # {proposed.for_reading}')
    elif proposed.effect == "write":
        lines.append(f"# {_TARGET}")
    if rank(proposed.effect) > rank("write"):
        lines.append(f"operation = {_quoted(name)}  # what rules are to know it by")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """The text as a string of TOML; what does not print as its escape."""
    spelled = (
        letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08x}"
        for letter in text
    )
    return '"' + "".join(spelled) + '"'


def _for_reading(name: str, hints: Hints, *, trusted: bool) -> str:
    """What speaks for a tool that only reads, and is not enough."""
    if hints.read_only:
        return "a server that you trust says so" if trusted else "its server says so, unvouched for"
    said = sorted(_READS.intersection(words_of(name)))
    if said and not _by_name(name):
        return f"its name says {said[0]!r}, which proves nothing"
    return ""


def _by_name(name: str) -> list[Suspicion]:
    words = words_of(name)
    sure = [word for word in words if word not in _EITHER]
    has_verb = any(word in verbs for word in sure for verbs in (_READS, *_VERBS.values()))
    return [
        Suspicion(effect, f"its name says {word!r}")
        for word in (sure if has_verb else words)
        if (effect := _effect_of(word)) is not None
    ]


def _effect_of(word: str) -> Effect | None:
    for effect, verbs in _VERBS.items():
        if word in verbs:
            return effect
    return _NOUN_EFFECTS.get(word)


def _by_hints(hints: Hints) -> list[Suspicion]:
    found: list[Suspicion] = []
    if hints.destructive:
        found.append(Suspicion("destructive", "its server says destructiveHint"))
    if hints.open_world and not hints.read_only:
        found.append(Suspicion("external", "its server says openWorldHint"))
    if hints.read_only is False:
        found.append(Suspicion("write", "its server says that it is not read-only"))
    return found
