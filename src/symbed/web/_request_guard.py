"""Lets the requests of our own page through, and no others.

Any web site that the reader has open can send requests to 127.0.0.1, and a hostile one can point a
name of its own at that address (rebinding). So each request must call us by our own address, must
not come from another origin, and must show a secret that only our page knows. Pages and scripts
are opened by a cookie; data only by a header, because cookies are shared by all ports of a machine.
"""

from __future__ import annotations

import ipaddress
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN_HEADER = "x-symbed-token"
DATA = "/api/"
EMBEDDED = frozenset({"iframe", "frame", "embed", "object"})
# Nothing from elsewhere, nothing inline, no frame around us, and no HTML made of text: a formula
# that is markup stays text even where a script of ours is wrong.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Keys:
    """The secrets of one run: the token opens everything, the pass only pages and scripts."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    page_pass: str = field(default_factory=lambda: secrets.token_urlsafe(24))


@dataclass(frozen=True)
class Address:
    """Where the page is served.

    Attributes
    ----------
    host : str
        What was bound: a loopback address, or another one if the user said so.
    port : int
        The port.
    public : bool
        Whether others may come by the machine's other addresses.
    """

    host: str
    port: int
    public: bool = False

    @property
    def url(self) -> str:
        """The root of the page, as this machine calls it."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/"

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies of other ports come along."""
        return f"symbed-{self.port}"

    def is_ours(self, host: str) -> bool:
        """Whether a Host header means this address.

        A number is always safe, because rebinding needs a name; but a page that is not public is
        called by its own number only.
        """
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name in ("localhost", self.host, f"[{self.host}]"):
            return True
        return self.public and is_number(name)


def is_number(host: str) -> bool:
    """Whether a host is an address and not a name."""
    try:
        ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Visit:
    """One request, as the rules see it."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, list[str]]

    @classmethod
    def of(cls, scope: Scope) -> Visit:
        """The visit in an ASGI scope."""
        headers: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in scope["headers"]:
            # Latin-1 decodes any byte.
            headers[name.decode("latin-1").lower()].append(value.decode("latin-1"))
        query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=16)
        return cls(scope["method"], scope["path"], query, dict(headers))

    def only(self, header: str) -> str | None:
        """A header's value; an empty text, which no rule accepts, where it stands twice."""
        values = self.headers.get(header)
        return None if values is None else values[0] if len(values) == 1 else ""


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    words: str


class RequestGuard:
    """Lets the requests of our own page through to an application, and no others."""

    def __init__(self, app: App, address: Address, keys: Keys) -> None:
        self._app, self._address, self._keys = app, address, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":  # neither web sockets nor anything else is served
            return
        try:
            visit = Visit.of(scope)
        except ValueError:
            await _refuse(send, Refusal(400, "the query cannot be read"))
            return
        for rule in (self._host, self._origin, self._site, self._key):
            if refusal := rule(visit):
                await _refuse(send, refusal)
                return
        # Whoever comes by the link gets the pass as a cookie, and the next pages need no token.
        entering = self._token_in(visit.query.get("token"))
        cookie = self._cookie() if entering and visit.path == "/" else None
        await self._app(scope, receive, _guarded(send, cookie))

    def _host(self, visit: Visit) -> Refusal | None:
        if self._address.is_ours(visit.only("host") or ""):
            return None
        return Refusal(421, f"this page is at {self._address.url}")

    def _origin(self, visit: Visit) -> Refusal | None:
        """Browsers tell the origin with every request that can change something."""
        origin = visit.only("origin")
        if origin is None and visit.method in ("GET", "HEAD"):
            return None
        # The rule before has made sure of the host.
        if origin == f"http://{visit.only('host')}":
            return None
        return Refusal(403, "requests come from the page itself, not from elsewhere")

    def _site(self, visit: Visit) -> Refusal | None:
        site = visit.only("sec-fetch-site")
        # ``none`` is an address that was typed or opened from outside a page, as our link is.
        # Browsers that do not tell are let through to the other rules.
        allowed = {"same-origin"} if visit.path.startswith(DATA) else {"same-origin", "none"}
        embedded = visit.only("sec-fetch-dest") in EMBEDDED
        if (site is None or site in allowed) and not embedded:
            return None
        return Refusal(403, "requests come from the page itself, not from elsewhere")

    def _key(self, visit: Visit) -> Refusal | None:
        if visit.path.startswith(DATA):
            known = self._token_in(visit.headers.get(TOKEN_HEADER))
        elif visit.path == "/" and "token" in visit.query:
            known = self._token_in(visit.query["token"])
        else:
            known = self._passes(visit.only("cookie") or "")
        if known:
            return None
        return Refusal(403, "open the explorer by the link that `symbed explore` printed")

    def _token_in(self, given: list[str] | None) -> bool:
        return given is not None and len(given) == 1 and _equal(given[0], self._keys.token)

    def _passes(self, cookies: str) -> bool:
        pairs = (part.strip().partition("=") for part in cookies.split(";"))
        given = [value for name, _, value in pairs if name == self._address.cookie]
        return len(given) == 1 and _equal(given[0], self._keys.page_pass)

    def _cookie(self) -> str:
        return f"{self._address.cookie}={self._keys.page_pass}; Path=/; HttpOnly; SameSite=Strict"


def _equal(given: str, secret: str) -> bool:
    # In constant time, and as bytes: it takes no text beyond ASCII.
    return secrets.compare_digest(given.encode(), secret.encode())


def _guarded(send: Send, cookie: str | None) -> Send:
    """A ``send`` that adds the headers which every answer has."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            told = HEADERS | ({"set-cookie": cookie} if cookie else {})
            added = [(name.encode(), value.encode()) for name, value in told.items()]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return guarded


async def _refuse(send: Send, refusal: Refusal) -> None:
    body = f"{refusal.words}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),  # a body that nobody reads must not become the next request
    ]
    guarded = _guarded(send, None)
    await guarded({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await guarded({"type": "http.response.body", "body": body})
