"""SARIF: a comparison in the form that code hosts read, version 2.1.0 of OASIS."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from msgspec import UNSET

from groundwire.audit.diffing.words import brief, exchange_lines
from groundwire.canon.digest import raw, sha256
from groundwire.canon.jcs import encode
from groundwire.contracts.changes import Change, Grade, Where
from groundwire.contracts.comparison import Comparison
from groundwire.contracts.port import RULES

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[Mapping[Grade, str]] = {
    "breaking": "error",
    "exposure": "error",
    "undecided": "warning",
    "risky": "warning",
    "noted": "note",
}


def sarif(comparisons: Collection[Comparison], *, noted: bool = False) -> Mapping[str, object]:
    """One run. A change that a declared break pardons is suppressed; a file not read is a notice."""
    changes = [
        (comparison.path, change)
        for comparison in comparisons
        for change in comparison.changes
        if change.grade != "noted" or noted
    ]
    named = sorted({change.rule for _, change in changes})
    index = {name: at for at, name in enumerate(named)}
    unread = [each for each in comparisons if each.unreadable]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "groundwire diff",
                        "version": _version(),
                        "rules": [_rule(name) for name in named],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [
                    {
                        "executionSuccessful": not unread,
                        "toolExecutionNotifications": [_notice(each) for each in unread],
                    }
                ],
                "results": [_result(path, change, index[change.rule]) for path, change in changes],
            }
        ],
    }


def _rule(name: str) -> Mapping[str, object]:
    rule = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": rule.means},
        "help": {"text": rule.instead or rule.means},
        "defaultConfiguration": {"level": _LEVELS[rule.grade]},
    }


def _notice(comparison: Comparison) -> Mapping[str, object]:
    return {
        "level": "error",
        "descriptor": {"id": comparison.reason},
        "message": {"text": comparison.unreadable},
        "locations": [_location(Where(comparison.path, ""))],
    }


def _result(path: str, change: Change, rule: int) -> Mapping[str, object]:
    said = change.says if not change.reason else f"{change.says} (not decided: {change.reason})"
    if change.witness is not None:
        said = "\n".join((said, *exchange_lines(change.witness)))
    elif change.value is not UNSET:
        said = f"{said}\nshown by {brief(change.value)}"
    places = [each for each in (change.after, change.before) if each is not None]
    suppressed = {"kind": "external", "justification": change.pardoned}
    return {
        "ruleId": change.rule,
        "ruleIndex": rule,
        "level": _LEVELS[change.grade],
        "message": {"text": said},
        "locations": [_location(places[0] if places else Where(path, ""))],
        "relatedLocations": [_location(each) for each in places[1:]],
        "partialFingerprints": {"groundwire/cause/v1": _fingerprint(path, change)},
        "properties": {"grade": change.grade, "reaches": list(change.reaches)},
    } | ({"suppressions": [suppressed]} if change.pardoned else {})


def _location(where: Where) -> Mapping[str, object]:
    physical: dict[str, object] = {"artifactLocation": {"uri": _uri(where.file)}}
    if where.line:
        region = {"startLine": where.line}
        physical["region"] = region | ({"startColumn": where.column} if where.column else {})
    found: dict[str, object] = {"physicalLocation": physical}
    if where.pointer:
        found["logicalLocations"] = [{"fullyQualifiedName": where.pointer}]
    return found


def _fingerprint(path: str, change: Change) -> str:
    """What stays the same while lines move: the file, the rule and the pointers."""
    ends = [each.pointer if each else "" for each in (change.before, change.after)]
    return raw(sha256(encode([_uri(path), change.rule, *map(ascii, ends)]))).hex()


def _uri(path: str) -> str:
    """A path as the reference that SARIF asks for."""
    plain = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
    data = path.encode("utf-8", "surrogateescape")
    spelled = "".join(chr(byte) if chr(byte) in plain else f"%{byte:02X}" for byte in data)
    return f"file://{spelled}" if path.startswith("/") else spelled


def _version() -> str:
    try:
        return version("groundwire")
    except PackageNotFoundError:
        return "unknown"
