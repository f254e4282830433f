"""A user's code, for type checkers only: `make check` runs mypy and pyright over it, strictly.

Nothing here runs. A change that makes a line of it an error changes the public face.
"""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import anthropic
import openai
from openai.types.chat import ChatCompletionMessageParam

import groundwire as gw


@gw.tool(arguments_from=["list_racks"])
def find_machine(rack: str, *, powered: bool = True) -> list[str]:
    return [rack] if powered else []


@gw.tool(
    name="label",
    arguments={"host": "find_machine:$[*]", "text": "free-text"},
    effect="write",
    idempotent=True,
    columns={"host": "string", "owner": {"type": "string", "nullable": True}},
    max_age="15m",
    says=("labelled",),
    output_schema={"type": "boolean"},
)
def put_label(host: str, text: str) -> bool:
    return bool(host + text)


@gw.tool
async def drain(host: str) -> int:
    return len(host)


def a_declared_tool_keeps_its_signature() -> None:
    assert_type(find_machine("r7", powered=False), list[str])


def claims_are_declared_in_code() -> None:
    claim = gw.Claim(answer="free_gb", entity="array-7", field="free_gb", tolerance="1%")
    assert_type(gw.Project(gw.Policy(), claims=[claim]), gw.Project)


def the_agents_rule_keeps_the_type_of_the_messages() -> None:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": "go"}]
    assert_type(gw.with_policy(messages), list[ChatCompletionMessageParam])
    assert_type(gw.with_policy("Be brief.", provider="anthropic"), str)


def a_guarded_table_takes_tools_of_any_shape() -> None:
    project = gw.Project()
    table = project.guard([find_machine, ({"name": "f", "description": "Finds."}, find_machine)])
    result = table.dispatch(("find_machine", {"rack": "r7"}, "call_1"))
    assert_type(result.text, str)
    assert_type(table.proof("text"), str)
    with project.session():
        project.guard(project.coding_tools()).report()


async def an_async_tool_keeps_its_signature() -> None:
    assert_type(await drain(host="petrel-7"), int)


def what_the_host_says() -> None:
    with gw.Session() as run:
        run.executed("call_1", {"host": "petrel-7"}, object(), name="drain")
        run.executed(None, "{}", None, error=TimeoutError(), outcome="unknown")
        with run.for_call("call_1"):
            run.pin("Never drain two hosts.", name="rule")
        run.park("disks")
        run.engage("disks", ["wipe"])
        run.vouch("petrel-7", "the ticket")
        run.authored("All quiet.", "summary")


def a_script() -> None:
    with gw.Session("runs/triage.gw") as run:
        assert_type(run, gw.Session)
        assert_type(run.watch(openai.OpenAI()), openai.OpenAI)
        run.tools(["find_machine"])
        run.on("finding", print)
        with run.lane("summary"):
            assert_type(run.findings, tuple[gw.Finding, ...])
        assert_type(run.path, Path | None)


async def a_service() -> None:
    project = gw.Project("groundwire.toml")
    client = project.watch(anthropic.AsyncAnthropic())
    assert_type(client, anthropic.AsyncAnthropic)
    async with project.session(tags={"tenant": "a"}) as run:
        assert_type(run, gw.Session)
        with run.child("researcher") as child:
            assert_type(child, gw.Session)


def errors_are_ours(policy: gw.Policy) -> str:
    try:
        gw.Project(policy)
    except gw.PolicyError as error:
        return error.reason
    except gw.GroundwireError as error:
        return error.message
    return ""
