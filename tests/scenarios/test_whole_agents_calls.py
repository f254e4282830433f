"""Whole agents and what they call: references, arguments, results, columns, the wire."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import groundwire as gw
from groundwire.authority.policy import decode_policy
from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import Column
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import PolicyError
from groundwire.grounding.schemas import enum_strings
from groundwire.loop.agent import Agent
from groundwire.loop.messages import Offer, Request
from groundwire.loop.outcomes import Answered
from groundwire.loop.terms import Terms
from groundwire.loop.windows import last_turns, pinned_results
from groundwire.testing.simulator import Simulator, Wire, replying
from groundwire.testing.turns import Answer, Turn
from tests.simulated import Told, calls, checks, project, session, told

LIGHT = ToolDeclaration(name="light_beacon", arguments_from=("scan_deck",))
DECK = [replying("scan_deck", "beacons: b-204, b-377"), replying("light_beacon", "lit")]
SCAN, FIRE = ("scan_deck", "{}"), ("light_beacon", "{}")
WIRES: tuple[Wire, ...] = ("openai-chat", "anthropic")


def turns(*each: tuple[tuple[str, str], ...]) -> list[Answer]:
    return [answer for made in each for answer in (calls(*made), Turn(text="Done."))]


def on_deck(folder: Path, wire: Wire, script: list[Answer], **more: object) -> Told:
    return told(
        project(LIGHT),
        script,
        DECK,
        questions=["Go on."] * (len(script) // 2),
        folder=folder,
        wire=wire,
        **{"window": last_turns(2), **more},
    )


@pytest.mark.whole_agent("D06")
@pytest.mark.parametrize("wire", WIRES)
def test_a_dropped_result_that_an_offered_tool_needs_is_one_finding(
    tmp_path: Path, wire: Wire
) -> None:
    script = turns((SCAN,), *[(FIRE,)] * 7)
    found = on_deck(tmp_path, wire, script)
    [finding] = found.of("dangling-reference")
    assert [subject.id for subject in finding.subjects] == ["light_beacon", "scan_deck"]


@pytest.mark.parametrize("wire", WIRES)
def test_a_pinned_result_leaves_nothing_dangling(tmp_path: Path, wire: Wire) -> None:
    script = turns((SCAN,), *[(FIRE,)] * 7)
    found = on_deck(tmp_path, wire, script, window=pinned_results(last_turns(2)))
    assert found.of("dangling-reference") == []


@pytest.mark.whole_agent("D07")
@pytest.mark.parametrize("wire", WIRES)
def test_a_result_that_was_fetched_again_dangles_nowhere_whoever_names_its_tool(
    tmp_path: Path, wire: Wire
) -> None:
    script = turns((SCAN,), *[(SCAN, FIRE)] * 7)
    found = on_deck(tmp_path, wire, script)
    assert found.of("dangling-reference") == []
    # The wire has only call ids in its results.
    assert b'"name":"scan_deck"' not in found_results(found)


def found_results(found: Told) -> bytes:
    """The messages of the last request that hold a result."""
    body = found.reader.body(max(found.reader.exchanges))
    assert isinstance(body, bytes)
    messages = msgspec.json.decode(body)["messages"]
    return msgspec.json.encode(
        [m for m in messages if m["role"] == "tool" or "tool_result" in str(m["content"])]
    )


@pytest.mark.whole_agent("D08")
@pytest.mark.parametrize("wire", WIRES)
def test_a_call_that_the_loop_answered_itself_is_no_fetch(tmp_path: Path, wire: Wire) -> None:
    scans: list[ToolCall] = []

    def once(call: ToolCall) -> str | None:
        if call.name == "scan_deck":
            scans.append(call)
        return "Scanning is closed." if len(scans) > 1 and call.name == "scan_deck" else None

    script = turns((SCAN,), *[(SCAN, FIRE)] * 7)
    found = on_deck(tmp_path, wire, script, terms=Terms(permit=once))
    assert len(found.of("dangling-reference")) == 1


@pytest.mark.whole_agent("D09")
@pytest.mark.parametrize("sources", [[], [" "], ["light_beacon"]])
def test_sources_that_name_nothing_or_the_tool_itself_are_refused(sources: list[str]) -> None:
    with pytest.raises(PolicyError):
        gw.tool(name="light_beacon", arguments_from=sources)(lambda: None)
    listed = ", ".join(f'"{source}"' for source in sources)
    with pytest.raises(PolicyError):
        decode_policy(f"[tools.light_beacon]\narguments_from = [{listed}]\n", "groundwire.toml")


def bad(*_: object) -> list[Answer]:
    return [calls(("light_beacon", '{"beacon": "b-999-made"}')), Turn(text="Done.")]


def throwing() -> object:
    raise RuntimeError("no grounds today")


@pytest.mark.whole_agent("A20")
@pytest.mark.parametrize("grounds", [throwing, lambda: "b-999-made", list, lambda: None])
def test_a_function_of_grounds_that_gives_none_excuses_nothing(
    tmp_path: Path, grounds: Callable[[], object]
) -> None:
    found = told(project(LIGHT), bad(), DECK, folder=tmp_path, terms=Terms(grounds=grounds))
    assert found.kinds() == ["unsupported-argument"]


def test_a_value_that_the_host_vouches_for_is_excused_and_counted(tmp_path: Path) -> None:
    def clicked() -> object:
        return [{"value": "b-999-made", "source": "the map"}, {"value": " ", "source": "x"}, 7]

    found = told(project(LIGHT), bad(), DECK, folder=tmp_path, terms=Terms(grounds=clicked))
    assert found.kinds() == []
    assert found.row("unsupported-argument").grades == {"vouched": 1}


@pytest.mark.whole_agent("A21")
@pytest.mark.parametrize("grounds", ["b-999-made", ["b-999-made"], 7])
def test_grounds_that_are_no_function_are_refused(grounds: object) -> None:
    model = Simulator(project(), [])
    with pytest.raises(PolicyError) as refused:
        Agent(model, terms=Terms(grounds=grounds))  # type: ignore[arg-type] -- the point
    assert refused.value.reason == "not-a-function"


@pytest.mark.whole_agent("A22")
def test_a_long_made_up_value_is_clipped_in_the_message_and_whole_in_the_witness(
    tmp_path: Path,
) -> None:
    value = "b-" + "7" * 398
    script = [calls(("light_beacon", f'{{"beacon": "{value}"}}')), Turn(text="Done.")]
    found = told(project(LIGHT), script, DECK, folder=tmp_path)
    [finding] = found.of("unsupported-argument")
    assert len(finding.message) < 600
    assert "…" in finding.message
    assert finding.witnesses[0].value == value


def nested(depth: int) -> dict[str, object]:
    schema: dict[str, object] = {"enum": ["b-999-made", 7, None]}
    for _ in range(depth):
        schema = {"in": schema}
    return schema


@pytest.mark.whole_agent("A23")
@pytest.mark.parametrize(("depth", "kinds"), [(3, []), (9, ["unsupported-argument"])])
def test_an_enum_below_eight_levels_excuses_nothing(
    tmp_path: Path, depth: int, kinds: list[str]
) -> None:
    tools = [replying("light_beacon", "lit", schema={"type": "object", "x": nested(depth)})]
    found = told(project(LIGHT), bad(), tools, folder=tmp_path)
    assert found.kinds() == kinds
    assert enum_strings(nested(depth)) == (frozenset() if depth > 8 else {"b-999-made"})
    assert enum_strings("text") == enum_strings(None) == frozenset()


@pytest.mark.whole_agent("E10")
def test_one_empty_lookup_among_three_batches(tmp_path: Path) -> None:
    lookup = ToolDeclaration(name="find_port", arguments_from=("inventory",))
    tools = [
        replying("inventory", "port fc7/12 of petrel"),
        replying("find_port", []),
        replying("clock", "night"),
    ]
    script = [
        calls(("inventory", "{}")),
        calls(("find_port", '{"port": "fc7/12"}')),
        calls(("clock", "{}")),
        Turn(text="Nothing there."),
    ]
    found = told(project(lookup), script, tools, folder=tmp_path)
    assert found.kinds() == ["empty-lookup"]
    assert found.counts("empty-lookup") == {"checked": 1, "findings": 1, "notApplicable": 2}


NAMES = [f"col{number}" for number in range(7)]
DISKS = ToolDeclaration(
    name="disks", columns=tuple(Column(name=name, type="number") for name in NAMES)
)
ROWS = [dict.fromkeys(NAMES, "quoted-4417")]


def asked_for_disks(folder: Path, columns: str) -> tuple[Answered, bytes, Told]:
    of = project(DISKS, rules=checks(columns=columns))
    model = Simulator(of, [calls(("disks", "{}")), Turn(text="Done.")])
    with session(of, folder) as run:
        outcome = Agent(model, [replying("disks", ROWS)]).ask(run, "Which disks?")
    assert isinstance(outcome, Answered)
    found = Told(run)
    assert found.replays()
    return outcome, model.requests[-1], found


@pytest.mark.whole_agent("CT16")
def test_rows_that_are_not_as_declared_are_withheld_where_columns_are_enforced(
    tmp_path: Path,
) -> None:
    outcome, body, found = asked_for_disks(tmp_path, "enforce")
    shown = body.decode()
    assert [name in shown for name in NAMES] == [True] * 5 + [False] * 2
    assert "and 2 more" in shown
    assert "No data was returned" in shown
    assert "quoted-4417" not in shown
    assert [record.status for record in outcome.calls] == ["invalid"]
    # What was judged is what the tool returned, not the refusal.
    assert found.kinds() == ["column-type-mismatch"] * 7


@pytest.mark.whole_agent("CT17")
def test_rows_that_are_not_as_declared_are_untouched_where_columns_only_warn(
    tmp_path: Path,
) -> None:
    outcome, body, found = asked_for_disks(tmp_path, "warn")
    content = msgspec.json.decode(body)["messages"][-1]["content"]
    assert msgspec.json.decode(content) == ROWS
    assert [record.status for record in outcome.calls] == ["ok"]
    assert found.kinds() == ["column-type-mismatch"] * 7


@pytest.mark.whole_agent("CT18")
@pytest.mark.parametrize(
    "columns",
    [
        '{a = "integer"}',
        '{a = "unknown"}',
        "{}",
        '{" " = "number"}',
        '{a = {type = "number", nullable = "yes"}}',
        '["a"]',
    ],
)
def test_columns_that_cannot_be_meant_are_refused(columns: str) -> None:
    with pytest.raises(PolicyError):
        decode_policy(f"[tools.disks]\ncolumns = {columns}\n", "groundwire.toml")


@pytest.mark.whole_agent("W05")
def test_the_wire_is_held_against_the_request_after_the_last_transform(tmp_path: Path) -> None:
    def cached(request: Request) -> Request:
        """A cache that leaves out a tool and puts one of its own in, once a result is there."""
        if len(request.messages) < 2:
            return request
        own = Offer("cache_read", "", {"type": "object"})
        return msgspec.structs.replace(request, tools=(*request.tools[:1], own))

    script = turns((SCAN,), (FIRE,))
    found = told(
        project(LIGHT),
        script,
        DECK,
        questions=["Go on."] * 2,
        folder=tmp_path,
        terms=Terms(transform=cached),
    )
    assert found.of("invariant-violation") == []
    assert found.counts("invariant-violation") == {"checked": 4}


def test_a_tool_that_is_lost_behind_the_transform_is_found_on_the_wire(tmp_path: Path) -> None:
    def losing(document: dict[str, object]) -> bytes:
        return msgspec.json.encode({**document, "tools": document["tools"][:1]})

    of = project()
    with session(of, tmp_path) as run:
        Agent(Simulator(of, [Turn(text="Done.")], serialise=losing), DECK).ask(run, "Go on.")
    assert Told(run).kinds() == ["invariant-violation"]
