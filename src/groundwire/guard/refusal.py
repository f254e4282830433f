"""What a model is told of a refusal: a closed vocabulary, and nothing that a stranger wrote.

A reason code, ids of rules, one of our sentences, names in a safe character set; a digest stands
for every name that is not. What a person is shown is another thing, and not here.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.outcome import Refused
from groundwire.documents.target import TargetName

Next: TypeAlias = Literal["read-again", "ask-person", "ask-again", "change-call", "stop"]

REPEATS: Final = 5
"""After so many refusals of one tool and target a model is told to stop."""
REMEMBERED: Final = 4096
"""So many tools and targets are counted in one run; the one longest not refused is forgotten."""

_SAFE: Final = re.compile(r"/?\.?[A-Za-z0-9_][A-Za-z0-9_./-]{0,119}")
_RULE: Final = re.compile(r"[a-z0-9]+(?:[-./][a-z0-9]+)*")
_READ_AGAIN: Final = (
    "artifact-contradicts",
    "call-cancelled",
    "database-busy",
    "edit-ambiguous",
    "edit-not-found",
    "file-absent",
    "file-present",
    "git-locked",
    "grant-expired",
    "objects-forgotten",
    "once-running",
    "once-unsettled",
    "patch-ambiguous",
    "patch-not-found",
    "receipt-expired",
    "ref-absent",
    "state-drifted",
    "state-unmeasurable",
    "target-not-read",
)
_ASK_AGAIN: Final = "approval-pending"
_CHANGE_CALL: Final = (
    "arguments-ambiguous",
    "arguments-do-not-fit",
    "arguments-malformed",
    "bad-path",
    "bad-ref",
    "command-too-long",
    "edit-malformed",
    "no-such-commit",
    "not-a-file",
    "nothing-staged",
    "once-key-differs",
    "once-key-missing",
    "patch-malformed",
    "patch-unsupported",
    "path-is-link",
    "ref-checked-out",
    "ref-is-symbolic",
    "same-file-twice",
    "statement-failed",
    "statement-refused",
    "statement-timed-out",
    "unknown-tool",
    "unseen-content",
)
_SENTENCES: Final[dict[Next, str]] = {
    "read-again": "Nothing was changed. Read the target again, then make the call anew.",
    "ask-again": "Nothing was changed. A person was asked; make the same call again later.",
    "ask-person": "Nothing was changed. A person has to decide this; tell them what you need.",
    "change-call": "Nothing was changed. The call does not fit; make it differently.",
    "stop": "Nothing was changed. This was refused several times; do not try again, tell a person.",
}


_STOPPED: Final = "stopped"
_STOPPED_SAYS: Final = "Nothing was changed. A person stopped this run; do nothing more and say so."


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """What a model gets in the place of a result."""

    next: Next
    reason: str
    rules: tuple[str, ...]
    says: str
    targets: tuple[str, ...]
    tool: str


class Tally:
    """How often each tool was refused at each target in one run."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: OrderedDict[tuple[str, TargetName | None], int] = OrderedDict()

    def __len__(self) -> int:
        """How many tools and targets are counted."""
        return len(self._counts)

    def count(self, tool: str, targets: tuple[TargetName, ...]) -> int:
        """One more refusal at each of them; how many the most refused has had. No target is one too."""
        keys: list[tuple[str, TargetName | None]] = [(tool, target) for target in targets]
        keys = (keys or [(tool, None)])[:REMEMBERED]
        for key in keys:
            self._counts[key] = self._counts.pop(key, 0) + 1
            if len(self._counts) > REMEMBERED:
                self._counts.popitem(last=False)
        return max(self._counts[key] for key in keys)


def refusal(refused: Refused, tool: str, targets: tuple[TargetName, ...], tally: Tally) -> Refusal:
    """The refusal as a model is to see it; it is counted, but for one that waits for a person.

    Says nothing of what was in the call or the target.
    """
    waits = refused.reason == _ASK_AGAIN  # to look again is what it was told to do
    often = not waits and tally.count(tool, targets) >= REPEATS
    what: Next = "stop" if often else next_of(refused.reason)
    return Refusal(
        next=what,
        reason=refused.reason if _RULE.fullmatch(refused.reason) else shown(refused.reason),
        rules=tuple(rule if _RULE.fullmatch(rule) else shown(rule) for rule in refused.rules),
        says=_STOPPED_SAYS if refused.reason == _STOPPED else _SENTENCES[what],
        targets=tuple(shown(target.spelled) for target in targets),
        tool=shown(tool),
    )


def next_of(reason: str) -> Next:
    """What a refusal by this reason asks for at first; whatever is not known is for a person."""
    if reason == _ASK_AGAIN:
        return "ask-again"
    if reason == _STOPPED:
        return "stop"
    if reason in _READ_AGAIN:
        return "read-again"
    return "change-call" if reason in _CHANGE_CALL else "ask-person"


def shown(text: str) -> str:
    """The text where it is short and of letters, digits, `_ . / -`; else its SHA-256.

    A text in this set can still be words; it is a name that somebody chose.
    """
    if _SAFE.fullmatch(text):
        return text
    return sha256(text.encode("utf-8", "surrogatepass"))
