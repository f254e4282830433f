"""Aspects: what there is to judge of a call, one thing each, so that nothing excuses another.

Of each change, at each name it has: where it lies; as each kind that it is governed; that bytes
would be lost. Of a statement, each of its effects. And the call as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.authority.artifacts.kinds import kinds_of_change
from groundwire.authority.artifacts.places import whole
from groundwire.authority.ruling.databases.aspects import StatementAspect, is_of_work
from groundwire.authority.ruling.engine import Beside, Engine, Judgement, judged
from groundwire.authority.ruling.engines.cumulating import MILD, judged_since
from groundwire.authority.ruling.repositories import is_of_repository
from groundwire.documents.governing import GuardRules, RuleChange, Severity
from groundwire.documents.profile import Fact
from groundwire.documents.question import Question, Reached
from groundwire.documents.receipt import touched_by
from groundwire.documents.target import DECLARED, Change, TargetName, is_declared
from groundwire.targets.places.patterns import folded
from groundwire.targets.places.protected import Place, protection_of

Lies: TypeAlias = Literal[
    "inside", "outside", "git-folder", "protected", "ref", "declared", "database"
]
Whole: TypeAlias = Literal[
    "read", "write", "nothing", "unseen", "external", "destructive", "undeclared", "contradictory"
]

_UNSEEN: Final[frozenset[Fact]] = frozenset({"not-owned", "host-claimed", "content-missing"})


class ChangeAspect(msgspec.Struct, frozen=True, kw_only=True):
    """One thing about one change at one of its names.

    `kind` None: where it lies, or that bytes are lost. `says` is what an engine saw, for a person.
    """

    name: TargetName
    change: RuleChange
    lies: Lies
    kind: str | None = None
    severity: Severity | None = None
    says: str = ""
    size: int | None = None


class CallAspect(msgspec.Struct, frozen=True):
    """What the call is as a whole."""

    whole: Whole


Aspect: TypeAlias = ChangeAspect | CallAspect | StatementAspect


def call_aspect(question: Question) -> CallAspect:
    """What the call is as a whole; the first that holds, from the gravest."""
    changes = question.proposal.changes
    if question.asked.changes != touched_by(question.proposal) or not is_of_work(question):
        return CallAspect("contradictory")
    match question.effect:
        case "unstated":
            return CallAspect("undeclared")
        case "destructive" | "external":
            return CallAspect(question.effect)
        case "read":
            return CallAspect("undeclared" if changes else "read")
        case "write":
            if changes:
                return CallAspect("write")
            return CallAspect("unseen" if _UNSEEN.intersection(question.facts) else "nothing")


def change_aspects(
    question: Question, rules: GuardRules, folder: str, engines: Mapping[str, Engine]
) -> Iterator[ChangeAspect]:
    """Every aspect of every change, in the order of the proposal; then those in history alone."""
    lost = frozenset(question.lost)
    reached = {(each.name, each.kind): each for each in question.reached if not each.undecided}
    seen = set[TargetName]()
    for change in question.proposal.changes:
        for name in (change.name, change.to):
            if name is None:
                continue
            seen.add(name)
            yield from _of_name(change, name, rules, folder, engines, reached, question)
            if name in lost:
                yield ChangeAspect(name=name, change="lost-content", lies=lies(name, folder))
    for change in question.history:
        yield from _of_name(change, change.name, rules, folder, engines, {}, None)
    for each in question.reached:
        if each.undecided or each.name not in seen:
            yield _of_reached(each, folder, engines, question)
    for name in question.lost:
        if name not in seen:  # named by nobody else: it is lost all the same
            yield ChangeAspect(name=name, change="lost-content", lies=lies(name, folder))


def lies(name: TargetName, folder: str) -> Lies:
    """Where the name lies, seen from the working folder; both are paths as they really are."""
    if name.kind == "sql":
        return "database"
    path = whole(name)
    inside = path == folder or path.startswith(folder.rstrip("/") + "/")
    if name.kind == "git":
        around = folder == name.root or folder.startswith(name.root.rstrip("/") + "/")
        return "ref" if inside or around else "outside"
    if protection_of(Place(names=(path,), own=None, above=()), ()) is not None:
        return "protected"
    if is_declared(name):
        return "declared"
    if _in_git(path.removeprefix(folder) if inside else path):
        return "git-folder"
    return "inside" if inside else "outside"


def _in_git(path: str) -> bool:
    """Whether the path is `.git`, in one, or in a repository without a working tree."""
    parts = [folded(part) for part in path.split("/")]
    return ".git" in parts or any(part.endswith(".git") for part in parts[:-1])


def _of_name(
    change: Change,
    name: TargetName,
    rules: GuardRules,
    folder: str,
    engines: Mapping[str, Engine],
    reached: Mapping[tuple[TargetName, str], Reached],
    question: Question | None,
) -> Iterator[ChangeAspect]:
    where = lies(name, folder)
    before, after = change.before, change.after
    if change.kind == "renamed":  # at one name it ends, at the other it begins
        before, after = (before, None) if name == change.name else (None, after)
    if where == "inside" and after is not None and is_of_repository(name.path, after):
        where = "git-folder"
    size = None if change.after is None else len(change.after)
    yield ChangeAspect(name=name, change=change.kind, lies=where, size=size)
    if name.kind in {"git", "sql"}:
        return
    kinds = kinds_of_change(change, name, rules.artifacts)
    if where == "declared":  # the host's word for a kind governs, and takes nothing away
        kinds |= {name.root.removeprefix(DECLARED)}
    for kind in sorted(kinds):
        found = reached.get((name, kind))
        judgement = judged(kind, before, after, engines, _beside(found))
        if question is not None and judgement.severity in MILD:
            judgement = judged_since(kind, name, after, engines, question, found) or judgement
        yield ChangeAspect(
            name=name,
            change=change.kind,
            lies=where,
            kind=kind,
            severity=judgement.severity,
            says=_told(judgement),
            size=size,
        )


def _of_reached(
    reached: Reached, folder: str, engines: Mapping[str, Engine], question: Question
) -> ChangeAspect:
    """What becomes of a contract by other files than its own."""
    if reached.undecided:
        judgement = Judgement("undecided", (reached.undecided,), "what becomes of it is not known")
    else:
        ends = reached.before.get(reached.name.path), reached.after.get(reached.name.path)
        judgement = judged(reached.kind, *ends, engines, _beside(reached))
        if judgement.severity in MILD:
            since = judged_since(reached.kind, reached.name, ends[1], engines, question, reached)
            judgement = since or judgement
    return ChangeAspect(
        name=reached.name,
        change="changed",
        lies=lies(reached.name, folder),
        kind=reached.kind,
        severity=judgement.severity,
        says=_told(judgement),
    )


def _beside(reached: Reached | None) -> Beside | None:
    if reached is None:
        return None
    return Beside(reached.name.path, reached.before, reached.after)


def _told(judgement: Judgement) -> str:
    told = ", ".join(judgement.rules)
    return f"{judgement.says} ({told})" if told else judgement.says
