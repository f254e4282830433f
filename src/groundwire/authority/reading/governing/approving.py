"""Approving: the tables `[[approvers]]` and `[approvals]`, and that enough people can say yes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from groundwire.authority.reading.governing.rules import (
    MOST_NEEDED,
    environment_names,
    one_of,
    read_id,
)
from groundwire.authority.reading.values import (
    Misdeclared,
    demand,
    read_count,
    read_entries,
    read_listed_tables,
    read_name,
    read_table,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.approving import ApprovalRules, Approver, approvers_for
from groundwire.documents.governing import GuardRules

_KEY_ID: Final = re.compile(r"ed25519:[0-9a-f]{64}")
_MOST_SECONDS: Final = 4 * 3600  # documents/receipt.py: no receipt is good for longer


def read_approvers(value: object, guard: GuardRules, path: Path) -> tuple[Approver, ...]:
    """Every `[[approvers]]` table; no name and no key stands twice.

    Does not look whether the keyring has the keys.
    """
    approvers: dict[str, Approver] = {}
    keys: dict[str, str] = {}
    known = environment_names(guard.environments)
    for index, element in enumerate(read_listed_tables(value, "approvers", path)):
        place = (*path, index)
        table = read_table(element, "approvers[]", place)
        demand(table, ("name", "key"), "an approver", place)
        approver = Approver(
            name=read_id(table["name"], (*place, "name")),
            key=_read_key(table["key"], (*place, "key")),
            environments=read_entries(
                table["environments"],
                (*place, "environments"),
                lambda said, at: one_of(said, known, "unknown-environment", "environment", at),
                "an empty list names nothing; leave the key out",
            )
            if "environments" in table
            else (),
        )
        if approver.name in approvers:
            raise Misdeclared(
                "repeated-entry",
                (*place, "name"),
                f"the approver {show(approver.name)} stands twice; rename one",
            )
        if approver.key in keys:
            raise Misdeclared(
                "repeated-entry",
                (*place, "key"),
                f"{keys[approver.key]} has this key already; one key is one person",
            )
        approvers[approver.name] = approver
        keys[approver.key] = approver.name
    return tuple(approvers.values())


def read_approvals(value: object, path: Path) -> ApprovalRules:
    """What `[approvals]` says."""
    table = read_table(value, "approvals", path)
    default = ApprovalRules()

    def own(key: str, without: int, least: int, most: int) -> int:
        return read_count(table[key], least, most, (*path, key)) if key in table else without

    return ApprovalRules(
        wait_seconds=own("wait_seconds", default.wait_seconds, 0, _MOST_SECONDS),
        expires_seconds=own("expires_seconds", default.expires_seconds, 1, _MOST_SECONDS),
        needed=own("needed", default.needed, 1, MOST_NEEDED),
    )


def demand_enough(
    approvers: tuple[Approver, ...], approvals: ApprovalRules, guard: GuardRules
) -> None:
    """As many people as have to say yes could do so in one environment at least.

    Where nobody is named nobody is asked, so only a number that was written is looked at.
    """
    every = environment_names(guard.environments)
    if approvers or approvals.needed > 1:
        _demand(approvers, approvals.needed, every, ("approvals", "needed"))
    for index, rule in enumerate(guard.rules):
        if rule.needed is not None:
            place = ("guard", "rules", index, "needed")
            _demand(approvers, rule.needed, rule.environments or every, place)


def _demand(
    approvers: tuple[Approver, ...], needed: int, environments: Iterable[str], path: Path
) -> None:
    most = max(len(approvers_for(approvers, name)) for name in environments)
    if needed > most:
        raise Misdeclared(
            "too-few-approvers",
            path,
            f"{needed} people have to say yes and {most} could; name more of them in [[approvers]]",
        )


def _read_key(value: object, path: Path) -> str:
    text = read_name(value, path)
    if _KEY_ID.fullmatch(text):
        return text
    raise Misdeclared(
        "bad-key-id",
        path,
        f"must be the id of a key, ed25519: and 64 digits of 0-9a-f, not {show(text)}",
    )
