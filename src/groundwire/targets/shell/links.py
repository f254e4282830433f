"""Which symbolic links a staged command may make: those that builds make among their products.

A link anywhere else is a change that is never made. No tool of groundwire follows a link out of
the working folder, so what one in a build folder leads to is written through no guarded call.
"""

from __future__ import annotations

from typing import Final

from groundwire.documents.staged import StagedLink
from groundwire.targets.places.patterns import folded
from groundwire.targets.places.protected import Place, protection_of

BUILD_FOLDERS: Final = frozenset(
    {
        "node_modules", ".venv", "venv", ".tox", ".nox", "target", "build", "dist", "out", "_build",
        ".next", ".nuxt", ".svelte-kit", ".turbo", ".parcel-cache", ".gradle", ".dart_tool",
        "__pypackages__", ".eggs", ".pnpm-store", ".yarn", ".bundle", "Pods", "DerivedData",
        "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", "coverage",
    }
)  # fmt: skip
"""Folders whose contents a build makes anew; links are made and removed below these."""
PROGRAMS: Final = ("/usr/", "/bin/", "/lib/", "/lib64/", "/opt/", "/nix/store/")


def may_link(link: StagedLink, root: str, shown: tuple[str, ...] = ()) -> bool:
    """Whether the link lies among build products, and leads to them, to the folder or to programs.

    `shown` are folders outside with programs of the user's. A target climbs first and descends
    then; one that descends and climbs again could pass through another link.
    """
    parts = link.path.split("/")
    if not BUILD_FOLDERS & set(parts[:-1]):
        return False
    if link.to is None:
        return True
    if link.to.startswith("/"):
        names = link.to.split("/")
        return ".." not in names and (
            link.to.startswith(PROGRAMS)
            or any(link.to.startswith(folder.rstrip("/") + "/") for folder in shown)
        )
    return _stays(parts[:-1], link.to, root)


def _stays(folder: list[str], target: str, root: str) -> bool:
    names = [name for name in target.split("/") if name not in {"", "."}]
    climbs = next((at for at, name in enumerate(names) if name != ".."), len(names))
    if ".." in names[climbs:] or climbs > len(folder):
        return False
    reached = folder[: len(folder) - climbs] + names[climbs:]
    if any(folded(name) == ".git" for name in reached):
        return False
    place = Place(names=("/".join([root.rstrip("/"), *reached]),), own=None, above=())
    return protection_of(place, ()) is None
