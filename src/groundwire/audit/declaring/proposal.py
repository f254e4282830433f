"""Proposal: what was observed as TOML that a person reads, corrects and keeps.

It loads as it is. An effect is proposed only where that is asked for: what a call does cannot be seen
from outside, so what is proposed is a change unless a server that is trusted says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from groundwire.audit.declaring.choosing import ENOUGH, Choice, choose
from groundwire.audit.declaring.hints import Told
from groundwire.audit.declaring.observing import Observed, ToolSeen
from groundwire.authority.policy import decode_policy
from groundwire.documents.counts import counted
from groundwire.errors import PolicyError
from groundwire.guard.effects import effect_lines, propose_effect
from groundwire.session.guarding.ready.coding import DECLARATIONS

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\"}
_LEAST_RESULTS = 2
# Declared without their targets they could not be used any more.
_READY = frozenset(tool.name for tool in DECLARATIONS)
_EFFECT = '# effect = "…"  # say what a call does: read, write, external or destructive; it cannot be seen'


def propose(observed: Observed, told: Mapping[str, Told] | None = None) -> str:
    """The text of a `groundwire.toml`; every line that is no comment has its evidence beside it.

    With `told`, what servers say of their tools, an effect is proposed for each tool.
    """
    for name in told or ():
        observed.tool(name)
    return "\n".join(_lines(observed, told)) + "\n"


def _lines(observed: Observed, told: Mapping[str, Told] | None) -> Iterator[str]:
    yield f"# Proposed from {counted(observed.runs, 'run')}. It says what happened, not what is meant:"
    yield "# read every line, correct it, and delete what you cannot vouch for."
    for name in sorted(observed.tools):
        seen = observed.tools[name]
        yield ""
        if not _loads([f"[tools.{key(name)}]"]):
            yield f"# {comment(name)}: no policy can name this tool"
            continue
        lines = _tool(name, seen, told)
        if name in _READY:
            yield f"# {name} of `coding_tools` is declared there; these lines are for one of your own:"
            lines = (f"# {line}" for line in lines)
        yield from lines


def _tool(name: str, seen: ToolSeen, told: Mapping[str, Told] | None) -> Iterator[str]:
    header = f"[tools.{key(name)}]"
    yield f"{header}  # {counted(seen.calls, 'call')}, {counted(seen.results, 'result')}"
    yield from [_EFFECT] if told is None else _effect(name, seen, told.get(name, Told()))
    yield from _rows(header, seen)
    if seen.arguments:
        header = f"[tools.{key(name)}.arguments]"
        # The table is written where it has a line: an empty one is refused.
        lines = [
            (choice, _argument(header, argument, choice))
            for argument, choice in _choices(name, seen)
        ]
        proposed = any(not line.startswith("#") for _, line in lines)
        yield ("" if proposed else "# ") + header
        yield from (line for _, line in lines)


def _effect(name: str, seen: ToolSeen, told: Told) -> Iterator[str]:
    proposed = propose_effect(name, told.hints, trusted=told.trusted, changed=seen.changed)
    # The header stands already, with the counts beside it.
    yield from effect_lines(name, proposed).splitlines()[1:]


def _choices(name: str, seen: ToolSeen) -> Iterator[tuple[str, Choice]]:
    for argument in sorted(seen.arguments):
        yield argument, choose(seen.arguments[argument], name)


def _argument(header: str, argument: str, choice: Choice) -> str:
    source = choice.source or choice.candidate
    line = f"{key(argument)} = {quoted(source)}"
    if choice.source and _loads([header, line]):
        return f"{line}  # {comment(choice.why)}"
    if source and _loads([header, line]):
        return f"# {line}  # {comment(choice.why)}"
    return f"# {comment(argument)}: {comment(choice.why)}"


def _rows(header: str, seen: ToolSeen) -> Iterator[str]:
    path, count = min(seen.rows.items(), key=lambda pair: (-pair[1], pair[0]), default=("", 0))
    if count < _LEAST_RESULTS or count < ENOUGH * seen.results:
        return
    line = f"rows_at = {quoted(path)}"
    if _loads([header, line]):
        yield f"{line}  # {count} of {seen.results} results have one list of records, there"


def key(name: str) -> str:
    """The name as a key of TOML."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """The text as a string of TOML."""
    return '"' + "".join(_spelled(letter) for letter in text) + '"'


def comment(text: str) -> str:
    """The text as it can stand in a comment: on one line, what does not print as its escape."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _spelled(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable() or "\ud800" <= letter <= "\udfff":
        return letter
    return f"\\U{ord(letter):08x}"


def _loads(lines: list[str]) -> bool:
    """Whether a policy of these lines is one: a stranger's name may be what no policy takes."""
    try:
        decode_policy("\n".join(lines), "proposal")
    except (PolicyError, UnicodeEncodeError):
        return False
    return True
