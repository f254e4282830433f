"""Quoting: whether quoted words stand in what the run was shown, and where.

Compared as words alone: case, white space, punctuation, quotation marks, dashes, markup and escapes
make no difference, an ellipsis or brackets are a gap. A quote found in a text of the right kind is
settled; what the model gave to a tool itself counts as shown, since it may be quoting what it wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.checks.transcript import Transcript
from groundwire.documents.frame import Frame, Text
from groundwire.grounding.folding import fold, unescape
from groundwire.grounding.sentences.quotes import Quote

Grade: TypeAlias = Literal["found", "fabricated", "spliced", "misattributed"]
Voice: TypeAlias = Literal["result", "user", "other"]

_WORD = re.compile(r"[^\W_]+")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}\b)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_GAP = re.compile(r"\.{3,}|\u2026|\[[^\]\n]{0,60}\]")
# Whoever hands over this much may have pasted the page itself.
PASTED = 400
_PIECE, _RUN = 3, 3
_MOST_PIECES = 3


class Shown(msgspec.Struct, frozen=True, gc=False):
    """A text that the model was shown, as words; `label` says whose it is, for people."""

    words: str
    voice: Voice
    label: str
    about: str = ""
    size: int = 0


class Standing(msgspec.Struct, frozen=True):
    """How a quote stands: its grade, the piece that stands nowhere, the nearest text and how near."""

    grade: Grade
    part: str = ""
    places: tuple[str, ...] = ()
    near: float = 0.0


def as_words(text: str) -> str:
    """The words of a text with one space around each, in every way the text may be read."""
    plain = _GROUPING.sub("", text)
    bases = dict.fromkeys((plain, unescape(plain)))
    readings = dict.fromkeys([*bases, *(_TAG.sub("", base) for base in bases)])
    return " | ".join(f" {' '.join(_WORD.findall(fold(reading)))} " for reading in readings)


class Library:
    """Everything the run has shown so far, as words; each result is read once."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._results: list[Shown] = []
        self._said: dict[str, Shown] = {}

    def texts(self, frame: Frame) -> list[Shown]:
        """All that was ever served, and what else this frame holds."""
        for served in self._run.served[len(self._results) :]:
            arguments = "" if served.call is None else served.call.arguments
            label = f"a result of `{served.tool}`" if served.tool else "a tool result"
            about = fold(f"{arguments} {served.part.text[:2000]}")
            text = served.part.text
            self._results.append(Shown(as_words(text), "result", label, about, len(text)))
        return [*self._results, *self._of_frame(frame)]

    def _of_frame(self, frame: Frame) -> Iterable[Shown]:
        for message in frame.messages:
            if message.role in {"user", "system", "tool"}:
                for part in message.parts:
                    if isinstance(part, Text):
                        yield self._read(part.text, "user" if message.role == "user" else "other")
        for part in frame.system:
            if isinstance(part, Text):
                yield self._read(part.text, "other")
        for tool in frame.tools:
            yield self._read(f"{tool.name} {tool.description} {tool.schema}", "other")
        for chosen in self._run.called:
            yield self._read(chosen.call.arguments, "other")
        for executed in self._run.executed:
            yield self._read(f"{executed.result or ''} {executed.structured or ''}", "result")

    def _read(self, text: str, voice: Voice) -> Shown:
        known = self._said.get(text)
        if known is None:
            label = {"user": "a user message", "result": "what a tool returned"}.get(
                voice, "another text"
            )
            known = self._said[text] = Shown(as_words(text), voice, label, "", len(text))
        return known


def standing(quote: Quote, texts: Sequence[Shown]) -> Standing:
    """How the quote stands in these texts."""
    pieces = [words for gap in _GAP.split(quote.text) if (words := _words(gap))]
    pieces = [piece for piece in pieces if len(piece) >= _PIECE] or pieces
    if not pieces:
        return Standing("found")
    holding = [text for text in texts if all(_holds(text, piece) for piece in pieces)]
    if holding:
        return _attribution(quote, holding, texts)
    spliced = _splice(pieces, texts)
    if spliced:
        return Standing("spliced", places=spliced)
    lacking = next((p for p in pieces if not any(_holds(text, p) for text in texts)), pieces[0])
    place, near = _nearest(lacking, texts)
    return Standing("fabricated", " ".join(lacking), (place,) if place else (), near)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(fold(_GROUPING.sub("", _TAG.sub("", text)))))


def _holds(text: Shown, piece: Sequence[str]) -> bool:
    return f" {' '.join(piece)} " in text.words


def _attribution(quote: Quote, holding: Sequence[Shown], texts: Sequence[Shown]) -> Standing:
    places = tuple(dict.fromkeys(text.label for text in holding))
    voices = {text.voice for text in holding}
    match quote.source:
        case "user":
            wrong = voices == {"result"}
        case "tool":
            wrong = voices == {"user"} and all(text.size < PASTED for text in holding)
        case "document":
            wrong = bool(quote.name) and _is_of_another(fold(quote.name), holding, texts)
    return Standing("misattributed" if wrong else "found", places=places)


def _is_of_another(name: str, holding: Sequence[Shown], texts: Sequence[Shown]) -> bool:
    """Whether some result is about the named file, and none of those that hold the quote is."""
    about = [text for text in texts if text.voice == "result" and name in text.about]
    only_results = all(text.voice == "result" for text in holding)
    return bool(about) and only_results and not any(text in about for text in holding)


def _splice(pieces: Sequence[tuple[str, ...]], texts: Sequence[Shown]) -> tuple[str, ...]:
    """The places a quote was put together from: few runs of words, each whole in some text."""
    places: list[str] = []
    for piece in pieces:
        rest = piece
        while rest:
            length, place = _longest_start(rest, texts)
            if length < min(_RUN, len(rest)) or len(places) == _MOST_PIECES:
                return ()
            places.append(place)
            rest = rest[length:]
    return tuple(places)


def _longest_start(words: Sequence[str], texts: Sequence[Shown]) -> tuple[int, str]:
    best, place = 0, ""
    for text in texts:
        length = best
        while length < len(words) and _holds(text, words[: length + 1]):
            length += 1
        if length > best:
            best, place = length, text.label
    return best, place


def _nearest(words: Sequence[str], texts: Sequence[Shown]) -> tuple[str, float]:
    """The text that holds the most of the quote's runs of three words, and the share of them."""
    runs = [words[at : at + _RUN] for at in range(max(1, len(words) - _RUN + 1))]
    best, place = 0.0, ""
    for text in texts:
        share = sum(_holds(text, run) for run in runs) / len(runs)
        if share > best:
            best, place = share, text.label
    return place, best
