"""Question: what an authority is asked about one call, whole. Ruling: what it says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from groundwire.documents.decision import Decision
from groundwire.documents.declaration import Effect
from groundwire.documents.governing import Origin
from groundwire.documents.profile import Fact, Profile
from groundwire.documents.receipt import Asked
from groundwire.documents.sql import Work
from groundwire.documents.target import Change, Proposal, TargetName

Lost: TypeAlias = tuple[TargetName, ...]


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A contract that the call changes by other files than its own, or that is made of others.

    `before` and `after` are the files that it is read of, by their paths below the root of `name`:
    exactly these, as they were when the call was judged. `undecided`: why it cannot be said what
    becomes of it, as a code; then there may be none.
    """

    name: TargetName
    kind: str
    before: Mapping[str, bytes] = {}
    after: Mapping[str, bytes] = {}
    undecided: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One call, the change it would make, and what weakens what can be said of it.

    `history` are changes that stand in no file and come into a repository's history: of commits on
    the way, or of what an index leaves out. They are judged as those of the proposal, and nothing is
    written for them. `measured` is what was measured of how it is carried out, by name; the receipt has it beside the
    versions of what judged. `reached` are contracts that are read of more than one file, or made of others;
    what was read for them is no change, and the guard sees to it that it still stands when it writes. `lost` names the changes whose content before would stand nowhere any more. `caller` is the
    agent, as its run says. `work` is what a statement did in a database, before it was committed; None
    of a call that runs none. `origins` are those of the call's arguments, by their paths: of one that is
    not there nobody says where it comes from, one with none comes from nowhere that was looked at.
    `since` is what stood, before earlier guarded changes, at names that are changed again.
    """

    asked: Asked
    caller: str
    effect: Effect
    facts: tuple[Fact, ...]
    lost: Lost
    profile: Profile
    proposal: Proposal
    tool: str
    measured: dict[str, str] = {}
    origins: Mapping[str, tuple[Origin, ...]] = {}
    history: tuple[Change, ...] = ()
    reached: tuple[Reached, ...] = ()
    since: Mapping[TargetName, bytes] = {}
    work: Work | None = None


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """The decision, and what a person has to know of it.

    `residuals` are the facts that were so, none hidden by another. `engines` are the versions of
    what judged. `would_allow` are lines of `groundwire.toml` by which the call would be allowed.
    """

    decision: Decision
    engines: dict[str, str]
    residuals: tuple[Fact, ...]
    would_allow: str
