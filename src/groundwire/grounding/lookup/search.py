"""Search: whether a value stands among some passages, by which equivalence, and where.

Equivalences are narrow and have names; one that is turned off accepts nothing. A result that only
repeats what its own call had made up is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache

import msgspec

from groundwire.documents.frame import ToolSpec
from groundwire.grounding import boundaries
from groundwire.grounding.folding import fold, readings
from groundwire.grounding.index import Hit, Index
from groundwire.grounding.lookup.echoes import Echoes
from groundwire.grounding.passages import Passage
from groundwire.grounding.schemas import spec_texts
from groundwire.grounding.spellings import composed, dates
from groundwire.grounding.spellings.differences import FOLDS, differences
from groundwire.grounding.spellings.identifiers import FORMS, forms_of, prefix_of
from groundwire.grounding.spellings.numbers import operands
from groundwire.grounding.spellings.plain import plain
from groundwire.grounding.spellings.shapes import is_template

_RECORD = next(form for form in FORMS if form.name == "record-id")
# Every equivalence that can be turned off, `+` between those that were needed together.
EQUIVALENCES: tuple[str, ...] = (
    *FOLDS, "sigil", "quotes", "scheme", "trailing-slash", "trailing-stop", "www", "thousands",
    "number", "unit", "schema", *(form.name for form in FORMS), "record-prefix", "path", "date",
    "list", "operands", "version", "json",
)  # fmt: skip


class Found(msgspec.Struct, frozen=True):
    """What accepted a value: the equivalence, `exact` for none, and a place where it stands."""

    method: str
    hit: Hit


class Search:
    """Looks values up for one run. `echo` is the echo that the last search passed over."""

    def __init__(self, index: Index, echoes: Echoes) -> None:
        self._index = index
        self._echoes = echoes
        self.off: frozenset[str] = frozenset()
        self.echo: Hit | None = None
        # Of the value that is being searched.
        self._judged: dict[tuple[int, str], bool] = {}
        self._tools: tuple[ToolSpec, ...] = ()
        self._tool_texts = ""

    def find(
        self, value: str, among: AbstractSet[int], tools: tuple[ToolSpec, ...] = ()
    ) -> Found | None:
        """The closest spelling of the value that stands whole among these, or in the tool list."""
        self.echo = None
        self._judged.clear()
        folded = fold(value)
        if not folded:
            return None
        return (
            self._plainly(value, folded, folded, among)
            or self._in_schemas(folded, tools)
            or self._by_form(folded, among, tools)
            or self._by_parts(folded, among)
        )

    def _stands(
        self, folded: str, text: str, among: AbstractSet[int], separators: str = ""
    ) -> Hit | None:
        def is_echo(number: int) -> bool:
            # Asked for each element of a list about the whole list: once is enough.
            known = self._judged.get((number, folded))
            if known is None:
                known = self._judged[number, folded] = self._echoes.is_echo(number, folded)
            if not known:
                return False
            self.echo = self.echo or Hit(
                self._index.passage(number), number=number, spelling=folded
            )
            return True

        return self._index.whole(text, among, separators, is_echo)

    def _plainly(
        self, value: str, folded: str, whole: str, among: AbstractSet[int]
    ) -> Found | None:
        for spelling, method in plain(folded, self.off):
            hit = self._stands(whole, spelling, among)
            if hit is None:
                continue
            if method != "exact":
                return Found(method, hit)
            steps = differences(value, hit.passage.text)
            if not self.off.intersection(steps):
                return Found("+".join(steps) or "exact", hit)
        return None

    def _in_schemas(self, folded: str, tools: tuple[ToolSpec, ...]) -> Found | None:
        if "schema" in self.off or is_template(folded):
            return None
        texts_of_all = self._texts(tools)
        for spelling, _ in plain(folded, self.off):
            # Texts are joined by line ends, so what stands whole in all of them does in one.
            if boundaries.standing(texts_of_all, spelling)[0] != "whole":
                continue
            for tool in tools:
                texts = tool_readings(tool)
                if any(boundaries.standing(text, spelling)[0] == "whole" for text in texts):
                    hit = Hit(Passage("schema", "", tool=tool.name), spelling=spelling)
                    return Found("schema", hit)
        return None

    def _by_form(
        self, folded: str, among: AbstractSet[int], tools: tuple[ToolSpec, ...]
    ) -> Found | None:
        def is_echo(number: int) -> bool:
            return self._echoes.is_echo(number, folded)

        for form, spellings in forms_of(folded):
            if form.name in self.off:
                continue
            for canonical in spellings:
                hit = self._index.of_form(form, canonical, among, is_echo)
                if hit is not None:
                    return Found(form.name, hit)
        record = prefix_of(folded)
        if record is None or "record-prefix" in self.off:
            return None
        prefix, digits = record
        hit = self._stands(folded, digits, among)
        if hit is not None and self._is_form(prefix, len(digits), tools):
            return Found("record-prefix", hit)
        return None

    def _is_form(self, prefix: str, digits: int, tools: tuple[ToolSpec, ...]) -> bool:
        """Whether ids of this prefix and length are known, from a description or another id."""
        form = re.compile(rf"(?<!\w){re.escape(prefix)}\d{{{digits}}}(?!\w)")
        if form.search(self._texts(tools)):
            return True
        letters = prefix.strip("#-_")
        return any(
            known.partition(" ")[0] == letters and len(known) == len(letters) + 1 + digits
            for known in self._index.spellings_of(_RECORD)
        )

    def _by_parts(self, folded: str, among: AbstractSet[int]) -> Found | None:
        first: list[Hit] = []

        def stands(text: str, separators: str) -> bool:
            hit = self._stands(folded, text, among, separators)
            if hit is not None:
                first.append(hit)
            return hit is not None

        if "path" not in self.off:
            names = composed.path_names(folded)
            if names and all(stands(name, "/\\") for name in names):
                return Found("path", first[-1])
        if "date" not in self.off and dates.is_served_moment(folded, stands):
            return Found("date", first[0])
        if "operands" not in self.off:
            numbers = operands(folded)
            hits = [self._plainly(number, number, folded, among) for number in numbers]
            if numbers and all(hits):
                return hits[0] and Found("operands", hits[0].hit)
        parts = () if "version" in self.off else composed.version_parts(folded)
        if parts:
            both = [self._plainly(part, part, folded, among) for part in parts]
            if all(both):
                return both[0] and Found("version", both[0].hit)
        parts = () if "list" in self.off else composed.elements(folded)
        if parts:
            every = [self._plainly(part, part, folded, among) for part in parts]
            if all(every):
                return every[0] and Found("list", every[0].hit)
        return None

    def is_served_year(self, folded: str, among: AbstractSet[int]) -> bool:
        """Whether a date is near enough to a served year that a model may have computed it."""
        self._judged.clear()
        return not dates.year_of(folded) or any(
            self._stands(folded, year, among, "-/") is not None for year in dates.years_near(folded)
        )

    def _texts(self, tools: tuple[ToolSpec, ...]) -> str:
        if tools is not self._tools:
            self._tools, self._tool_texts = tools, _joined_readings(tools)
        return self._tool_texts


@lru_cache(maxsize=256)
def _joined_readings(tools: tuple[ToolSpec, ...]) -> str:
    return "\n".join(text for tool in tools for text in tool_readings(tool))


@lru_cache(maxsize=16_384)
def tool_readings(tool: ToolSpec) -> tuple[str, ...]:
    """What the tool list showed of this tool, folded; the runs of one agent share it."""
    return readings("\n".join(spec_texts(tool)))
