"""What is installed is pinned, once, and without naming where it comes from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import CHECKOUT, text_of

REQUIREMENTS = CHECKOUT / "requirements"
PINNED = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+_-]+(?: ; .+)?")


def project() -> dict[str, object]:
    table = tomllib.loads(text_of(CHECKOUT / "pyproject.toml"))["project"]
    assert isinstance(table, dict)
    return table


def wanted(path: Path) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text_of(path).splitlines())
    return [line for line in lines if line]


def pins(name: str) -> dict[str, str]:
    return {
        canonicalize_name(Requirement(line).name): str(Requirement(line).specifier)[2:]
        for line in wanted(REQUIREMENTS / name)
    }


PINS = sorted(path.name for path in REQUIREMENTS.glob("*.txt"))


@pytest.mark.parametrize("name", PINS)
def test_every_line_is_a_pin_and_no_option(name: str) -> None:
    assert [line for line in wanted(REQUIREMENTS / name) if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("name", PINS)
def test_no_package_is_pinned_twice(name: str) -> None:
    assert len(pins(name)) == len(wanted(REQUIREMENTS / name))


@pytest.mark.parametrize("name", PINS)
def test_whatever_a_list_asks_for_is_pinned_beside_it(name: str) -> None:
    asked = {canonicalize_name(Requirement(line).name) for line in wanted(source_of(name))}
    assert asked - set(pins(name)) == set()


def source_of(name: str) -> Path:
    return (REQUIREMENTS / name).with_suffix(".in")


def needs() -> list[tuple[str, str]]:
    table = project()
    extras = table["optional-dependencies"]
    assert isinstance(extras, dict)
    groups = {"": table["dependencies"], **extras}
    return [(extra, line) for extra, lines in groups.items() for line in lines]


@pytest.mark.parametrize(("extra", "line"), needs())
def test_what_the_library_and_its_extras_need_is_pinned_for_development(
    extra: str, line: str
) -> None:
    requirement = Requirement(line)
    if canonicalize_name(requirement.name) == project()["name"]:
        return
    pinned = pins("dev.txt")[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(pinned), f"[{extra}] {line} but {pinned} is pinned"


def test_the_pins_at_run_time_are_those_of_development() -> None:
    core, development = pins("core.txt"), pins("dev.txt")
    assert {name: development.get(name) for name in core} == core


def test_the_pins_at_run_time_cover_what_the_library_needs_and_nothing_for_tests() -> None:
    core = set(pins("core.txt"))
    direct = {canonicalize_name(Requirement(line).name) for extra, line in needs() if not extra}
    assert direct <= core
    assert core & {"pytest", "hypothesis", "mypy", "ruff", "openai", "anthropic"} == set()
