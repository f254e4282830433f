"""Leaving: which refs a staged command leaves, so that commits stand on no ref and in no reflog."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from groundwire.documents.staged import GitChange
from groundwire.targets.git.own import packed, part_of
from groundwire.targets.git.repository import SYMBOLIC
from groundwire.targets.git.staged.shadow import Shadow

Refs: TypeAlias = dict[str, bytes]
Content: TypeAlias = Callable[[str], bytes | None]

EXPIRES: Final = 30 * 24 * 3600.0
"""After how many seconds git itself lets go of an entry of a reflog that leads nowhere else."""
_STASH: Final = "refs/stash"
_NAMED: Final = ("refs/heads/", "refs/tags/")


def refs_left(
    shadow: Shadow, folder: str, changes: Sequence[GitChange], now: float, content: Content
) -> tuple[str, ...]:
    """The refs, each once, whose commits nothing names any more once the changes stand.

    A branch or tag that is deleted has to stand on another ref; any other that moves, and an entry
    that goes from a reflog, on a ref or in a reflog. An entry that git would let go of by its age
    is not counted, nor a stash whose files stand in the working folder with the same bytes, which
    `content` gives by their paths.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    by_path = {change.path: change for change in changes}
    before = refs_now(shadow)
    after = refs_then(folder, by_path, before)
    logs = list(_logs_then(folder, by_path))
    on_refs = set(after.values())
    anywhere = on_refs.union(*(_names_in(log) for log in logs))
    left: list[str] = []
    for ref, value in before.items():
        if after.get(ref) == value:
            continue
        deleted = ref not in after and ref.startswith(_NAMED)
        if _leaves(shadow, {value}, on_refs if deleted else anywhere) and not (
            ref == _STASH and _stands(shadow, value, content)
        ):
            left.append(ref)
    for change in changes:
        if part_of(change.path) != "log":
            continue
        ref = change.path.removeprefix("logs/")
        gone = _names_in(change.before, now - EXPIRES) - _names_in(change.after)
        lost = gone if _leaves(shadow, gone, anywhere) else set()
        if ref == _STASH:
            lost = {each for each in lost if not _stands(shadow, each, content)}
        if lost and _leaves(shadow, lost, anywhere):
            left.append(ref)
    return tuple(dict.fromkeys(left))


def refs_now(shadow: Shadow) -> Refs:
    """What every ref of the repository names, HEAD among them where it names a commit itself.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    out = shadow.run("for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)")
    found: Refs = {}
    for line in out.splitlines():
        ref, value, symbolic = line.split(b"\0")
        if not symbolic:
            found[ref.decode("utf-8", "surrogateescape")] = value
    head = shadow.ask("rev-parse", "--verify", "-q", "HEAD")
    if head.code == 0 and shadow.ask("symbolic-ref", "-q", "HEAD").code == 1:
        found["HEAD"] = head.out.strip()
    return found


def refs_then(folder: str, changes: Mapping[str, GitChange], before: Refs) -> Refs:
    """The refs once the changes stand: a ref's own file goes before what is packed."""
    repacked = changes.get("packed-refs")
    content = packed_refs(folder) if repacked is None else repacked.after or b""
    in_pack = packed(content) or {}
    own = {path for path in changes if part_of(path) == "ref" and path != "packed-refs"}
    found: Refs = {}
    for ref in {*before, *own, *in_pack}:
        if ref in changes:
            text = changes[ref].after
            value = in_pack.get(ref) if text is None else text.strip()
        elif os.path.isfile(os.path.join(folder, ref)):
            value = before.get(ref)
        else:
            value = in_pack.get(ref)
        if value is not None and not value.startswith(SYMBOLIC.strip()):
            found[ref] = value
    if "HEAD" in before and "HEAD" not in changes:
        found["HEAD"] = before["HEAD"]
    return found


def packed_refs(folder: str) -> bytes:
    """What stands in `packed-refs` of the git folder; nothing where there is none."""
    return _read(folder, "packed-refs") or b""


def _logs_then(folder: str, changes: Mapping[str, GitChange]) -> Iterator[bytes | None]:
    for change in changes.values():
        if part_of(change.path) == "log":
            yield change.after
    for above, _, names in os.walk(os.path.join(folder, "logs")):
        for name in names:
            path = os.path.relpath(os.path.join(above, name), folder)
            if path not in changes:
                yield _read(folder, path)


def _names_in(log: bytes | None, since: float = 0.0) -> set[bytes]:
    """The commits that the entries of a reflog lead to, from those made at `since` or later.

    What cannot be read as a time was made later.
    """
    found: set[bytes] = set()
    for line in (log or b"").splitlines():
        said = line.split(b"\t")[0]
        names, when = said.split(b" ", 2)[:2], said.rsplit(b" ", 2)[-2:]
        if not (when[0].isdigit() and float(when[0]) < since):
            found.update(name for name in names if name.strip(b"0"))
    return found


def _leaves(shadow: Shadow, tips: Iterable[bytes], kept: Iterable[bytes]) -> bool:
    """Whether a commit can be reached from the tips and from none that are kept."""
    given = b"".join(tip + b"\n" for tip in tips)
    if not given:
        return False
    given += b"".join(b"^" + each + b"\n" for each in kept)
    out = shadow.run("rev-list", "--ignore-missing", "--max-count=1", "--stdin", given=given)
    return bool(out.strip())


def _stands(shadow: Shadow, stash: bytes, content: Content) -> bool:
    """Whether every file that a stash holds stands in the working folder with the same bytes."""
    name = stash.decode("ascii", "replace")
    wanted: list[tuple[bytes, bytes]] = []
    ran = shadow.ask("diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", f"{name}^1", name)
    if ran.code != 0:
        return False
    parts = ran.out.split(b"\0")[:-1]
    for said, path in zip(parts[::2], parts[1::2], strict=True):
        wanted.append((said.split(b" ")[3], path))
    untracked = shadow.ask("ls-tree", "-r", "-z", f"{name}^3")
    if untracked.code == 0:
        for entry in untracked.out.split(b"\0")[:-1]:
            said, _, path = entry.partition(b"\t")
            wanted.append((said.split(b" ")[2], path))
    return all(
        shadow.run("cat-file", "blob", blob.decode("ascii"))
        == content(path.decode("utf-8", "surrogateescape"))
        for blob, path in wanted
        if blob.strip(b"0")
    )


def _read(folder: str, path: str) -> bytes | None:
    try:
        return Path(folder, path).read_bytes()
    except OSError:
        return None
