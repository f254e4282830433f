"""The search for a value: goals on a stack of our own, so that no depth of schemas is too deep.

A goal that is asked while it is being asked has no value *there*: the smallest witness never
repeats a goal on one path. An answer "none" that leaned on such a cut is kept only as long as the
goals it leaned on are being asked, and for good once the last of them has none either.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from groundwire.contracts.jsonschema.answers import (
    Answer,
    Branch,
    Empty,
    Found,
    Goal,
    Steps,
    Tally,
    Unknown,
)
from groundwire.contracts.jsonschema.graph import PARADOX, Graph
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.searching.branches import Ways, branches
from groundwire.contracts.jsonschema.searching.evaluating import Evaluator
from groundwire.contracts.jsonschema.searching.formats import with_formats
from groundwire.contracts.jsonschema.searching.likeness import Likeness
from groundwire.contracts.jsonschema.searching.pruning import prune
from groundwire.contracts.jsonschema.solving.arrays import solve_array
from groundwire.contracts.jsonschema.solving.numbers import solve_number
from groundwire.contracts.jsonschema.solving.objects import solve_object
from groundwire.contracts.jsonschema.solving.scalars import solve_boolean, solve_null
from groundwire.contracts.jsonschema.solving.strings import fits_string, solve_string
from groundwire.contracts.jsonschema.values import TYPES, Type

MAX_STACK = 3_000


class OutOfBudget(Exception):
    """The steps of one question are spent."""


class _Frame(msgspec.Struct):
    goal: Goal
    steps: Steps


class Search:
    """Answers goals over one graph; what was proven stays known for the questions after."""

    def __init__(self, graph: Graph, languages: Languages) -> None:
        self.graph = graph
        self._languages = languages
        self._ways = Ways(graph)
        self._likeness = Likeness(graph)
        self._holds = Evaluator(graph, languages).holds
        self._known: dict[Goal, Answer] = {}
        self._provisional: dict[Goal, frozenset[Goal]] = {}
        self._leaning: dict[Goal, set[Goal]] = {}
        self._active: set[Goal] = set()
        self._left = 0
        self.spent = 0

    def ask(self, goal: Goal, budget: int) -> Answer:
        """A value that holds to `goal`, the proof that there is none, or neither.

        Raises:
            OutOfBudget: after `budget` steps. What was proven on the way stays known.
        """
        self._left = budget
        self._provisional.clear()
        self._leaning.clear()
        self._active.clear()
        stack: list[_Frame] = []
        answer = self._begin(goal, stack)
        while stack:
            frame = stack[-1]
            try:
                wanted = frame.steps.send(answer) if answer is not None else next(frame.steps)
            except StopIteration as done:
                stack.pop()
                answer = self._close(frame.goal, done.value)
            else:
                answer = self._begin(wanted, stack)
        return answer or Unknown("nothing-asked")

    def tick(self) -> None:
        """Counts one step.

        Raises:
            OutOfBudget: there is none left.
        """
        self._left -= 1
        self.spent += 1
        if self._left < 0:
            raise OutOfBudget

    def _begin(self, goal: Goal, stack: list[_Frame]) -> Answer | None:
        """The answer where it is known; None where the goal was put on the stack."""
        self.tick()
        known = self._known.get(goal)
        if known is not None:
            return known
        if goal in self._active:
            return Empty(frozenset([goal]))
        cuts = self._provisional.get(goal)
        if cuts is not None and cuts <= self._active:
            return Empty(cuts)
        if len(stack) >= MAX_STACK:
            return Unknown("too-deep")
        self._active.add(goal)
        stack.append(_Frame(goal, self._steps(goal)))
        return None

    def _close(self, goal: Goal, answer: Answer) -> Answer:
        """Takes the goal off the stack, and sees to the answers that leaned on it."""
        self._active.discard(goal)
        leaning = sorted(self._leaning.pop(goal, ()))
        if not isinstance(answer, Empty):
            for other in leaning:
                if goal in self._provisional.get(other, frozenset()):
                    del self._provisional[other]
            self._known[goal] = answer
            return answer
        cuts = answer.cuts - {goal}
        self._keep(goal, cuts)
        for other in leaning:
            leans_on = self._provisional.get(other)
            if leans_on is not None and goal in leans_on:
                self._keep(other, (leans_on - {goal}) | cuts)
        return Empty(cuts)

    def _keep(self, goal: Goal, cuts: frozenset[Goal]) -> None:
        if not cuts:
            self._provisional.pop(goal, None)
            self._known[goal] = Empty()
            return
        self._provisional[goal] = cuts
        for cut in cuts:
            self._leaning.setdefault(cut, set()).add(goal)

    # -- one goal ------------------------------------------------------------------------------

    def _steps(self, goal: Goal) -> Steps:
        pruned = yield from prune(self.graph, goal, self._likeness, self._holds)
        if not isinstance(pruned, tuple):
            return pruned
        if pruned != goal:
            return (yield pruned)
        tally = Tally()
        for kind in TYPES:
            if not all(self.graph.may_be(literal, kind) for literal in goal):
                continue
            for branch in branches(self._ways, goal, kind, self.tick):
                answer = yield from self._solved(branch, kind)
                answer = with_formats(branch, _with_opaque(branch, answer), self._fits(branch))
                if isinstance(answer, Found):
                    return answer
                tally.add(answer)
        return tally.result()

    def _fits(self, branch: Branch) -> Callable[[str], bool]:
        return lambda text: fits_string(branch, text, self._languages) is True

    def _solved(self, branch: Branch, kind: Type) -> Generator[Goal, Answer, Answer]:
        match kind:
            case "null":
                return solve_null(branch)
            case "boolean":
                return solve_boolean(branch)
            case "number":
                return solve_number(branch)
            case "string":
                return solve_string(branch, self._languages, self.tick)
            case "array":
                return (yield from solve_array(self.graph, branch, self.tick))
            case "object":
                return (yield from solve_object(self.graph, self._languages, branch, self.tick))


def _with_opaque(branch: Branch, answer: Answer) -> Answer:
    """What is not understood may turn a value down; where there is none, it changes nothing."""
    if not branch.opaque or not isinstance(answer, Found):
        return answer
    for each in branch.opaque:
        if each.reason == PARADOX:
            return Unknown(each.reason)
    return Unknown(branch.opaque[0].reason, (answer.value,))
