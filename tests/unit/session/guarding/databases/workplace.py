"""A project that guards a shop, for tests: its tool runs statements, and the shop is no production."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundwire.documents.policy import ToolDeclaration
from groundwire.documents.sql import SqlArguments
from tests.approving import Patience, Person, enrol
from tests.databases import Shop
from tests.unit.session.guarding.calls import Place, call

SQL = ToolDeclaration(name="sql", effect="write", target=SqlArguments(database="shop"))


def place(
    shop: Shop, folder: Path, *people: Person, acts: tuple[Callable[[], object], ...] = (),
    environment: str = "test", **guard: Any,
) -> Place:  # fmt: skip
    """The project; these people may approve in it, and `acts` happen while a call waits."""
    rules: dict[str, Any] = {
        "databases": [shop.declared],
        "environments": [{"name": environment, "pattern": shop.root}],
        **guard,
    }
    folder.mkdir(exist_ok=True)
    approvers = tuple(each.approver for each in people)
    made = Place(folder / "project", rules=rules, declared=(SQL,), approvers=approvers)
    enrol(*(each.key() for each in people))
    if people:
        made.project._guard.desk().pause = Patience(made.clock, acts)
    return made


def asked(statement: str, parameters: Any = None, call_id: str = "c1") -> Any:
    """A model's call of the tool."""
    if parameters is None:
        return call("sql", call_id, statement=statement)
    return call("sql", call_id, statement=statement, parameters=parameters)
