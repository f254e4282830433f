"""What a path in a git folder is, and whether what git wrote there may come in: pure.

An allow-list: whatever git is not known to write by itself is not let in, for most of what else
stands there names programs that git starts (`config`, `hooks`, attributes), or reads objects from
elsewhere (`objects/info/alternates`).
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from groundwire.targets.git.naming import is_ref
from groundwire.targets.places.patterns import folded

Part: TypeAlias = Literal["object", "housekeeping", "ref", "log", "index", "state"]
"""`object`: content under its own name. `housekeeping`: what git makes again by itself."""

_LOOSE: Final = re.compile(r"objects/[0-9a-f]{2}/[0-9a-f]{38}(?:[0-9a-f]{24})?")
_PACK: Final = re.compile(r"objects/pack/pack-[0-9a-f]{40}(?:[0-9a-f]{24})?\.pack")
_STATE: Final = frozenset(
    {
        "ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "AUTO_MERGE",
        "MERGE_AUTOSTASH", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "COMMIT_EDITMSG",
        "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG", "BISECT_LOG", "BISECT_START", "BISECT_TERMS",
        "BISECT_NAMES", "BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_HEAD",
    }
)  # fmt: skip
_STATE_FOLDERS: Final = ("rebase-merge/", "rebase-apply/", "sequencer/", "rr-cache/")
_HOUSEKEEPING: Final = frozenset({"gc.log", "gc.pid", "info/refs", "objects/info/packs"})
_OBJECTS: Final = re.compile(
    r"objects/(?:pack/(?:pack-[0-9a-f]+\.(?:idx|rev|bitmap|mtimes|keep|promisor)|multi-pack-index"
    r"|multi-pack-index-[0-9a-f]+\.(?:bitmap|rev))|info/commit-graphs?(?:/[\w.-]+)?)"
)
_TEXT: Final = re.compile(rb"(?:[0-9a-f]{40}|[0-9a-f]{64})\s*")
_SYMBOLIC: Final = re.compile(rb"ref: (\S+)\s*")
_STRATEGIES: Final = frozenset({b"", b"ort", b"recursive", b"resolve", b"octopus", b"ours", b"subtree"})  # fmt: skip
_STRATEGY: Final = re.compile(rb"^\s*strategy\s*=\s*(.*?)\s*$", re.MULTILINE | re.IGNORECASE)
_STARTS: Final = re.compile(rb"^[ \t]*(?:exec|x)[ \t]", re.MULTILINE)


def part_of(path: str) -> Part | None:
    """What the path below a git folder is; None where git does not write it by itself.

    Paths are taken as they are spelled: another spelling of a known one is an unknown one.
    """
    if _LOOSE.fullmatch(path) or _PACK.fullmatch(path):
        return "object"
    if path in _HOUSEKEEPING or _OBJECTS.fullmatch(path):
        return "housekeeping"
    if path in {"HEAD", "packed-refs"} or (is_ref(path) and not path.startswith("refs/replace/")):
        return "ref"
    if path == "logs/HEAD" or (path.startswith("logs/") and is_ref(path[5:])):
        return "log"
    if path == "index" or re.fullmatch(r"sharedindex\.[0-9a-f]{40,64}", path):
        return "index"
    if path in _STATE or (path.startswith(_STATE_FOLDERS) and ".." not in path.split("/")):
        return "state"
    return None


def is_packable(path: str) -> bool:
    """Whether the path is that of a ref which stands in `packed-refs` where it has no file."""
    return part_of(path) == "ref" and path not in {"HEAD", "packed-refs"}


def is_sound(path: str, after: bytes | None) -> bool:
    """Whether the content is what git itself leaves at such a path, and starts no program later.

    A rebase's list of what is to be done can name commands (`exec`), and its strategy a program:
    whoever goes on with it runs them outside of every guard.
    """
    if after is None:
        return path not in {"HEAD", "index"}
    match part_of(path):
        case None:
            return False
        case "ref":
            return _is_sound_ref(path, after)
        case "state":
            name = path.rpartition("/")[2]
            if name == "strategy":
                return after.strip() in _STRATEGIES
            if name == "opts":
                return all(each in _STRATEGIES for each in _STRATEGY.findall(after))
            return "todo" not in name or not _STARTS.search(after)
        case _:
            return True


def is_sound_entry(path: bytes) -> bool:
    """Whether an index may say that a file of the working tree has this path.

    git believes the index: at the next checkout it writes what stands there, in `.git/hooks` too.
    """
    names = path.decode("utf-8", "surrogateescape").split("/")
    return all(name and folded(name) not in {".git", ".", ".."} for name in names)


def packed(content: bytes) -> dict[str, bytes] | None:
    """What `packed-refs` says: refs and the objects they name; None where it is not sound."""
    found: dict[str, bytes] = {}
    for line in content.splitlines():
        if line.startswith((b"#", b"^")):
            continue
        value, _, name = line.partition(b" ")
        try:
            ref = name.decode()
        except UnicodeDecodeError:
            return None
        if not _TEXT.fullmatch(value) or not is_ref(ref) or ref.startswith("refs/replace/"):
            return None
        found[ref] = value
    return found


def _is_sound_ref(path: str, after: bytes) -> bool:
    if path == "packed-refs":
        return packed(after) is not None
    symbolic = _SYMBOLIC.fullmatch(after)
    if symbolic is None:
        return bool(_TEXT.fullmatch(after))
    return is_ref(symbolic[1].decode("utf-8", "replace"))
