"""The finding of an unsupported argument: its facts in words, and both witnesses."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon import digest
from groundwire.checks.wording import clipped, listed
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Responded
from groundwire.documents.finding import Assertion, Finding, Subject
from groundwire.documents.policy import Content
from groundwire.grounding.ground import Support
from groundwire.grounding.index import Hit
from groundwire.grounding.leaves import Leaf

# A witness holds the whole value, but not a second copy of a document of megabytes.
_WITNESSED = 1 << 16
_VOICES = {
    "system": "the instructions",
    "user": "a user message",
    "result": "a tool result",
    "schema": "a tool's schema",
    "opaque": "a part that groundwire does not read",
    "assistant": "the model's own earlier text",
    "call": "the arguments of the model's own earlier call",
}


class Case(msgspec.Struct, frozen=True):
    """One argument of one armed call, and what supports it."""

    call: ToolCall
    leaf: Leaf
    support: Support
    arguments_from: tuple[str, ...]


class Hidden(msgspec.Struct, frozen=True):
    """Whose results the policy keeps out of the file: those of the tools named so, by default."""

    by_default: bool = False
    tools: Mapping[str, Content] = {}

    def quotes(self, hit: Hit) -> str:
        """What may be quoted of the place of a value: a finding stands in the file."""
        tool = hit.passage.tool
        # Where the wire does not name the tool, it may be one of those.
        unsure = not tool and "commitments" in self.tools.values()
        kept_out = unsure or self.tools.get(tool) == "commitments"
        kept_out = kept_out or (self.by_default and tool not in self.tools)
        return "" if hit.passage.voice == "result" and kept_out else hit.around


class Held(msgspec.Struct, frozen=True):
    """What the frame held: texts served, texts of the model's own, and whether images or files."""

    served: int
    own: int
    unread: bool
    hidden: Hidden = Hidden()


def is_doubt(case: Case, *, unread: bool) -> bool:
    """Whether an unsupported argument is a place to look rather than a defect.

    A date may have been computed. A sentence may be the model's own, and so may be a title where
    nobody declared what a tool's arguments come from. An image may have shown anything.
    """
    support = case.support
    if support.grade == "fragment" or support.part:
        return unread and support.grade != "fragment"
    match support.shape:
        case "moment" | "phrase":
            return True
        case "short-phrase":
            return not case.arguments_from or unread
        case "token":
            return unread


def finding_of(case: Case, event: Responded, held: Held) -> Finding:
    """The finding for this argument; its identity is the tool, the path and the value."""
    call, leaf, support = case.call, case.leaf, case.support
    tool = Subject("tool", call.name)
    doubt = is_doubt(case, unread=held.unread)
    return Finding(
        kind="unsupported-argument",
        seam="choice",
        subjects=(tool,),
        witnesses=(
            Assertion(
                subject=tool,
                predicate=leaf.pointer,
                value=leaf.value[:_WITNESSED],
                provenance=f"the argument as chosen in call {clipped(call.id)}",
                step=event.step,
            ),
            Assertion(
                subject=tool,
                predicate=leaf.pointer,
                value=support.grade,
                provenance=(
                    f"the request it answers: {held.served} texts served to the model, "
                    f"{held.own} of its own"
                ),
                step=event.step,
            ),
        ),
        message=" ".join(_sentences(case, held, doubt=doubt)),
        lane=event.lane,
        step=event.step,
        path=leaf.pointer,
        value_digest=digest.tagged("value", leaf.value.encode("utf-8", "surrogatepass")),
        grade=support.grade,
        advisory=doubt,
    )


def _sentences(case: Case, held: Held, *, doubt: bool) -> list[str]:
    call, leaf, support = case.call, case.leaf, case.support
    where = f"argument {clipped(leaf.dotted)}" if leaf.dotted else "the argument"
    sentences = [f"The model called `{clipped(call.name)}` with {where} = `{clipped(leaf.value)}`."]
    subject = f"Of it, `{clipped(support.part)}`" if support.part else "This value"
    sentences.append(f"{subject} {_standing(support, held.hidden)}")
    if support.gone is not None:
        sentences.append(_gone(support.gone, held.hidden))
    if doubt:
        sentences.append(_doubt(case, held))
    sentences.append(_repair(case.arguments_from))
    sentences.append("The call was not blocked.")
    return sentences


def _standing(support: Support, hidden: Hidden) -> str:
    hit = support.hit
    match support.grade:
        case "fragment" if hit is not None:
            around = hidden.quotes(hit)
            longer = f"the longer `{clipped(around)}`" if around else "a longer value"
            return (
                f"was served only inside {longer} ({_place(hit)}): a piece of a value is another "
                "value."
            )
        case "self" if hit is not None:
            inside = f", inside the longer `{clipped(hit.around)}`" if hit.around else ""
            return (
                f"stands only in {_place(hit)}{inside}: what a model wrote is no evidence, and it "
                "may be a piece of something longer."
            )
        case "self":
            return "stands only in the model's own earlier text, which is no evidence."
        case _:
            return "stands nowhere in the request: no instruction, user message or tool result."


def _gone(gone: Hit, hidden: Hidden) -> str:
    around = hidden.quotes(gone)
    inside = f" inside the longer `{clipped(around)}`" if around else ""
    return f"It was served earlier{inside} in {_place(gone)} that the window has since dropped."


def _doubt(case: Case, held: Held) -> str:
    if held.unread:
        return "An image or file in the request may hold it; those are not read."
    if case.support.shape == "moment":
        return "A date or time may have been computed, so this is a place to look, not a defect."
    return "A model may word a text itself, so this is a place to look, not a defect."


def _repair(arguments_from: tuple[str, ...]) -> str:
    if arguments_from:
        return f"Call {listed(arguments_from, 'or')} again before this tool."
    return "Declare with arguments_from which tools' results its arguments come from."


def _place(hit: Hit) -> str:
    passage = hit.passage
    words = _VOICES[passage.voice]
    if passage.voice == "result":
        of = f" of `{clipped(passage.tool)}`" if passage.tool else ""
        return f"{words}{of} (call {clipped(passage.call_id)})" if passage.call_id else words + of
    return words
