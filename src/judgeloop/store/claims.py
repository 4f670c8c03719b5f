"""Writers to one server agree who takes a number, where the server itself would let two of them have it.

`oxigraph serve` on disk runs updates at the same time, each on what was there when it began: two guarded updates may
both find their condition true. It does show what was written to who asks afterwards, and that is enough for Lamport's
bakery algorithm (CACM 17, 1974): announce, look who else did, and go on only when nobody else is left.
"""

import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from judgeloop.errors import StoreConflict, StoreError
from judgeloop.rdf.rq import BoundQuery, bind
from judgeloop.rdf.terms import Literal
from judgeloop.store import Store, steps
from judgeloop.store.heads import Head
from judgeloop.store.own import own_query

STALE_SECONDS: Final = 15
"""An announcement that is older was left behind by a killed writer: a living one takes milliseconds.

The clocks of writers on several machines have to agree to within it.
"""
_LOOKS: Final = 100
_PAUSE_SECONDS: Final = 0.01


@contextlib.contextmanager
def announced(store: Store, send: Callable[[Iterable[BoundQuery]], None], head: Head) -> Iterator[BoundQuery]:
    """Hold the number of ``head`` against other writers; give the step that ends this, to go with the write itself.

    Raises:
        StoreConflict: another writer wants the number and was first.
    """
    token = f"{_milliseconds():015d}-{secrets.token_hex(8)}"
    retract = _step("retract", head, token)
    try:
        send([_step("announce", head, token)])
        _wait(store, send, head, token)
        yield retract
    except BaseException:
        with contextlib.suppress(StoreError):  # else it goes when it is old
            send([retract])
        raise


def _wait(store: Store, send: Callable[[Iterable[BoundQuery]], None], head: Head, token: str) -> None:
    """Return when nobody else wants the number; who announced later steps back when it has seen this one."""
    for _ in range(_LOOKS):
        rows = steps.table(store, bind(own_query("announced"), {"head": head.iri}), "token")
        found = {term.value for (term,) in rows if isinstance(term, Literal)} - {token}
        oldest = f"{_milliseconds() - STALE_SECONDS * 1000:015d}"
        for stale in [other for other in found if other < oldest]:
            send([_step("retract", head, stale)])
            found.discard(stale)
        if not found:
            return
        if min(found) < token:
            break
        time.sleep(_PAUSE_SECONDS)
    raise StoreConflict("store-conflict", place=store.url, case=head.case, number=head.number)


def _step(name: str, head: Head, token: str) -> BoundQuery:
    return bind(own_query(name), {"head": head.iri, "token": token})


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000
