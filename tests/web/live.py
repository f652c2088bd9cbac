"""A live explorer on a free port, and requests that are sent to it byte by byte."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import uvicorn

from symbed.web._app import Endpoint, ThreadPool, build_app
from symbed.web._collection import Collection
from symbed.web._open_files import Table
from symbed.web._request_guard import Address, Keys
from symbed.web.server import bind, settings

Headers = Iterable[tuple[str, str]]


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Explorer(NamedTuple):
    address: Address
    keys: Keys

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.address.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    @property
    def link(self) -> str:
        return f"{self.origin}/?token={self.keys.token}"

    def own_headers(self, **changes: str | None) -> dict[str, str]:
        """The headers that the page itself sends; None leaves one away."""
        usual = {
            "Host": self.host,
            "Origin": self.origin,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "X-Symbed-Token": self.keys.token,
            "Cookie": f"{self.address.cookie}={self.keys.page_pass}",
        }
        told = {name.replace("_", "-").title(): value for name, value in changes.items()}
        return {name: value for name, value in (usual | told).items() if value is not None}

    def send(
        self, method: str, path: str, headers: Headers | dict[str, str], body: bytes = b""
    ) -> Answer:
        """Send exactly these headers; nothing is added but the length of the body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.address.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items() if isinstance(headers, dict) else headers:
                connection.putheader(name, value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()

    def ask(self, question: str, document: object, **changes: str | None) -> Answer:
        """Ask as the page does."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.send("POST", f"/api/{question}", self.own_headers(**changes), body)


@contextmanager
def running(
    opened: Sequence[Collection] = (),
    pool: ThreadPool | None = None,
    endpoints: Mapping[str, Endpoint] | None = None,
    tables: Sequence[Table] = (),
) -> Iterator[Explorer]:
    """An explorer that runs in a thread until the block ends."""
    listener = bind("127.0.0.1", 0)
    address, keys = Address("127.0.0.1", listener.getsockname()[1]), Keys()
    app = build_app(address, keys, opened, pool, endpoints, tables=tables)
    server = uvicorn.Server(uvicorn.Config(app, **settings()))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    try:
        yield Explorer(address, keys)
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
