"""Whether those who could ask still may, and whether others now may as well."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.contracts.openapi.exchanges.protection.requirements import (
    Alternative,
    Demand,
    Requirement,
)
from groundwire.contracts.openapi.exchanges.protection.schemes import Scheme
from groundwire.contracts.openapi.exchanges.told import Scene, Told, listed, quoted
from groundwire.contracts.openapi.finding import Finding

# Each old alternative is held against each new one, this many times at most.
MAX_PAIRS = 10_000
_KEEP = "Keep the old alternative beside the new one."
_KEEP_SCOPES = "Demand the scope only of operations that nobody uses yet."


def compare_security(old: Requirement, new: Requirement, *, mutating: bool) -> Iterator[Told]:
    """Every old alternative must satisfy some new one; who satisfies none of the old is new.

    In which order alternatives and scopes stand, and what schemes are called, makes no
    difference. `mutating` says whether the operation changes something. Does not know whether a
    credential of one kind is taken as one of another that looks alike: that is undecided.
    """
    reason = old.reason or new.reason
    if len(old.alternatives) * len(new.alternatives) > MAX_PAIRS:
        reason = "too-many-alternatives"
    if reason:
        yield Told(_undecided(old.pointer, new.pointer, reason))
        return
    refused = [each for each in old.alternatives if not _is_taken(each, new)]
    for each in refused:
        if any(each.may_satisfy(other) for other in new.alternatives):
            yield Told(_undecided(each.pointer, new.pointer, _why_unknown(each, new)))
        else:
            finding = _refusal(each, old, new)
            after = f"refused: {finding.says[:1].lower()}{finding.says[1:]}".rstrip(".")
            yield Told(finding, Scene(before="accepted", after=after, credentials=each.credentials))
    for other in new.alternatives:
        if not any(other.satisfies(each) for each in old.alternatives):
            yield from _admission(other, old, new, mutating=mutating, quiet=bool(refused))
    yield from _opened(old, new)


def _is_taken(held: Alternative, new: Requirement) -> bool:
    return any(held.satisfies(other) for other in new.alternatives)


def _undecided(before: str, after: str, reason: str) -> Finding:
    says = "Who may send requests cannot be told."
    return Finding(
        rule="security-changed",
        grade="undecided",
        says=says,
        before=before,
        after=after,
        reason=reason,
    )


def _why_unknown(held: Alternative, new: Requirement) -> str:
    others = [each for other in new.alternatives for each in other.demands]
    reasons = [each.scheme.reason for each in (*held.demands, *others) if each.scheme.reason]
    return reasons[0] if reasons else "credential-of-another-kind"


def _refusal(held: Alternative, old: Requirement, new: Requirement) -> Finding:
    """Why who holds these credentials is refused, by the new alternative that comes nearest."""
    before = held.pointer or old.pointer
    if not held.demands:
        return _finding("security-added", "Credentials are demanded.", before, new.pointer)
    for other in new.alternatives:
        lacking = _lacking_scopes(held, other)
        if lacking:
            says = f"The scope {listed(lacking)} is demanded too."
            return _finding("security-scope-added", says, before, other.pointer, _KEEP_SCOPES)
    for other in new.alternatives:
        more = [each for each in other.demands if not _has_kind(held, each.scheme)]
        if len(more) == len(other.demands) - len(held.demands) and more:
            named = listed(frozenset(each.scheme.name for each in more))
            says = f"A credential of {named} is demanded too."
            return _finding("security-scheme-added", says, before, other.pointer)
    for mine in held.demands:
        theirs = _namesake(mine, new)
        if theirs is not None:
            return _scheme_changed(mine.scheme, theirs)
    says = f"Credentials of {_named(held)} are taken no more."
    return _finding("security-alternative-removed", says, before, new.pointer)


def _finding(rule: str, says: str, before: str, after: str, instead: str = _KEEP) -> Finding:
    return Finding(
        rule=rule, grade="breaking", says=says, before=before, after=after, instead=instead
    )


def _has_kind(held: Alternative, scheme: Scheme) -> bool:
    return any(scheme.admits(each.scheme) for each in held.demands)


def _lacking_scopes(held: Alternative, other: Alternative) -> frozenset[str]:
    """The scopes that `held` lacks for `other`; none where it lacks a credential as well."""
    lacking: set[str] = set()
    for wanted in other.demands:
        same = [each for each in held.demands if wanted.scheme.admits(each.scheme)]
        if not same:
            return frozenset()
        lacking |= min((wanted.scopes - each.scopes for each in same), key=len)
    return frozenset(lacking)


def _namesake(mine: Demand, new: Requirement) -> Scheme | None:
    """The new scheme of the same name, where it is another."""
    for other in new.alternatives:
        for each in other.demands:
            if each.scheme.name == mine.scheme.name and not each.scheme.admits(mine.scheme):
                return each.scheme
    return None


def _scheme_changed(old: Scheme, new: Scheme) -> Finding:
    if old.kind == new.kind:
        gone = listed(frozenset(way[0] for way in old.ways - new.ways))
        says = f"Tokens are no longer had as they were: {gone} is gone or elsewhere."
        return _finding("security-flow-removed", says, old.pointer, new.pointer)
    says = f"{quoted(old.name)} is another credential, or stands elsewhere."
    return _finding("security-scheme-changed", says, old.pointer, new.pointer)


def _named(held: Alternative) -> str:
    return listed(frozenset(each.scheme.name for each in held.demands))


def _admission(
    other: Alternative, old: Requirement, new: Requirement, *, mutating: bool, quiet: bool
) -> Iterator[Told]:
    """What it means that `other`, who satisfied no old alternative, is let in."""
    before, after = old.pointer, other.pointer or new.pointer
    if any(other.may_satisfy(each) for each in old.alternatives):
        return
    if not other.demands:
        says = "Anybody may send it, without credentials."
        yield _exposed("security-removed", says, before, after, other)
        return
    for each in old.alternatives:
        if _is_part(other, each):
            says = f"One credential less is demanded than {_named(each)}."
            yield _exposed("security-scheme-removed", says, each.pointer, after, other)
            return
    for each in old.alternatives:
        dropped = _lacking_scopes(other, each)
        if dropped and each.satisfies(other):
            says = f"The scope {listed(dropped)} is no longer demanded."
            if mutating:
                yield _exposed("security-scope-removed", says, each.pointer, after, other)
            else:
                yield Told(_noted("security-scope-removed", says, each.pointer, after))
            return
    if other.strength < min(each.strength for each in old.alternatives):
        says = f"Credentials of {_named(other)}, which protect less, are taken."
        yield _exposed("security-weakened", says, before, after, other)
    elif not quiet:
        says = f"Credentials of {_named(other)} are taken as well."
        yield Told(_noted("security-alternative-added", says, before, after))


def _is_part(other: Alternative, whole: Alternative) -> bool:
    """Whether `other` demands no more than some of the credentials of `whole`."""
    wanted = [
        each
        for each in whole.demands
        if any(
            each.scheme.admits(mine.scheme) or mine.scheme.admits(each.scheme)
            for mine in other.demands
        )
    ]
    return len(wanted) < len(whole.demands) and whole.satisfies(other)


def _exposed(rule: str, says: str, before: str, after: str, who: Alternative) -> Told:
    finding = Finding(
        rule=rule,
        grade="exposure",
        says=says,
        before=before,
        after=after,
        instead="Keep what was demanded.",
    )
    return Told(finding, Scene(before="refused", after="accepted", credentials=who.credentials))


def _noted(rule: str, says: str, before: str, after: str) -> Finding:
    return Finding(rule=rule, grade="noted", says=says, before=before, after=after)


def _opened(old: Requirement, new: Requirement) -> Iterator[Told]:
    """Tokens that were asked for over HTTPS, and now are over plain HTTP."""
    mine = [each.scheme for other in old.alternatives for each in other.demands]
    for other in new.alternatives:
        for each in other.demands:
            for scheme in mine:
                if scheme.secure_ways & each.scheme.open_ways:
                    finding = Finding(
                        rule="security-url-became-open",
                        grade="exposure",
                        says=f"Tokens of {quoted(scheme.name)} are asked for over plain HTTP.",
                        before=scheme.pointer,
                        after=each.scheme.pointer,
                        instead="Keep the HTTPS address.",
                    )
                    yield Told(finding)
