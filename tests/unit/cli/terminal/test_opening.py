"""The terminal, for real: a program at a pseudo-terminal of its own, and somebody who types."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from groundwire.cli.terminal.opening import Terminal, open_terminal
from groundwire.errors import HostError
from tests.terminals import at_terminal

OPEN = "from groundwire.cli.terminal.opening import open_terminal\nterminal = open_terminal()\n"
SECRET = OPEN + "word = terminal.secret('Passphrase: ')\nterminal.write(f'[{len(word)}]')\n"


def test_a_line_is_asked_for_at_the_terminal_and_shown_while_it_is_typed() -> None:
    script = OPEN + "terminal.write('<' + terminal.ask('Name: ') + '>\\n')"
    with at_terminal("-c", script) as typist:
        typist.answer("Name: ", "Zoë 渡辺")
        typist.wait_for("<Zoë 渡辺>")
        assert typist.end() == 0
        assert typist.seen == "Name: Zoë 渡辺\n<Zoë 渡辺>\n"


def test_a_secret_is_never_shown() -> None:
    with at_terminal("-c", SECRET) as typist:
        typist.wait_for("Passphrase: ")
        assert not typist.shows_what_is_typed
        typist.type("correct horse\n")
        typist.wait_for("[13]")
        assert typist.end() == 0
        assert typist.seen == "Passphrase: \n[13]"
        assert typist.shows_what_is_typed


def test_nothing_is_taken_from_standard_input_nor_put_on_standard_output() -> None:
    with at_terminal("-c", SECRET) as typist:
        typist.answer("Passphrase: ", "twelve chars")
        typist.wait_for("[12]")
        assert typist.process.communicate() == (b"", b"")


@pytest.mark.parametrize("deed", ["ask", "secret"])
def test_what_was_typed_before_the_prompt_answers_nothing(deed: str) -> None:
    script = OPEN + (
        "terminal.write('ready? '); terminal._line()\n"
        f"terminal.write('<' + terminal.{deed}('Now: ') + '>')"
    )
    with at_terminal("-c", script) as typist:
        typist.wait_for("ready? ")
        typist.type("yes\ntyped too early\n")
        typist.answer("Now: ", "typed in time")
        typist.wait_for("<typed in time>")
        assert typist.end() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_process_that_is_ended_while_it_asks_puts_the_terminal_back(
    number: signal.Signals,
) -> None:
    with at_terminal("-c", SECRET) as typist:
        before = typist.modes()
        typist.wait_for("Passphrase: ")
        assert typist.modes() != before
        typist.process.send_signal(number)
        assert typist.end() == -number
        assert typist.modes() == before


def test_the_interrupt_key_works_and_puts_the_terminal_back() -> None:
    with at_terminal("-c", SECRET) as typist:
        before = typist.modes()
        typist.answer("Passphrase: ", "half\x03")
        assert typist.end() == -signal.SIGINT
        assert typist.modes() == before


def test_the_suspend_key_does_not_leave_the_terminal_blind() -> None:
    """Where the process is stopped, whoever has the terminal next could not see what they type."""
    with at_terminal("-c", SECRET) as typist:
        typist.answer("Passphrase: ", "\x1a12345678901")
        typist.wait_for("[12]")
        assert typist.end() == 0


def test_a_handler_of_somebody_elses_is_left_in_its_place() -> None:
    script = (
        "import signal\nsignal.signal(signal.SIGTERM, lambda *_: terminal.write('theirs '))\n"
        + SECRET
        + "terminal.write(str(signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL))"
    )
    with at_terminal("-c", script) as typist:
        typist.wait_for("Passphrase: ")
        typist.process.send_signal(signal.SIGTERM)
        typist.wait_for("theirs ")
        typist.type("twelve chars\n")
        typist.wait_for("[12]True")
        assert typist.end() == 0


@pytest.mark.parametrize(
    ("typed", "says"),
    [("\x04", "ended in the middle"), ("half\x04\x04", "ended in the middle")],
)
@pytest.mark.parametrize("deed", ["ask", "secret"])
def test_an_input_that_ends_is_no_answer(deed: str, typed: str, says: str) -> None:
    script = OPEN + (
        "from groundwire.errors import HostError\n"
        f"try:\n    terminal.{deed}('Now: ')\nexcept HostError as error:\n"
        "    terminal.write(f'{error.reason}: {error}')"
    )
    with at_terminal("-c", script) as typist:
        typist.wait_for("Now: ")
        typist.type(typed)
        typist.wait_for("terminal-failed: ")
        typist.wait_for(says)
        assert typist.end() == 0
        assert typist.shows_what_is_typed


def test_bytes_that_are_no_text_are_refused_and_not_repeated() -> None:
    script = OPEN + (
        "from groundwire.errors import HostError\n"
        "try:\n    terminal.secret('Now: ')\nexcept HostError as error:\n"
        "    terminal.write(f'{error} cause hidden: {error.__suppress_context__}.')"
    )
    with at_terminal("-c", script) as typist:
        typist.wait_for("Now: ")
        os.write(typist._master, b"my secret \xff\n")
        typist.wait_for("not UTF-8")
        typist.wait_for("cause hidden: True.")
        assert typist.end() == 0
        assert "my secret" not in typist.seen


def test_a_terminal_that_hung_up_is_one_clear_error() -> None:
    script = (
        "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        + OPEN
        + "terminal.write('ready')\nimport sys\nsys.stdin.read()\n"
        "from groundwire.errors import HostError\n"
        "try:\n    terminal.ask('Now: ')\nexcept HostError as error:\n    print(error.reason)"
    )
    master, slave = os.openpty()
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, sys\nos.close(os.open(sys.argv[1], os.O_RDWR))\n" + script,
            os.ttyname(slave),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert os.read(master, 64) == b"ready"
        os.close(slave)
        os.close(master)
        out, _ = process.communicate()
    assert out == b"terminal-failed\n"


@pytest.mark.parametrize("size", [(20, 5), (80, 24), (500, 200)])
def test_a_terminal_knows_its_size(size: tuple[int, int]) -> None:
    script = OPEN + "terminal.write(f'{terminal.columns}x{terminal.rows}')"
    with at_terminal("-c", script, columns=size[0], rows=size[1]) as typist:
        typist.wait_for(f"{size[0]}x{size[1]}")


def test_a_terminal_that_does_not_say_its_size_has_the_usual_one() -> None:
    script = OPEN + "terminal.write(f'{terminal.columns}x{terminal.rows}')"
    with at_terminal("-c", script, columns=0, rows=0) as typist:
        typist.wait_for("80x24")


def test_without_a_terminal_there_is_nobody_to_ask() -> None:
    """Not even where standard input is a terminal: whoever started this could write to that."""
    script = (
        "from groundwire.cli.terminal.opening import open_terminal\n"
        "from groundwire.errors import HostError\n"
        "try:\n    open_terminal()\nexcept HostError as error:\n    print(error.reason)"
    )
    master, slave = os.openpty()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import os\nos.setsid() if os.getsid(0) != os.getpid() else 0\n{script}",
        ],
        stdin=slave,
        capture_output=True,
        check=True,
        start_new_session=True,
    )
    os.close(master)
    os.close(slave)
    assert done.stdout == b"no-terminal\n"


def test_one_that_cannot_be_opened_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundwire.cli.terminal.opening.DEVICE", "/nowhere/tty")
    with pytest.raises(HostError) as caught:
        open_terminal()
    assert caught.value.reason == "no-terminal"


def test_all_of_a_long_text_is_written() -> None:
    script = OPEN + "terminal.write('x' * 300_000 + '!')"
    with at_terminal("-c", script) as typist:
        typist.wait_for("!")
        assert typist.seen.count("x") == 300_000


def test_a_closed_terminal_is_one_clear_error() -> None:
    read, write = os.pipe()
    terminal = Terminal(write)
    terminal.close()
    terminal.close()
    os.close(read)
    with pytest.raises(HostError) as caught:
        terminal.write("x")
    assert caught.value.reason == "terminal-failed"
