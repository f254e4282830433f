"""Two schemas and a direction in; whether the change breaks anyone, and the value that shows it."""

from __future__ import annotations

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.answers import Answer, Empty, Found, goal_of
from groundwire.contracts.jsonschema.compiling.dialects import (
    DIALECTS,
    DialectName,
    dialect_of,
)
from groundwire.contracts.jsonschema.compiling.references import References
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Document
from groundwire.contracts.jsonschema.compiling.table import KEYWORDS
from groundwire.contracts.jsonschema.confirming import Judge
from groundwire.contracts.jsonschema.cycles import cut_cycles
from groundwire.contracts.jsonschema.graph import Graph, Lit
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.searching.goals import OutOfBudget, Search
from groundwire.contracts.jsonschema.sharing import shared_pointers
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

STEPS = 20_000


class Options(msgspec.Struct, frozen=True):
    """How the two schemas are read.

    `dialect` is that of both, whatever their `$schema` says; without it `$schema` counts, and
    2020-12 where there is none. With `formats`, a `format` demands something, and which strings it
    takes is not known; without, it is an annotation. `steps` bounds each of the two searches.
    """

    dialect: DialectName | None = None
    formats: bool = True
    steps: int = STEPS


_DEFAULT = Options()


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
    try:
        documents = _read("old", old, options), _read("new", new, options)
        if documents[0].dialect == documents[1].dialect and identity(old) == identity(new):
            return Compatible()
        sender, reader = documents if direction == "accepts" else documents[::-1]
        return _Question(sender, reader, options).verdict()
    except _NotRead as error:
        return Undecided(str(error.args[0]))
    except OutOfBudget:
        return Undecided("out-of-steps")
    except TooLarge:
        return Undecided("pattern-too-large")
    except RecursionError:
        return Undecided("too-deep")


def _read(side: str, root: JSON, options: Options) -> Document:
    try:
        check_document(root)
    except NotComparable as error:
        raise _NotRead(str(error.args[0])) from error
    dialect = DIALECTS[options.dialect] if options.dialect else dialect_of(root)
    if dialect is None:
        raise _NotRead("dialect-unknown")
    return Document(side, root, dialect, References(root, dialect.id_keyword), options.formats)


class _Question:
    """One pair of documents, and who of them sends."""

    def __init__(self, sender: Document, reader: Document, options: Options) -> None:
        self._steps = options.steps
        self._sent_by = Judge(sender)
        self._read_by = Judge(reader)
        self._graph = Graph()
        shared = shared_pointers(sender, reader)
        languages = Languages()
        sending = Compiler(self._graph, sender, KEYWORDS, languages, shared)
        reading = Compiler(self._graph, reader, KEYWORDS, languages, shared)
        self._declared = sending.root(declared=True)
        self._written = sending.root(declared=False)
        self._reading = reading.root(declared=False)
        self._invalid = sending.invalid or reading.invalid
        cut_cycles(self._graph)
        self._search = Search(self._graph, languages)

    def verdict(self) -> Verdict:
        """First as written: where nothing breaks then, nothing does. Then declared names only."""
        if self._invalid is not None:
            return Undecided(self._invalid)
        written = self._checked(self._ask(self._written))
        if isinstance(written, Empty):
            return Compatible()
        declared: Found | Empty | Undecided = written
        if self._declared != self._written:
            declared = self._checked(self._ask(self._declared))
        if isinstance(declared, Found):
            return Breaking(declared.value)
        if isinstance(declared, Undecided):
            return declared
        return Risky(written.value) if isinstance(written, Found) else written

    def _ask(self, sent: Lit) -> Answer:
        goal = goal_of(self._graph, [sent, -self._reading])
        return Empty() if goal is None else self._search.ask(goal, self._steps)

    def _checked(self, answer: Answer) -> Found | Empty | Undecided:
        """A witness that the judges confirm, or the guess of one; an answer without stays."""
        if isinstance(answer, Empty):
            return answer
        if isinstance(answer, Found):
            sent, taken = self._judged(answer.value)
            if sent is True and taken is False:
                return answer
            unjudged = sent is None or taken is None
            return Undecided("witness-not-judged" if unjudged else "witness-not-confirmed")
        for guess in answer.guess:
            if self._judged(guess) == (True, False):
                return Found(guess)
        return Undecided(answer.reason)

    def _judged(self, value: JSON) -> tuple[bool | None, bool | None]:
        return self._sent_by.accepts(value), self._read_by.accepts(value)
