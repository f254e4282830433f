"""Arming: what the policy could have checked and does not, what is off, and what it names wrongly."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Final

from groundwire.audit.declaring.observing import Observed, ToolSeen
from groundwire.audit.doctor import Line
from groundwire.authority.declarations import ended_words, in_force
from groundwire.authority.unknown_names import unknown_names
from groundwire.checks.write.outputs.validator import Unusable, prepared
from groundwire.documents.counts import counted
from groundwire.documents.policy import Policy, ToolDeclaration

MOST_TOOLS: Final = 20
"""So many undeclared tools are named one by one, those with most calls first."""


def examine_arming(policy: Policy, observed: Observed, today: datetime.date) -> Iterator[Line]:
    """A line for each thing that could be armed and is not, that is off, or that names nothing.

    `observed` is what some runs have shown; a tool that no run used is not missed.
    """
    yield from _undeclared(policy, observed)
    for tool in policy.tools:
        yield from _half_declared(tool, observed.tools.get(tool.name))
    yield from _unsettling(policy)
    yield from _gates(policy)
    yield from _off(policy, today)
    yield from _unknown(policy, observed)


def _undeclared(policy: Policy, observed: Observed) -> Iterator[Line]:
    if not observed.runs:
        yield _note(
            "no run was read, so tools that are not declared cannot be listed",
            "name some: groundwire doctor --policy --run RUN",
        )
        return
    here = {tool.name for tool in policy.tools if tool.arguments or tool.arguments_from}
    declared = here | observed.declared
    if elsewhere := sorted(observed.declared - here):
        more = f" and {len(elsewhere) - MOST_TOOLS} more" if len(elsewhere) > MOST_TOOLS else ""
        yield _note(
            f"declared in code, by the runs read: {', '.join(elsewhere[:MOST_TOOLS])}{more}",
        )
    missing = sorted(
        (name for name, seen in observed.tools.items() if seen.arguments and name not in declared),
        key=lambda name: (-observed.tools[name].calls, name),
    )
    for name in missing[:MOST_TOOLS]:
        seen = observed.tools[name]
        yield _note(
            f"{name}: {counted(seen.calls, 'call')}, and no argument of it is declared",
            "draft the lines: groundwire init RUN",
        )
    if len(missing) > MOST_TOOLS:
        yield _note(
            f"and {counted(len(missing) - MOST_TOOLS, 'tool')} more without declared arguments"
        )
    if not missing:
        yield Line(
            topic="arming", state="ok", says="every tool that was seen has declared arguments"
        )


def _half_declared(tool: ToolDeclaration, seen: ToolSeen | None) -> Iterator[Line]:
    if tool.effect == "unstated":
        yield _note(
            f"{tool.name}: its effect is not stated, so doing it twice, or saying that it was done, "
            "is not checked",
            f'in [tools.{tool.name}] write effect = "read", "write", "external" or "destructive"',
        )
    elif tool.effect != "read" and not tool.says:
        yield _note(
            f"{tool.name}: no verbs claim its effect, so sentences about it are matched by its name",
            f'in [tools.{tool.name}] write says = ["…"]',
        )
    schema = prepared(tool.output_schema) if tool.output_schema else None
    if isinstance(schema, Unusable):
        yield Line(
            topic="arming",
            state="todo",
            says=f"{tool.name}: no result is held against its output schema ({schema.reason})",
            next_step="write its patterns without looking ahead or back, and without references to groups",
        )
    if tool.rows_at and not (tool.total_at or tool.next_at):
        yield _note(
            f"{tool.name}: rows_at without total_at or next_at: a part of the rows that bears no mark "
            "passes for all of them",
            f"in [tools.{tool.name}] write total_at or next_at",
        )
    if tool.total_at and not tool.rows_at:
        yield Line(
            topic="arming",
            state="todo",
            says=f"{tool.name}: total_at without rows_at: there is nothing to count against",
            next_step=f"in [tools.{tool.name}] write rows_at",
        )
    if seen is not None and seen.rows and not tool.rows_at:
        path = seen.rows.most_common(1)[0][0]
        yield _note(
            f"{tool.name}: results hold lists of records, and rows_at is not declared",
            f'in [tools.{tool.name}] write rows_at = "{path}"',
        )


def _unsettling(policy: Policy) -> Iterator[Line]:
    """Reads that are named to settle what is to be done once, and never will."""
    effects = {tool.name: tool.effect for tool in policy.tools}
    for tool in policy.tools:
        if tool.once_per and tool.settled_by is None:
            yield _note(
                f"{tool.name}: no read settles what became of it, so after an outcome that nobody "
                "knows a person has to",
                f"in [tools.{tool.name}] write settled_by, or use `groundwire guard once`",
            )
        elif tool.settled_by is not None and effects.get(tool.settled_by.tool) != "read":
            yield Line(
                topic="arming",
                state="todo",
                says=f"{tool.name}: {tool.settled_by.tool} settles nothing: it is not declared to read",
                next_step=f'declare it, with effect = "read", or name another in [tools.{tool.name}]',
            )


def _gates(policy: Policy) -> Iterator[Line]:
    checks = policy.checks
    if checks.evidence.posture == "off":
        yield _note(
            "the evidence gate is off: values of answers are not looked for",
            'write [checks.evidence] with posture = "assist"',
        )
    if checks.rules == "original":
        yield _note(
            'rules = "original": the checks that the original family does not have judge nothing'
        )
    for name in checks.equivalences_off:
        yield _note(f"the equivalence {name} is off: such spellings count as other values")
    for key, is_on in (
        ("prior_turns", checks.prior_turns),
        ("empty_lookups", checks.empty_lookups),
    ):
        if not is_on:
            yield _note(f"{key} = false: that notice is off, without a reason or an end")
    if checks.columns == "off" and any(tool.columns for tool in policy.tools):
        yield _note('columns = "off": the columns that are declared are not judged')


def _off(policy: Policy, today: datetime.date) -> Iterator[Line]:
    left, ended = in_force(policy, today)
    for line in left.checks.off:
        where = f" for {line.tool}" if line.tool else ""
        yield Line(
            topic="off",
            state="note",
            says=f"{line.check} is off{where} until {line.until}: {line.reason}",
        )
    for line in ended:
        says, _, step = ended_words(line).partition("; ")
        yield Line(topic="off", state="todo", says=says, next_step=step)


def _unknown(policy: Policy, observed: Observed) -> Iterator[Line]:
    schemas = {name: seen.schema for name, seen in observed.tools.items()}
    if not schemas:
        return
    for unknown in unknown_names(policy, schemas):
        is_slip = unknown.kind == "argument" or unknown.is_slip
        yield Line(
            topic="names",
            state="todo" if is_slip else "note",
            says=unknown.words(),
            next_step="correct the name, or show a run that has it" if is_slip else "",
        )


def _note(says: str, next_step: str = "") -> Line:
    return Line(topic="arming", state="note", says=says, next_step=next_step)
