"""Defaults: groundwire's own word on each aspect of a call, and which rule may take its place."""

from __future__ import annotations

from typing import Final

from groundwire.authority.artifacts.places import CI_FILE, whole
from groundwire.authority.ruling.aspects import Aspect, CallAspect, ChangeAspect, Lies, Whole
from groundwire.authority.ruling.databases.aspects import StatementAspect
from groundwire.authority.ruling.databases.defaults import (
    default_of_statement,
    takes_place_of_statement,
)
from groundwire.authority.ruling.word import Default
from groundwire.documents.decision import Word
from groundwire.documents.governing import Rule, Severity
from groundwire.targets.places.patterns import folded, is_covered

_WILD: Final = frozenset("*?")

VERSION: Final = "1"
"""Of the rules below. It stands in every receipt; a rule that changes makes a new one."""


_OF_PLACE: Final[dict[Lies, Default]] = {
    "inside": Default("default/ordinary-write", "allow", "inside the working folder"),
    "outside": Default("default/outside-folder", "approve", "outside the working folder"),
    "git-folder": Default("default/git-folder", "approve", "in a repository's own folder"),
    "protected": Default(
        "default/protected-place", "deny", "a place that no guarded tool writes", firm=True
    ),
    "declared": Default("default/declared-content", "allow", "what it holds is the host's word"),
    "database": Default("default/table", "allow", "judged by what becomes of its rows"),
    "ref": Default("default/git-ref", "allow", "a ref, compared and swapped"),
}
_OF_CALL: Final[dict[Whole, Default]] = {
    "read": Default("default/read", "allow", "declared to read"),
    "write": Default("default/write", "allow", "each change is judged by itself"),
    "nothing": Default("default/no-change", "allow", "it changes nothing"),
    "unseen": Default("default/unseen-change", "approve", "what it changes cannot be read"),
    "external": Default("default/external", "approve", "it reaches outside"),
    "destructive": Default("default/destructive", "approve", "it destroys"),
    "undeclared": Default(
        "default/undeclared", "approve", "nobody declared what it does", firm=True
    ),
    "contradictory": Default(
        "default/other-changes", "deny", "it is asked about other changes than these", firm=True
    ),
}
_OF_SEVERITY: Final[dict[Severity, Word]] = {
    "none": "allow",
    "compatible": "allow",
    "risky": "warn",
    "exposure": "approve",
    "breaking": "approve",
    "undecided": "approve",
}


def default_of(aspect: Aspect) -> Default:
    """The word that holds where no rule of the policy speaks of the aspect."""
    if isinstance(aspect, CallAspect):
        return _OF_CALL[aspect.whole]
    if isinstance(aspect, StatementAspect):
        return default_of_statement(aspect)
    if aspect.change == "lost-content":
        return Default("default/lost-content", "approve", "bytes that would stand nowhere else")
    if aspect.kind is None:
        return _OF_PLACE[aspect.lies]
    rule = "default/ci-file" if aspect.kind == CI_FILE else "default/governed"
    # A severity that is none of ours is an engine's fault, and decides nothing.
    word = _OF_SEVERITY.get(aspect.severity or "undecided", "approve")
    says = f"{aspect.kind}, {aspect.severity}"
    return Default(rule, word, f"{says}: {aspect.says}" if aspect.says else says)


def takes_its_place(rule: Rule, default: Default, aspect: Aspect) -> bool:
    """Whether a rule that speaks of the aspect takes the place of groundwire's own word.

    Some things have to be spoken of by name: a wide rule was not made with them in mind.
    """
    if default.firm:
        return False
    if isinstance(aspect, CallAspect):
        if aspect.whole in {"external", "destructive"}:
            return bool(rule.tools or rule.effects or rule.operations)
        return True
    if isinstance(aspect, StatementAspect):
        return takes_place_of_statement(rule, aspect)
    if aspect.change == "lost-content" or aspect.kind is not None:
        return True
    if aspect.lies == "outside":
        return any(path.startswith("/") and _covers(path, aspect) for path in rule.paths)
    if aspect.lies == "git-folder":
        return any(
            (_names_git(path) or not _WILD & set(path)) and _covers(path, aspect)
            for path in rule.paths
        )
    return True


def _covers(pattern: str, aspect: ChangeAspect) -> bool:
    return is_covered(whole(aspect.name), pattern)


def _names_git(pattern: str) -> bool:
    return any(folded(part).endswith(".git") for part in pattern.split("/"))
