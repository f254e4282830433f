"""Packet: all that a person is shown of a call before they answer, the same for the same question."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from groundwire.authority.artifacts.kinds import kinds_of_change
from groundwire.canon.digest import sha256
from groundwire.documents.approval import (
    NOT_WHOLE,
    Packet,
    ShownChange,
    ShownWitness,
    subject_of,
)
from groundwire.documents.call import ToolCall, action_digest
from groundwire.documents.governing import GuardRules
from groundwire.documents.question import Question, Ruling
from groundwire.documents.sql import Work
from groundwire.documents.target import Change
from groundwire.wire.message_digest import canonical_arguments

CLAIMS: Final = ("reason", "why", "intent", "justification", "explanation", "description")
"""The arguments in which an agent may say why it wants to do what it asks for."""

_MOST_COMPARED: Final = 4_000
_CONTEXT: Final = 3


def packet_of(
    question: Question, ruling: Ruling, action: str, shown: ToolCall, rules: GuardRules
) -> Packet:
    """What a person is shown; `shown` is the copy of the call that may be recorded.

    Every change of a file is whole: what stands in it is here, so it is for whoever may read it. Of
    a table so many rows are shown as the policy says, and it is told of how many.
    """
    asked = question.asked
    decision = ruling.decision
    changes = (*question.proposal.changes, *question.history)
    return Packet(
        agent=plain(question.caller),
        arguments=canonical_arguments(shown.arguments)[1].decode(),
        changes=tuple(_shown(change, rules, question.work) for change in changes),
        claim=plain(claim_in(shown)),
        effect=question.effect,
        environment=plain(asked.environment),
        operation=plain(asked.operation),
        residuals=ruling.residuals,
        rules=decision.rules,
        run=plain(asked.run),
        subject=subject_of(asked, action),
        tool=plain(shown.name),
        witnesses=tuple(
            ShownWitness(
                rule=plain(each.rule),
                says=plain(each.says),
                target="" if each.target is None else plain(each.target.spelled),
            )
            for each in decision.witnesses
        ),
        would_allow=plain(ruling.would_allow),
    )


def action_of(call: ToolCall) -> str:
    """The digest of what the call asks for, however its arguments are spelled and whatever its id.

    Raises:
        EncodingError: `lone-surrogate`.
    """
    return action_digest(call.name, *canonical_arguments(call.arguments))


def claim_in(call: ToolCall) -> str:
    """What the agent says of why, in an argument by one of the names in `CLAIMS`; "" for nothing."""
    try:
        arguments = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return ""
    if not isinstance(arguments, dict):
        return ""
    said = ((name, arguments.get(name)) for name in CLAIMS)
    return "\n".join(f"{name}: {text}" for name, text in said if isinstance(text, str) and text)


def plain(text: str) -> str:
    """The text as UTF-8 can have it: half a surrogate pair is spelt as its number."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def whole_difference(before: bytes | None, after: bytes | None) -> str:
    """Every line that goes or comes, with what stands around them; nothing is left out.

    Where one side has NUL bytes, sizes and digests of both; another byte that is no UTF-8 is spelt as
    its number. Of long stretches that differ the
    old lines stand first and all of the new ones behind them.
    """
    old, new = _lines(before), _lines(after)
    if old is None or new is None:
        return f"{_weighed(before)} become {_weighed(after)}"
    return "\n".join(_differing(old, new))


def _shown(change: Change, rules: GuardRules, work: Work | None) -> ShownChange:
    names = [change.name] if change.to is None else [change.name, change.to]
    kinds = {kind for name in names for kind in kinds_of_change(change, name, rules.artifacts)}
    to = "" if change.to is None else f" → {change.to.spelled}"
    mode = "" if change.mode is None else f"\nmode becomes {change.mode:04o}"
    return ShownChange(
        diff=plain(_missing(change, work) + whole_difference(change.before, change.after) + mode),
        governed=", ".join(sorted(kinds)),
        kind=change.kind,
        target=plain(f"{change.name.spelled}{to}"),
    )


def _missing(change: Change, work: Work | None) -> str:
    """How many of the rows that change are not in the difference; "" where all of them are."""
    if work is None or change.name.kind != "sql":
        return ""
    rows = next((each for each in work.tables if each.table == change.name.path), None)
    if rows is None or not rows.more:
        return ""
    return f"{NOT_WHOLE}{rows.more} of the {rows.rows} rows that change @@\n"


def _lines(content: bytes | None) -> list[str] | None:
    if content is None:
        return []
    if b"\0" in content:
        return None
    # A byte that is no UTF-8 is spelt as its number: one such must not hide the rest.
    text = content.decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], f"{lines[-1]}\n\\ no line end at the end"]


def _weighed(content: bytes | None) -> str:
    return "nothing" if content is None else f"{len(content)} bytes ({sha256(content)})"


def _differing(old: list[str], new: list[str]) -> Iterator[str]:
    """A unified diff; between what both begin and end with, where that leaves few enough lines."""
    begin = _alike(old, new)
    end = _alike(old[begin:][::-1], new[begin:][::-1])
    first, last = max(begin - _CONTEXT, 0), max(end - _CONTEXT, 0)
    gone, come = old[first : len(old) - last], new[first : len(new) - last]
    if len(gone) + len(come) <= _MOST_COMPARED:
        diff = list(difflib.unified_diff(gone, come, lineterm="", n=_CONTEXT))[2:]
        if diff and first:
            yield f"@@ lines are counted from line {first + 1} @@"
        yield from diff
        return
    yield f"@@ from line {begin + 1} @@"
    yield from (f"-{line}" for line in old[begin : len(old) - end])
    yield from (f"+{line}" for line in new[begin : len(new) - end])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
