"""Whatever a program shows of its plan, and whatever a command says: read whole, or refused by name."""

from __future__ import annotations

import json
import shlex
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.errors import GuardError
from groundwire.targets.shell.plans.commands import applying_of
from groundwire.targets.shell.plans.port import Planned
from groundwire.targets.shell.plans.shown import KINDS, planned_in
from tests.terraforms import change, shown

_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    [
        "format_version", "resource_changes", "resource_drift", "output_changes", "configuration",
        "deferred_changes", "complete", "errored", "terraform_version", "checks",
    ]
)  # fmt: skip
_WORDS = st.sampled_from(
    [
        "terraform", "apply", "destroy", "plan.out", "-destroy", "-var", "-var=a=b", "'a b'", '"x"',
        ";", "&&", "|", "$X", "`x`", "\n", ">", "-chdir=infra", "-auto-approve", "-lock=false",
        "*", "~", "(", "#", "\\", "{a,b}", "A=b", "-parallelism=2", "'", '"',
    ]
)  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(_KEYS, _JSON)
def test_a_plan_with_anything_in_it_is_read_or_refused(key: str, value: Any) -> None:
    document = {**shown(change("a.b", ["create"], None, {"n": 1})), key: value}
    found, reason = _read(json.dumps(document).encode())
    assert reason in ("", "plan-unreadable", "plan-incomplete")
    assert {each.kind for each in found} <= set(KINDS)
    if not reason and key != "resource_changes":
        assert ("terraform", "a.b") in {(each.kind, each.id) for each in found}


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=200))
def test_bytes_that_are_no_plan_are_refused_by_name(data: bytes) -> None:
    assert _read(data) == ((), "plan-unreadable")


def _read(data: bytes) -> tuple[tuple[Planned, ...], str]:
    """What is planned, and the reason of the refusal where there is one."""
    try:
        return planned_in(data)[1], ""
    except GuardError as error:
        return (), error.reason


@settings(deadline=None, max_examples=300)
@given(st.lists(_WORDS, max_size=6))
def test_a_command_that_is_taken_for_an_apply_is_one_and_nothing_else(words: list[str]) -> None:
    command = " ".join(["terraform", *words])
    found = applying_of(command)
    if found is None:
        return
    split = shlex.split(command)
    assert split[0] == "terraform"
    assert {"apply", "destroy"} & set(split)
    bare = "".join(
        part for at, part in enumerate(command.replace('"', "'").split("'")) if not at % 2
    )
    assert not set(bare) & set(";&|<>$`\n(){}*?~#\\!"), bare
    told = [each for each in split[1:] if each.startswith("-")]
    assert not any(each.startswith("-lock=") for each in told)
