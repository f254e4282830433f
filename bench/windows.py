"""A window simulated over recorded runs: which values the model then only has from its own text."""

from __future__ import annotations

import msgspec

from bench.judging import (
    SETS,
    Bench,
    Row,
    is_served_itself,
    looks_like_identifier,
    rate,
    texts_of,
    walked,
)
from bench.runs import runs
from groundwire.documents.frame import Frame, Message, Text


def evicted_frame(frame: Frame) -> Frame:
    """The frame as a window leaves it: the last 4 messages of user and tools, all the model's text."""
    last = [
        place for place, message in enumerate(frame.messages) if message.role in {"user", "tool"}
    ][-4:]
    kept: list[Message] = []
    for place, message in enumerate(frame.messages):
        if message.role == "assistant":
            texts = tuple(part for part in message.parts if isinstance(part, Text))
            if texts:
                kept.append(msgspec.structs.replace(message, parts=texts))
        elif message.role == "system" or place in last:
            kept.append(message)
    return msgspec.structs.replace(frame, messages=tuple(kept))


def evicted() -> list[Row]:
    """Values that after a window stand only in the model's own text, though once served."""
    named = references = whole = known_from = 0
    for name in SETS:
        for run in runs(name):
            windowed, shown = Bench(), None
            window: Frame | None = None
            for bench, _, frame, call in walked(run):
                if frame is not shown:
                    window, shown = evicted_frame(frame), frame
                    windowed.show(window)
                    texts, left = texts_of(frame), texts_of(window)
                    own = [text.lower() for text in windowed.run.ground.texts(0)[1]]
                assert window is not None
                originals = {case.leaf.pointer: case for case in bench.cases(frame, call)}
                for case in windowed.cases(window, call):
                    value = case.leaf.value.strip()
                    if not looks_like_identifier(value) or not is_served_itself(texts, value):
                        continue
                    if any(value.lower() in text for text in left) or not is_served_itself(
                        own, value
                    ):
                        continue
                    references += 1
                    named += case.support.grade == "self" and case.is_filed
                    known_from += case.support.state in {"served-evicted", "user-evicted"}
                    original = originals[case.leaf.pointer]
                    whole += original.is_filed
    return [
        ("eviction simulated: self-references named so", rate(named, references), ">= 99 %"),
        ("  of them it is known where they were served before", rate(known_from, references), ""),
        ("  of the same, filed on whole frames", str(whole), "none"),
    ]
