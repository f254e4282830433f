"""Places: what kind of artifact a file is by its path alone, and which files are looked into.

Patterns are those of `targets.places.patterns`: spelled otherwise, a name is the same name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from groundwire.documents.target import TargetName
from groundwire.targets.places.patterns import folded, is_covered

CI_FILE: Final = "ci-file"

BY_PATH: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        CI_FILE,
        (
            ".github/workflows",
            ".github/actions",
            ".github/CODEOWNERS",
            "CODEOWNERS",
            ".gitlab-ci.yml",
            ".gitlab-ci.yaml",
            ".gitlab/ci",
            "Jenkinsfile",
            "Jenkinsfile.*",
            "*.Jenkinsfile",
            ".circleci",
            ".buildkite",
            ".travis.yml",
            ".drone.yml",
            ".woodpecker",
            ".woodpecker.yml",
            "azure-pipelines*.yml",
            "bitbucket-pipelines.yml",
            "appveyor.yml",
            ".appveyor.yml",
            ".husky",
            ".pre-commit-config.yaml",
            "lefthook.yml",
        ),
    ),
    (
        "contract-rules",
        (
            ".spectral.yaml",
            ".spectral.yml",
            ".spectral.json",
            ".spectral.js",
            "buf.yaml",
            "buf.work.yaml",
            "redocly.yaml",
            ".redocly.yaml",
            ".redocly.lint-ignore.yaml",
            ".oasdiff.yaml",
            "oasdiff.yaml",
        ),
    ),
    ("mcp-manifest", ("mcp.json", ".mcp.json", "claude_desktop_config.json")),
    ("openapi", tuple(f"{name}.{end}" for name in ("openapi", "swagger") for end in ("yaml", "yml", "json"))),
    ("asyncapi", ("asyncapi.yaml", "asyncapi.yml", "asyncapi.json")),
    ("json-schema", ("*.schema.json",)),
    ("graphql", ("*.graphql", "*.graphqls", "*.gql")),
    ("protobuf", ("*.proto", "*.pb", "*.binpb", "*.protoset")),
    ("orm-schema", ("*.prisma",)),
    (
        "sql-migration",
        (
            "migrations/**/*.sql",
            "migration/**/*.sql",
            "alembic/versions/*.py",
            "db/migrate/*.rb",
            "migrations/0*.py",
        ),
    ),
)  # fmt: skip
"""Kinds with the paths at which whatever stands is of that kind."""

PROSE: Final = frozenset({"md", "markdown", "mdx", "rst", "adoc", "org", "html", "htm", "tex"})
"""Texts for people: a contract in one is an example, unless a policy says otherwise."""

SOURCE: Final = frozenset(
    [
        "bash",
        "c",
        "cc",
        "cpp",
        "cs",
        "css",
        "cts",
        "cxx",
        "dart",
        "ex",
        "exs",
        "go",
        "h",
        "hpp",
        "hs",
        "java",
        "jl",
        "js",
        "jsx",
        "kt",
        "kts",
        "less",
        "lua",
        "m",
        "mjs",
        "mts",
        "php",
        "pl",
        "ps1",
        "py",
        "pyi",
        "pyx",
        "r",
        "rb",
        "rs",
        "sass",
        "scala",
        "scss",
        "sh",
        "sql",
        "svelte",
        "swift",
        "ts",
        "tsx",
        "vue",
        "zig",
    ]
)
"""Programs: a contract in one is a text that it works with."""

LOCKS: Final = frozenset(
    [
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "poetry.lock",
        "uv.lock",
        "pipfile.lock",
        "cargo.lock",
        "composer.lock",
        "gemfile.lock",
        "go.sum",
    ]
)
"""Files that a package manager writes."""

_ASIDE: Final = frozenset(
    [
        "test",
        "tests",
        "__tests__",
        "testdata",
        "fixtures",
        "__fixtures__",
        "__snapshots__",
        "__mocks__",
        "build",
        "dist",
        "out",
        "target",
        ".next",
        ".nuxt",
        ".output",
    ]
)
_FETCHED: Final = frozenset(
    [
        "node_modules",
        "site-packages",
        "dist-packages",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "__pycache__",
        ".pnpm-store",
    ]
)


def whole(name: TargetName) -> str:
    """The name as one path, from the beginning of its root."""
    return f"{name.root.rstrip('/')}/{name.path}" if name.path else name.root


@lru_cache(maxsize=4096)
def kind_by_path(path: str) -> str | None:
    """The kind that whatever stands at the path is of; None where the path says none."""
    for kind, patterns in BY_PATH:
        if any(is_covered(path, pattern) for pattern in patterns):
            return kind
    return None


def is_aside(path: str) -> bool:
    """Whether the file lies in a folder of tests, of what they are run on, or of what was built."""
    return not _ASIDE.isdisjoint(folded(part) for part in path.split("/")[:-1])


def is_fetched(path: str) -> bool:
    """Whether the file lies in a folder that a package manager fills."""
    return not _FETCHED.isdisjoint(folded(part) for part in path.split("/")[:-1])


def file_name(path: str) -> str:
    """The file's own name, as no file system tells it apart."""
    return folded(path.rsplit("/", 1)[-1])


def ending(path: str) -> str:
    """What stands behind the last dot of the name; empty where there is none."""
    return file_name(path).rpartition(".")[2] if "." in file_name(path) else ""
