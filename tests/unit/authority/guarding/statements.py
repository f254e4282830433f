"""Questions about statements: what one did in its transaction, in a database of an environment."""

from __future__ import annotations

import msgspec

from groundwire.contracts.sql.reading import read_statement
from groundwire.documents.question import Question
from groundwire.documents.receipt import touched_by
from groundwire.documents.sql import (
    Dialect,
    SchemaChange,
    TableChange,
    Work,
    contents_of,
)
from groundwire.documents.target import Absent, Change, Proposal, TargetName
from tests.unit.authority.guarding.questions import question

ROOT = "postgresql/db.staging.example/5432/shop"
POLICY = """
[[guard.environments]]
name = "staging"
pattern = "postgresql/*.staging.example/**"

[databases.shop]
dialect = "postgresql"
dsn_from = "SHOP_DSN"
environment = "staging"
"""


def rows(
    table: str,
    *,
    inserted: int = 0,
    updated: int = 0,
    deleted: int = 0,
    before: int | None = 1000,
    digest: str = "sha256:" + "0" * 64,
) -> TableChange:
    return TableChange(
        table=table, inserted=inserted, updated=updated, deleted=deleted,
        rows_before=before, digest=digest,
    )  # fmt: skip


def work(
    text: str,
    *tables: TableChange,
    dialect: Dialect = "postgresql",
    schema: tuple[SchemaChange, ...] = (),
    unseen: tuple[str, ...] = (),
    ran: bool = True,
    root: str = ROOT,
) -> Work:
    statement = read_statement(text, dialect)
    return Work(
        database="shop", statement=statement, ran=ran and statement.transactional, root=root,
        tables=tables, schema=schema, unseen=unseen,
    )  # fmt: skip


def proposal_of(done: Work) -> Proposal:
    return Proposal(
        changes=tuple(
            Change(
                name=TargetName(kind="sql", root=done.root, path=each.table),
                kind=each.kind,
                state=Absent(),
                before=each.before,
                after=each.after,
            )
            for each in contents_of(done)
        )
    )


def asked_of(done: Work, environment: str = "staging", tool: str = "query") -> Question:
    proposal = proposal_of(done)
    plain = question(environment=environment, tool=tool)
    asked = msgspec.structs.replace(plain.asked, changes=touched_by(proposal))
    return msgspec.structs.replace(plain, asked=asked, proposal=proposal, work=done)
