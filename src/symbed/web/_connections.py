"""Connections of the page: none may hold the others up, and no answer is lost on the way.

uvicorn waits for the rest of a request for as long as it takes, and refuses everybody when there
are many connections. Here a connection has a few seconds for the head of a request, and where too
many wait, the one that has waited longest makes room. So half-sent requests cost others nothing.

Some answers, such as 413, come before the whole request is there. Whoever closes a connection with
bytes unread resets it, and the reset may overtake the answer. So the answer is sent, and what is
still coming is read and thrown away, a while, before it is closed.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from symbed.web._request_guard import App, Message, Receive, Scope, Send

HEAD_SECONDS = 5.0  # for the head of a request, from its first byte or from the connection on
MAX_WAITING = 64  # connections without a request that is being answered
LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: text/plain\r\n"
    b"content-length: 29\r\n\r\nthe request came too slowly.\n"
)
TOO_SLOW = 408  # whose time is over
TOO_LARGE = 413  # only our own page comes so far that it is told this
OWN_BYTES, OWN_SECONDS = 1 << 29, 30.0  # what is thrown away of our page's own
OTHER_BYTES, OTHER_SECONDS = 1 << 22, 2.0  # and of anybody's
MAX_AT_ONCE = 32  # requests whose rest is thrown away; others are closed at once


class BoundedConnection(H11Protocol):
    """One connection: its requests have to come soon, and it leaves where others need its place."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Of this server alone: uvicorn hands one state to all of its connections.
        if not hasattr(self.server_state, "waiting"):
            self.server_state.waiting = {}  # type: ignore[attr-defined]
        self._waiting: dict[BoundedConnection, None] = self.server_state.waiting  # type: ignore[attr-defined]
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the head of a request."""
        super().connection_made(transport)
        self._wait()
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Read on; a request that has begun has to go on."""
        if self in self._waiting and self._timer is None:
            self._start_timer()
        super().data_received(data)

    def handle_events(self) -> None:
        """Read what is there; with a whole head the waiting is over."""
        super().handle_events()
        if self._is_answering:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request, which may come later, but then soon."""
        super().on_response_complete()
        if not self._is_answering and not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop_waiting()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        # A dictionary for its order: the first in it has waited longest.
        self._waiting[self] = None
        if len(self._waiting) > MAX_WAITING:
            oldest = next(iter(self._waiting))
            oldest._stop_waiting()
            oldest.transport.abort()

    def _stop_waiting(self) -> None:
        self._waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _give_up(self) -> None:
        self._stop_waiting()
        if not self.transport.is_closing():
            self.transport.write(LATE)
            self.transport.close()


class UnreadBodies:
    """Lets an application answer early, and reads the rest of the request after it."""

    def __init__(self, app: App) -> None:
        self._app, self._n_reading = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(scope, receive)
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                if body.is_coming:  # what nobody reads must not become the next request
                    headers = [pair for pair in message["headers"] if pair[0] != b"connection"]
                    message = {**message, "headers": [*headers, (b"connection", b"close")]}
            elif body.is_coming and not message.get("more_body", False):
                await send({**message, "more_body": True})
                await self._throw_away(body, status)
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self._app(scope, body.receive, answer)

    async def _throw_away(self, body: _Body, status: int) -> None:
        if status == TOO_SLOW or self._n_reading >= MAX_AT_ONCE:
            return
        is_own = status == TOO_LARGE
        left = OWN_BYTES if is_own else OTHER_BYTES
        self._n_reading += 1
        try:
            async with asyncio.timeout(OWN_SECONDS if is_own else OTHER_SECONDS):
                while body.is_coming and left > 0:
                    message = await body.receive()
                    left -= len(message.get("body", b""))
        except TimeoutError:
            pass
        finally:
            self._n_reading -= 1


class _Body:
    """The body of a request, and whether more of it is to come.

    Who waits to be told to go on ("100-continue") sends nothing before; asking would tell him.
    """

    def __init__(self, scope: Scope, receive: Receive) -> None:
        headers = {name.lower(): value.strip().lower() for name, value in scope["headers"]}
        has_body = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        self._receive, self._has_more = receive, has_body
        self._waits_for_us = headers.get(b"expect") == b"100-continue"

    @property
    def is_coming(self) -> bool:
        """Whether there is more to read, now or soon."""
        return self._has_more and not self._waits_for_us

    async def receive(self) -> Message:
        """The next part."""
        self._waits_for_us = False
        message = await self._receive()
        self._has_more = message["type"] == "http.request" and message.get("more_body", False)
        return message
