"""The address of a server, and who asks there: name and password come from the environment or ``~/.netrc`` only."""

import base64
import math
import netrc
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

from judgeloop.errors import StoreError

USER: Final = "JUDGELOOP_STORE_USER"
PASSWORD: Final = "JUDGELOOP_STORE_PASSWORD"  # noqa: S105 - the name of a variable
TIMEOUT: Final = "JUDGELOOP_STORE_TIMEOUT"
QUERY_SECONDS: Final = 30.0
UPDATE_SECONDS: Final = 60.0
_KEPT: Final = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is; ``url`` may be shown to anybody."""

    url: str
    tls: bool
    host: str
    port: int
    path: str
    """Without a slash at its end."""
    authorization: str | None = field(default=None, repr=False)
    """The header that says who asks: for the wire, and never for a message."""

    def at(self, path: str) -> str:
        """Return the URL of another path of the same server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == (443 if self.tls else 80) else f":{self.port}"
        return f"{'https' if self.tls else 'http'}://{host}{port}{path}"


def read(url: str) -> Address:
    """Return the address that ``url`` gives, with the credentials that the user keeps for it.

    Raises:
        StoreError: no such URL, a name or password in it, or credentials that can't be read.
    """
    shown = url.partition("#")[0].partition("?")[0]
    if "@" in url:  # a password may hold any character, so nothing before the last @ is shown
        place = f"{url.partition('//')[0]}//{shown.rpartition('@')[2] if '@' in shown else ''}"
        raise StoreError("http-credentials-in-url", place=place, user=USER, password=PASSWORD)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError as error:
        raise StoreError("http-url", place=shown, why=error) from None
    if not host or parts.query or parts.fragment or not url.isprintable() or " " in url:
        raise StoreError("http-url", place=shown, why=url.removeprefix(shown)[:1] or "-")
    tls = parts.scheme.lower() == "https"
    path = quote(parts.path.rstrip("/"), safe=_KEPT)
    address = Address("", tls, host, port or (443 if tls else 80), path, _authorization(host))
    return Address(address.at(path), tls, host, address.port, path, address.authorization)


def seconds(default: float) -> float:
    """Return how long one request may take in all: ``default``, unless the environment says otherwise.

    Raises:
        StoreError: what the environment says is no time.
    """
    text = os.environ.get(TIMEOUT, "").strip()
    if not text:
        return default
    try:
        given = float(text)
    except ValueError:
        given = math.nan
    if not 0 < given < math.inf:
        raise StoreError("http-timeout-value", name=TIMEOUT, value=text)
    return given


def _authorization(host: str) -> str | None:
    user, password = os.environ.get(USER), os.environ.get(PASSWORD)
    if (user is None) is not (password is None):
        raise StoreError("http-credentials-half", user=USER, password=PASSWORD)
    if user is None or password is None:
        found = _from_netrc(host)
        if found is None:
            return None
        user, password = found
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def _from_netrc(host: str) -> tuple[str, str] | None:
    try:
        path = Path(os.environ.get("NETRC") or Path.home() / ".netrc")
    except RuntimeError:  # a user without a home
        return None
    if not path.is_file():
        return None
    try:
        found = netrc.netrc(path).authenticators(host)
    except netrc.NetrcParseError as error:
        # the parser quotes what it could not read, which may be a password
        raise StoreError("http-netrc", place=f"{path}:{error.lineno or 1}") from None
    except (OSError, UnicodeDecodeError):
        raise StoreError("http-netrc", place=str(path)) from None
    return None if found is None else (found[0], found[2] or "")
