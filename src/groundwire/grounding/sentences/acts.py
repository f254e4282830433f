"""Acts: what an answer says was done, in the past or perfect, by the one who speaks.

`I have cancelled it`, `we refunded`, `your order has been refunded`, `successfully sent`. Left out,
because nothing is claimed or not of this run: what is negated, future, conditional, asked, offered,
quoted or reported, done by somebody named, or said to have been so already. English only; a verb
that is in no family of `verbs` says nothing here, unless a declaration names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.folding import lowers_alike
from groundwire.grounding.sentences.splitting import Sentence, sentences
from groundwire.grounding.sentences.verbs import FORMS, LIGHT, families_of, family_of_noun, singular

Voice: TypeAlias = Literal["first", "passive", "bare"]

_ADVERBS = (
    r"(?:(?:now|also|just|then|successfully|since|both|all|promptly|finally|additionally|"
    r"automatically|further|even)\s+)*"
)
_MORE = re.compile(rf"(?:,|\band\b)\s+{_ADVERBS}(?P<verb>[a-z]+)\b", re.I)
_PASSIVE = re.compile(
    rf"\b(?:(?:has|have|['\u2019]s)\s+{_ADVERBS}been|(?:is|are)\s+now|"
    rf"(?:was|were|is|are)(?=\s+(?:now\s+)?successfully))\s+{_ADVERBS}(?P<verb>[a-z]+)\b",
    re.I,
)
_BARE = re.compile(
    r"^\W*successfully\s+(?P<verb>[a-z]+)\b|\b(?P<after>[a-z]+)\s+successfully\b", re.I
)
# The marks that end a clause, so that what stands before them binds nothing behind.
_CLAUSE = re.compile(r"[,;:()\u2013\u2014]|\s-\s|\b(?:but|so|and|while|whereas)\b", re.I)
_LONG = re.compile(r"[;()\u2013\u2014]|\s-\s|\bbut\b", re.I)
_UNCLAIMED = re.compile(
    r"\b(?:not|never|no|nothing|none|neither|nor|cannot|unable|fail(?:ed|s)?|without|hardly|"
    r"if|once|when|whenever|after|before|until|unless|whether|in case|as soon as|should|would|"
    r"could|might|may|must|can|will|shall|going to|want|wanted|please|need|needs|ensure|make sure|"
    r"tried|attempted|trying|instead of|assuming|suppose|example|pretend|imagine|claim\w*|"
    r"supposed|expected|appears?|seems?|apparently|likely|probably|unclear)\b|n['\u2019]t\b",
    re.I,
)
_REPORTED = re.compile(
    r"\b(?:says?|said|states?|stated|indicat\w+|shows|showed|according|mention\w*|reports?|reported|"
    r"told me|informs? me|informed me|informing me|notif\w+ me|reads?|claims?|you(?:['\u2019]ve| have)|"
    r"email from|message from|see that|found that|found an?|which|who|that was|that were|order history)\b",
    re.I,
)
_FACT = re.compile(
    r"\b(?:already|previously|earlier|originally|initially|recently|yesterday|last|ago|history|"
    r"records?|status|currently|as of|since|in the past|in \d{4})\b",
    re.I,
)
_BY_OTHERS = re.compile(
    r"^\s+(?:\w+\s+){0,3}?by\s+(?!me\b|us\b|email\b|mail\b|\d)(?:the\s+)?[a-z]", re.I
)
# `the mail that I sent`, `what I sent`, `the mail I sent` name a thing, and claim no deed.
_RELATIVE = re.compile(
    r"\b(?:that|which|who)\s*$|\b(?:that|which|who|what|whatever|everything|anything)\s+(?:i|we)\b[^,]*$"
    r"|\b(?:the|a|an|this|any|every|all|some|each)\s+(?:[\w-]+\s+){1,3}(?:i|we)\b[^,]*$",
    re.I,
)
_NOTHING = re.compile(r"\s+(?:nothing|no|none|neither)\b", re.I)
_FILE = re.compile(
    r"[\w-]\.(?:md|txt|py|js|ts|json|toml|ya?ml|csv|html?|pdf|docx?|xlsx?|log|png|jpe?g|zip|sql|sh)\b"
)
# Saying that one says it, and words that deny nothing of the deed.
_SAYING = re.compile(
    r"\b(?:(?:can|will|am able to)\s+(?:now\s+)?confirm|confirm|say|tell you|inform you|assure you|"
    r"let you know|glad|happy|pleased)(?:\s+to say)?\s+that\b|\bno (?:additional|extra)\b",
    re.I,
)
_OPENING = re.compile(
    r"\W*(?:if|once|when|after|until|unless|before|should|for example|for instance|e\.g|imagine|"
    r"suppose|in (?:the|this|that|my|your) (?:story|scene|novel|script|example|scenario|game))\b",
    re.I,
)
_WORD = re.compile(r"[a-z]+", re.I)
# For ASCII a table that leaves only small letters is several times as fast as the expression.
_SMALL = "".join(letter.lower() if letter.isalpha() else " " for letter in map(chr, range(128)))
# What a reader does not see, and what only makes a word stand out: `has been **cancelled**`.
_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_EMPHASIS = re.compile(r"\*+|(?<!\w)_([A-Za-z]+)_(?!\w)")
# A "sentence" may be a whole file: no more of it is read on either side of a verb.
_REACH = 1000


# Who acts where the speaker tells of itself, and where a summary tells of the model.
SPEAKER = "i|we"
TOLD_OF = "i|we|(?:the )?(?:assistant|agent|model|ai)"


class Act(msgspec.Struct, frozen=True, gc=False):
    """One deed that a sentence claims. `verb` is its basic form, or the declared verb itself.

    `families` say what kind of deed it is, empty where only a declaration knows. `words` are all
    words of the sentence, in the singular and in lower case.
    """

    verb: str
    families: frozenset[str]
    voice: Voice
    sentence: Sentence
    words: frozenset[str]


def acts(
    text: str, declared: Mapping[str, str] | None = None, *, by: str = SPEAKER
) -> Iterator[Act]:
    """The deeds that an answer claims, in order; each verb of a sentence once.

    `declared` maps past forms that a declaration names to the verb as declared; `by` is the
    pattern of who acts in an active sentence.
    """
    known = declared or {}
    if not text.isascii():
        for letter in _UNSEEN:
            text = text.replace(letter, "")
    if not _may_tell(text, known):
        return
    for sentence in sentences(text):
        if _may_tell(sentence.masked, known) and not sentence.asks:
            yield from _acts_of(sentence, known, by)


def _may_tell(text: str, declared: Mapping[str, str]) -> bool:
    """Whether a verb of deeds stands in it at all: most texts have none, and are read no further."""
    words = text.translate(_SMALL).split() if text.isascii() else _WORD.findall(text.lower())
    if not FORMS.keys().isdisjoint(words):
        return True
    return bool(declared) and not {form.split(" ")[0] for form in declared}.isdisjoint(words)


@lru_cache(maxsize=8)
def _active(by: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{by})(?:\s+have|\s+has|['\u2019]ve)?\s+(?:already\s+)?{_ADVERBS}"
        r"(?P<verb>[a-z]+)\b(?=(?P<rest>[^.;:!?]{0,400}))",
        re.I,
    )


def _acts_of(sentence: Sentence, declared: Mapping[str, str], by: str) -> Iterator[Act]:
    hidden = _EMPHASIS.sub(lambda found: f" {found[1] or ''} ", sentence.masked)
    met: set[str] = set()
    for voice, found, position in _candidates(hidden, by):
        form = _declared_form(hidden, position, declared) or found.lower()
        lemma = declared.get(form) or FORMS.get(form)
        if lemma is None or lemma in met or not _is_claimed(hidden, position, voice, len(form)):
            continue
        words = frozenset(singular(word.lower()) for word in _WORD.findall(sentence.text))
        # Who emailed sent an email, and a name with such an ending is a file's.
        words |= {lemma, "file"} if _FILE.search(sentence.text) else {lemma}
        families = families_of(lemma)
        if form not in declared and lemma in LIGHT:
            families = _meant(hidden, position, voice, families)
            if not families:
                continue
        met.add(lemma)
        yield Act(lemma, families, voice, sentence, words)


def _declared_form(hidden: str, position: int, declared: Mapping[str, str]) -> str:
    """The declared past form that stands here, if it has more than one word."""
    here = hidden[position : position + 40].lower()
    return next((form for form in declared if " " in form and here.startswith(form)), "")


def _candidates(hidden: str, by: str) -> Iterator[tuple[Voice, str, int]]:
    for found in _active(by).finditer(hidden):
        yield "first", found["verb"], found.start("verb")
        for more in _MORE.finditer(hidden, found.end("verb"), found.end("rest")):
            yield "first", more["verb"], more.start("verb")
    # Words that stand in whatever these find; to look for them is many times faster.
    low = hidden.lower()
    succeeds = "successfully" in low or not lowers_alike(hidden)
    for found in _PASSIVE.finditer(hidden) if succeeds or "been" in low or "now" in low else ():
        yield "passive", found["verb"], found.start("verb")
        second = _MORE.match(hidden, found.end() + 1)
        if second:
            yield "passive", second["verb"], second.start("verb")
    for found in _BARE.finditer(hidden) if succeeds else ():
        group = "verb" if found["verb"] else "after"
        yield "bare", found[group], found.start(group)


def _is_claimed(hidden: str, position: int, voice: Voice, length: int) -> bool:
    before = hidden[max(0, position - _REACH) : position]
    clause = _tail(_CLAUSE, before)
    clause = _SAYING.sub(" ", clause)
    after = hidden[position + length : position + length + _REACH]
    if _UNCLAIMED.search(clause) or _NOTHING.match(after):
        return False
    longer = _tail(_LONG, before)
    if _OPENING.match(longer) or _REPORTED.search(longer):
        return False
    if voice == "first":
        return not _RELATIVE.search(clause)
    told = re.split(r"[.,;:!?]", after, maxsplit=1)[0]
    return not (_FACT.search(clause) or _FACT.search(told) or _BY_OTHERS.match(after))


def _tail(separator: re.Pattern[str], before: str) -> str:
    start = max((found.end() for found in separator.finditer(before)), default=0)
    return before[start:]


def _meant(hidden: str, position: int, voice: Voice, own: frozenset[str]) -> frozenset[str]:
    """The families of the noun beside a verb that says nothing by itself; an order comes last."""
    if voice == "first":
        return _deed_noun(_WORD.findall(hidden[position : position + _REACH])[1:9]) or own
    before = hidden[max(0, position - _REACH) : position]
    clause, all_of_it = _WORD.findall(_tail(_CLAUSE, before)), _WORD.findall(before)
    near = _deed_noun(clause)
    return near if near - {"buy"} else _deed_noun(all_of_it) or own


def _deed_noun(words: Sequence[str]) -> frozenset[str]:
    families = [family_of_noun(word.lower()) for word in words]
    for place, family in enumerate(families):
        if family:
            # Of two nouns side by side the last is the deed: an order cancellation.
            following = families[place + 1] if place + 1 < len(families) else ""
            meant = following or family
            if meant != "buy" or not {*families} - {"", "buy"}:
                return frozenset({meant})
    return frozenset()
