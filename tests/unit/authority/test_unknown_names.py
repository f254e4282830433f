"""Names that a policy speaks of and no tool list has."""

from __future__ import annotations

from groundwire.authority.policy import decode_policy
from groundwire.authority.unknown_names import unknown_names

SCHEMAS = {
    "reboot_machine": (
        '{"properties":{"machine":{"type":"string"},"filter":{"properties":'
        '{"hosts":{"items":{"properties":{"id":{}}}}}},"any":{"$ref":"#/x"}}}'
    ),
    "find_machine": "no JSON",
}


def found(text: str) -> list[tuple[str, str, str]]:
    return [
        (each.kind, each.name, each.near)
        for each in unknown_names(decode_policy(text, "p"), SCHEMAS)
    ]


def test_a_policy_that_names_what_there_is_has_none() -> None:
    assert not found(
        """
        [tools.reboot_machine]
        arguments_from = ["find_machine"]
        volatile = ["filter.hosts[*].id"]
        [tools.reboot_machine.arguments]
        machine = "find_machine:$.name"
        "filter.hosts[*].id" = "user"
        "any.thing" = "user"
        [groups.power]
        tools = ["reboot_machine"]
        [tools.find_machine.arguments]
        whatever = "user"
        """
    )


def test_every_place_that_names_a_tool_is_looked_at() -> None:
    text = """
        [tools.reboot_machin]
        arguments_from = ["find_machines"]
        [tools.reboot_machin.arguments]
        a = "list_racks:$.x"
        [groups.power]
        tools = ["cut_power"]
        [[checks.off]]
        check = "empty-lookup"
        reason = "noise"
        until = 2031-01-01
        tool = "find_machne"
        """
    assert found(text) == [
        ("tool", "reboot_machin", "reboot_machine"),
        ("tool", "find_machines", "find_machine"),
        ("tool", "list_racks", "find_machine"),
        ("tool", "cut_power", "reboot_machine"),
        ("tool", "find_machne", "find_machine"),
    ]
    slips = [each.name for each in unknown_names(decode_policy(text, "p"), SCHEMAS) if each.is_slip]
    assert slips == ["reboot_machin", "find_machines", "find_machne"]


def test_an_argument_that_the_schema_does_not_have_is_named_with_the_nearest() -> None:
    text = '[tools.reboot_machine]\nvolatile = ["machin"]\n[tools.reboot_machine.arguments]\n'
    assert found(text + '"filter.hosts[*].ids" = "user"') == [
        ("argument", "ids", "id"),
        ("argument", "machin", "machine"),
    ]


def test_what_is_said_of_one_names_place_and_nearest() -> None:
    (unknown,) = unknown_names(decode_policy("[tools.reboot_machin]\n", "p"), SCHEMAS)
    assert unknown.words() == (
        "[tools.reboot_machin] names the tool 'reboot_machin', which no request offered; the "
        "nearest is 'reboot_machine'"
    )
