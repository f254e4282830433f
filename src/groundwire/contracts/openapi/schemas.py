"""Schemas: the questions about schemas that two descriptions come to, each asked once."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.comparing import ANYTHING, NoSample, Pair, Wanted
from groundwire.contracts.jsonschema.comparing import Options as HowCompared
from groundwire.contracts.jsonschema.refusing import Refusal
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.finding import Cause
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.places import Places
from groundwire.contracts.openapi.resolving import Resolved, Resolver, canonical, join, names_of
from groundwire.contracts.verdict import Compatible, Direction, Undecided, Verdict

Side: TypeAlias = Literal["old", "new"]

__all__ = ["ANYTHING", "NoSample", "Schemas", "Side", "sender_of"]


def sender_of(direction: Direction) -> Side:
    """Whose messages are read by the other side: what `old` sends when `new` accepts."""
    return "old" if direction == "accepts" else "new"


class Schemas:
    """Two descriptions, of whose schemas questions are asked by pointers; `ANYTHING` for none.

    A pointer to what is just a reference means what that leads to. All questions together take at
    most `all_steps`; those after that are undecided. The answers are the same on each run for the
    same questions in the same order.
    """

    def __init__(self, old: Description, new: Description, options: Options) -> None:
        self.knobs = options.knobs
        self._all_steps = options.all_steps
        self._descriptions: dict[Side, Description] = {"old": old, "new": new}
        self._resolvers: dict[Side, Resolver] = {"old": Resolver(old), "new": Resolver(new)}
        self._steps = options.steps
        # What breaks at pairs of pointers, for who explains it.
        self.causes: dict[Direction, dict[tuple[str, str], tuple[Cause, ...]]] = {
            "accepts": {},
            "produces": {},
        }
        self._answers: dict[tuple[str, str, Direction], Verdict] = {}
        self._samples: dict[tuple[Side, str, Direction, str | None, Wanted], JSON | NoSample] = {}
        self._places: dict[Side, Places] = {
            side: Places(each.root, ref_alone=each.dialect == "openapi-3.0")
            for side, each in self._descriptions.items()
        }

    @cached_property
    def _pair(self) -> Pair:
        """Made at the first question: most edits are of no schema, and this looks at each document."""
        old, new = self._descriptions["old"], self._descriptions["new"]
        how = HowCompared(
            dialect=old.dialect, dialect_of_new=new.dialect, openapi=True, steps=self._steps
        )
        return Pair(old.root, new.root, how)

    def ask(self, old: str, new: str, direction: Direction) -> Verdict:
        """Whether every value that is sent is one that its reader takes, as `Pair.ask` says."""
        key = (self.schema("old", old), self.schema("new", new), direction)
        if key not in self._answers:
            self._answers[key] = self._asked(*key)
        return self._answers[key]

    def _asked(self, old: str, new: str, direction: Direction) -> Verdict:
        if new == ANYTHING and direction == "accepts":
            return Compatible()
        if old == ANYTHING and direction == "produces":
            return Compatible()
        for side, pointer in (("old", old), ("new", new)):
            reason = self._unread_at("old" if side == "old" else "new", pointer)
            if reason:
                return Undecided(reason)
        if self._pair.spent >= self._all_steps:
            return Undecided("out-of-steps")
        return self._pair.ask(old, new, direction)

    def sample(
        self,
        side: Side,
        pointer: str,
        direction: Direction,
        both: str | None = None,
        wanted: Wanted = "any",
    ) -> JSON:
        """A small value that may be sent under the schema at `pointer`.

        Made up from the schema; no example or default of the description is in it. Where there is
        one, the other side's schema at `both` takes it too.

        Raises:
            NoSample: `nothing-fits` where there is none, or why none was found.
        """
        other = self.schema("new" if side == "old" else "old", both) if both is not None else None
        key = (side, self.schema(side, pointer), direction, other, wanted)
        if key not in self._samples:
            self._samples[key] = self._sampled(*key)
        found = self._samples[key]
        if isinstance(found, NoSample):
            raise NoSample(*found.args)
        return found

    def _sampled(
        self, side: Side, pointer: str, direction: Direction, other: str | None, wanted: Wanted
    ) -> JSON | NoSample:
        if self._pair.spent >= self._all_steps:
            return NoSample("out-of-steps")
        try:
            return self._pair.sample(side, pointer, direction, other, wanted)
        except NoSample as error:
            return error

    def accepts(self, side: Side, pointer: str, value: JSON, direction: Direction) -> bool | None:
        """Whether the schema at `pointer` takes the value; None where that cannot be told."""
        return self._pair.accepts(side, self.schema(side, pointer), value, direction)

    def refusals(
        self, side: Side, pointer: str, value: JSON, direction: Direction
    ) -> tuple[Refusal, ...]:
        """Which keywords of the schema refuse the value; none where that cannot be told."""
        return self._pair.refusals(side, self.schema(side, pointer), value, direction)

    def description(self, side: Side) -> Description:
        """One of the two."""
        return self._descriptions[side]

    def places(self, side: Side) -> Places:
        """Which schemas of one of the two speak of the parts of a value."""
        return self._places[side]

    # -- what stands at pointers -----------------------------------------------------------------

    def at(self, side: Side, pointer: str) -> Resolved:
        """What stands at a pointer that is no schema's, its references followed."""
        return self._resolvers[side].at(pointer)

    def below(self, resolved: Resolved, *names: str) -> str:
        """The pointer of a member; `ANYTHING` where there is none."""
        value: JSON = resolved.members
        for name in names:
            if not isinstance(value, dict) or name not in value:
                return ANYTHING
            value = value[name]
        return join(resolved.pointer, *names)

    def schema(self, side: Side, pointer: str) -> str:
        """The one pointer of a schema: of a schema that is just a reference, where that leads."""
        if pointer == ANYTHING:
            return ANYTHING
        start = canonical(pointer)
        value = self.value(side, start)
        if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
            return start
        alone = self._descriptions[side].dialect == "openapi-3.0" or value.keys() <= _REFERENCE
        found = self._resolvers[side].at(start)
        return found.pointer if alone and not found.reason else start

    def value(self, side: Side, pointer: str) -> JSON:
        """What stands at a pointer, a reference not followed; None where nothing does."""
        found: JSON = self._descriptions[side].root
        for name in names_of(pointer):
            if isinstance(found, dict):
                found = found.get(name)
            elif isinstance(found, list | tuple) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                return None
        return found

    def _unread_at(self, side: Side, pointer: str) -> str:
        """Why what stands there could not be read; nothing where it could be."""
        if pointer == ANYTHING:
            return ""
        unread = self._descriptions[side].unread
        if not unread:
            return ""
        within = [each for each in unread if pointer == each or pointer.startswith(each + "/")]
        return unread[within[0]] if within else ""


_REFERENCE = frozenset({"$ref", "summary", "description"})
