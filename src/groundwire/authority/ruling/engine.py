"""Engine: what can say how grave a change of one kind of artifact is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from groundwire.documents.governing import Severity


class Judgement(msgspec.Struct, frozen=True):
    """How grave a change is, by which rules of the engine, and what they saw, for a person."""

    severity: Severity
    rules: tuple[str, ...] = ()
    says: str = ""


class Beside(msgspec.Struct, frozen=True):
    """The files that both versions are read of, where each is more than one; `path` begins them."""

    path: str
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


class Engine(Protocol):
    """The port of a contract engine. `version` stands in every receipt it had a part in."""

    @property
    def version(self) -> str:
        """Its name and version."""
        ...

    def judge(
        self, before: bytes | None, after: bytes | None, beside: Beside | None = None
    ) -> Judgement:
        """What the change is, from whole contents; None where nothing stands.

        `beside` has what else the two are read of; None: each stands by itself, and a reference to
        another file leads nowhere. The same contents give the same judgement: nothing else is read.
        What it cannot tell is `undecided`.
        """
        ...


def judged(
    kind: str,
    before: bytes | None,
    after: bytes | None,
    engines: Mapping[str, Engine],
    beside: Beside | None = None,
) -> Judgement:
    """What the engine for this kind says; `undecided` where there is none, or where it fails."""
    engine = engines.get(kind)
    if engine is None:
        return Judgement("undecided", says="no engine judges this kind")
    try:
        if beside is None:
            return engine.judge(before, after)
        return engine.judge(before, after, beside)
    except Exception as error:  # noqa: BLE001 -- an engine that fails has decided nothing
        return Judgement("undecided", says=f"its engine failed: {type(error).__name__}")
