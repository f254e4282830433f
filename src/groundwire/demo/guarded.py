"""The guarded act: a coding agent's calls, each decided on before anything changes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import openai

from groundwire.audit.guarding.receipts import judge_receipt
from groundwire.authority.keyrings import trusted_keyring
from groundwire.demo import shop
from groundwire.documents.outcome import Executed, Passed, Refused, Unknown
from groundwire.errors import HostError
from groundwire.session import clock
from groundwire.session.guarding.recovering import undo
from groundwire.session.guarding.result import GuardedResult
from groundwire.session.guarding.table import GuardedTable
from groundwire.session.project import Project, Session
from groundwire.testing.standin import StandIn

HELD: Final = "   held    "
_DOES = {
    "call_edit": f"edits   {shop.API}: Order.placed_at is to go",
    "call_again": f"edits   {shop.API}: the same change once more",
    "call_shell": f"runs    {shop.detour()}",
    "call_rate": f"edits   {shop.RATES}: 4.90 is to be 5.50",
    "call_commit": "runs    git commit -q -a -m 'Shipping is 5.50'",
}


def act(path: Path) -> Iterator[str]:
    """Lines to print; the recording stands at `path` afterwards, the repository nowhere.

    Raises:
        HostError: the repository cannot be made, or the run not be recorded.
    """
    if not shop.is_git_here():
        yield "   There is no git on this machine: this act is left out."
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="demo-shop-", dir=path.parent) as made:
        folder = Path(made)
        shop.make(folder)
        project = Project(folder / "groundwire.toml")
        table = project.guard(project.coding_tools())
        with StandIn(shop.turns()) as here, project.session(path) as session:
            client = project.watch(openai.OpenAI(base_url=f"{here.url}/v1", api_key="unused"))
            with client:
                loop = Loop(client, table, folder)
                yield from loop.lines()
            yield from _undone(project, session, loop.results["call_rate"], folder)
        if session.lost:
            raise HostError(session.lost_reason, "The demo's recording could not be made.")
        project.close()


class Loop:
    """The agent's loop. `results` are those of its calls by their ids, the latest is `latest`."""

    def __init__(self, client: openai.OpenAI, table: GuardedTable, folder: Path) -> None:
        self._client = client
        self._table = table
        self._folder = folder
        self.results: dict[str, GuardedResult] = {}
        self.latest: GuardedResult | None = None

    def lines(self) -> Iterator[str]:
        """Whatever the model calls goes to the table, and its word back to the model."""
        messages: list[object] = [{"role": "user", "content": shop.ASKED}]
        yield f"   asks    {shop.ASKED}"
        while True:
            response = self._client.chat.completions.create(
                model="gpt-5-mini",
                messages=messages,  # type: ignore[arg-type]  # the SDK's own TypedDicts, as plain ones
                tools=self._table.openai(),  # type: ignore[arg-type]  # as above
            )
            message = response.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                yield f"   says    {message.content}"
                return
            for call in message.tool_calls:
                before = _contents(self._folder)
                result = self.latest = self.results[call.id] = self._table.dispatch(call)
                changed = before != _contents(self._folder)
                yield f"   {_DOES[call.id]}"
                yield from _became(
                    result, "the repository changed" if changed else "not a byte changed"
                )
                messages.append(result.message_for_model())


def _became(result: GuardedResult, seen: str) -> Iterator[str]:
    ruling, outcome = result.ruling, result.outcome
    rules = "by no rule" if ruling is None else f"by {', '.join(ruling.decision.rules)}"
    match outcome:
        case Executed():
            found = ", ".join(sorted({each.seen for each in outcome.observed}))
            how = "unasked" if not result.request else "once a person allowed it"
            yield f"   lands   {how}, {rules}; {seen}: {found}"
        case Refused() | Unknown():
            yield f"{HELD}{outcome.reason}, {rules}; {seen}"
        case Passed():
            yield f"   passed  {outcome.reason}; {seen}"
    if (
        ruling is not None
        and ruling.would_allow
        and result.call.id == "call_edit"
        and not result.request
    ):
        breaks = [each for each in ruling.decision.witnesses if each.rule in ruling.decision.rules]
        yield from (f"           {each.says}" for each in breaks)
        lines = "; ".join(line for line in ruling.would_allow.splitlines() if line.strip())
        yield f"           a person can allow it in groundwire.toml: {lines}"


def _undone(
    project: Project, session: Session, landed: GuardedResult, folder: Path
) -> Iterator[str]:
    guarded, outcome = project.run_guard(session), landed.outcome
    if guarded is None or landed.receipt is None or not isinstance(outcome, Executed):
        yield "   undo    nothing landed that could be undone"
        return
    undone = undo(guarded, outcome.receipt)
    now = (folder / shop.RATES).read_text(encoding="utf-8").strip()
    how = f"refused, {undone.message}" if undone.refused else f"{shop.RATES} says {now} again"
    yield f"   undo    of the edit of {shop.RATES}, by its receipt {outcome.receipt[:19]}...: {how}"
    judged = judge_receipt(landed.receipt, trusted_keyring(), clock.now())
    said = f"{judged.receipt.decision}, by {', '.join(judged.receipt.rules)}"
    yield f"   receipt {judged.standing}: {said}; signed by {judged.signer[:20]}..."


def _contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}
