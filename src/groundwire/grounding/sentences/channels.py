"""Channels: places where a text of the model poses as another channel of the conversation.

Marks that only a host or a template writes: special tokens, the tags of tool calls and results,
headers of other roles, notices of the system. Code, quotations and thinking aloud are no channel.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.sentences.splitting import masked

Posed: TypeAlias = Literal["template", "tool-result", "tool-call", "user-turn", "system-notice"]

_TEMPLATE = re.compile(
    r"<\|(?:im_start|im_end|im_sep|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|"
    r"end_of_text|endoftext|assistant|user|system|tool|python_tag|end|channel|message|start|return|"
    r"call|observation)\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|"
    r"<\uff5c[^<>\n]{1,40}\uff5c>|\[(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]"
)
_RESULT = re.compile(
    r"</?(?:tool_results?|tool_response|tool_output|function_results?|function_response|observation|"
    r"system-reminder)(?:\s[^<>\n]{0,80})?>",
    re.I,
)
_CALL = re.compile(
    r"</?(?:tool_calls?|function_calls?|tool_use|invoke)(?:\s[^<>\n]{0,80})?>|<function=[\w.-]+>",
    re.I,
)
_NOTICE = re.compile(
    r"^[ \t*\[#]*system (?:notice|notification|message|alert|warning)\]?\**\s*:", re.M | re.I
)
_OBSERVED = re.compile(r"^Action(?: Input)?:[^\n]*\n(?:[^\n]*\n){0,6}?Observation:", re.M)
_HEADER = re.compile(
    r"(?:^|\n)[ \t]*(?:\*\*|#{1,4} )?(?P<role>Human|User|Assistant|AI|Customer|Agent):(?:\*\*)?[ \t]+\S"
)
_ROLES = {"human": "user", "user": "user", "customer": "user"}
_CALL_OBJECT = re.compile(
    r"\{\s*(?:\\?\"type\\?\"\s*:\s*\\?\"function\\?\"\s*,\s*)?\\?\"(?:name|function|tool|tool_name|action)\\?\"\s*:\s*"
    r"\\?\"(?P<name>[\w.-]+)\\?\"\s*,\s*\\?\"(?:parameters|arguments|args|input|tool_input|action_input)\\?\"\s*:"
)
_CALL_LINE = re.compile(r"^[ \t]*(?P<name>[A-Za-z_][\w.]*)\((?:[^\n]*)\)[ \t]*$", re.M)


class Imitation(msgspec.Struct, frozen=True, gc=False):
    """A mark at `start` of the text and the channel that it poses as; `name` is a tool's."""

    posed: Posed
    mark: str
    start: int
    name: str = ""


def imitations(text: str, tools: Collection[str] = ()) -> Iterator[Imitation]:
    """The marks in a text, the first of each channel; `tools` are those the model may call."""
    suspects = [
        (posed, pattern)
        for posed, begins, pattern in _MARKS
        if any(map(text.__contains__, begins)) and pattern.search(text)
    ]
    headed = text.count(":") > 1 and len(list(_HEADER.finditer(text))) > 1
    shown = masked(text) if suspects or headed else ""
    for posed, pattern in suspects:
        found = pattern.search(shown)
        if found:
            yield Imitation(posed, found[0].strip(), found.start())
    headers = list(_HEADER.finditer(shown))
    user = next((found for found in headers if _ROLES.get(found["role"].lower())), None)
    if user and len({_ROLES.get(found["role"].lower(), "model") for found in headers}) > 1:
        yield Imitation("user-turn", user["role"] + ":", user.start("role"))
    written = _written_call(text, tools)
    if written:
        yield Imitation("tool-call", written["name"], written.start(), written["name"])


def _written_call(text: str, tools: Collection[str]) -> re.Match[str] | None:
    """A call of one of these tools, written out as an object or as a line of its own."""
    # Quotation marks are part of it, so they hide nothing here.
    for begins, pattern in (("{", _CALL_OBJECT), ("(", _CALL_LINE)):
        for found in pattern.finditer(text) if begins in text else ():
            if found["name"] in tools and not _is_code(text, found.start(), found["name"]):
                return found
    return None


# Each with what stands in whatever it finds; to look for that is many times faster.
_MARKS: tuple[tuple[Posed, tuple[str, ...], re.Pattern[str]], ...] = (
    ("template", ("<", "["), _TEMPLATE),
    ("tool-result", ("<",), _RESULT),
    ("tool-result", ("Action",), _OBSERVED),
    ("tool-call", ("<",), _CALL),
    ("system-notice", (":",), _NOTICE),
)


def _is_code(text: str, position: int, name: str) -> bool:
    """Whether it stands in a fence or in code marks, or beside its own definition."""
    marks = len(re.findall(r"^[ \t]*(?:```|~~~)", text[:position], re.M))
    ticks = text[:position].rsplit("\n", 1)[-1].count("`")
    return marks % 2 == 1 or ticks % 2 == 1 or f"def {name}(" in text
