"""`import groundwire` costs nothing and offers exactly what it says."""

from __future__ import annotations

import subprocess
import sys

import pytest

import groundwire


@pytest.mark.parametrize("name", groundwire.__all__)
def test_every_name_on_offer_is_there(name: str) -> None:
    found = getattr(groundwire, name)
    assert found.__doc__
    assert name in dir(groundwire)


def test_a_name_that_is_not_on_offer_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        groundwire.no_such_name  # noqa: B018 -- asking is the test


def test_importing_it_loads_nothing_else() -> None:
    script = (
        "import sys\nimport groundwire\n"
        "loaded = {'msgspec', 'cryptography', 'typer', 'openai', 'anthropic', 'asyncio'}\n"
        "print(sorted(loaded & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"
