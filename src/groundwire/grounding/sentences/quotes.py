"""Quotes: what an answer puts into somebody's mouth, word for word, and into whose.

A quote counts where the sentence before it says who said it: a tool, a file, a page, a document, an
error, a person, the user. What stands in quotation marks for any other reason (a title, a name, a
word, an example, a suggestion, code of the model's own) is none. English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

Source: TypeAlias = Literal["user", "tool", "document"]
Form: TypeAlias = Literal["inline", "block", "fence"]
LEAST = 12
# Nobody is said to say something in fewer characters.
_SHORTEST = len("Al says")

_INLINE = re.compile(
    r"(?<![\w=(\[{.,;!?)\]])\"(?=\S)(?P<a>[^\"\n]{12,600})(?<=\S)\"(?!\w)|\u201c(?P<b>[^\u201c\u201d\n]{12,600})\u201d"
    r"|\u00ab\s?(?P<c>[^\u00ab\u00bb\n]{12,600}?)\s?\u00bb"
)
_MARKS = ('"', "\u201c", "\u00ab", ">", "```", "~~~")
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.M)
_FENCE = re.compile(
    r"^[ \t]*(?P<mark>```|~~~)[^\n]*\n(?P<body>.*?)^[ \t]*(?P=mark)[ \t]*$", re.M | re.S
)
_NOUN = (
    r"(?:web\s?)?(?:page|site|file|document|doc|docs|documentation|article|e-?mail|message|notes?|logs?|"
    r"report|policy|transcript|review|readme|invoice|ticket|thread|post|comment|contract|manual|"
    r"guide|paper|spec|specification|letter|contents?|text|section|paragraph|source|book|license|"
    r"changelog|memo|minutes|abstract|announcement|faq|record)"
)
_TOOL = r"(?:tool|output|result|response|error|error message|command|function|api|server|search|query|exception|traceback|stderr|stdout)"
_SAYS = (
    r"(?:says?|said|states?|stated|reads|writes?|wrote|quotes?|returns?|returned|reports?|reported|"
    r"responded with|replied|contains? the (?:line|text|sentence|words|phrase)|"
    r"includes? the (?:line|text|sentence|words|phrase)|begins with|starts with|ends with|"
    r"explains|notes|asserts|declares|concludes|warns|claims)"
)
_LINK = r"(?:\s+(?:that|as follows|clearly|explicitly|directly|simply))*\s*[:,]?\s*[*_]*$"
_MIDDLE = r"(?:\s+(?!\b(?:if|not|no|should|would|could|might|may|can)\b)[\w`'\u2019./*@-]+){0,6}?"
_USER = re.compile(
    r"\byou(?:['\u2019]ve| have| also| just| originally| previously)*\s+"
    r"(?:said|wrote|stated|told me|quoted)" + _LINK + r"|\byour (?:exact words|message|words)"
    r"(?: (?:was|were|is|said|says|reads?|states?))?\s*[:,]?\s*[*_]*$",
    re.I,
)
_OF_TOOL = re.compile(
    rf"\b(?:the|this|that|an?|its)\b{_MIDDLE}\s+(?:{_TOOL}{_MIDDLE}\s+{_SAYS}"
    rf"|error(?: message)?\s+(?:is|was)){_LINK}",
    re.I,
)
_OF_DOCUMENT = re.compile(
    rf"\b(?:the|this|that|your|his|her|its)\b{_MIDDLE}\s+{_NOUN}{_MIDDLE}\s+{_SAYS}{_LINK}", re.I
)
_OF_NAMED = re.compile(
    rf"(?P<name>[`*]*[\w/.-]+\.(?:md|txt|py|js|ts|json|toml|ya?ml|csv|html?|pdf|docx?|log|cfg|ini|rst|go|rs|"
    rf"java|c|h|sh)[`*]*)\s+{_SAYS}{_LINK}",
    re.I,
)
_FIELD = re.compile(
    rf"\b(?:the|its|whose|and)\s+(?:[\w-]+\s+)?(?:subject|description|body|status|headline|subtitle"
    rf")(?:\s+of\b{_MIDDLE})?\s+(?:is|was|reads|says)(?:\s+now)?{_LINK}",
    re.I,
)
_PERSON = re.compile(
    rf"(?<!\bI )\b(?!I\b|You\b|We\b|The\b|It\b|This\b)[A-Z][a-z]+(?:\s+[A-Z][a-z]+)?\s+"
    rf"(?:said|wrote|writes|says|replied|answered|stated|states){_LINK}"
)
_ACCORDING = re.compile(
    rf"\b(?:according to|quot(?:e|ing|ed) from|as stated in|in the words of)\s+(?:the|your|this)\b{_MIDDLE}\s+{_NOUN}\b{_MIDDLE}{_LINK}",
    re.I,
)
_HEADING = re.compile(
    rf"\b(?:(?:the )?(?:exact |full |verbatim )?(?:contents?|text|quote|excerpt|output|wording) (?:of|from)\b[^\n]*|"
    rf"{_NOUN}\b{_MIDDLE}\s+{_SAYS}[^\n]*|the {_TOOL}{_MIDDLE}\s+{_SAYS}[^\n]*)[:*_\s]*$",
    re.I,
)
# Words before a quote that make it an offer, a wish, a denial or the model's own.
_OFFERED = re.compile(
    r"\b(?:if|should|would|could|might|suggest\w*|recommend\w*|example|e\.g|for instance|draft\w*|"
    r"write|add|change|replace|update[ds]?|rename|set|something like|such as|template|sample|"
    r"create[ds]?|now|imagine|doesn['\u2019]t|don['\u2019]t|not|never|no|instead)\b"
    r"|\b(?:i|we)(?:['\u2019]ve|\s+have|\s+also|\s+just)*\s+(?:wrote|written|sent|posted|said|added|named)\b",
    re.I,
)
_CITATION = re.compile(r"(?<![\w\])`])\[(\d{1,3})\](?![\w(:\[])")
_DEFINED = re.compile(r"^[ \t>*-]*\[\^?(\d{1,3})\](?:\s|:|\()", re.M)


class Quote(msgspec.Struct, frozen=True, gc=False):
    """Words that stand at `start` of the answer as somebody's; `name` is a file, if one is named."""

    text: str
    start: int
    source: Source
    form: Form
    lead: str
    name: str = ""


def quotes(text: str) -> Iterator[Quote]:
    """The quotes that are attributed, in order of their form; of a fence, the lines of it."""
    if not any(mark in text for mark in _MARKS):
        return
    shown = _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for found in _INLINE.finditer(shown):
        inner = found["a"] or found["b"] or found["c"]
        lead = _lead(shown, found.start())
        source, name = _attributed(lead)
        if source is not None and len(inner.split()) > 1:
            yield Quote(inner.strip(), found.start(), source, "inline", lead, name)
    for found in _BLOCK.finditer(shown):
        body = re.sub(r"^[ \t]*>", "", found[0], flags=re.M)
        yield from _lines(text, found.start(), body, "block")
    for found in _FENCE.finditer(text):
        yield from _lines(text, found.start(), found["body"], "fence")


def _lines(text: str, start: int, body: str, form: Form) -> Iterator[Quote]:
    """The lines of a block, where the line before it says whose they are."""
    lead = _line_before(text, start)
    heads = lead.rstrip("*_ ").endswith(":") and _HEADING.search(lead)
    if not heads or _OFFERED.search(lead):
        return
    source: Source = "tool" if re.search(rf"\b{_TOOL}\b", lead, re.I) else "document"
    for line in body.splitlines():
        if len(line.strip()) >= LEAST and len(line.split()) > 2:
            yield Quote(line.strip(), start, source, form, lead)


def citations(text: str) -> tuple[int, ...]:
    """The numbers that prose cites as `[n]` and that no line of the answer itself explains."""
    if "[" not in text:
        return ()
    shown = _FENCE.sub("", text)
    shown = re.sub(r"`[^`\n]*`", "", shown)
    defined = {int(number) for number in _DEFINED.findall(shown)}
    cited = {int(number) for number in _CITATION.findall(_DEFINED.sub(" ", shown))}
    return tuple(sorted(cited - defined))


def _lead(text: str, start: int) -> str:
    """What the sentence says before a quote, back to its beginning or the line's."""
    before = text[max(0, start - 240) : start]
    cut = max(before.rfind("\n"), before.rfind(". "), before.rfind("? "), before.rfind("! "))
    return before[cut + 1 :]


def _line_before(text: str, start: int) -> str:
    lines = text[:start].rstrip().rsplit("\n", 1)
    return lines[-1][-240:]


def _attributed(lead: str) -> tuple[Source | None, str]:
    if len(lead.strip()) < _SHORTEST:
        return None, ""
    if _USER.search(lead):
        return "user", ""
    named = _OF_NAMED.search(lead)
    source: Source | None = None
    found = _OF_TOOL.search(lead)
    if named:
        source, found = "document", named
    elif found:
        source = "tool"
    else:
        rules = (_OF_DOCUMENT, _ACCORDING, _FIELD, _PERSON)
        found = next((met for rule in rules if (met := rule.search(lead))), None)
        source = "document" if found else None
    if found is None or _OFFERED.search(lead):
        return None, ""
    return source, named["name"].strip("`*") if named else ""
