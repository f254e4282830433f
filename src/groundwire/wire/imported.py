"""Imported: what is taken from logs people already have. No wire bytes, so no byte positions."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.documents.frame import Frame, Message, Part, Response, Role, ToolSpec
from groundwire.documents.strand import Strand
from groundwire.wire.message_digest import content_digest


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a log, reconstructed.

    `steps` are the frames and responses in the order in which they must have crossed the wire.
    `declared` names the tools the log says were offered. `format` is `runs`, `openai-messages`,
    `anthropic-messages`, `openai-items` or `exchanges`; `line` is where the run begins. `notes` are
    sentences about what the log does not say.
    """

    run_id: str
    model: str
    format: str
    steps: tuple[Frame | Response, ...]
    declared: tuple[str, ...]
    notes: tuple[str, ...] = ()
    line: int = 1


class ImportProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A row that could not be read: `line` counts from 1. The rows around it are not affected."""

    line: int
    reason: str
    message: str


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What every frame of a reconstructed run has alike."""

    provider: str
    model: str = ""
    system: tuple[Part, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    parameters: str = "{}"
    unread: tuple[str, ...] = ()


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Messages that entered the conversation together; `answer` where the model gave them."""

    messages: tuple[Message, ...]
    unread: tuple[str, ...] = ()
    answer: Response | None = None


def message_of(role: Role, parts: Sequence[Part]) -> Message:
    """A message without wire bytes."""
    return Message(
        role=role, parts=tuple(parts), raw=b"", content_digest=content_digest(role, parts)
    )


def reconstruct(turns: Sequence[Turn], setting: Setting) -> tuple[Frame | Response, ...]:
    """Each answer as the response to a frame of everything before it; what is left, a last frame."""
    steps: list[Frame | Response] = []
    messages: Strand[Message] = Strand()
    unread = list(setting.unread)
    for turn in turns:
        if turn.answer is not None:
            steps += [_frame(messages, unread, setting), turn.answer]
        messages = messages.going_on(len(messages), turn.messages)
        unread += turn.unread
    if turns and turns[-1].answer is None:
        steps.append(_frame(messages, unread, setting))
    return tuple(steps)


def _frame(messages: Sequence[Message], unread: list[str], setting: Setting) -> Frame:
    return Frame(
        provider=setting.provider,
        model=setting.model,
        system=setting.system,
        tools=setting.tools,
        parameters=setting.parameters,
        messages=messages,
        opaque=tuple(unread),
    )
