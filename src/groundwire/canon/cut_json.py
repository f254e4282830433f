"""Cut JSON: telling a document that breaks off from one that is wrong."""

from __future__ import annotations

import re

import msgspec

_TOKEN = re.compile(
    r"""[ \t\n\r]+
    | (?P<string>"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    | (?P<scalar>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE])
        |true|false|null)
    | (?P<mark>[{}\[\],:])""",
    re.VERBOSE,
)
# What a text may break off in: a string, a literal or a number that is not to its end.
_BEGUN_STRING = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?'
)
_BEGUN_SCALAR = re.compile(
    r"t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*|(?:\.[0-9]+)?[eE][+-]?))?"
)

_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COLON, _COMMA_OR_END, _DONE = range(7)
_WANTS_VALUE = frozenset({_VALUE, _VALUE_OR_END})
_WANTS_KEY = frozenset({_KEY, _KEY_OR_END})


def is_whole(text: str) -> bool:
    """Whether the text is one JSON document; nothing is built of it. False for one too deep."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False
    return True


def is_cut(text: str) -> bool:
    """Whether the text is the beginning of a JSON object or array and not the whole of one.

    A whole document is not cut, and neither is a text that no ending would make one (single
    quotes, a comma too many). White space alone and an empty text are no beginning of anything.
    """
    state, position = _VALUE, 0
    stack: list[str] = []
    if text.lstrip(" \t\n\r")[:1] not in {"{", "["} or is_whole(text):
        return False
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return _is_begun(text, position, state)
        position = token.end()
        if token.lastgroup is None:
            continue
        moved = _move(state, stack, token.lastgroup, token.group())
        if moved is None:
            return False
        state = moved
    return state != _DONE


def _is_begun(text: str, position: int, state: int) -> bool:
    """Whether the rest of the text is the beginning of what may stand here."""
    if state in _WANTS_KEY or state in _WANTS_VALUE:
        begun = _BEGUN_STRING.fullmatch(text, position)
        if begun is not None:
            return True
    return state in _WANTS_VALUE and _BEGUN_SCALAR.fullmatch(text, position) is not None


def _move(state: int, stack: list[str], kind: str, piece: str) -> int | None:
    """Where a document stands after this token; None where the token cannot stand here."""
    if kind == "string" and state in _WANTS_KEY:
        return _COLON
    if kind != "mark" or piece in "{[":
        if state not in _WANTS_VALUE:
            return None
        if kind == "mark":
            stack.append(piece)
            return _KEY_OR_END if piece == "{" else _VALUE_OR_END
        return _COMMA_OR_END
    if piece == ":" and state == _COLON:
        return _VALUE
    inside = stack[-1] if stack else ""
    if piece == "," and state == _COMMA_OR_END:
        return _KEY if inside == "{" else _VALUE
    ends = (_KEY_OR_END, "{") if piece == "}" else (_VALUE_OR_END, "[")
    if piece in "}]" and inside == ends[1] and state in {ends[0], _COMMA_OR_END}:
        stack.pop()
        return _COMMA_OR_END if stack else _DONE
    return None
