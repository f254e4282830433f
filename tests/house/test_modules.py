"""What a module, a function and a folder may be like, where no linter knows the rule."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.house.tree import (
    CHECKOUT,
    PACKAGE,
    functions,
    imports,
    modules,
    shown,
    syntax,
    text_of,
)

MODULES = modules()
EVERYWHERE = modules(PACKAGE) + modules(CHECKOUT / "tests") + modules(CHECKOUT / "bench")
ROOMY = {"documents", "wire", "adapters"}
VAGUE = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "misc",
    "base",
    "core",
    "shared",
    "manager",
}

# What only these modules may import: one encoding, one digest, one clock.
KEPT_TO = {
    "hashlib": {"canon/digest.py", "canon/merkle.py"},
    "json": {"canon/jcs.py", "canon/positions.py"},
    "random": set(),
    "secrets": {"session/clock.py"},
    "uuid": {"session/clock.py"},
    "pickle": set(),
    "marshal": set(),
}
KEPT_TO_CALLS = {
    ("time", "time"): {"session/clock.py"},
    ("time", "time_ns"): {"session/clock.py"},
    ("datetime", "now"): {"session/clock.py"},
    ("datetime", "utcnow"): {"session/clock.py"},
    ("datetime", "today"): {"session/clock.py"},
    ("os", "urandom"): {"session/clock.py"},
}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_a_module_has_at_most_400_lines() -> None:
    lengths = {shown(path): len(text_of(path).splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_a_function_has_at_most_60_lines() -> None:
    long = {
        f"{shown(path)}:{node.lineno} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in functions(path)
    }
    assert {name: length for name, length in long.items() if length > 60} == {}


def test_a_folder_has_at_most_10_modules() -> None:
    folders = {path.parent for path in MODULES}
    crowded = {
        shown(folder): count
        for folder in folders
        if folder.name not in ROOMY
        and (count := sum(p.parent == folder and p.name != "__init__.py" for p in MODULES)) > 10
    }
    assert crowded == {}


def test_no_module_or_folder_has_a_vague_name() -> None:
    names = {part for path in MODULES for part in path.relative_to(PACKAGE).with_suffix("").parts}
    assert names & VAGUE == set()


def test_every_module_says_what_it_is_for() -> None:
    told = MODULES + modules(CHECKOUT / "bench")
    assert [shown(path) for path in told if not ast.get_docstring(syntax(path))] == []


def test_every_public_function_and_class_has_a_docstring() -> None:
    silent = [
        f"{shown(path)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in syntax(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        # The last of them speaks for all.
        and not any(ast.unparse(each) == "overload" for each in node.decorator_list)
    ]
    assert silent == []


def test_a_room_keeps_its_names_in_its_modules() -> None:
    """`__init__` holds a docstring; the front door alone also names what it offers."""
    full = [
        shown(path)
        for path in MODULES
        if path.name == "__init__.py" and path.parent != PACKAGE and len(syntax(path).body) > 1
    ]
    assert full == []


def test_the_front_door_offers_at_most_30_names_in_order() -> None:
    for node in syntax(PACKAGE / "__init__.py").body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and "__all__" in ast.unparse(node):
            names = ast.literal_eval(node.value) if node.value else ()
            assert list(names) == sorted(set(names))
            assert len(names) <= 30
            return
    assert len(syntax(PACKAGE / "__init__.py").body) == 1, "a front door needs __all__"


def test_annotations_are_never_run() -> None:
    eager = [
        shown(path)
        for path in EVERYWHERE
        if len(syntax(path).body) > 1
        and not any(name == "annotations" for _, module, name in imports(path))
    ]
    assert eager == []


@pytest.mark.parametrize("module", sorted(KEPT_TO))
def test_what_must_have_one_place_is_imported_nowhere_else(module: str) -> None:
    elsewhere = [
        f"{shown(path)}:{line}"
        for path in MODULES
        for line, imported, _ in imports(path)
        if imported == module and room(path) not in KEPT_TO[module]
    ]
    assert elsewhere == []


def test_clock_and_randomness_are_read_in_one_module() -> None:
    elsewhere = []
    for path in MODULES:
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Attribute):
                owner = ast.unparse(node.value).rpartition(".")[2]
                allowed = KEPT_TO_CALLS.get((owner, node.attr))
                if allowed is not None and room(path) not in allowed:
                    elsewhere.append(f"{shown(path)}:{node.lineno} {owner}.{node.attr}")
    assert elsewhere == []


def test_no_type_is_claimed_that_the_checker_did_not_find() -> None:
    """`cast` and `Any` end where a stranger's objects do: in the adapters."""
    claimed = [
        f"{shown(path)}:{line} {name}"
        for path in MODULES
        for line, module, name in imports(path)
        if module == "typing" and name in {"Any", "cast"} and not room(path).startswith("adapters/")
    ]
    assert claimed == []


def test_every_check_that_is_switched_off_says_why() -> None:
    quiet = re.compile(r"#\s*(noqa|type:\s*ignore|pyright:\s*ignore|pragma:\s*no cover)")
    reasoned = re.compile(
        r"#\s*(noqa:\s*[A-Z0-9, ]+\s+--\s+\S|pragma: no cover\s+--\s+\S"
        r"|(type|pyright):\s*ignore\[[^\]]+\]\s+(#|--)\s*\S)"
    )
    silent = [
        f"{shown(path)}:{number}"
        for path in EVERYWHERE
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if quiet.search(line) and not reasoned.search(line) and path != Path(__file__).resolve()
    ]
    assert silent == []


def test_nothing_is_left_for_later_in_the_code() -> None:
    later = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|NotImplemented" r"Error)\b")
    left = [
        f"{shown(path)}:{number}"
        for path in EVERYWHERE
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if later.search(line)
    ]
    assert left == []
