"""Why a server gave no answer, as an error that says what, where and what to do; credentials stand in none of them."""

import http
import ssl
from dataclasses import replace
from functools import lru_cache
from typing import Final
from urllib.parse import urljoin, urlsplit

from judgeloop.errors import BadInput, StoreUnavailable
from judgeloop.messages import both
from judgeloop.rdf.lexer import significant
from judgeloop.rdf.rq import BoundQuery, Query, parse
from judgeloop.rdf.textterms import Names
from judgeloop.store import embedded
from judgeloop.store.address import PASSWORD, TIMEOUT, USER
from judgeloop.store.connection import Headers
from judgeloop.store.limits import Limits
from judgeloop.vocab import TEXT_QUERY

_WORDS: Final = 160
_GOES_ELSEWHERE: Final = range(300, 400)
_CHECKED: Final = Limits(seconds=1.0)


def refusal(place: str, status: int, kind: str, headers: Headers, content: bytes) -> StoreUnavailable:
    """Return why an answer is none, told by its status, its media type and its first words."""
    if status in {http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN}:
        return StoreUnavailable("http-auth", place=place, status=status, user=USER, password=PASSWORD)
    after = headers.get("Retry-After")
    if status == http.HTTPStatus.TOO_MANY_REQUESTS or after:
        when = f"{after} s" if after and after.strip().isdigit() else after or both("http-later")
        return StoreUnavailable("http-busy", place=place, status=status, after=when)
    if status in _GOES_ELSEWHERE:
        return StoreUnavailable("http-redirect", place=place, status=status, target=_target(place, headers))
    words = " ".join(content.decode("utf-8", "replace").split())[:_WORDS] or "-"
    key = "http-not-sparql" if status == http.HTTPStatus.OK else "http-status"
    return StoreUnavailable(key, place=place, status=status, kind=kind or "-", words=words)


def unreachable(place: str, error: Exception, seconds: float) -> StoreUnavailable:
    """Return why no connection was made; nothing was sent."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return StoreUnavailable("http-certificate", place=place, why=error.verify_message)
    if isinstance(error, ssl.SSLError):
        return StoreUnavailable("http-tls", place=place, why=error.reason or "-")
    if isinstance(error, TimeoutError):
        return StoreUnavailable("http-timeout", place=place, seconds=f"{seconds:g}", name=TIMEOUT)
    return StoreUnavailable("http-unreachable", place=place, why=getattr(error, "strerror", None) or error)


def broken(place: str, error: Exception, seconds: float, *, writes: bool) -> StoreUnavailable:
    """Return why a request that was sent has no whole answer."""
    late = isinstance(error, TimeoutError)
    if writes:
        why: object = both("http-late", seconds=f"{seconds:g}") if late else error
        return StoreUnavailable("http-unsure", place=place, why=why)
    if late:
        return StoreUnavailable("http-timeout", place=place, seconds=f"{seconds:g}", name=TIMEOUT)
    return StoreUnavailable("http-dropped", place=place, why=f"{type(error).__name__}: {error}")


def refuse_wrong(query: BoundQuery, refused: StoreUnavailable) -> None:
    """Refuse a query as bad input where an engine that holds nothing refuses it for the reason that the server gave.

    The engine runs in a process of its own: even about nothing a query may ask for more than there is time.

    Raises:
        BadInput: the query itself is wrong.
    """
    if refused.params["status"] == http.HTTPStatus.SERVICE_UNAVAILABLE:  # its load is the reason
        return
    try:
        _on_nothing(query)
    except StoreUnavailable:  # what the server said stands
        return
    except BadInput as wrong:
        syntax = wrong.key == "rq-syntax" and refused.params["status"] == http.HTTPStatus.BAD_REQUEST
        if syntax or str(wrong.params.get("why")) in str(refused.params["words"]):
            raise wrong from None


def refuse_unknown(query: Query) -> None:
    """Refuse a query that calls a function which SPARQL does not have.

    Raises:
        BadInput: an engine that holds nothing does not know the function.
    """
    why = _unknown(query.text, query.name) if _calls(query) else None
    if why is not None:
        raise BadInput("rq-unrunnable", place=query.name, why=why)


def _calls(query: Query) -> bool:
    """Say whether an IRI stands before a parenthesis, as the name of a function does; so does text:query."""
    seen = significant(query.tokens)
    names, at = Names(), 0
    while at < len(seen) - 1:
        token = seen[at]
        if token.text.upper() in {"PREFIX", "BASE"}:
            at = names.declare(seen, at)
            continue
        if token.kind in {"iri", "pname"} and seen[at + 1].text == "(" and names.iri(token) != TEXT_QUERY:
            return True
        at += 1
    return False


@lru_cache(maxsize=512)
def _unknown(text: str, name: str) -> object:
    """Return why an engine that holds nothing can't run the template of a query, or None."""
    try:
        query = replace(parse(text, name), params={}, parts=(text,))  # parameters are variables here
        _on_nothing(BoundQuery(text, query, {}))
    except StoreUnavailable:  # the server will say what it thinks
        return None
    except BadInput as wrong:
        return wrong.params["why"] if wrong.key == "rq-unrunnable" else None
    return None


def _on_nothing(query: BoundQuery) -> None:
    """Run a query on an engine that holds nothing, in a process that can be stopped: it may be a stranger's."""
    from judgeloop.store.worker import Worker  # noqa: PLC0415 - a worker asks servers, too

    with Worker(embedded.in_memory(), _CHECKED) as nothing:
        run = {"select": nothing.select, "ask": nothing.ask}.get(query.query.kind, nothing.construct)
        run(query)


def _target(place: str, headers: Headers) -> str:
    """Return where a redirect leads, without what may be secret in it."""
    try:
        parts = urlsplit(urljoin(place, headers.get("Location") or ""))
    except ValueError:
        return "-"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
