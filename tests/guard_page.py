"""The page of the guard, from the code: states, questions and answers, outcomes, codes, profiles."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from typing import get_args

from groundwire.documents.outcome import Executed, Passed, Refused, Unknown
from groundwire.guard import steps
from groundwire.guard.profiles import FACTS, PROFILES
from groundwire.guard.refusal import REPEATS, next_of
from tests.house.reasons import reasons_in_source
from tests.house.tree import CHECKOUT, PACKAGE, syntax

HEADING = """\
# The guard

<!-- Made by `make docs` from groundwire.guard, groundwire.documents and docs/reasons.toml. -->

What happens to a guarded call, in order; what may be answered; how it can end; every reason by which
it can be refused. [Guard your tools](../how-to/guard-tools.md) shows how to use it,
[limits](../explanation/limits.md) says what it does not do."""

ORDER = """\
## The order of a call

One generator states the order (`guard/flow.py`); a sync and an async driver ask the host each
question in turn. Up to the recorded intent any failure is a refusal, and nothing has happened. From
then on the outcome is `Unknown` unless it was seen to be as judged, or the executor says that nothing
stands. A host that raises, or answers with something else than was asked, is refused like any other
failure. Nothing is retried, there is no breaker, and nothing is let through because something failed.

| question | what is asked | answers |
|---|---|---|"""

ANSWERS = """\
## Answers

| answer | what it says |
|---|---|"""

OUTCOMES = """\
## Outcomes

Four, and only `Refused` says that nothing was carried out. Each is recorded, with its reason.

| outcome | what it says |
|---|---|"""

REASONS = """\
## Why a call is refused

What a model is told: the code, the ids of rules, one of our sentences, names in a safe set of
characters. *Next* is what it is told to do: `read-again`, `change-call`, `ask-person`, `ask-again`; after {repeats}
refusals of one tool and target it is `stop`. `approval-pending` is not counted: a person may still say yes.

| code | next | what it means |
|---|---|---|"""

MAKING = """\
## Why a table is not made

These are errors of the program, raised where the table is made or used, and never shown to a model.

| code | what it means |
|---|---|"""

PROFILE_ROWS = """\
## Profiles

What each profile does about each fact that weakens what can be said of a call. `report`: it is named
in the report and the receipt. `ask`: a person has to decide. `refuse`: nobody can allow it.
`groundwire guard profile NAME` prints one. A name never changes its meaning: a change of a row is
another version.

| fact | {names} |
|---|{rules}"""

# Rooms whose codes a guarded call can be refused by, and modules in them that only make tables.
_OF_CALLS = (
    "attest/grants.py",
    "attest/receipts.py",
    "authority/places.py",
    "guard/",
    "session/executions/guarded_calls.py",
    "session/guarding/",
    "stores/writing/",
    "targets/",
)
_MAKING = (
    "guard/agent_rule.py",
    "guard/profiles.py",
    "session/guarding/shapes/answers.py",
    "session/guarding/shapes/messages.py",
    "session/guarding/shapes/tools.py",
    "targets/places/patterns.py",
)
_BOTH = "session/guarding/table.py", "session/guarding/shapes/schemas.py"
_OF_TABLES = {
    "declared-twice",
    "duplicate-tool",
    "no-tool-schema",
    "not-callable",
    "undeclared-tools",
}


def guard_page() -> str:
    """docs/reference/guard.md."""
    return (
        "\n\n".join(
            (
                HEADING,
                _table(ORDER, _questions()),
                _table(ANSWERS, _answers()),
                _table(OUTCOMES, _outcomes()),
                _table(REASONS.format(repeats=REPEATS), _reasons()),
                _table(MAKING, _making()),
                _profiles(),
                "",
            )
        ).rstrip()
        + "\n"
    )


def _table(heading: str, rows: list[str]) -> str:
    return "\n".join((heading, *rows))


def _questions() -> list[str]:
    rows = []
    for kind in get_args(steps.Step):
        asked, _, answers = _said(kind).partition(" → ")
        given, _, more = answers.partition(".")
        names = ", ".join(f"`{each}`" for each in re.findall(r"\w+", given.strip("`")))
        rows.append(f"| `{kind.__name__}` | {(asked + ' ' + more.strip()).strip()} | {names} |")
    return rows


def _answers() -> list[str]:
    # A permit and a held receipt are made by opening one, and have their own pages.
    kinds = [kind for kind in get_args(steps.Answer) if kind.__module__ == steps.__name__]
    return [f"| `{kind.__name__}` | {_said(kind)} |" for kind in kinds]


def _outcomes() -> list[str]:
    rows = []
    for kind in (Executed, Passed, Refused, Unknown):
        reasons = _literals(kind)
        rows.append(f"| `{kind.__name__}` | {_said(kind)}{reasons} |")
    return rows


def _literals(kind: type) -> str:
    words = {
        "Passed": ("read", "observe"),
        "Unknown": ("cancelled", "tool-raised", "drift", "conflict", "unobserved"),
    }.get(kind.__name__, ())
    return f" Reasons: {', '.join(f'`{word}`' for word in words)}." if words else ""


def _reasons() -> list[str]:
    meanings = _meanings()
    return [
        f"| `{code}` | `{next_of(code)}` | {meanings.get(code, 'not described')} |"
        for code, places in sorted(reasons_in_source().items())
        if code not in _OF_TABLES
        and any(place.startswith(_OF_CALLS) and place not in _MAKING for place in _rooms(places))
    ]


def _making() -> list[str]:
    meanings = _meanings()
    return [
        f"| `{code}` | {meanings.get(code, 'not described')} |"
        for code, places in sorted(reasons_in_source().items())
        if code in _OF_TABLES or any(place in _MAKING for place in _rooms(places))
    ]


def _rooms(places: list[str]) -> set[str]:
    return {place.partition(":")[0].removeprefix("src/groundwire/") for place in places}


def _profiles() -> str:
    names = list(PROFILES)
    heading = PROFILE_ROWS.format(
        names=" | ".join(f"`{name}`" for name in names), rules="---|" * len(names)
    )
    cells = {
        name: {row.fact: row.treatment for row in profile.rows}
        for name, profile in PROFILES.items()
    }
    meanings = _facts()
    rows = [
        f"| `{fact}`: {meanings[fact]} | {' | '.join(cells[name][fact] for name in names)} |"
        for fact in FACTS
    ]
    return _table(heading, rows)


def _facts() -> Mapping[str, str]:
    """What each fact means, from the docstring that stands under their names."""
    tree = syntax(PACKAGE / "documents" / "profile.py")
    texts = [
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    found = re.findall(r"`([a-z-]+)`: ([^`]+?)(?=[.;] `|\.\s*$)", " ".join(" ".join(texts).split()))
    return dict(found)


def _meanings() -> dict[str, str]:
    return tomllib.loads((CHECKOUT / "docs" / "reasons.toml").read_text(encoding="utf-8"))


def _said(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split()).replace("|", "\\|")
