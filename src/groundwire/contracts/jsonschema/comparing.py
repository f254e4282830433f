"""Two schemas and a direction in; whether the change breaks anyone, and the value that shows it."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.answers import Answer, Empty, Found, Unknown, goal_of
from groundwire.contracts.jsonschema.compiling.dialects import (
    DIALECTS,
    DialectName,
    dialect_of,
)
from groundwire.contracts.jsonschema.compiling.references import References, Target, Unresolved
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Document
from groundwire.contracts.jsonschema.compiling.table import KEYWORDS
from groundwire.contracts.jsonschema.confirming import Judge, Judges
from groundwire.contracts.jsonschema.cycles import Cycles
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.refusing import Refusal
from groundwire.contracts.jsonschema.searching.goals import OutOfBudget, Search
from groundwire.contracts.jsonschema.sharing import Sharing
from groundwire.contracts.jsonschema.values import NotComparable, check_document, identity
from groundwire.contracts.regex.expressions import TooLarge
from groundwire.contracts.verdict import (
    Breaking,
    Compatible,
    Direction,
    Risky,
    Undecided,
    Verdict,
)

STEPS = 60_000
# The pointer of a schema that is not there: every value fits it.
ANYTHING = ""
# What a sample is to be; `several` are two items or more, or one member or more.
Wanted: TypeAlias = Literal["any", "scalar", "several-items", "members"]


class Options(msgspec.Struct, frozen=True):
    """How the two schemas are read.

    `dialect` is that of both, whatever their `$schema` says, unless `dialect_of_new` is given too;
    without it `$schema` counts, and 2020-12 where there is none. With `formats`, a `format` demands
    something, and which strings it takes is not known; without, it is an annotation. `steps` bounds
    each of the two searches. With `openapi`, as always in the dialect of OpenAPI 3.0,
    `discriminator` tells schemas apart, and properties that are `readOnly` are no part of what is
    accepted, `writeOnly` ones of what is produced.
    """

    dialect: DialectName | None = None
    formats: bool = True
    steps: int = STEPS
    dialect_of_new: DialectName | None = None
    openapi: bool = False


_DEFAULT = Options()


class NoSample(Exception):
    """No value was found that may be sent; `args[0]` is why."""


class _NotRead(Exception):
    """A document cannot be compared; `args[0]` is why."""


def compare(old: JSON, new: JSON, direction: Direction, options: Options = _DEFAULT) -> Verdict:
    """Whether every value that may be sent under the one schema is one that the other takes.

    `accepts` asks this of what others send: under the old schema, read under the new one.
    `produces` asks it of what this side sends: under the new schema, read by those who know the
    old one. A witness was accepted by the one and refused by the other, by an evaluator that
    shares no code with the search. Nothing outside the two documents is read, no exception
    leaves, and the answer is the same on each run.
    """
    return Pair(old, new, options).ask("#", "#", direction)


class Pair:
    """Two documents, of whose schemas many questions are asked.

    What was proven for one question is known for those after it; so the answers are the same for
    the same questions in the same order.
    """

    def __init__(self, old: JSON, new: JSON, options: Options = _DEFAULT) -> None:
        self._steps = options.steps
        self._unread: str | None = None
        self._graph = Graph()
        self._languages = Languages()
        self._search = Search(self._graph, self._languages)
        self._cycles = Cycles(self._graph)
        self._sides: dict[tuple[str, Direction | None], _Side] = {}
        try:
            self._documents = (
                _read("old", old, options, options.dialect),
                _read("new", new, options, options.dialect_of_new or options.dialect),
            )
            self._sharing = Sharing(*self._documents)
        except _NotRead as error:
            self._unread = str(error.args[0])

    @property
    def spent(self) -> int:
        """How many steps all searches took so far, and one for each two schemas that judges read."""
        return self._search.spent + sum(side.judges.read for side in self._sides.values()) // 2

    def ask(self, old: str, new: str, direction: Direction) -> Verdict:
        """As `compare`, of the schemas at the pointers `old` and `new`, which begin with `#`.

        At `ANYTHING` is the schema that every value fits.
        """
        if self._unread is not None:
            return Undecided(self._unread)
        try:
            sides = self._side(0, direction), self._side(1, direction)
            before, after = sides[0].at(old), sides[1].at(new)
            if self._are_same(before, after):
                return Compatible()
            if direction == "accepts":
                return self._verdict(sides[0], before, sides[1], after)
            return self._verdict(sides[1], after, sides[0], before)
        except Unresolved as error:
            return Undecided(str(error.args[0]))
        except OutOfBudget:
            return Undecided("out-of-steps")
        except TooLarge:
            return Undecided("pattern-too-large")
        except RecursionError:
            return Undecided("too-deep")

    def sample(
        self,
        side: Literal["old", "new"],
        pointer: str,
        direction: Direction,
        other: str | None = None,
        wanted: Wanted = "any",
    ) -> JSON:
        """A small value that may be sent under the schema at `pointer`, made of declared names.

        Where there is one, a value that the schema at `other` of the other document takes too.

        Raises:
            NoSample: `nothing-fits` where there is none, or why none was found.
        """
        if self._unread is not None:
            raise NoSample(self._unread)
        try:
            return self._sampled(side, pointer, direction, other, self._as_wanted(wanted))
        except Unresolved as error:
            raise NoSample(str(error.args[0])) from error
        except (OutOfBudget, TooLarge, RecursionError) as error:
            raise NoSample("out-of-steps") from error

    def _sampled(
        self,
        side: Literal["old", "new"],
        pointer: str,
        direction: Direction,
        other: str | None,
        wanted: Lit,
    ) -> JSON:
        index = 0 if side == "old" else 1
        sender, reader = self._side(index, direction), self._side(1 - index, direction)
        sent = sender.at(pointer)
        declared = sender.compiler.at(sent, declared=True)
        judge = sender.judges.at(sent)
        reason = "nothing-fits"
        goals = [goal_of(self._graph, [declared, wanted])]
        if other is not None:
            taken = reader.at(other)
            reading = reader.compiler.at(taken, declared=False)
            goals.insert(0, goal_of(self._graph, [declared, reading, wanted]))
        self._cycles.cut()
        for goal in goals:
            answer = Empty() if goal is None else self._search.ask(goal, self._steps)
            guesses = answer.guess if isinstance(answer, Unknown) else ()
            for value in (answer.value,) if isinstance(answer, Found) else guesses:
                if judge.accepts(value):
                    return value
            if not isinstance(answer, Empty):
                reason = "nothing-found"
        raise NoSample(reason)

    def _as_wanted(self, wanted: Wanted) -> Lit:
        graph = self._graph
        array, members = graph.type("array"), graph.type("object")
        if wanted == "scalar":
            return graph.all([-array, -members, -graph.type("null")])
        if wanted == "several-items":
            return graph.all([array, graph.node(Atom("array", "min-items", count=2))])
        if wanted == "members":
            return graph.all([members, graph.node(Atom("object", "min-properties", count=1))])
        return graph.true

    def accepts(
        self, side: Literal["old", "new"], pointer: str, value: JSON, direction: Direction
    ) -> bool | None:
        """Whether a schema takes a value, by the judge; None where that cannot be told."""
        if self._unread is not None:
            return None
        try:
            found = self._side(0 if side == "old" else 1, direction)
            return found.judges.at(found.at(pointer)).accepts(value)
        except Unresolved:
            return None

    def refusals(
        self, side: Literal["old", "new"], pointer: str, value: JSON, direction: Direction
    ) -> tuple[Refusal, ...]:
        """Which keywords of a schema refuse a value, by the judge; none where it cannot tell."""
        if self._unread is not None:
            return ()
        try:
            found = self._side(0 if side == "old" else 1, direction)
            return found.judges.at(found.at(pointer)).refusals(value)
        except Unresolved:
            return ()

    def _side(self, index: int, direction: Direction) -> _Side:
        """A document as it is read for one direction; where that makes no difference, for both."""
        document = self._documents[index]
        kept = direction if self._sharing.has_marks else None
        found = self._sides.get((document.side, kept))
        if found is None:
            sharing = self._sharing
            compiler = Compiler(self._graph, document, KEYWORDS, self._languages, sharing, kept)
            is_marked = partial(sharing.is_marked, document.side)
            found = _Side(document, compiler, Judges(document, kept, is_marked))
            self._sides[document.side, kept] = found
        return found

    def _are_same(self, before: Target, after: Target) -> bool:
        old, new = self._documents
        whole = before.schema is old.root and after.schema is new.root
        return (
            whole and old.dialect == new.dialect and identity(old.root) == identity(new.root)
        ) or self._sharing.are_same(before, after)

    def _verdict(self, sender: _Side, sent: Target, reader: _Side, taken: Target) -> Verdict:
        """First as written: where nothing breaks then, nothing does. Then declared names only."""
        declared = sender.compiler.at(sent, declared=True)
        written = sender.compiler.at(sent, declared=False)
        reading = reader.compiler.at(taken, declared=False)
        self._cycles.cut()
        invalid = self._graph.invalid_below((written, reading))
        if invalid is not None:
            return Undecided(invalid)
        judges = sender.judges.at(sent), reader.judges.at(taken)
        first = self._checked(self._ask(written, reading), judges)
        if isinstance(first, Empty):
            return Compatible()
        second: Found | Empty | Undecided = first
        if declared != written:
            second = self._checked(self._ask(declared, reading), judges)
        if isinstance(second, Found):
            return Breaking(second.value)
        if isinstance(second, Undecided):
            return second
        return Risky(first.value) if isinstance(first, Found) else first

    def _ask(self, sent: Lit, reading: Lit) -> Answer:
        goal = goal_of(self._graph, [sent, -reading])
        return Empty() if goal is None else self._search.ask(goal, self._steps)

    @staticmethod
    def _checked(answer: Answer, judges: tuple[Judge, Judge]) -> Found | Empty | Undecided:
        """A witness that the judges confirm, or the guess of one; an answer without stays."""
        if isinstance(answer, Empty):
            return answer
        if isinstance(answer, Found):
            sent, taken = judges[0].accepts(answer.value), judges[1].accepts(answer.value)
            if sent is True and taken is False:
                return answer
            unjudged = sent is None or taken is None
            return Undecided("witness-not-judged" if unjudged else "witness-not-confirmed")
        for guess in answer.guess:
            if (judges[0].accepts(guess), judges[1].accepts(guess)) == (True, False):
                return Found(guess)
        return Undecided(answer.reason)


class _Side(msgspec.Struct, frozen=True):
    """One of the documents, as it is compiled and as it is judged."""

    document: Document
    compiler: Compiler
    judges: Judges

    def at(self, pointer: str) -> Target:
        if pointer == ANYTHING:
            return Target(True, ("", "anything"), ())  # noqa: FBT003 -- the schema that takes everything
        return self.document.references.resolve(pointer, ())


def _read(side: str, root: JSON, options: Options, name: DialectName | None) -> Document:
    dialect = DIALECTS[name] if name else dialect_of(root)
    if dialect is None:
        raise _NotRead("dialect-unknown")
    openapi = options.openapi or dialect.name == "openapi-3.0"
    try:
        # Of a description each schema is looked at once it is met: most are in no question.
        if not openapi:
            check_document(root)
    except NotComparable as error:
        raise _NotRead(str(error.args[0])) from error
    references = References(root, dialect.id_keyword)
    return Document(side, root, dialect, references, options.formats, openapi)
