"""Allowing: the lines of a policy by which a call that is held would be allowed, for a person."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

import msgspec

from groundwire.authority.artifacts.places import whole
from groundwire.authority.reading.governing.rules import read_id, read_path_pattern
from groundwire.authority.reading.values import Misdeclared
from groundwire.authority.ruling.aspects import Aspect, CallAspect, ChangeAspect
from groundwire.authority.ruling.databases.allowing import keys_of_statement
from groundwire.authority.ruling.databases.aspects import StatementAspect
from groundwire.authority.ruling.defaults import default_of
from groundwire.canon import jcs
from groundwire.documents.question import Question
from groundwire.errors import EncodingError

_PROFILE: Final = "it is `profile` in [guard] that asks for this"
# What to do about a fact, for which no rule is asked.
_REMEDIES: Final = {
    "profile/content-missing": "give the artifact whole, before and after",
    "profile/declared-content": "let the tool have a target, so that groundwire reads it itself",
    "profile/environment-unknown": "name the target's environment in [[guard.environments]]",
    "profile/files-only": "here a command's files alone are held in; run it where all of it is",
    "profile/host-claimed": "let the tool have a target, so that groundwire looks itself",
    "profile/non-atomic": "the file system there cannot exchange two names; keep the files elsewhere",
    "profile/not-owned": 'let groundwire write: give the tool a target, without writes = "tool"',
    "profile/uncontained": "nothing holds a command in here; run it where something does",
    "profile/unjudged-history": "make fewer commits in one call: each is looked at by itself",
    "profile/unread-overwrite": (
        "read the file in this run before it is written over; of a command's files it is enough"
        " that git has them (`git add`)"
    ),
}
_OF_FIRM: Final = {
    "default/other-environment": "correct `environment` of that database, or how it is reached"
}
_WILD: Final = frozenset("*?")
_UNSEEN: Final = "default/unseen-change"
_TARGET: Final = (
    "# Or give the tool a `target`, by which groundwire sees what a call changes and judges that.\n"
)
_MOST: Final = 20
"""Rules that are written out: who has more to allow wants a rule of their own making."""


class Objection(msgspec.Struct, frozen=True):
    """A rule that held the call up, and at what. `own`: groundwire's, and not the policy's."""

    rule: str
    aspect: Aspect | None
    own: bool


def lines_that_allow(
    objections: Sequence[Objection],
    question: Question,
    folder: str,
    *,
    taken: Collection[str],
    kinds: Collection[str],
) -> str:
    """Lines to add to `groundwire.toml`; "" where nothing is held.

    What no added line allows (a rule of the policy, a freeze, a profile, a protected place) is
    said in a comment. `taken` are ids that rules have, `kinds` those of artifacts that are known.
    """
    blocks: dict[str, None] = {}
    used, known = set(taken), set(kinds)
    told = set[tuple[object, ...]]()
    for objection in objections:
        if len(blocks) >= _MOST:
            blocks["# More would have to be allowed; see the witnesses."] = None
            break
        if block := _block(objection, question, folder, used, known, told):
            blocks[block] = None
    return "\n".join(blocks)


def _block(
    objection: Objection,
    question: Question,
    folder: str,
    used: set[str],
    known: set[str],
    told: set[tuple[object, ...]],
) -> str:
    """One rule, or why there is none; "" where a rule with the same keys was told before."""
    aspect = objection.aspect
    if not objection.own:
        return f"# {objection.rule} holds it; no line that is added changes that: change that one."
    if aspect is None:
        return f"# {objection.rule} holds it: {_REMEDIES.get(objection.rule, _PROFILE)}."
    if default_of(aspect).firm:
        remedy = _OF_FIRM.get(objection.rule, "no line allows that")
        return f"# {objection.rule} holds it; {remedy}."
    try:
        keys = _keys(aspect, question, folder)
        if (objection.rule, *keys) in told:
            return ""
        told.add((objection.rule, *keys))
        lines = _kind(aspect, known) + _rule(keys, objection.rule, used)
        return lines + _TARGET if objection.rule == _UNSEEN else lines
    except (Misdeclared, EncodingError):
        return f"# {objection.rule} holds it, and no pattern can spell the name."


def _keys(aspect: Aspect, question: Question, folder: str) -> list[tuple[str, str | int]]:
    """Keys of a rule that speaks of the aspect, each with its value as TOML spells it."""
    match aspect:
        case StatementAspect():
            return keys_of_statement(aspect, question)
        case CallAspect():
            return _keys_of_call(aspect, question)
        case ChangeAspect():
            return _keys_of_change(aspect, folder)


def _kind(aspect: Aspect, known: set[str]) -> str:
    """The table that makes a host's own kind known, so that a rule can name it; "" where it is."""
    if not isinstance(aspect, ChangeAspect) or aspect.kind is None or aspect.kind in known:
        return ""
    kind = read_id(aspect.kind, ())
    known.add(kind)
    return f"[[guard.artifacts]]\nkind = {_quoted(kind)}\n\n"


def _keys_of_call(aspect: CallAspect, question: Question) -> list[tuple[str, str | int]]:
    keys: list[tuple[str, str | int]] = [("tools", question.tool)]
    if aspect.whole in {"external", "destructive"}:
        keys.append(("operations", question.asked.operation))
    return [*keys, ("environments", question.asked.environment)]


def _keys_of_change(aspect: ChangeAspect, folder: str) -> list[tuple[str, str | int]]:
    path = whole(aspect.name)
    if aspect.lies != "outside":
        path = path.removeprefix(folder.rstrip("/") + "/")
    if _WILD & set(path):
        # A line for a file that is called `**` would allow every other one.
        raise Misdeclared("bad-path-pattern", (), "A name is no pattern.")
    keys: list[tuple[str, str | int]] = [("paths", read_path_pattern(path, ()))]
    keys.append(("changes", aspect.change))
    return keys if aspect.kind is None else [("artifacts", aspect.kind), *keys]


def _rule(keys: Iterable[tuple[str, str | int]], held_by: str, used: set[str]) -> str:
    lines = [
        f"{key} = {value}" if isinstance(value, int) else f"{key} = [{_quoted(value)}]"
        for key, value in keys
    ]
    name = f"allow-{held_by.rpartition('/')[2]}"
    free, count = name, 1
    while free in used:
        count += 1
        free = f"{name}-{count}"
    used.add(free)
    return "\n".join(("[[guard.rules]]", f"id = {_quoted(free)}", 'decide = "allow"', *lines, ""))


def _quoted(text: str) -> str:
    """The text as a string of TOML, which a string of JSON without controls is."""
    return jcs.encode(text).decode()
