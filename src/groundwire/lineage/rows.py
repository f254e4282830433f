"""Rows of a manifest while a run goes on: one call, and the places where its result stood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from groundwire.canon import digest
from groundwire.documents.call import ToolCall
from groundwire.documents.injection import Form, Injection
from groundwire.documents.manifest import CallRow, Standing, Stretch
from groundwire.lineage.context import form_of, injected_digest


@dataclass(eq=False, slots=True)
class Row:
    """A call. `same_words`: the host returned the very text that the model was to read."""

    number: int
    lane: int
    call: ToolCall
    call_seen: bool
    chosen_in: int | None = None
    position: int = -1
    upfront: bool = False
    output: str | None = None
    output_from: Literal["returned", "first-carried", "response", "stated", "unknown"] = "unknown"
    same_words: bool = False
    carried: list[Carried] = field(default_factory=list)

    def returns(
        self, text: str, said_by: Literal["returned", "response"], *, same_words: bool = True
    ) -> None:
        """The tool returned this text, as `said_by` has it."""
        self.output, self.output_from, self.same_words = text, said_by, same_words

    def document(self, *, unseen: bool) -> CallRow:
        """The row as it stands; `unseen`: a request that may have carried its result was not seen."""
        text = self.output
        return CallRow(
            chosen_in=self.chosen_in,
            executed_by=self.call.executed_by,
            id=self.call.id,
            injections=tuple(each.document() for each in self.carried),
            inputs=inputs_digest(self.call.arguments) if self.call_seen else "",
            inputs_text=self.call.arguments if self.call_seen else None,
            lane=self.lane,
            output="" if text is None else injected_digest(text),
            output_from=self.output_from,
            output_sha256="" if text is None else digest.sha256(_bytes(text)),
            position=self.position,
            standing=self._standing(unseen=unseen),
            tool=self.call.name,
        )

    def _standing(self, *, unseen: bool) -> Standing:
        if self.call.executed_by == "provider":
            # Its result entered the context inside the provider, while the model was still answering.
            return "not-observed"
        if self.carried:
            return "provided-upfront" if self.upfront else "injected"
        return "not-observed" if unseen else "not-injected"


@dataclass(eq=False, slots=True)
class Carried:
    """A result in one place of a lane's requests, from the one that its injection is of to `last`."""

    row: Row
    injection: Injection
    nth: int
    last: int
    form: Form
    returned: str
    compared_with: Literal["returned", "first-carried"]

    @classmethod
    def of(cls, row: Row, injection: Injection, nth: int, text: str) -> Carried:
        """The text stands where the injection says, compared with what the row's tool returned."""
        form, returned = injection.form, injection.first_injected
        compared: Literal["returned", "first-carried"] = "first-carried"
        if row.output is None:
            row.output, row.output_from = text, "first-carried"
        elif row.same_words:
            form, returned = form_of(text, row.output), injected_digest(row.output)
            compared = "returned"
        return cls(row, injection, nth, injection.exchange, form, returned, compared)

    @property
    def message(self) -> int:
        """The message of the request that it stands in."""
        return self.injection.message

    def document(self) -> Stretch:
        """The stretch as far as it goes now."""
        known = self.injection
        return Stretch(
            body_end=known.body_end,
            body_start=known.body_start,
            compared_with=self.compared_with,
            first_request=known.exchange,
            form=self.form,
            injected=known.injected,
            lane=known.lane,
            last_request=self.last,
            message=known.message,
            pointer=known.pointer,
            returned=self.returned,
            text_bytes=known.text_bytes,
            text_end=known.text_characters,
            text_start=0,
        )


def inputs_digest(arguments: str) -> str:
    """The tagged digest of the exact text of a call's arguments."""
    return digest.tagged("arguments", _bytes(arguments))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
