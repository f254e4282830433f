"""The session's tools without any guard: what the script itself is tried with."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


class Bare:
    """Carries each call out itself, in the working folder."""

    def call(self, tool: str, arguments: dict[str, object]) -> tuple[str, int]:
        """What the tool gives back, and a command's exit code."""
        given = {name: str(value) for name, value in arguments.items()}
        match tool:
            case "read_file":
                return Path(given["path"]).read_text(), 0
            case "write_file":
                Path(given["path"]).parent.mkdir(parents=True, exist_ok=True)
                Path(given["path"]).write_text(given["content"])
            case "edit_file":
                text = Path(given["path"]).read_text()
                assert text.count(given["old"]) == 1, (given, text)
                Path(given["path"]).write_text(text.replace(given["old"], given["new"]))
            case "apply_patch":
                subprocess.run(["git", "apply"], input=given["patch"], text=True, check=True)
            case "move_file":
                os.rename(given["path"], given["to"])
            case "delete_file":
                os.remove(given["path"])
            case "run_command":
                done = subprocess.run(
                    ["bash", "-c", given["command"]], capture_output=True, text=True, check=False
                )
                return done.stdout + done.stderr, done.returncode
            case _:
                raise AssertionError(tool)
        return "", 0
