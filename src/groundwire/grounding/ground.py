"""The ground of a run: what each lane sees, what it once saw, and how a value stands in it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.frame import Frame, Message, ToolSpec
from groundwire.errors import EncodingError
from groundwire.grounding import boundaries
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.index import Hit, Index
from groundwire.grounding.leaves import read_leaves
from groundwire.grounding.passages import OWN, Passage, is_unread, passages
from groundwire.grounding.schemas import spec_texts
from groundwire.grounding.spellings import composed, dates
from groundwire.grounding.spellings.plain import plain
from groundwire.grounding.view import Numbers, Shown, View

Grade: TypeAlias = Literal["exact", "fragment", "self", "nowhere"]
Shape: TypeAlias = Literal["token", "short-phrase", "phrase", "moment"]


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """How a value stands in a frame.

    `exact`: served, whole, in a spelling that `method` names. `fragment`: served only inside the
    longer token `hit.around`. `self`: only in what the model itself wrote. `nowhere`: in no text
    of the frame. `gone` is where the value was served before the window dropped it, if known.
    `shape` is what kind of text the value is; `part` is the identifier within a phrase that the
    grade is about, empty for the whole value.
    """

    grade: Grade
    shape: Shape = "token"
    method: str = ""
    part: str = ""
    hit: Hit | None = None
    gone: Hit | None = None


class Ground:
    """Every text of a run, once, and which of them each lane sees now."""

    def __init__(self) -> None:
        self._index = Index()
        self._views: dict[int, View] = {}
        self._numbers: dict[Shown, Numbers] = {}
        self._tools: tuple[ToolSpec, ...] = ()
        self._tool_texts = ""

    def show(self, lane: int, frame: Frame) -> None:
        """The lane sees exactly this frame now; what stood in its last one and not here is gone.

        Costs what is new since then, and one comparison of references for what is not.
        """
        self._views.setdefault(lane, View()).show(frame, self._number)

    def support(self, lane: int, value: str, tools: tuple[ToolSpec, ...] = ()) -> Support:
        """How this value stands in what the lane sees now, its tool list included.

        Catches invention, self-reference and cut-out pieces, not misattribution: a value from an
        unrelated result, or from another tool's schema, is `exact`.
        """
        view, folded = self._views[lane], fold(value)
        visible = view.once if view.held_by_provider else view.served
        found = (
            self._exact(folded, visible, tools)
            or self._composed(folded, visible)
            or self._document(lane, value, tools)
        )
        if found is not None:
            return found
        shape = _shape(folded)
        if shape == "moment" and not self._is_served_year(folded, visible):
            # No year was served from which this date could have been computed.
            shape = "token"
        # Several lines are a text or a program of the model's own, full of names it made up.
        if shape in {"short-phrase", "phrase"} and "\n" not in value.strip():
            for part in composed.identifiers(readings(value)[-1]):
                if self._exact(part, visible, tools) is None:
                    found = self._without(view, part)
                    return msgspec.structs.replace(found, shape="token", part=part)
        return msgspec.structs.replace(self._without(view, folded), shape=shape)

    def is_judgeable(self, lane: int) -> bool:
        """Whether all that the lane's model sees is here: nothing stays with the provider."""
        return not self._views[lane].held_by_provider

    def has_unread(self, lane: int) -> bool:
        """Whether the lane's model sees an image or file that could hold any value."""
        return self._views[lane].unread > 0

    def counts(self, lane: int) -> tuple[int, int]:
        """How many texts the lane sees now: those served to the model, and those of its own."""
        view = self._views[lane]
        return len(view.served), len(view.own)

    def texts(self, lane: int) -> tuple[list[str], list[str]]:
        """What the lane sees now: the texts served to the model, and the model's own prose."""
        view = self._views[lane]
        own = (self._index.passage(number) for number in sorted(view.own))
        return (
            [self._index.passage(number).text for number in sorted(view.served)],
            [passage.text for passage in own if passage.voice == "assistant"],
        )

    def _exact(
        self, folded: str, visible: AbstractSet[int], tools: tuple[ToolSpec, ...]
    ) -> Support | None:
        for spelling, method in plain(folded):
            hit = self._index.whole(spelling, visible)
            if hit is not None:
                return Support(grade="exact", method=method, hit=hit)
        return self._in_schemas(folded, tools)

    def _in_schemas(self, folded: str, tools: tuple[ToolSpec, ...]) -> Support | None:
        if tools is not self._tools:
            self._tools = tools
            self._tool_texts = "\n".join(text for tool in tools for text in tool_readings(tool))
        for spelling, _ in plain(folded):
            if spelling not in self._tool_texts:
                continue
            for tool in tools:
                texts = tool_readings(tool)
                if any(boundaries.standing(text, spelling)[0] == "whole" for text in texts):
                    hit = Hit(Passage("schema", "", tool=tool.name))
                    return Support(grade="exact", method="schema", hit=hit)
        return None

    def _is_served_year(self, folded: str, visible: AbstractSet[int]) -> bool:
        year = dates.year_of(folded)
        return not year or self._index.whole(year, visible, "-/") is not None

    def _composed(self, folded: str, visible: AbstractSet[int]) -> Support | None:
        def stands(text: str, separators: str) -> bool:
            return self._index.whole(text, visible, separators) is not None

        names = composed.path_names(folded)
        if names and all(stands(name, "/\\") for name in names):
            return Support(grade="exact", method="path")
        if dates.is_served_moment(folded, stands):
            return Support(grade="exact", method="date", shape="moment")
        parts = composed.elements(folded)
        if parts and all(self._exact(part, visible, ()) is not None for part in parts):
            return Support(grade="exact", method="list")
        return None

    def _document(self, lane: int, value: str, tools: tuple[ToolSpec, ...]) -> Support | None:
        """A value that is a JSON document, as its worst string; None where it is none."""
        if value.lstrip()[:1] not in {"{", "["}:
            return None
        try:
            leaves = read_leaves(value)
        except EncodingError:
            return None
        doubt = None
        for leaf in leaves:
            found = self.support(lane, leaf.value, tools)
            if found.grade == "exact":
                continue
            if found.shape == "token" or found.grade == "fragment":
                return msgspec.structs.replace(found, part=found.part or leaf.value)
            doubt = doubt or found
        return doubt or Support(grade="exact", method="json")

    def _without(self, view: View, folded: str) -> Support:
        gone = self._anywhere(folded, view.once - view.served)
        inside = self._index.inside(folded, view.served)
        if inside is not None:
            return Support(grade="fragment", hit=inside, gone=gone)
        own = self._anywhere(folded, view.own)
        if own is not None:
            return Support(grade="self", hit=own, gone=gone)
        return Support(grade="nowhere", gone=gone)

    def _anywhere(self, folded: str, among: AbstractSet[int]) -> Hit | None:
        return self._index.whole(folded, among) or self._index.inside(folded, among)

    def _number(self, shown: Shown) -> Numbers:
        known = self._numbers.get(shown)
        if known is None:
            role, parts = (
                (shown.role, shown.parts) if isinstance(shown, Message) else ("system", shown)
            )
            numbered = [(self._index.add(text), text.voice) for text in passages(role, parts)]
            known = Numbers(
                served=tuple(number for number, voice in numbered if voice not in OWN),
                own=tuple(number for number, voice in numbered if voice in OWN),
                unread=is_unread(parts),
            )
            self._numbers[shown] = known
        return known


@lru_cache(maxsize=16_384)
def tool_readings(tool: ToolSpec) -> tuple[str, ...]:
    """What the tool list showed of this tool, folded; the runs of one agent share it."""
    return readings("\n".join(spec_texts(tool)))


def _shape(folded: str) -> Shape:
    if dates.is_moment(folded):
        return "moment"
    if not composed.is_phrase(folded):
        return "token"
    return "short-phrase" if composed.is_short_phrase(folded) else "phrase"
