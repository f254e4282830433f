"""The original's evidence gate, for `rules = "original"`: tokens, candidates, an exact index.

The rules of context-integrity sections 6.2 to 6.5: a token is looked up whole, never as a part of
another; only results ground; what was said by people and instructions is exempt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundwire.canon import jcs
from groundwire.documents.declaration import Evidence
from groundwire.errors import EncodingError

MOST_TOKENS = 20_000
MOST_FORMS = 200_000
_KEPT = re.compile(r"[A-Za-z0-9:_\-/.,%+@#$]+")
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
_LEAD, _TRAIL = "$#@+'\"`([{<", ".,;:!?%'\"`)]}>"
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"[+-]?\d+(?:\.\d+)?")
_RATIO = re.compile(r"\d{1,2}/\d{1,2}")
_UNIT = re.compile(r"(-?\d+(?:\.\d+)?)[-/]?[a-z]{1,5}(?:/[a-z]{1,5})?")
_HEX = re.compile(r"0x[0-9a-f]+")
_LONGEST_NUMBER = 15
_LEAST_IDENTIFIER = 4
# What a declared absence looked for never grounds; its other parts do.
_ABSENT, _LOOKED_FOR = "outcome", "looked_for"


def tokenise(text: str) -> list[str]:
    """The normalised tokens of a text, in order."""
    found: list[str] = []
    for run in _KEPT.finditer(text):
        for piece in _COMMA.split(run[0]):
            token = normalise(piece)
            if token:
                found.append(token)
    return found


def normalise(piece: str) -> str:
    """The piece as it is looked up: lower case, no marks around it, a number in one form."""
    piece = piece.lower().strip().lstrip(_LEAD).rstrip(_TRAIL)
    if _GROUPED.fullmatch(piece):
        piece = piece.replace(",", "")
    return _number(piece)


def _number(piece: str) -> str:
    if not _PLAIN.fullmatch(piece) or sum(map(str.isdigit, piece)) > _LONGEST_NUMBER:
        return piece
    sign = "-" if piece.startswith("-") else ""
    whole, _, part = piece.lstrip("+-").partition(".")
    whole, part = whole.lstrip("0") or "0", part.rstrip("0")
    number = f"{whole}.{part}" if part else whole
    return number if number == "0" else sign + number


def classify(token: str, rules: Evidence) -> tuple[str, str] | None:
    """Its kind and the value to look up; None where the token need not be grounded."""
    if is_exempt(token, rules):
        return None
    if any(re.fullmatch(shape.pattern, token, re.IGNORECASE) for shape in rules.shapes):
        return "shape", token
    if not any("0" <= letter <= "9" for letter in token) or _RATIO.fullmatch(token):
        return None
    number = _PLAIN.fullmatch(token)
    unit = None if number else _UNIT.fullmatch(token)
    if number or unit:
        value = _number(token if unit is None else unit[1])
        digits = sum(map(str.isdigit, value))
        return ("number", value) if digits >= rules.min_digits else None
    if _is_short_hex(token):
        return None
    has_joiner = any(letter.isalpha() or letter in ":_-/." for letter in token)
    return ("identifier", token) if len(token) >= _LEAST_IDENTIFIER and has_joiner else None


def _is_short_hex(token: str) -> bool:
    # `0xff` reads as a zero with a tail of letters: under the floor, like any short number.
    return bool(re.fullmatch(r"0x[a-f]{1,4}", token))


def is_exempt(token: str, rules: Evidence) -> bool:
    """Whether the rules name this token, in either spelling of a hexadecimal, or a pattern does."""
    exempt = {normalise(text) for text in rules.exempt}
    exempt |= {text[2:] for text in exempt if _HEX.fullmatch(text)}
    exempt |= {f"0x{text}" for text in exempt}
    if token in exempt:
        return True
    return any(re.fullmatch(pattern, token, re.IGNORECASE) for pattern in rules.exempt_patterns)


def candidates(text: str, rules: Evidence) -> list[str]:
    """The values of an answer that have to be grounded, each once, in order."""
    found: dict[str, None] = {}
    for token in tokenise(text)[:MOST_TOKENS]:
        judged = classify(token, rules)
        if judged is not None:
            found.setdefault(judged[1])
    return list(found)


class Index:
    """The forms of results. `cut`: there were more than `MOST_FORMS`."""

    def __init__(self, results: Sequence[str]) -> None:
        self._forms: set[str] = set()
        self.cut = False
        for text in results:
            for form in _forms(text):
                if len(self._forms) >= MOST_FORMS:
                    self.cut = True
                    return
                self._forms.add(form)
                if _HEX.fullmatch(form):
                    self._forms.add(form[2:])

    def __contains__(self, value: str) -> bool:
        bare = value[2:] if _HEX.fullmatch(value) else ""
        return value in self._forms or (bool(bare) and bare in self._forms)


def _forms(text: str) -> Iterator[str]:
    value = _document(text)
    if value is None:
        yield from tokenise(text)
        return
    waiting: list[jcs.JSON] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            absent = node.get(_ABSENT) == "nothing_found"
            for key, inner in node.items():
                if absent and key == _LOOKED_FOR:
                    continue
                yield from tokenise(key)
                waiting.append(inner)
        elif isinstance(node, list):
            waiting += node
        elif isinstance(node, str):
            whole = normalise(node)
            if whole:
                yield whole
            yield from tokenise(node)
        elif node is not None:
            yield normalise(str(node).lower())


def _document(text: str) -> jcs.JSON:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return jcs.decode_foreign(text.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return None


def unsupported(
    answer: str, results: Sequence[str], said: Sequence[str], rules: Evidence
) -> tuple[list[str], list[str], bool]:
    """The candidates, those of them that nothing grounds, and whether the index was cut."""
    every = candidates(answer, rules)
    index = Index(results)
    exempt = {token for text in said for token in tokenise(text)}
    exempt |= {form[2:] for form in exempt if _HEX.fullmatch(form)}
    missing = [value for value in every if value not in exempt and value not in index]
    return every, missing, index.cut
