"""Whether a text reads as what a tool returned, or may be some host's words for a refusal.

Leans to the second: a host may put a refusal as it likes, in any language, and is not to be accused
for its words.
"""

from __future__ import annotations

import re
from typing import Final

from groundwire.checks.claim.sentences.outcomes import is_empty, is_failure

_HEAD, _TAIL, _LONG = 600, 200, 600
# Whoever held a call up says one of these, in English.
_HELD: Final = re.compile(
    r"refus|den(?:y|ied|ies)|declin|reject|allow|permit|permission|approv|confirm|consent|review|"
    r"block|forbid|unauthori|prohibit|restrict|cancel|skip|abort|interrupt|stopp|halt|"
    r"polic|guard|govern|safety|compliance|sandbox|"
    r"\bnot\b|n't\b|\bno\b|\bnever\b|nothing|without|unable|cannot|fail|error|exception|invalid|"
    r"unavailable|missing|pending|await|wait|later|retry|try again|instead|person|human|user|operator|"
    r"admin|dry.?run|simulat|would (?:have|be)|placeholder|omitted|cleared|removed|truncat|elided|"
    r"\bfalse\b",
    re.IGNORECASE,
)
_DONE: Final = re.compile(
    r"\W*(?:ok|okay|done|success(?:ful(?:ly)?)?|wrote|written|saved|sent|created|updated|deleted|"
    r"edited|changed|moved|renamed|applied|committed|merged|deployed|published|booked|paid|"
    r"transferred|executed|completed?|finished|inserted|added|uploaded|"
    r"\w+ (?:was |were |has been |have been )?(?:successfully )?(?:written|saved|sent|created|updated|"
    r"deleted|edited|changed|moved|renamed|applied|committed|merged|deployed|published|booked|paid|"
    r"transferred|executed|completed))\b",
    re.IGNORECASE,
)


def reads_as_result(text: str, *, is_error: bool) -> bool:
    """Whether it says or shows that the tool did its work, and nothing in it could be a refusal.

    Does not see a result that speaks of permissions, users or errors, however plain it is.
    """
    if is_failure(text, is_error=is_error) or is_empty(text):
        return False
    if _HELD.search(text[:_HEAD]) or _HELD.search(text[-_TAIL:]):
        return False
    return text.lstrip()[:1] in {"{", "["} or len(text) > _LONG or bool(_DONE.match(text))
