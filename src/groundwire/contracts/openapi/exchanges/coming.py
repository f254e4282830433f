"""Operations that are gone, that are new, and those of which that cannot be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundwire.contracts.changes import Grade
from groundwire.contracts.openapi.exchanges.addresses.matching import Pair
from groundwire.contracts.openapi.exchanges.addresses.operations import Operation, Unread
from groundwire.contracts.openapi.exchanges.addresses.templates import (
    Templates,
    shape,
    values_in,
)
from groundwire.contracts.openapi.exchanges.lifetimes import grade_of_removal
from groundwire.contracts.openapi.exchanges.parameters import may_be, parameters_of
from groundwire.contracts.openapi.exchanges.told import Scene, Told, quoted
from groundwire.contracts.openapi.exchanges.unchanged import Unchanged
from groundwire.contracts.openapi.finding import Finding
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import Resolver, join

_INSTEAD = "Deprecate it, name the day on which it goes in `x-sunset`, and remove it after that."


def removed(
    gone: Iterable[Operation],
    old: Iterable[Operation],
    new: Iterable[Operation],
    options: Options,
    paths: str,
) -> Iterator[tuple[Operation, Told]]:
    """What is told of each operation that is gone: of its path, where all of that is gone.

    `paths` is the pointer of the new paths, empty for none.
    """
    leaving = list(gone)
    met = {id(each) for each in leaving}
    staying = {each.path for each in old if id(each) not in met}
    # Of two paths of one shape, the one of the same text; of others, always the same one.
    there = {shape(each.template): each.path for each in sorted(new, key=_by_name, reverse=True)}
    there |= {each.template: each.path for each in new}
    for each in leaving:
        grade, clause = grade_of_removal(each, options)
        whole = each.path not in staying
        what, before = ("path", each.path) if whole else ("operation", each.pointer)
        after = (
            paths if whole else there.get(each.template) or there.get(shape(each.template), paths)
        )
        finding = Finding(
            rule=f"{what}-removed",
            grade=grade,
            says=f"The {what} {quoted(each.template if whole else each.label)} is gone{clause}.",
            before=before,
            after=after,
            instead=_INSTEAD,
        )
        answer = "answered with 404" if whole else "answered with 405"
        shown = grade != "noted"
        yield each, Told(finding, Scene(before="accepted", after=answer) if shown else None)


def added(
    coming: Iterable[Operation], old: Iterable[Operation]
) -> Iterator[tuple[Operation, Told]]:
    """What is told of each operation that is new.

    One without variables may take requests from the template that had them; that is told, and
    not weighed.
    """
    past = Templates((each.template, each) for each in old)
    for each in coming:
        shadowed = min(
            (other for other in past.near(each.template) if _shadows(each, other)),
            key=_by_name,
            default=None,
        )
        rule = "operation-added" if shadowed is None else "operation-added-over-template"
        says = f"The operation {quoted(each.label)} is new."
        if shadowed is not None:
            says = f"{quoted(each.label)} takes requests that {quoted(shadowed.label)} had."
        before = "" if shadowed is None else shadowed.path
        yield (
            each,
            Told(Finding(rule=rule, grade="noted", says=says, before=before, after=each.pointer)),
        )


def _by_name(operation: Operation) -> str:
    return operation.template


def _shadows(new: Operation, old: Operation) -> bool:
    return new.method == old.method and values_in(old.template, new.template) is not None


def ambiguous(operation: Operation) -> Told:
    """What is told of one whose path stands more than once, by other names of its variables."""
    finding = Finding(
        rule="path-ambiguous",
        grade="undecided",
        says=f"{quoted(operation.label)} stands more than once, by other names of its variables.",
        before=operation.path,
        reason="path-ambiguous",
    )
    return Told(finding)


def caught(pair: Pair, resolver: Resolver) -> Told:
    """What is told of a path that is gone, and whose requests a template takes now.

    `resolver` is that of the new side. Whether the variables may be what stands in the path is
    known for plain types alone.
    """
    texts = values_in(pair.new.template, pair.old.template) or {}
    listed = parameters_of(resolver, pair.new).of_path
    answers = [
        may_be(resolver, listed[name], text) if name in listed else True
        for name, text in texts.items()
    ]
    says = f"{quoted(pair.old.label)} is gone; {quoted(pair.new.label)} takes its requests"
    scene = None
    grade: Grade = "noted"
    if False in answers:
        grade, says = "breaking", f"{says}, and refuses them"
        scene = Scene(before="accepted", after="refused")
    elif None in answers:
        grade, says = "undecided", f"{says}, if it does not refuse them"
    finding = Finding(
        rule="path-taken-by-template",
        grade=grade,
        says=f"{says}.",
        before=pair.old.path,
        after=pair.new.path,
        instead="Keep the path.",
        reason="path-variable-not-judged" if grade == "undecided" else "",
    )
    return Told(finding, scene)


def unread(
    old: list[Unread], new: list[Unread], unchanged: Unchanged
) -> Iterator[tuple[Unread | None, Unread | None]]:
    """The parts of both sides that could not be read, in pairs; those that are alike left out."""
    others = {(shape(each.template), each.method): each for each in new}
    for each in old:
        other = others.pop((shape(each.template), each.method), None)
        if other is None or not unchanged.same(each.pointer, other.pointer):
            yield each, other
    for other in others.values():
        yield None, other


def tell_unread(old: Unread | None, new: Unread | None) -> Told:
    """What is told of a part that could not be read on at least one side."""
    known = old or new
    finding = Finding(
        rule="path-unread",
        grade="undecided",
        says=f"What {quoted(known.template)} is cannot be told." if known else "",
        before=old.pointer if old else "",
        after=new.pointer if new else "",
        reason=known.reason if known else "",
    )
    return Told(finding)


def hides(part: Unread, operation: Operation) -> bool:
    """Whether the operation may be in the part that could not be read."""
    if part.method and part.method != operation.method:
        return False
    return not part.template or shape(part.template) == shape(operation.template)


def paths_of(resolver: Resolver) -> str:
    """The pointer of the description's paths; empty where it has none."""
    return join("#", "paths") if "paths" in resolver.at("#").members else ""
