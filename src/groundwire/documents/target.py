"""Target: what a call writes to, what was measured of it, and what is proposed, done and seen.

Contents stand in `Change` alone; `Plan` says the same by digests, and is what a receipt and a
journal can hold.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

Guarantee: TypeAlias = Literal[
    "exchange-detected", "conditional", "same-transaction", "non-atomic", "not-owned"
]
"""What a write promises where somebody else writes at the same time.

`exchange-detected`: what was displaced is compared and, where it differs, put back.
`conditional`: the target itself compares and swaps. `same-transaction`: what was judged and the grant
are committed together, or neither is. `non-atomic`: compared, then written; what comes in between
is lost. `not-owned`: somebody else writes.
"""
ChangeKind: TypeAlias = Literal["created", "changed", "deleted", "renamed", "mode"]
Seen: TypeAlias = Literal["content-match", "token-match", "drift", "not-observed"]
"""What was seen at a target after the effect, against what was to stand there.

`content-match`: its bytes were read, and are those. `token-match`: its bytes cannot be read, and by
its token it is the very thing that was put there, untouched since. `drift`: it holds something else.
"""
Claim: TypeAlias = Literal["none", "host-claimed", "conflict"]
"""What the host's word is worth beside that. `none`: nothing rests on it.

`host-claimed`: that it stands there is the host's word alone. `conflict`: the host says that it does,
and something else was seen.
"""

DECLARED: Final = "artifact:"
"""How the root begins of what only the host knows, whole: the kind that it gives stands behind."""


class TargetName(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, order=True):
    """One thing that can be written. `root` is where its kind of target begins, `path` is below.

    Of files: `root` is the real absolute path of the folder, `path` the names below it with `/`
    between, no symbolic link among them. Of git: `root` is the real path of the git folder, `path`
    the full name of a ref. Of sql: `root` is which database it is, without who reads it, `path` a table
    of it (`documents.sql`); "" stands for the database itself. What only the host knows has the kind `files` and a root that no folder
    has (`DECLARED`).
    """

    kind: Literal["files", "git", "shell", "sql"]
    root: str
    path: str

    @property
    def spelled(self) -> str:
        """The path for a reader: of git and of a database within it, of a file outside of any from `/` on."""
        if self.kind in ("git", "sql"):
            within = self.root.rpartition("/")[2]
            return f"{within}/{self.path}" if self.path else within
        return f"/{self.path}" if self.root == "/" else self.path


class Present(msgspec.Struct, frozen=True, kw_only=True, tag="present", forbid_unknown_fields=True):
    """The token of a file that is there.

    `attributes` is a digest of its extended attributes, access lists among them; "" where it has
    none. `generation` tells two files apart that had one inode number one after the other; None
    where the file system has none. `links` is how many names the file has: over 1, others share it.
    """

    digest: str
    size: int
    mode: int
    owner: int
    group: int
    attributes: str
    device: int
    inode: int
    generation: int | None
    links: int


class Absent(msgspec.Struct, frozen=True, kw_only=True, tag="absent", forbid_unknown_fields=True):
    """The token of a name that nothing stands at."""


class Unmeasurable(msgspec.Struct, frozen=True, kw_only=True, tag="unmeasurable"):
    """Something is there and its token could not be taken; `why` is one of a few known words."""

    why: Literal["too-large", "changing", "unreadable", "open-for-writing"]


State: TypeAlias = Present | Absent | Unmeasurable


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """T1: the token of a target and the bytes it was taken of; None where there are none."""

    name: TargetName
    state: State
    content: bytes | None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One change, whole: what stands there, what is to stand there.

    `to` is the new name of what is renamed, `mode` the permission bits it is to have; None leaves
    them as they are, or to the system for a new file. A file with `state.links` over 1 gets a file
    of its own at this name; its other names keep what they have.
    """

    name: TargetName
    kind: ChangeKind
    state: Present | Absent
    before: bytes | None
    after: bytes | None
    to: TargetName | None = None
    mode: int | None = None


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that are made together: all of them or none."""

    changes: tuple[Change, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change without its contents. `held` is the name that its bytes have beside it meanwhile.

    `after` is the digest of what is to stand there, None where nothing is. `folders` are those
    that have to be made for it, the outermost first.
    """

    path: str
    kind: ChangeKind
    state: Present | Absent
    after: str | None
    held: str
    to: str | None = None
    mode: int | None = None
    folders: tuple[str, ...] = ()


class Rest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a command does beside its files, once they stand. Paths are below the plan's root.

    `folders` are made and `removed` are gone; a link of `links` leads to the second of the pair, or
    is gone where that is None. `times` are those of files, in nanoseconds. None of it holds bytes,
    so none of it is undone.
    """

    folders: tuple[str, ...]
    links: tuple[tuple[str, str | None], ...]
    removed: tuple[str, ...]
    times: tuple[tuple[str, int], ...]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a write is going to do, known before it does anything: enough to recover or undo it.

    `rest` comes after every step stands; without `steps` it is all there is.
    """

    write: str
    root: str
    steps: tuple[Step, ...]
    rest: Rest | None = None


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What a write did; the tokens are those of each step's own name afterwards (`to`'s, if any).

    `guarantees` has one word a step, as it was measured; `kept` the digests whose bytes are kept.
    `late` are paths to whose displaced file somebody still wrote: those bytes are kept too, or
    stand beside under the step's `held`.
    """

    plan: Plan
    guarantees: tuple[Guarantee, ...]
    states: tuple[State, ...]
    kept: tuple[str, ...]
    late: tuple[str, ...] = ()


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """T3: what really stands at a target, against what was to stand there."""

    name: TargetName
    seen: Seen
    state: State
    claim: Claim = "none"


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an interrupted write. `left_alone`: somebody else has changed these since."""

    write: str
    stands: Literal["before", "after"]
    left_alone: tuple[TargetName, ...]


def is_declared(name: TargetName) -> bool:
    """Whether only the host knows what stands there, so that nobody here can look at it."""
    return name.root.startswith(DECLARED)


def stands_for(token: State, state: State) -> bool:
    """Whether nothing that a write would replace differs: content, mode, owner, attributes.

    Another file with all of these the same passes: nothing of it can be lost. What could not be
    measured stands for nothing.
    """
    match token, state:
        case Present(), Present():
            return _replaced(token) == _replaced(state)
        case Absent(), Absent():
            return True
        case _:
            return False


def is_same_file(one: State, other: State) -> bool:
    """Whether both are one file, whatever stands in it now."""
    return (
        isinstance(one, Present)
        and isinstance(other, Present)
        and (one.device, one.inode, one.generation) == (other.device, other.inode, other.generation)
    )


def _replaced(state: Present) -> tuple[str, int, int, int, int, str, int]:
    return (
        state.digest,
        state.size,
        state.mode,
        state.owner,
        state.group,
        state.attributes,
        state.device,
    )
