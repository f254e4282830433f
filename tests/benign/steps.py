"""What is done in the session, in order: calls of tools, as a model would make them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple


class Step(NamedTuple):
    """One call. `shows` stands in what the tool gives back, `leaves` in the file of that name.

    `exit` is the code that a command ends with; a test that fails is no refusal.
    """

    kind: str
    tool: str
    arguments: dict[str, object]
    shows: str = ""
    leaves: tuple[str, str] | None = None
    exit: int = 0


# module, its function, and what a test of it says
_STOCK: Final = (
    ("remove", "        self.articles[article] -= 1", "stock.remove('bolt')", "stock.total()", "2"),
    ("clear", "        self.articles.pop(article, None)", "stock.clear('bolt')", "stock.total()", "0"),
    ("double", "        self.articles[article] *= 2", "stock.double('bolt')", "stock.total()", "6"),
    ("reserve", "        self.articles[article] -= 2", "stock.reserve('bolt')", "stock.total()", "1"),
    ("restock", "        self.articles[article] = 9", "stock.restock('bolt')", "stock.total()", "9"),
)  # fmt: skip
_PRICES: Final = (
    ("without_tax", "cents * 100 // (100 + RATE)", "1190", "1000"),
    ("half", "cents // 2", "10", "5"),
    ("in_euros", "cents // 100", "500", "5"),
    ("reduced", "cents - cents * 3 // 100", "100", "97"),
    ("rounded", "round(cents, -1)", "99", "100"),
)
_REPORTS: Final = (
    ("header", "f'{len(stock.articles)} articles'", "1 articles"),
    ("names", "', '.join(sorted(stock.articles))", "nut"),
    ("footer", "f'total {stock.total()}'", "total 1"),
    ("shout", "' '.join(stock.articles).upper()", "NUT"),
    ("empty", "str(not stock.articles)", "False"),
)
_MESSAGES: Final = (
    "Stock: remove; never rm -rf anything",
    "Prices: docs say DROP TABLE prices is not how to reset them",
    "Report: refuse git push --force, git reset --hard and curl | sh in hooks",
    "Tests: cover sudo chmod -R 777 / and :(){ :|:& };: as plain text",
    "Handle .env, id_rsa and AWS_SECRET_ACCESS_KEY names in the report; deploy, publish, merge",
)


def run(command: str, kind: str, shows: str = "", *, exit: int = 0, **more: str) -> Step:  # noqa: A002 -- the name that a shell gives it
    """A command in a shell; `path=text` says what a file holds afterwards."""
    leaves = next(iter(more.items()), None)
    return Step(kind, "run_command", {"command": command}, shows, leaves, exit)


def edit(path: str, old: str, new: str, kind: str = "edit") -> Step:
    """One replacement in a file."""
    return Step(kind, "edit_file", {"path": path, "old": old, "new": new}, leaves=(path, new))


def write(path: str, content: str, kind: str = "edit") -> Step:
    """A whole file."""
    return Step(kind, "write_file", {"path": path, "content": content}, leaves=(path, content))


def read(path: str, shows: str = "") -> Step:
    """A look at a file."""
    return Step("read", "read_file", {"path": path}, shows)


def steps() -> Iterator[Step]:
    """The whole session."""
    yield from _looking_around()
    for number in range(5):
        yield from _features(number)
    yield from _other_edits()
    yield from _shell_edits()
    yield from _with_git()
    yield from _builds()


def _looking_around() -> Iterator[Step]:
    yield run("ls -la && git status --short", "look", "Makefile")
    yield run("git log --oneline | head -5", "look", "First")
    yield run("grep -rn 'def ' inventory | wc -l", "grep")
    yield run("find . -name '*.py' -not -path './.git/*' | sort", "look", "tests/test_stock.py")
    yield read("README.md", "# Inventory")
    yield read("inventory/stock.py", "class Stock")
    yield run("python3 -m unittest discover -s tests -q", "test", "OK")


def _features(number: int) -> Iterator[Step]:
    """Three functions with their tests, tried, and committed: six edits, three test runs."""
    name, body, act, got, want = _STOCK[number]
    yield edit(
        "inventory/stock.py",
        "    # more of the stock\n",
        f"    def {name}(self, article: str) -> None:\n{body}\n\n    # more of the stock\n",
    )
    yield edit(
        "tests/test_stock.py",
        "    # more tests\n",
        f"    def test_{name}(self) -> None:\n        stock = Stock()\n"
        f"        stock.add('bolt', 3)\n        {act}\n"
        f"        self.assertEqual({got}, {want})\n\n    # more tests\n",
    )
    yield run("make test", "test", "OK")
    name, value, given, wanted = _PRICES[number]
    yield edit(
        "inventory/prices.py",
        "# more prices\n",
        f"def {name}(cents: int) -> int:\n    return {value}\n\n\n# more prices\n",
    )
    yield edit(
        "tests/test_prices.py",
        "    # more tests\n",
        f"    def test_{name}(self) -> None:\n"
        f"        self.assertEqual(prices.{name}({given}), {wanted})\n\n    # more tests\n",
    )
    yield run("python3 -m unittest tests.test_prices -q", "test", "OK")
    name, value, wanted = _REPORTS[number]
    yield edit(
        "inventory/report.py",
        "# more reports\n",
        f"def {name}(stock: Stock) -> str:\n    return {value}\n\n\n# more reports\n",
    )
    yield edit(
        "tests/test_report.py",
        "    # more tests\n",
        f"    def test_{name}(self) -> None:\n        stock = Stock()\n        stock.add('nut')\n"
        f"        self.assertEqual(report.{name}(stock), {wanted!r})\n\n    # more tests\n",
    )
    yield run("python3 -m unittest discover -s tests -q", "test", "OK")
    yield run(f"git add -A && git commit -q -m '{_MESSAGES[number]}'", "commit")


def _other_edits() -> Iterator[Step]:
    """Twenty edits of other shapes and other files."""
    for number in range(6):
        yield edit(
            "CHANGELOG.md",
            "## Unreleased\n\n",
            f"## Unreleased\n\n- Point {number}: `openapi`, `rm -rf` and DROP are only words.\n\n",
        )
    yield edit("pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    yield edit(
        "README.md", "Counts what is in stock.", "Counts what is in stock, and what it costs."
    )
    yield edit("data/articles.csv", "nut,1", "nut,12")
    yield edit("data/articles.csv", "bolt,3", "bolt,30")
    yield write("docs/guide.md", "# Guide\n\nNever run `git clean -fdx` or `rm -rf ~`.\n")
    yield write("inventory/units.py", '"""Units."""\n\nPIECES = "pieces"\n')
    yield write("inventory/units.py", '"""Units."""\n\nPIECES = "pieces"\nKILOGRAMS = "kg"\n')
    yield write("tests/fixtures/order.json", '{"article": "bolt", "count": 2}\n')
    yield write("notes.txt", "secrets, tokens and passwords are spelt out in no file here\n")
    yield Step(
        "edit",
        "apply_patch",
        {
            "patch": "--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -1,3 +1,5 @@\n # Guide\n \n"
            "+Stock comes first.\n+\n Never run `git clean -fdx` or `rm -rf ~`.\n"
        },
        leaves=("docs/guide.md", "Stock comes first."),
    )
    yield Step(
        "rename",
        "move_file",
        {"path": "notes.txt", "to": "docs/notes.txt"},
        leaves=("docs/notes.txt", "spelt out"),
    )
    yield Step("delete", "delete_file", {"path": "docs/notes.txt"})
    yield edit("Makefile", ".PHONY: test build clean", ".PHONY: test build clean\n# end")
    yield edit("Makefile", "\n# end", "", "edit")
    yield run("git add -A && git commit -q -m 'Guide, units, changelog'", "commit")
    yield read("docs/guide.md", "Stock comes first.")


def _shell_edits() -> Iterator[Step]:
    yield run(
        "cat > tests/guard_words.sh <<'EOF'\nrm -rf /srv/data\ngit push --force\nEOF",
        "heredoc",
        **{"tests/guard_words.sh": "rm -rf /srv/data\n"},
    )
    yield run(
        "cat >> README.md <<'EOF'\n\n## Tests\n\n    make test\nEOF",
        "heredoc",
        **{"README.md": "    make test\n"},
    )
    yield run(
        "python3 - <<'EOF'\nfrom pathlib import Path\n"
        "path = Path('inventory/units.py')\n"
        "path.write_text(path.read_text() + 'LITRES = \"l\"\\n')\nEOF",
        "heredoc",
        **{"inventory/units.py": 'LITRES = "l"'},
    )
    yield run("sed -i 's/kg/kilograms/' inventory/units.py", "sed",
              **{"inventory/units.py": "kilograms"})  # fmt: skip
    yield run("perl -pi -e 's/pieces/items/' inventory/units.py", "sed",
              **{"inventory/units.py": "items"})  # fmt: skip
    yield run("printf 'x = {  \"a\":1 }\\n' > inventory/messy.py", "heredoc")
    yield run("python3 -m ruff format inventory/messy.py", "format",
              **{"inventory/messy.py": 'x = {"a": 1}'})  # fmt: skip
    yield run("python3 -m ruff format .", "format")
    yield run("python3 -m ruff check --fix -q . ; true", "format")
    yield run("make test", "test", "OK")
    yield run("git diff --stat", "look", "README.md")
    yield run("grep -rn 'git clean -f' . ; grep -rn 'DROP TABLE' . ; true", "grep")
    yield run("grep -rn --include='*.py' 'rm -rf' . || echo none", "grep", "none")
    yield run("rm inventory/messy.py", "delete")
    yield run("git mv inventory/units.py inventory/measures.py", "rename",
              **{"inventory/measures.py": "items"})  # fmt: skip
    yield run("mkdir -p docs/old && git mv docs/guide.md docs/old/guide.md", "rename")
    yield run("mv tests/guard_words.sh tests/words.sh && chmod +x tests/words.sh", "rename")
    yield run("git add -A && git commit -q -m 'Rename units; format'", "commit")


def _with_git() -> Iterator[Step]:
    yield edit("inventory/prices.py", "RATE = 19", "RATE = 7")
    yield run("python3 -m unittest tests.test_prices -q", "test", "FAILED", exit=1)
    yield run("git stash", "stash", **{"inventory/prices.py": "RATE = 19"})
    yield run("python3 -m unittest tests.test_prices -q", "test", "OK")
    yield run("git stash pop", "stash", **{"inventory/prices.py": "RATE = 7"})
    yield edit("inventory/prices.py", "RATE = 7", "RATE = 19")
    yield run("echo draft > draft.md && git stash -u && git stash pop", "stash",
              **{"draft.md": "draft"})  # fmt: skip
    yield run("git checkout -q -b feature", "branch")
    yield edit("inventory/report.py", "# more reports", "# more reports, later")
    yield run("git add -A && git commit -q -m 'Reports: later'", "commit")
    yield run("git checkout -q main", "branch", **{"inventory/report.py": "# more reports\n"})
    yield run("git merge -q --no-ff -m 'Merge feature' feature", "merge",
              **{"inventory/report.py": "later"})  # fmt: skip
    yield run("git branch -d feature", "branch", "Deleted branch feature")
    yield run("git log --graph --oneline --all | head -20", "look", "Merge feature")
    yield run("git commit -q --allow-empty -m 'guard: refuse rm -rf and DROP TABLE'", "commit")
    yield run("git commit -q --amend --allow-empty -m 'guard: words only'", "commit")
    yield run("git tag v0.2.0 && git tag -l", "look", "v0.2.0")
    yield run(
        "git revert --no-edit HEAD~1 -m 1 >/dev/null && git show --stat HEAD | head", "commit"
    )
    yield run(
        "git checkout -q -b tidy HEAD~1 && git checkout -q main && git rebase -q tidy", "branch"
    )
    yield run("git blame inventory/stock.py | head -3; git diff HEAD~2 --stat", "look")
    yield run("git gc -q", "look")


def _builds() -> Iterator[Step]:
    yield run("python3 -m compileall -q inventory", "build")
    yield run("make build", "build")
    yield run("test -f dist/inventory.zip && python3 -m zipfile -l dist/inventory.zip", "look",
              "inventory/stock.py")  # fmt: skip
    yield run("make build", "build")
    yield run("make clean && ls", "build", "Makefile")
    yield run(
        "mkdir -p node_modules/tool node_modules/.bin && echo '#!/bin/sh' > node_modules/tool/cli.sh"
        " && ln -s ../tool/cli.sh node_modules/.bin/tool",
        "build",
    )
    yield run("python3 -m venv --without-pip .venv", "build")
    yield run("python3 -m inventory", "look", "0")
    yield run("false || echo 'it failed' >&2; exit 3", "look", exit=3)
    yield run("python3 -m unittest discover -s tests -v 2>&1 | tail -3", "test", "OK")
    yield run("make test", "test", "OK")
    yield run("git status --short", "look")


def within_limits() -> Iterator[Step]:
    """Much at once, and waiting, as builds do: none of it is without end."""
    yield run("for n in $(seq 60); do sleep 0.2 & done; wait; echo all ended", "build", "all ended")
    yield run("mkfifo /tmp/p; (sleep 1; echo through) > /tmp/p & cat /tmp/p", "build", "through")
    yield run("seq 200000 | tail -1", "shell", "200000")
    yield run("mkdir -p many && cd many && mkdir $(seq 300) && ls | wc -l", "shell", "300")
    yield run("rm -r many; ls", "shell", "README.md")
    yield run("head -c 20000000 /dev/zero > /tmp/big && wc -c < /tmp/big", "shell", "20000000")
    yield run("mkdir -p .codex .claude && rmdir .codex .claude; ls -d .c* || true", "shell")
    yield run("timeout 1 cat /dev/zero | head -c 10 | wc -c", "shell", "10")
