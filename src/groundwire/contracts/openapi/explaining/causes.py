"""Causes: every keyword for which a value of the one contract is refused by the other, each proven.

The first comes with the witness that decides. Each other one is sought at a member or an item that
both schemas speak of: its own witness is put into a value that both take, and counts only where
the judge of the one schema then takes the whole and that of the other refuses it there. So nothing
is said that no value shows; but of several reasons at one place only those are found that one
value shows together, and none is sought behind a choice of schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.refusing import DISCRIMINATOR, FALSE, Path, Refusal
from groundwire.contracts.openapi.explaining.actions import UNSPOKEN, action_of
from groundwire.contracts.openapi.finding import Cause
from groundwire.contracts.openapi.places import Places
from groundwire.contracts.openapi.resolving import join
from groundwire.contracts.openapi.schemas import Side, sender_of
from groundwire.contracts.verdict import Breaking, Compatible, Direction, Risky, Verdict

_MOST_PLACES: Final = 300
_DEEPEST: Final = 24
_KINDS: Final = frozenset({"type", "enum", "const", FALSE})


class Asker(Protocol):
    """Two documents, of whose schemas questions are asked in one direction."""

    def ask(self, old: str, new: str) -> Verdict:
        """Whether the change of the schema breaks anyone."""
        ...

    def known(self) -> dict[tuple[str, str], tuple[Cause, ...]]:
        """The causes found so far, by the pointers of the schemas."""
        ...

    def taken_by_both(self, old: str, new: str) -> tuple[JSON] | tuple[()]:
        """A value that both schemas take, in the declared reading; nothing where none was found."""
        ...

    def accepts(self, side: Side, pointer: str, value: JSON) -> bool | None:
        """Whether the schema of the `old` or `new` side takes the value, by the judge."""
        ...

    def refusals(self, side: Side, pointer: str, value: JSON) -> tuple[Refusal, ...]:
        """Why it does not, by the judge; nothing where it does or cannot tell."""
        ...

    def places(self, side: Side) -> Places:
        """The schemas of one side."""
        ...


def causes(
    asker: Asker, old: str, new: str, direction: Direction, verdict: Breaking | Risky
) -> tuple[Cause, ...]:
    """The causes of a verdict on the schemas at `old` and `new`, the first first; one at least.

    They are of the grade of the verdict: where that is risky none of them is more. The verdict is
    the asker's own on the two.
    """
    known = asker.known()
    if (old, new) in known:
        return known[old, new]
    seeker = _Seeker(asker, old, new, direction)
    found: dict[tuple[str, str, str, str], Cause] = {}
    for cause in (*seeker.of(verdict.witness), *seeker.others(type(verdict))):
        key = (cause.action.name, cause.action.member, cause.old, cause.new)
        found.setdefault(key, cause)
    known[old, new] = tuple(found.values())
    return known[old, new]


class _Start(msgspec.Struct, frozen=True):
    """A schema, and which part of a value it speaks of."""

    pointer: str
    path: Path


class _Seeker:
    def __init__(self, asker: Asker, old: str, new: str, direction: Direction) -> None:
        self._asker = asker
        self._direction: Direction = direction
        self._roots: dict[Side, str] = {"old": old, "new": new}
        self._sender = sender_of(direction)
        self._reader: Side = "new" if self._sender == "old" else "old"

    def of(self, value: JSON) -> Iterator[Cause]:
        """The causes for which one value is refused; one that says little where none is known."""
        refusals = self._asker.refusals(self._reader, self._roots[self._reader], value)
        if not refusals:
            start = _Start(self._roots[self._sender], ())
            yield self._cause(Refusal("", self._roots[self._reader], ()), value, start)
        for refusal in refusals:
            yield from self._causes(refusal, value)

    def others(self, grade: type[Breaking | Risky]) -> Iterator[Cause]:
        """The causes at members and items, each shown by a value that both take but for it."""
        base: tuple[JSON] | tuple[()] | None = None
        for path, verdict in self._broken():
            if not isinstance(verdict, grade):
                continue
            if base is None:
                base = self._asker.taken_by_both(self._roots["old"], self._roots["new"])
            if not base:
                return
            value = self._put(base[0], path, verdict.witness)
            if value is None or self._takes(self._sender, value[0]) is not True:
                continue
            found = self._asker.refusals(self._reader, self._roots[self._reader], value[0])
            if found and all(each.path[: len(path)] == path for each in found):
                for each in found:
                    yield from self._causes(each, value[0])

    # -- inside -------------------------------------------------------------------------------

    def _takes(self, side: Side, value: JSON) -> bool | None:
        return self._asker.accepts(side, self._roots[side], value)

    def _causes(
        self, refusal: Refusal, value: JSON, start: _Start | None = None
    ) -> Iterator[Cause]:
        """One cause; or those in the one branch of a choice that the value was meant for.

        `start` is the sender's schema that speaks of what is refused.
        """
        start = start or _Start(self._roots[self._sender], ())
        branch, below = self._branch_meant(refusal, value, start)
        if branch:
            for each in branch:
                yield from self._causes(each, value, below)
        else:
            yield self._cause(refusal, value, start)

    def _branch_meant(
        self, refusal: Refusal, value: JSON, start: _Start
    ) -> tuple[tuple[Refusal, ...], _Start]:
        """What the branch says that a value is for, and of whom; nothing where nobody can tell."""
        sent = self._sent(refusal, start)
        meant = [
            branch for branch in refusal.branches if branch and self._is_meant(refusal, branch)
        ]
        if len(meant) == 1 and sent:
            return meant[0], start
        if refusal.keyword == DISCRIMINATOR or not refusal.branches:
            return (), start
        return self._sent_as(refusal, sent, part_of(value, refusal.path)) or ((), start)

    def _sent_as(
        self, refusal: Refusal, sent: Sequence[str], part: JSON
    ) -> tuple[tuple[Refusal, ...], _Start] | None:
        """The branch that is the one of the sender's choice that takes the value, if just one is.

        It refers to the same, or says the same word for word; or it is the only other one, and
        of that kind the value is.
        """
        theirs = self._asker.places(self._sender)
        ours = _branches(self._asker.places(self._reader), refusal.pointer, refusal.keyword)
        if len(ours) != len(refusal.branches):
            return None
        for pointer in sent:
            choice = _branches(theirs, pointer, refusal.keyword)
            others = [index for index, each in enumerate(ours) if each not in choice]
            for index, each in enumerate(choice):
                same = [at for at, other in enumerate(ours) if other == each]
                if not same and len(ours) == len(choice):
                    same = [at for at in others if self._is_of_kind(refusal, at)]
                branch = join(pointer, refusal.keyword, str(index))
                if len(same) == 1 and self._asker.accepts(self._sender, branch, part):
                    return refusal.branches[same[0]], _Start(branch, refusal.path)
        return None

    @staticmethod
    def _is_of_kind(refusal: Refusal, index: int) -> bool:
        """Whether a branch takes the value for one of its kind, whatever is wrong within."""
        return not any(
            each.path == refusal.path and each.keyword in _KINDS for each in refusal.branches[index]
        )

    def _is_meant(self, refusal: Refusal, branch: Sequence[Refusal]) -> bool:
        """Whether the branch is the one for this value: nothing is wrong with the value as a whole.

        Of a discriminator: nothing is wrong with what names the kind.
        """
        if refusal.keyword != DISCRIMINATOR:
            return all(len(each.path) > len(refusal.path) for each in branch)
        return all(each.keyword != DISCRIMINATOR for each in branch)

    def _sent(self, refusal: Refusal, start: _Start) -> tuple[str, ...]:
        places = self._asker.places(self._sender)
        return places.at(start.pointer, refusal.path[len(start.path) :])

    def _cause(self, refusal: Refusal, value: JSON, start: _Start) -> Cause:
        sent, places = self._sent(refusal, start), self._asker.places(self._sender)
        read = self._asker.places(self._reader).schema(refusal.pointer)
        schemas = [places.schema(each) for each in sent]
        action = action_of(refusal, schemas, read, part_of(value, refusal.path), self._direction)
        ends: dict[Side, str] = {
            self._sender: _chosen(places, sent, refusal),
            self._reader: refusal.pointer,
        }
        path = refusal.path[:-1] if action.name in UNSPOKEN else refusal.path
        return Cause(action=action, old=ends["old"], new=ends["new"], path=path, value=value)

    def _broken(self) -> Iterator[tuple[Path, Verdict]]:
        """The members and items of which each side says one thing, unless nothing breaks there.

        Breadth first, each pair once. Below what breaks nobody nothing is looked for: of that part
        of a value nothing else is said.
        """
        olds, news = self._asker.places("old"), self._asker.places("new")
        waiting: list[tuple[Path, str, str]] = [((), self._roots["old"], self._roots["new"])]
        seen = {(self._roots["old"], self._roots["new"])}
        for path, old, new in waiting:
            if path:
                verdict = self._asker.ask(old, new)
                if isinstance(verdict, Compatible):
                    continue
                yield path, verdict
            if len(path) >= _DEEPEST:
                continue
            steps: list[str | int] = [*sorted({*olds.declared(old), *news.declared(new)}), 0]
            for step in steps:
                pair = olds.only(old, step), news.only(new, step)
                if not all(pair) or pair in seen or len(seen) > _MOST_PLACES:
                    continue
                seen.add(pair)
                waiting.append(((*path, step), *pair))

    def _put(self, base: JSON, path: Path, value: JSON) -> tuple[JSON] | None:
        """`base` with another part; None where something on the way is of another kind."""
        if not path:
            return (value,)
        step, rest = path[0], path[1:]
        if isinstance(step, int):
            items = [] if base is None else base
            if not isinstance(items, list | tuple):
                return None
            below = self._put(items[0] if items else None, rest, value)
            return None if below is None else ([below[0], *items[1:]],)
        members = {} if base is None else base
        if not isinstance(members, Mapping):
            return None
        below = self._put(members.get(step), rest, value)
        return None if below is None else ({**members, step: below[0]},)


def part_of(value: JSON, path: Path) -> JSON:
    """The part of a value that a path leads to; None where it leads nowhere."""
    for step in path:
        if isinstance(step, str) and isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list | tuple) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _branches(places: Places, pointer: str, keyword: str) -> list[JSON]:
    """The branches of a choice: each the reference that it is, or else what it says."""
    found = places.schema(pointer).get(keyword)
    return [
        each["$ref"] if isinstance(each, Mapping) and "$ref" in each else each
        for each in (found if isinstance(found, list | tuple) else ())
    ]


def _chosen(places: Places, sent: Sequence[str], refusal: Refusal) -> str:
    """Of the schemas that speak of the part, the one that a reader would look at."""
    if refusal.keyword == FALSE or not sent:
        return sent[0] if sent else ""
    with_it = [each for each in sent if refusal.keyword in places.schema(each)]
    speaking = [each for each in sent if "$ref" not in places.schema(each)]
    return (with_it or speaking or list(sent))[0]
