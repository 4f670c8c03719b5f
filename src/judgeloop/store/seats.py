"""One seat for each name: who asks for a taken one waits until it is free; other names never wait."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class _Seat:
    free: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0


class Seats:
    """Locks by name that exist only as long as somebody holds one or waits for it."""

    def __init__(self) -> None:
        """Start with no seat taken."""
        self._seats: dict[str, _Seat] = {}
        self._guard = threading.Lock()

    @contextmanager
    def taken(self, name: str) -> Iterator[None]:
        """Hold the seat of ``name``."""
        with self._guard:
            seat = self._seats.setdefault(name, _Seat())
            seat.waiting += 1
        try:
            with seat.free:
                yield
        finally:
            with self._guard:
                seat.waiting -= 1
                if seat.waiting == 0:
                    self._seats.pop(name, None)
