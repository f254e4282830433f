"""The finding of an unsupported argument: its facts in words, and both witnesses."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon import digest
from groundwire.checks.wording import clipped, listed
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import ArgumentSource
from groundwire.documents.event import Responded
from groundwire.documents.finding import Assertion, Finding, Subject
from groundwire.documents.policy import Content
from groundwire.grounding.arguments.sources import Judged
from groundwire.grounding.ground import State, Support
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
    "library": "a text that the host wrote itself, such as a summary",
    "returned": "what a tool returned",
}
_STATES: dict[State, str] = {
    "served": "served and in view",
    "served-evicted": "served before, out of view now",
    "returned-unserved": "returned by a tool, never served",
    "user-evicted": "said by a user, out of view now",
    "never-served": "never served",
    "self-made": "first written by the model",
}


class Case(msgspec.Struct, frozen=True):
    """One argument of one armed call, what supports it, and what its author declared."""

    call: ToolCall
    leaf: Leaf
    judged: Judged
    arguments_from: tuple[str, ...]
    source: ArgumentSource | None = None

    @property
    def support(self) -> Support:
        """How the value stands in the request."""
        return self.judged.support

    @property
    def is_unsupported(self) -> bool:
        """Whether nothing served it."""
        return self.support.grade != "exact"

    @property
    def is_filed(self) -> bool:
        """Whether a finding says so, or says that it was served in another place than declared."""
        return bool(self.judged.astray) or (self.is_unsupported and not self._is_worded)

    @property
    def grade(self) -> str:
        """The one word that the ledger counts: how it was accepted, or what is wrong with it."""
        if self.judged.astray:
            return self.judged.astray
        if self.is_unsupported:
            return "worded" if self._is_worded else self.support.grade
        if self.judged.free:
            return self.support.method
        method = self.support.method
        return "exact" if method in {"exact", ""} else f"exact:{method}"

    @property
    def _is_worded(self) -> bool:
        """A text that a model words itself, by its field's name or, where undeclared, its length."""
        if self.source is not None or self.support.part:
            return False
        if self.support.shape == "composed":
            return True
        lengthy = self.support.shape == "phrase" and self.support.grade != "fragment"
        return lengthy and not self.arguments_from


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
    """Whether what is filed is a place to look rather than a defect.

    A real value from another place may be the right one. A date or an amount may have been
    computed, and a value of the model's own may have become real by a call. A sentence may be the
    model's own, and so may be a word or title where nobody declared what a tool's arguments come
    from. An image may have shown anything.
    """
    support = case.support
    if case.judged.astray:
        return True
    if support.grade == "fragment":
        return support.shape == "word" and not _is_declared(case)
    if support.part or case.source is not None:
        return unread
    match support.shape:
        case "moment" | "quantity" | "phrase" | "composed":
            return True
        case "short-phrase" | "word":
            return not case.arguments_from or unread
        case "token" | "placeholder":
            return unread or support.confirmed


def _is_declared(case: Case) -> bool:
    return bool(case.arguments_from) or case.source is not None


def finding_of(case: Case, event: Responded, held: Held) -> Finding:
    """The finding for this argument; its identity is the tool, the path and the value."""
    call, leaf, support = case.call, case.leaf, case.support
    grade = case.judged.astray or support.grade
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
                value=grade,
                provenance=(
                    f"the request it answers ({_STATES[support.state]}): {held.served} texts "
                    f"served to the model, {held.own} of its own"
                ),
                step=event.step,
            ),
        ),
        message=" ".join(_sentences(case, held, doubt=doubt)),
        lane=event.lane,
        step=event.step,
        path=leaf.pointer,
        value_digest=digest.tagged("value", leaf.value.encode("utf-8", "surrogatepass")),
        grade=grade,
        advisory=doubt,
    )


def _sentences(case: Case, held: Held, *, doubt: bool) -> list[str]:
    call, leaf, support = case.call, case.leaf, case.support
    where = f"argument {clipped(leaf.dotted)}" if leaf.dotted else "the argument"
    sentences = [f"The model called `{clipped(call.name)}` with {where} = `{clipped(leaf.value)}`."]
    if case.judged.astray:
        sentences.append(_astray(case))
    else:
        subject = f"Of it, `{clipped(support.part)}`" if support.part else "This value"
        sentences.append(f"{subject} {_standing(support, held.hidden)}")
        if support.gone is not None:
            sentences.append(_gone(support.gone, held.hidden))
        if doubt:
            sentences.append(_doubt(case, held))
    sentences.append(_repair(case))
    sentences.append("The call was not blocked.")
    return sentences


def _astray(case: Case) -> str:
    source, hit = case.source, case.support.hit
    place = f" in {_place(hit)}" if hit is not None else ""
    pointers = [one.pointer for one in case.judged.places if one.pointer]
    place += f" at `{clipped(pointers[0])}`" if pointers else ""
    if source is None:
        return ""
    match case.judged.astray:
        case "other-record":
            return (
                f"It was served by `{clipped(source.tool)}`, but in no record that also holds this "
                "call's other arguments from there: a real value in the wrong place."
            )
        case "other-form":
            return f"It was served{place}, but has not the form that is declared for it."
        case _:
            wanted = "the user" if source.kind == "user" else f"`{clipped(source.tool)}`"
            at = f" at `{clipped(source.at)}`" if source.at else ""
            return (
                f"It was served{place}, but not by {wanted}{at}, where it is declared to be from."
            )


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
        case "self" if hit is not None and hit.passage.voice == "result":
            return (
                f"was the model's own first, and {_place(hit)} only says again what it was asked: "
                "an echo is no evidence."
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
    if gone.passage.voice == "returned":
        return f"`{clipped(gone.passage.tool)}` returned it, and no request has shown it since."
    inside = f" inside the longer `{clipped(around)}`" if around else ""
    return f"It was served earlier{inside} in {_place(gone)} that the window has since dropped."


def _doubt(case: Case, held: Held) -> str:
    if held.unread:
        return "An image or file in the request may hold it; those are not read."
    if case.support.confirmed:
        return (
            "A result is a record of it, so it may be real by now: a place to look, not a defect."
        )
    match case.support.shape:
        case "moment":
            return "A date or time may have been computed: a place to look, not a defect."
        case "quantity":
            return "An amount may have been computed: a place to look, not a defect."
        case _:
            pass
    return "A model may word a text itself, so this is a place to look, not a defect."


def _repair(case: Case) -> str:
    source = case.source
    if source is not None and source.kind == "result":
        return _fetch(f"`{clipped(source.tool)}`", case)
    if source is not None and source.kind == "user":
        return "Ask the user."
    if case.arguments_from:
        return _fetch(listed(case.arguments_from, "or"), case)
    return "Declare where its arguments come from (arguments, arguments_from)."


def _fetch(tools: str, case: Case) -> str:
    """What helps depends on whether the value ever stood there: to call again finds no invented one."""
    if case.support.gone is not None:
        return f"Call {tools} again before this tool."
    return f"It has to come from a result of {tools}."


def _place(hit: Hit) -> str:
    passage = hit.passage
    words = _VOICES[passage.voice]
    if passage.voice == "result":
        of = f" of `{clipped(passage.tool)}`" if passage.tool else ""
        return f"{words}{of} (call {clipped(passage.call_id)})" if passage.call_id else words + of
    return words
