"""The checkout as the house rules see it: its files, and the syntax trees of its modules."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
SOURCE = CHECKOUT / "src"
PACKAGE = SOURCE / "groundwire"


@cache
def tracked_files() -> tuple[Path, ...]:
    """Every file of the project: what git tracks or would take up; without git, what lies there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=True)
        names = done.stdout.decode().split("\0")
        paths = [CHECKOUT / name for name in names if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path for path in CHECKOUT.rglob("*") if not _is_made(path)]
    return tuple(sorted(path for path in paths if path.is_file()))


def _is_made(path: Path) -> bool:
    made = {"__pycache__", "build", "dist", "runs"}
    kept = {".ci", ".gitignore"}
    parts = path.relative_to(CHECKOUT).parts
    return any(part in made or (part.startswith(".") and part not in kept) for part in parts)


@cache
def modules(folder: Path = PACKAGE) -> tuple[Path, ...]:
    """Every Python module under `folder`."""
    return tuple(
        sorted(path for path in tracked_files() if path.suffix == ".py" and folder in path.parents)
    )


@cache
def text_of(path: Path) -> str:
    """What stands in the file."""
    return path.read_text(encoding="utf-8")


@cache
def syntax(path: Path) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(text_of(path), str(path))


def shown(path: Path) -> str:
    """The path from the checkout's top."""
    return path.relative_to(CHECKOUT).as_posix()


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a module, nested ones too."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imports(path: Path) -> Iterator[tuple[int, str, str]]:
    """Every import of a module: line, module imported, name taken from it (or nothing)."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, node.module or "", alias.name) for alias in node.names)
