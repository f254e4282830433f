"""The ground of a run: what each lane sees, what it once saw, and how a value stands in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.frame import Frame, Message, ToolSpec
from groundwire.errors import EncodingError
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.index import Hit, Index
from groundwire.grounding.leaves import read_leaves
from groundwire.grounding.lookup.echoes import Echoes
from groundwire.grounding.lookup.search import Search
from groundwire.grounding.passages import (
    SILENT,
    Passage,
    is_unread,
    passages,
    without_looked_for,
)
from groundwire.grounding.spellings import composed
from groundwire.grounding.spellings.keys import key_says
from groundwire.grounding.spellings.shapes import Shape, shape_of
from groundwire.grounding.view import Numbers, Shown, View

Grade: TypeAlias = Literal["exact", "fragment", "self", "nowhere"]
# Where a value comes from, which is more than whether it stands in the frame now.
State: TypeAlias = Literal[
    "served", "served-evicted", "returned-unserved", "user-evicted", "never-served", "self-made"
]


class Support(msgspec.Struct, frozen=True, kw_only=True):
    """How a value stands in a frame, and where it comes from.

    `exact`: served, whole; `method` names the equivalence that it took. `fragment`: served only
    inside the longer token `hit.around`. `self`: only in what the model itself wrote, or in results
    that only repeat it. `nowhere`: in no text of the frame. `gone` is where the value was served
    before the window dropped it, or returned without being shown. `shape` is what kind of text it
    is; `part` is the identifier within a phrase that the grade is about, empty for the whole value.
    `confirmed`: it is the model's own, and a result of the frame is a record of it.
    """

    grade: Grade
    shape: Shape = "token"
    method: str = ""
    part: str = ""
    hit: Hit | None = None
    gone: Hit | None = None
    state: State = "served"
    confirmed: bool = False


class Ground:
    """Every text of a run, once, and which of them each lane sees now."""

    def __init__(self, index: Index | None = None) -> None:
        self._index = index or Index()
        self._echoes = Echoes(self._index)
        self._search = Search(self._index, self._echoes)
        self._views: dict[int, View] = {}
        self._numbers: dict[Shown, Numbers] = {}
        self._authored: list[str] = []
        self._returned: set[int] = set()
        self._by_source: defaultdict[tuple[str, str], set[int]] = defaultdict(set)

    def show(self, lane: int, frame: Frame) -> None:
        """The lane sees exactly this frame now; what stood in its last one and not here is gone.

        Costs what is new since then, and one comparison of references for what is not.
        """
        view = self._views.get(lane)
        if view is None:
            view = self._views[lane] = View()
        view.show(frame, self._number)

    def author(self, text: str) -> None:
        """From now on this text serves nothing where it newly stands: the host wrote it."""
        if text.strip():
            self._authored.append(text)

    def give_back(self, text: str, tool: str, call_id: str) -> None:
        """A tool returned this; whether a frame shows it is another matter."""
        rest = without_looked_for(text)
        returned = Passage("returned", rest or text, call_id, tool, absent=rest is not None)
        self._returned.add(self._index.add(returned))

    def turn_off(self, equivalences: Iterable[str]) -> None:
        """These equivalences accept nothing from now on."""
        self._search.off |= frozenset(equivalences)

    def support(
        self, lane: int, value: str, tools: tuple[ToolSpec, ...] = (), key: str = ""
    ) -> Support:
        """How this value stands in what the lane sees now, its tool list included.

        `key` is the name of the field that it stands in. Catches invention, self-reference and
        cut-out pieces, not misattribution: a value from an unrelated result, or from another
        tool's schema, is `exact`.
        """
        view = self._views[lane]
        visible = view.once if view.held_by_provider else view.served
        found = self._search.find(value, visible, tools)
        if found is not None:
            return Support(grade="exact", method=found.method, hit=found.hit)
        echo = self._search.echo
        document = self._document(lane, value, tools, key)
        if document is not None:
            return document
        folded, says = fold(value), key_says(key)
        shape = shape_of(folded, says)
        if shape == "moment" and not self._search.is_served_year(folded, visible):
            # No year was served from which this date could have been computed.
            shape = "token"
        part = "" if says == "program" else self._invented_part(value, shape, visible, tools)
        if part:
            return msgspec.structs.replace(self._without(view, part), shape="token", part=part)
        without = self._without(view, folded)
        if echo is not None and without.state == "self-made":
            confirmed = self._echoes.confirms(echo)
            hit = without.hit or echo
            return msgspec.structs.replace(
                without, grade="self", hit=hit, shape=shape, confirmed=confirmed
            )
        return msgspec.structs.replace(without, shape=shape)

    def said_by_user(self, lane: int, value: str) -> Support | None:
        """How the value stands in what a user said and the lane sees now; None: not whole."""
        found = self._search.find(value, self._by_source["user", ""] & self._views[lane].served)
        if found is None:
            return None
        return Support(grade="exact", method=found.method, hit=found.hit)

    def in_results_of(self, lane: int, value: str, tool: str) -> Iterator[Hit]:
        """Every result of this tool that the lane sees now and that holds the value whole."""
        left = self._by_source["result", tool] & self._views[lane].served
        while (found := self._search.find(value, left)) and found.hit.number >= 0:
            yield found.hit
            left.discard(found.hit.number)

    def arguments_of(self, number: int) -> str:
        """The arguments of the call that this result answers; empty where nobody knows."""
        return self._echoes.arguments(number)

    def tool_of(self, hit: Hit) -> str:
        """The tool whose result this is; empty where nobody knows."""
        return self._echoes.tool(hit.passage)

    def is_judgeable(self, lane: int) -> bool:
        """Whether all that the lane's model sees is here: nothing stays with the provider."""
        return not self._views[lane].held_by_provider

    def is_truncated(self, lane: int) -> bool:
        """Whether the run's texts are more than is held, and some of this lane's are not read."""
        unread = self._index.unread
        return bool(unread) and any(number in unread for number in self._views[lane].served)

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

    def _invented_part(
        self, value: str, shape: Shape, visible: AbstractSet[int], tools: tuple[ToolSpec, ...]
    ) -> str:
        """The first identifier within a text of several words that nothing served."""
        # Several lines are a text or a program of the model's own, full of names it made up.
        if shape not in {"short-phrase", "phrase", "composed"} or "\n" in value.strip():
            return ""
        folded = fold(value)
        if not composed.is_phrase(folded):
            word = composed.without_label(folded)
            invented = self._search.find(word, visible, tools) is None
            return word if invented and composed.is_plain_identifier(word) else ""
        for part in composed.identifiers(readings(value)[-1]):
            if self._search.find(part, visible, tools) is None:
                return part
        return ""

    def _document(
        self, lane: int, value: str, tools: tuple[ToolSpec, ...], key: str
    ) -> Support | None:
        """A value that is a JSON document, as its worst string; None where it is none."""
        if value.lstrip()[:1] not in {"{", "["} or "json" in self._search.off:
            return None
        try:
            leaves = read_leaves(value)
        except EncodingError:
            return None
        doubt = None
        for leaf in leaves:
            found = self.support(lane, leaf.value, tools, leaf.key or key)
            if found.grade == "exact":
                continue
            if found.shape == "token" or found.grade == "fragment":
                return msgspec.structs.replace(found, part=found.part or leaf.value)
            doubt = doubt or found
        return doubt or Support(grade="exact", method="json")

    def _without(self, view: View, folded: str) -> Support:
        """How a value that was not served stands: inside something, in the model's own, nowhere."""
        gone = self._gone(view, folded)
        said = self._index.whole(folded, view.own)
        prose = said is not None and said.passage.voice != "call"
        inside = None if prose else self._index.inside(folded, view.served)
        own = said or (None if inside else self._index.inside(folded, view.own))
        state = self._state(view, folded, gone, own)
        if inside is not None:
            return Support(grade="fragment", hit=inside, gone=gone, state=state)
        if own is not None:
            return Support(grade="self", hit=own, gone=gone, state=state)
        return Support(grade="nowhere", gone=gone, state=state)

    def _gone(self, view: View, folded: str) -> Hit | None:
        dropped = view.gone
        found = self._search.find(folded, dropped) if dropped else None
        if found is not None:
            return found.hit
        if self._returned:

            def is_echo(number: int) -> bool:
                return self._echoes.is_echo(number, folded)

            hit = self._index.whole(folded, self._returned, refuse=is_echo)
            if hit is not None:
                return hit
        return self._index.inside(folded, dropped) if dropped else None

    def _state(self, view: View, folded: str, gone: Hit | None, own: Hit | None) -> State:
        if gone is not None and not gone.around:
            match gone.passage.voice:
                case "returned":
                    return "returned-unserved"
                case "user":
                    return "user-evicted"
                case _:
                    return "served-evicted"
        wrote = own is not None or self._index.whole(folded, view.wrote) is not None
        return "self-made" if wrote else "never-served"

    def _number(self, shown: Shown) -> Numbers:
        known = self._numbers.get(shown)
        if known is None:
            if isinstance(shown, Message):
                role, parts, library = shown.role, shown.parts, shown.authored_by == "library"
            else:
                role, parts, library = "system", shown, False
            found = passages(role, parts, library=library, authored=self._authored)
            numbered = [(self._add(passage), passage.voice) for passage in found]
            known = Numbers(
                served=tuple(number for number, voice in numbered if voice not in SILENT),
                own=tuple(number for number, voice in numbered if voice in SILENT),
                unread=is_unread(parts),
            )
            self._numbers[shown] = known
        return known

    def _add(self, passage: Passage) -> int:
        number = self._index.add(passage)
        self._echoes.note(number, passage)
        self._by_source[passage.voice, self._echoes.tool(passage)].add(number)
        return number
