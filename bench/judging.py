"""Arguments of recorded runs as the check judges them, and what a person said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.runs import calls, runs
from groundwire.checks.choice.argument_finding import Case, is_doubt
from groundwire.checks.choice.unsupported_argument import Watch
from groundwire.checks.transcript import Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Declared, Requested
from groundwire.documents.frame import Frame
from groundwire.grounding.folding import fold
from groundwire.grounding.spellings.shapes import is_particular, is_quantity
from groundwire.wire.importers import ImportedRun

SETS = ("taubench", "agentdojo", "agentdyn")
LABELS = Path(__file__).parent / "labels" / "arguments.jsonl"
Row = tuple[str, str, str]
_EDGES = r"[\s\"'()\[\]{}<>,;:=|`*!?&/\\]"


class Label(msgspec.Struct):
    """What a person says of one argument. `value` is a digest; no text of a run stands here."""

    run: str
    call: str
    path: str
    value: str
    drawn: str
    label: str
    reason: str


class Bench:
    """One run, frame after frame, as the check sees it."""

    def __init__(self) -> None:
        self.run = Transcript()
        self._exchange = 0
        self.run.see(
            Declared(
                step=0, at="", declarations=(), grounding="whole", posture="observe", arm_all=True
            )
        )

    def show(self, frame: Frame) -> None:
        """The model sees this frame."""
        self._exchange += 1
        self.run.see(
            Requested(
                step=self._exchange,
                at="",
                exchange=self._exchange,
                lane=0,
                attempt=1,
                composed=None,
                frame=frame,
                wire=False,
            )
        )

    def cases(self, frame: Frame, call: ToolCall) -> list[Case]:
        """What the check says of each argument of this call in the frame shown last."""
        try:
            return Watch(self.run)._cases(0, frame, call)
        except Exception as error:
            if getattr(error, "reason", ""):
                return []  # arguments that are no JSON
            raise


def accuses(case: Case) -> bool:
    """Whether a finding that is a defect comes of it."""
    return case.is_filed and not is_doubt(case, unread=False)


def looks_like_identifier(value: str) -> bool:
    """One token with a digit, an address, a path or a file name; no amount."""
    folded = fold(value)
    return " " not in folded and is_particular(folded) and not is_quantity(folded)


def walked(run: ImportedRun) -> Iterator[tuple[Bench, int, Frame, ToolCall]]:
    """Every call of the run with the frame it was chosen in, which the bench is showing."""
    bench, shown = Bench(), None
    for number, frame, _, call in calls(run):
        if frame is not shown:
            bench.show(frame)
            shown = frame
        yield bench, number, frame, call


def judged(name: str) -> Iterator[tuple[tuple[str, str, str], Case]]:
    """Every argument of the set's benign runs as it was chosen, by run, call and path."""
    for run in runs(name):
        for bench, number, frame, call in walked(run):
            for case in bench.cases(frame, call):
                yield (run.run_id, call.id or f"#{number}", case.leaf.pointer), case


def labels() -> dict[tuple[str, str, str], Label]:
    """The labels by run, call and path."""
    lines = LABELS.read_bytes().splitlines()
    every = [msgspec.json.decode(line, type=Label) for line in lines]
    return {(label.run, label.call, label.path): label for label in every}


def rate(part: int, whole: int, places: int = 1) -> str:
    """The share in percent, with both numbers."""
    share = f"{100 * part / whole:.{places}f} %" if whole else "-"
    return f"{share} ({part}/{whole})"


def is_served_itself(texts: list[str], value: str) -> bool:
    """Whether the text stands in one of these between blanks, quotes or brackets."""
    sought = re.compile(
        rf"(?<![^\s\"'()\[\]{{}}<>,;=|`*])#?{re.escape(value.lower())}(?=$|{_EDGES}|\.(?:\s|$))"
    )
    return any(sought.search(text) for text in texts if value.lower() in text)


def texts_of(frame: Frame) -> list[str]:
    """Everything that the frame served, lower-cased, whoever it is from but the model."""
    bench = Bench()
    bench.show(frame)
    served, _ = bench.run.ground.texts(0)
    return [
        text.lower().replace("\\n", "\n")
        for text in (*served, *(f"{tool.description}\n{tool.schema}" for tool in frame.tools))
    ]
