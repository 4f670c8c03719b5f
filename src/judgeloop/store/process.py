"""A process that can be killed, and one exchange with it at a time, each with a deadline. Loads no engine."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import IO, Any, Final, NamedTuple, Self

from judgeloop.store import frames

_CHILD: Final = "judgeloop.store.child"
_INHERITED: Final = (
    *("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
"""All that the process is told of the environment; keys and passwords stand in others."""
_NO_MEMORY: Final = "memory allocation of"
"""How the engine's last words begin when it got no more memory."""
_LAST: Final = 4096


class Reply(NamedTuple):
    """What came back."""

    head: Mapping[str, Any]
    answer: bytes


class Late(Exception):
    """Nothing came back in time; the process was killed."""


class Died(Exception):
    """The process ended before its reply."""

    def __init__(self, why: str) -> None:
        """Keep what is known about it."""
        super().__init__(why)
        self.why = why
        self.of_memory = _NO_MEMORY in why


class Process:
    """One process of `judgeloop.store.child`, which begins at once, and again when it is needed after it was killed."""

    def __init__(self) -> None:
        """Start it; it gets ready while the caller does something else."""
        self.holds: object = None
        """What the caller has put into it; None after every start."""
        self._running: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._ending: weakref.finalize[..., Process] | None = None
        self.start()

    def start(self) -> None:
        """Start the process where it does not run."""
        if self._running is not None:
            if self._running.poll() is None:
                return
            self.kill()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        # isolated from the user's folder and variables, which could name other modules
        self._running = subprocess.Popen(  # noqa: S603 - our own module, and no argument
            [sys.executable, "-I", "-X", "utf8", "-m", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env={name: os.environ[name] for name in _INHERITED if name in os.environ} | {"RUST_BACKTRACE": "0"},
        )
        self._ending = weakref.finalize(self, _end, self._running, self._said)
        self.holds = None

    def exchange(
        self,
        request: Mapping[str, Any],
        seconds: float,
        *,
        largest: int | None = None,
        fill: Callable[[IO[bytes]], object] | None = None,
    ) -> Reply:
        """Send a request, with the data that ``fill`` writes, and return the reply, of at most ``largest`` bytes.

        Raises:
            Late: there was none within ``seconds``.
            Died: the process ended.
        """
        self.start()
        running, said, late = self._running, self._said, threading.Event()
        assert running is not None  # noqa: S101 - it was just started
        assert said is not None  # noqa: S101 - as above
        assert running.stdin is not None  # noqa: S101 - made as pipes
        assert running.stdout is not None  # noqa: S101

        def stop() -> None:
            late.set()
            running.kill()

        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), stop)
        timer.daemon = True
        try:
            timer.start()
            frames.send_json(running.stdin, request)
            if fill is not None:
                frames.send_data(running.stdin, fill)
            running.stdin.flush()
            head = json.loads(frames.receive(running.stdout, largest)[1])
            answer = frames.receive(running.stdout, largest)[1] if head["answer"] else b""
        except (OSError, EOFError, ValueError) as error:  # the last: another thread has closed the pipes
            why = _last_words(running, said)
            self.kill()
            if late.is_set():
                raise Late from error
            raise Died(why) from error
        except BaseException:  # Ctrl-C, or data that can't be read: half an exchange can't be gone on with
            self.kill()
            raise
        finally:
            timer.cancel()
        if late.is_set():  # too late by a hair: the answer is whole, and the next one comes from another process
            self.kill()
        return Reply(head, answer)

    def kill(self) -> None:
        """End the process; ending it twice is fine."""
        if self._ending is not None:
            self._ending()
        self._running = self._said = self._ending = self.holds = None

    def __enter__(self) -> Self:
        """Return the process itself."""
        return self

    def __exit__(self, *failure: object) -> None:
        """End the process."""
        self.kill()


def _last_words(running: "subprocess.Popen[bytes]", said: IO[bytes]) -> str:
    """Return how a process ended and what it said last."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(1)  # a process that breaks off the talk is ending; one that lives on sent what it may not
    code = running.poll()
    lines = [""]
    with contextlib.suppress(ValueError):  # closed by another thread
        said.seek(-min(_LAST, said.seek(0, os.SEEK_END)), os.SEEK_END)
        lines = said.read().decode("utf-8", "replace").split("\n")
    shown = next((line for line in lines if line.startswith(_NO_MEMORY)), next(filter(None, reversed(lines)), ""))
    return f"exit {'-' if code is None else code} {shown}".strip()


def _end(running: "subprocess.Popen[bytes]", said: IO[bytes]) -> None:
    running.kill()
    for pipe in (running.stdin, running.stdout, said):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what waits to be sent to a process that is gone
                pipe.close()
    running.wait()
