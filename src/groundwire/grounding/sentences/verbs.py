"""Verbs of deeds: the words that say something was changed, and which mean the same.

A *family* is a set of verbs that one tool may stand for: whoever has `send_email` can have mailed.
*Near* families are those a deed is told by besides (`refund` for a cancelled order); they excuse a
sentence and never accuse one. Reading is a family apart: it changes nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FAMILIES: dict[str, str] = {
    "cancel": "cancel void abort revoke",
    "remove": "delete remove clear erase wipe purge discard uninstall unassign drop",
    "create": "create add insert generate register build open establish make setup",
    "change": "update change modify edit alter adjust amend set replace switch correct upgrade "
    "downgrade rename patch increase decrease revise rebook reschedule extend",
    "move": "move relocate archive",
    "copy": "copy duplicate clone",
    "send": "send resend email mail message forward notify reply invite",
    "share": "share grant invite",
    "buy": "purchase buy order checkout repurchase reorder rebuy",
    "pay": "pay transfer wire remit deposit donate charge",
    "refund": "refund reimburse",
    "return": "return",
    "exchange": "exchange swap",
    "book": "book reserve rebook",
    "schedule": "schedule reschedule",
    "post": "post publish comment tweet",
    "submit": "submit",
    "download": "download",
    "save": "save store write",
    "upload": "upload attach",
    "escalate": "transfer escalate handoff",
    "issue": "issue award credit",
    "restart": "restart reboot reload",
    "start": "start launch trigger activate enable engage",
    "stop": "stop halt terminate kill disable deactivate pause suspend",
    "deploy": "deploy release",
    "approve": "approve accept",
    "reject": "reject decline",
    "assign": "assign allocate delegate",
    "close": "close resolve",
    "block": "block ban lock",
    "unblock": "unblock unban unlock",
    "reset": "reset",
    "merge": "merge",
    "commit": "commit push",
    "subscribe": "subscribe",
    "unsubscribe": "unsubscribe",
    "install": "install",
    "apply": "apply redeem",
}
_NEAR: dict[str, str] = {
    "cancel": "change remove refund stop unsubscribe",
    "remove": "change cancel move unblock close",
    "create": "book schedule post submit save send buy upload copy change issue share subscribe",
    "change": "create remove exchange book schedule move cancel reset apply assign save return pay",
    "move": "change copy",
    "copy": "create save",
    "send": "post share submit create pay issue escalate",
    "share": "send post",
    "buy": "pay book create submit",
    "pay": "buy send refund exchange change book return issue create cancel schedule",
    "refund": "return cancel pay exchange change issue",
    "return": "refund exchange",
    "exchange": "change return buy",
    "book": "create schedule buy change submit",
    "schedule": "create book pay change send",
    "post": "create send submit upload share",
    "submit": "send create post upload buy pay book return exchange",
    "download": "save",
    "save": "create change download upload",
    "upload": "create send submit save post",
    "escalate": "send assign create",
    "issue": "send create pay refund",
    "restart": "start stop reset",
    "start": "create restart deploy change schedule",
    "stop": "cancel change remove block close",
    "deploy": "start create upload",
    "approve": "change merge close",
    "reject": "change close cancel",
    "assign": "change create",
    "close": "change cancel stop merge remove",
    "block": "change stop",
    "unblock": "change start",
    "reset": "change restart",
    "merge": "change close",
    "commit": "save upload change create",
    "subscribe": "create buy",
    "unsubscribe": "cancel remove change",
    "install": "create download deploy",
    "apply": "change buy create",
}
# Words that are a verb of a tool's name only where no other word of it is.
_ALSO_NOUNS = _words(
    "order book return exchange transfer email mail message comment post issue charge schedule "
    "store release commit reply set drop close credit lock block patch copy award order share "
    "change update upgrade wire grant reset open"
)
_READS = _words(
    "get list search find read view fetch lookup look query check verify calculate compute think "
    "count show describe browse load retrieve inspect explain analyze analyse compare summarize "
    "scan select ask validate test estimate preview convert translate tell login authenticate "
    "whoami ping status info navigate"
)
# A verb that says nothing by itself; the noun beside it is what was done.
LIGHT = _words(
    "process complete finalize finalise initiate place make submit request perform execute issue "
    "confirm finish do arrange"
)
_MONEY = _words("money fund funds payment balance amount credit bank cash account wire")
_MAKING = _words("create send submit issue schedule")
_NOUNS: dict[str, str] = {
    "refund": "refund",
    "reimbursement": "refund",
    "return": "return",
    "exchange": "exchange",
    "cancellation": "cancel",
    "booking": "book",
    "reservation": "book",
    "payment": "pay",
    "money": "pay",
    "fund": "pay",
    "transaction": "pay",
    "purchase": "buy",
    "order": "buy",
    "transfer": "pay",
    "modification": "change",
    "change": "change",
    "update": "change",
    "upgrade": "change",
    "deletion": "remove",
    "removal": "remove",
    "comment": "post",
    "post": "post",
    "certificate": "issue",
    "voucher": "issue",
    "credit": "issue",
    "deployment": "deploy",
    "restart": "restart",
    "reboot": "restart",
    "appointment": "schedule",
    "meeting": "schedule",
}
_PASTS: dict[str, str] = {
    "send": "sent",
    "resend": "resent",
    "buy": "bought",
    "rebuy": "rebought",
    "pay": "paid",
    "make": "made",
    "do": "did done",
    "set": "set",
    "reset": "reset",
    "write": "wrote written",
    "build": "built",
    "swap": "swapped",
    "drop": "dropped",
    "wipe": "wiped",
    "stop": "stopped",
    "ban": "banned",
    "unban": "unbanned",
    "commit": "committed",
    "submit": "submitted",
    "remit": "remitted",
    "transfer": "transferred",
    "cancel": "cancelled canceled",
}
# Families whose verb is said of texts and lists as readily as of the world.
GENERIC = _words(
    "create change save share start stop move copy apply post send submit close remove issue approve "
    "assign upload schedule"
)
_SPLIT = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
# What joins words of a name and says nothing about its object.
_FILLERS = _words("to by of for from with through the a an and or id ids in on at via new")


def _of(table: dict[str, str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for family, words in table.items():
        for word in words.split():
            found.setdefault(word, set()).add(family)
    return {word: frozenset(families) for word, families in found.items()}


_FAMILIES_OF = _of(_FAMILIES)


def _past(lemma: str) -> str:
    if lemma in _PASTS:
        return _PASTS[lemma]
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ied"
    return lemma + "ed"


FORMS: dict[str, str] = {
    form: lemma
    for lemma in sorted({*_FAMILIES_OF, *LIGHT} - {"checkout", "handoff", "setup"})
    for form in _past(lemma).split()
}


def families_of(lemma: str) -> frozenset[str]:
    """The families of a verb in its basic form; none where it says no deed by itself."""
    return _FAMILIES_OF.get(lemma, frozenset())


def family_of_noun(noun: str) -> str:
    """The family of the deed that a noun stands for (`cancellation`), or an empty text."""
    return _NOUNS.get(noun) or _NOUNS.get(noun.removesuffix("s"), "")


@lru_cache(maxsize=256)
def stems_of(families: frozenset[str]) -> frozenset[str]:
    """The beginnings of the verbs and nouns of these families, long enough to mean nothing else."""
    words = [word for family in families for word in _FAMILIES[family].split()]
    words += [noun for noun, family in _NOUNS.items() if family in families]
    return frozenset(word[:6] for word in words if len(word) >= 6)


def near(families: frozenset[str]) -> frozenset[str]:
    """These families and all that a deed of theirs may be told by."""
    return families.union(*(_NEAR.get(family, "").split() for family in families))


def lemma_of(verb: str) -> str:
    """The basic form of a verb as a declaration names it, in whichever form that is."""
    word = " ".join(verb.lower().split())
    return FORMS.get(word, word)


def past_of(lemma: str) -> tuple[str, ...]:
    """The past forms of a verb in its basic form; of `roll back`, those of its first word."""
    first, _, rest = lemma.partition(" ")
    return tuple(f"{form} {rest}".strip() for form in _past(first).split())


class Name:
    """A tool's name read: `families` of its verbs, whether it `reads`, and its `objects`.

    `is_opaque`: no word of it is a verb this version knows, so it may do anything.
    """

    __slots__ = ("families", "is_opaque", "objects", "reads")

    def __init__(self, name: str) -> None:
        words = [word.lower() for word in _SPLIT.split(name) if word]
        plain = [word for word in words if word in _FAMILIES_OF and word not in _ALSO_NOUNS]
        self.reads = any(word in _READS for word in words)
        if not plain and not self.reads:
            plain = [word for word in words if word in _FAMILIES_OF][:1]
        self.families = frozenset().union(*(_FAMILIES_OF[word] for word in plain))
        if self.families & _MAKING:
            # Who creates an order buys, who sends money pays.
            made = [family_of_noun(word) for word in words if word not in plain]
            self.families |= frozenset(family for family in made if family)
        if "transfer" in plain and not _MONEY.intersection(words):
            self.families -= {"pay"}
        self.is_opaque = not plain and not self.reads
        self.objects = frozenset(
            singular(word)
            for word in words
            if word not in plain and word not in _FILLERS and len(word) > 2
        )


def singular(word: str) -> str:
    """The word without the `s` of its plural, roughly; equal for both numbers of a word."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
