"""Files that make their folder a repository, or the settings of one, whatever the folder is called.

A person who runs git in such a folder, or below it, runs what its settings name. git asks the same
by `safe.bareRepository`.
"""

from __future__ import annotations

import re
from typing import Final

from groundwire.targets.places.patterns import folded

_HEAD: Final = re.compile(rb"\A(?:ref:\s*refs/|[0-9a-f]{40})", re.IGNORECASE)
_RUNS: Final = re.compile(
    rb"\[(?:include|includeif|filter|diff|difftool|merge|mergetool|credential|gpg|pager|interactive"
    rb"|sequence|uploadpack|remote|alias)[\s.\"\]]",
    re.IGNORECASE,
)
_CORE: Final = re.compile(rb"\[core[\s.\"\]]", re.IGNORECASE)
_RUNS_OF_CORE: Final = re.compile(
    rb"(?:fsmonitor|hookspath|sshcommand|gitproxy|editor|pager|askpass|worktree|attributesfile"
    rb"|alternaterefscommand)\s*=",
    re.IGNORECASE,
)


def is_of_repository(path: str, content: bytes) -> bool:
    """Whether a file of this name and content makes a repository, or says what git runs in one.

    Knows nothing of the other files there: without a `HEAD` that git believes there is no repository,
    so each is told by itself. Settings that run nothing are none.
    """
    name = folded(path.rpartition("/")[2])
    if name == "head":
        return _HEAD.match(content) is not None
    if name != "config":
        return False
    core = _CORE.search(content) is not None and _RUNS_OF_CORE.search(content) is not None
    return core or _RUNS.search(content) is not None
