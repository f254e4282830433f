"""What a contained command sees of this machine: which folders are empty, which programs are there.

Everything else can be read and not written: the system's programs, libraries and settings.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from groundwire.errors import GuardError
from groundwire.targets.disk.programs import path_outside, program_outside
from groundwire.targets.places.kinds import denied_kind
from groundwire.targets.places.patterns import covers, folded_path

EMPTY: Final = (
    "/tmp", "/var/tmp", "/run", "/home", "/root", "/mnt", "/media", "/srv",  # noqa: S108 -- hidden, not used
    "/var/spool", "/var/mail", "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-",
    "/etc/ssh", "/etc/ssl/private", "/etc/sudoers", "/etc/sudoers.d", "/etc/krb5.keytab",
)  # fmt: skip
"""Folders and files of the system that are empty for a command."""
HOMES: Final = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
"""Variables that name more of them."""
TOOLCHAINS: Final = (
    ".asdf/installs", ".asdf/shims", ".bun/bin", ".cargo/bin", ".cargo/registry", ".deno/bin",
    ".fnm", ".gradle/caches", ".gradle/wrapper", ".local/bin", ".local/lib", ".local/pipx/venvs",
    ".local/share/fnm", ".local/share/mise", ".local/share/pipx", ".local/share/pnpm",
    ".local/share/uv/python", ".local/share/uv/tools", ".m2/repository", ".nvm/versions",
    ".pyenv/libexec", ".pyenv/plugins", ".pyenv/shims", ".pyenv/versions", ".rbenv/shims",
    ".rbenv/versions", ".rustup/toolchains", ".sdkman/candidates", ".volta", "go/bin", "go/pkg/mod",
    "miniconda3", "miniforge3", "anaconda3",
)  # fmt: skip
"""Folders in a home folder that hold programs and what they are built of; shown, read-only."""
ENVIRONMENTS: Final = (("VIRTUAL_ENV", "pyvenv.cfg"), ("CONDA_PREFIX", "conda-meta"))
"""Variables that name a folder of the same sort, wherever it is, and what shows that it is one."""
KEPT_VARIABLES: Final = frozenset(
    {
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "TZ",
        "NO_COLOR", "FORCE_COLOR", "CI", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
        "JAVA_HOME", "GOPATH", "GOROOT", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR",
        "PYENV_ROOT", "NODE_ENV", "NODE_OPTIONS", "PYTHONPATH", "PYTHONUNBUFFERED",
        "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "PYTHONIOENCODING", "PYTHONUTF8",
        "SOURCE_DATE_EPOCH", "COLUMNS", "LINES", "MAKEFLAGS", "CFLAGS", "CXXFLAGS", "LDFLAGS",
        "CC", "CXX", "RUSTFLAGS",
    }
)  # fmt: skip
"""Variables that a command has, and those that begin with `LC_`; no other."""
_OF_GIT: Final = ("user.name", "user.email", "core.autocrlf", "init.defaultbranch")
_SECONDS: Final = 10.0


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What is hidden, what is shown all the same, what is put there, and the environment."""

    hidden: tuple[str, ...]
    shown: tuple[str, ...]
    files: Mapping[str, bytes]
    environment: Mapping[str, str]


def view_of(
    environment: Mapping[str, str],
    own: Iterable[Path] = (),
    shown: Iterable[Path] = (),
    variables: Iterable[str] = (),
    *,
    written: str,
) -> View:
    """What a command sees by this environment. `own` are groundwire's folders: keys and state.

    `written` is the working folder: what lies there is asked nothing.

    `shown` and `variables` are more folders and variables that it is to have; who names them says
    that nothing in them is secret.
    """
    homes = [environment[name] for name in HOMES if os.path.isabs(environment.get(name, ""))]
    hidden = {os.path.realpath(path) for path in (*EMPTY, *homes, *map(str, own))} - {"/"}
    home = environment.get("HOME", "")
    toolchains = [os.path.join(home, each) for each in TOOLCHAINS] if home else []
    active = [
        environment[name]
        for name, mark in ENVIRONMENTS
        if os.path.isabs(environment.get(name, ""))
        and os.path.lexists(os.path.join(environment[name], mark))
    ]
    kept = {
        name: value
        for name, value in environment.items()
        if name in KEPT_VARIABLES or name.startswith("LC_") or name in set(variables)
    }
    kept["TMPDIR"] = "/tmp"  # noqa: S108 -- the sandbox's own, empty
    path = environment.get("PATH", os.defpath).split(":")
    kept["PATH"] = ":".join(entry for entry in path if os.path.isabs(entry))
    seen = {
        os.path.realpath(path)
        for path in (*toolchains, *active, *map(str, shown))
        if os.path.isdir(path)
    }
    files = {os.path.join(home, ".gitconfig"): _git_settings(environment, written)} if home else {}
    return View(
        hidden=tuple(sorted(hidden)),
        shown=tuple(sorted(path for path in seen if not _is_any(path, hidden))),
        files=files,
        environment=kept,
    )


def require_narrow(root: str, view: View) -> None:
    """The working folder is no folder that has to be empty, and holds none.

    Raises:
        GuardError: `folder-too-wide`.
    """
    wide = [path for path in view.hidden if path == root or _is_within(path, root)]
    if wide and any(os.path.lexists(path) for path in wide):
        what = f"{root} is a folder" if root in wide else f"{root} holds {wide[0]},"
        raise GuardError(
            "folder-too-wide",
            f"{what} which no command may see; name a folder of one project as the working folder.",
        )


def denied_files(root: str, patterns: tuple[str, ...], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The files and folders that no tool shows, by pattern or by what they hold.

    Looks through the working folder, and outside of it at those patterns that are whole paths.

    Raises:
        PolicyError: `bad-path-pattern`.
    """
    found = [
        pattern
        for pattern in patterns
        if pattern.startswith("/") and not set("*?") & set(pattern) and os.path.lexists(pattern)
    ]
    if patterns or kinds:
        found += _denied_below(root, patterns, kinds)
    return tuple(dict.fromkeys(os.path.realpath(path) for path in found))


def _denied_below(root: str, patterns: tuple[str, ...], kinds: tuple[str, ...]) -> Iterator[str]:
    is_covered = covers(patterns)
    todo = [root]
    while todo:
        folder = todo.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        spelled = folded_path(folder)
        for entry in entries:
            if is_covered(spelled, entry.name):
                yield entry.path
            elif entry.is_dir(follow_symlinks=False):
                todo.append(entry.path)
            elif kinds and entry.is_file(follow_symlinks=False) and _is_denied(entry.path, kinds):
                yield entry.path


def _is_denied(path: str, kinds: tuple[str, ...]) -> bool:
    try:
        with open(path, "rb") as file:
            return denied_kind(file.read(1 << 20), kinds) is not None
    except OSError:
        return False


def _is_within(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _is_any(path: str, hidden: set[str]) -> bool:
    """Whether showing the path would show a whole hidden folder again."""
    return any(path == each or _is_within(each, path) for each in hidden)


def _git_settings(environment: Mapping[str, str], written: str) -> bytes:
    """Who commits, and how lines end: of the user's settings nothing that could hold a secret."""
    lines = ["[gc]", "\tauto = 0", "[maintenance]", "\tauto = false"]
    for name in _OF_GIT:
        value = _git_value(name, environment, written)
        if value and '"' not in value and "\\" not in value and value.isprintable():
            section, key = name.split(".")
            lines += [f"[{section}]", f'\t{key} = "{value}"']
    return ("\n".join(lines) + "\n").encode()


def _git_value(name: str, environment: Mapping[str, str], written: str) -> str:
    asked = {key: environment[key] for key in ("HOME", "XDG_CONFIG_HOME") if key in environment}
    path = environment.get("PATH", os.defpath)
    git = program_outside("git", written, path)
    if git is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 -- a fixed command
            [git, "config", "--global", "--get", name],
            env={**asked, "PATH": path_outside(written, path), "GIT_CONFIG_NOSYSTEM": "1"},
            cwd="/",
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else ""
