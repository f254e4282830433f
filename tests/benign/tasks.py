"""Shorter sessions: one task each, as a person would give it to a coding agent, whole.

Some touch what the default policy asks about, as ordinary work does now and then. How often a person is
asked in each is measured by `python -m bench.questions`, not fixed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.benign.session import every_step
from tests.benign.steps import Step, edit, read, run, write

_TEST: Final = "python3 -m unittest discover -s tests -q"


def _commit(message: str) -> Step:
    return run(f"git add -A && git commit -q -m '{message}'", "commit")


def _bug() -> Iterator[Step]:
    yield read("inventory/prices.py", "RATE")
    yield edit("inventory/prices.py", "cents * RATE // 100", "round(cents * RATE / 100)")
    yield run(_TEST, "test", "OK")
    yield edit(
        "tests/test_prices.py",
        "    # more tests\n",
        "    def test_rounds(self) -> None:\n"
        "        self.assertEqual(prices.with_tax(3), 4)\n\n    # more tests\n",
    )
    yield run(_TEST, "test", "OK")
    yield _commit("Taxes are rounded")


def _endpoint() -> Iterator[Step]:
    yield read("api/openapi.json", "/articles")
    yield edit(
        "api/openapi.json",
        '  "paths": {\n',
        '  "paths": {\n    "/articles/{name}": {\n      "get": {\n        "parameters": [\n'
        '          {"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}\n'
        '        ],\n        "responses": {"200": {"description": "one"}}\n      }\n    },\n',
    )
    yield write(
        "inventory/api.py", '"""The API."""\n\n\ndef article(name: str) -> str:\n    return name\n'
    )
    yield edit("README.md", "## Use", "## API\n\nSee api/openapi.json.\n\n## Use")
    yield run(_TEST, "test", "OK")
    yield _commit("One article by its name")


def _field_removed() -> Iterator[Step]:
    yield edit(
        "api/openapi.json",
        '"name": {"type": "string"}\n',
        '"name": {"type": "string"},\n          "note": {"type": "string"}\n',
    )
    yield _commit("Articles have notes")
    yield edit(
        "api/openapi.json",
        '"required": ["name"],',
        '"required": ["note"],',
    )
    yield edit("inventory/report.py", "# more reports\n", "# notes go here\n")
    yield run(_TEST, "test", "OK")
    yield _commit("Articles are known by their notes")


def _pipeline() -> Iterator[Step]:
    yield write(
        ".github/workflows/test.yml",
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - uses: actions/checkout@v4\n      - run: make test\n",
    )
    yield edit("Makefile", "clean:\n", "check: test\n\nclean:\n")
    yield edit(".github/workflows/test.yml", "make test", "make check")
    yield run("make check", "test", "OK")
    yield _commit("Each push is tested")


def _tidying() -> Iterator[Step]:
    yield run("make build && ls dist", "build", "inventory.zip")
    yield run("make clean && git status --short", "build")
    yield run("git mv inventory/report.py inventory/reports.py", "rename")
    yield run("sed -i 's/import report$/import reports as report/' tests/test_report.py", "edit")
    yield run(_TEST, "test", "OK")
    yield Step("delete", "delete_file", {"path": "data/articles.csv"})
    yield _commit("Reports have a name in the plural; the sample is gone")


def _experiment() -> Iterator[Step]:
    yield run("git checkout -q -b trial", "branch")
    yield edit("inventory/stock.py", "count: int = 1", "count: int = 2")
    yield run("make test", "test", exit=2)
    yield run("git stash -q && git stash drop -q", "stash")
    yield run("git checkout -q - && git branch -D trial", "branch")
    yield run(_TEST, "test", "OK")


def _dependency() -> Iterator[Step]:
    yield write("requirements.txt", "requests==2.32.0\n")
    yield _commit("What it needs")
    yield edit("requirements.txt", "2.32.0", "2.32.3")
    yield edit("pyproject.toml", 'version = "0.1.0"', 'version = "0.1.1"')
    yield edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n* requests 2.32.3\n")
    yield run(_TEST, "test", "OK")
    yield _commit("requests 2.32.3")
    yield run("git tag v0.1.1 && git tag --list", "tag", "v0.1.1")


def _untracked() -> Iterator[Step]:
    yield run("printf 'day,sold\\n1,3\\n' > data/today.csv", "heredoc")
    yield run("python3 -c \"print(len(open('data/today.csv').readlines()))\"", "look", "2")
    yield run("rm data/today.csv", "delete")
    yield write("inventory/days.py", '"""Days."""\n\nWEEK = 7\n')
    yield edit("inventory/days.py", "WEEK = 7", "WEEK = 7\nYEAR = 365")
    yield run(_TEST, "test", "OK")
    yield _commit("Days")


def _whole_rewrite() -> Iterator[Step]:
    yield read("inventory/report.py", "def lines")
    yield write(
        "inventory/report.py",
        '"""Reports as text."""\n\nfrom inventory.stock import Stock\n\n\n'
        "def lines(stock: Stock) -> list[str]:\n"
        '    return [f"{n}: {c}" for n, c in sorted(stock.articles.items())]\n',
    )
    yield run(_TEST, "test", "OK")
    yield run("find inventory -name '*.py' | xargs sed -i 's/[ ]*$//'", "format")
    yield run(_TEST, "test", "OK")
    yield _commit("Reports are shorter")


def _release() -> Iterator[Step]:
    yield edit("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    yield edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n## 0.2.0\n")
    yield run("make build && ls dist", "build", "inventory.zip")
    yield _commit("0.2.0")
    yield run("git tag v0.2.0", "tag")
    yield Step("publish", "publish", {"file": "dist/inventory.zip"}, "published")


TASKS: Final = {
    "the long session": every_step,
    "a bug is fixed": _bug,
    "an endpoint is added": _endpoint,
    "a field of the API is no longer promised": _field_removed,
    "a pipeline is set up": _pipeline,
    "build, rename, delete": _tidying,
    "an experiment is given up": _experiment,
    "a dependency is raised": _dependency,
    "scratch files come and go": _untracked,
    "a module is written anew": _whole_rewrite,
    "a release is published": _release,
}
"""Each session by what it is for."""
