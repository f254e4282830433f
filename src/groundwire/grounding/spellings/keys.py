"""Keys: what the name of an argument says of its value.

Only what the whole name says: `order_id` is an identifier, `note` a text of the model's own,
`query` words to search by, `sql` a program, `price_max` an amount. Any other name says nothing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from groundwire.grounding.spellings.shapes import KeySays

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIERS = (
    "id ids uuid uuids guid guids iban ibans isbn issn imei otp ssn sku skus vin wwn wwpn"
)
# These are identifiers only with a word before them: `discount_code`, but not `code`; and not where
# that word says that something is counted: `page_number`.
_WITH_A_WORD = "code codes number numbers no"
_COUNTED = "page line row column col step attempt chapter season episode max min total source"
_TEXTS = (
    "title subject body content contents text message messages description desc note notes comment "
    "comments summary reason reasons rationale query queries search keyword keywords prompt question "
    "questions thought thoughts reasoning explanation instruction instructions caption topic feedback "
    "review answer reply response purpose goal details justification bio greeting headline"
)
_PROGRAMS = "code sql script command cmd expression formula pattern regex regexp snippet program"
_AMOUNTS = (
    "amount price cost budget quantity qty count limit max min total rating score percent percentage "
    "rate size width height weight age duration timeout days hours minutes seconds radius distance"
)
_SAYS: dict[str, KeySays] = {
    **dict.fromkeys(_TEXTS.split(), "text"),
    **dict.fromkeys(_PROGRAMS.split(), "program"),
    **dict.fromkeys(_IDENTIFIERS.split(), "identifier"),
    **dict.fromkeys(_AMOUNTS.split(), "amount"),
}
_LAST = frozenset(_WITH_A_WORD.split())
_NOT_AFTER = frozenset(_COUNTED.split())


@lru_cache(maxsize=4096)
def key_says(key: str) -> KeySays:
    """What this name of a field says; list indices are not names."""
    words = [word.lower() for word in _WORD.findall(key)]
    if not words:
        return ""
    if len(words) > 1 and words[-1] in _LAST and words[-2] not in _NOT_AFTER:
        return "identifier"
    return _SAYS.get(words[-1], "")
