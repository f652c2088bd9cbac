"""Answers that come before the whole request is there, such as 413, are not lost.

Whoever closes a connection with bytes unread resets it, and the reset may overtake the answer. So
the answer is sent, and what is still coming is read and thrown away, a while, before it is closed.
"""

from __future__ import annotations

import asyncio

from symbed.web.request_guard import App, Message, Receive, Scope, Send

TOO_SLOW = 408  # whose time is over
TOO_LARGE = 413  # only our own page comes so far that it is told this
OWN_BYTES, OWN_SECONDS = 1 << 29, 30.0  # what is thrown away of our page's own
OTHER_BYTES, OTHER_SECONDS = 1 << 22, 2.0  # and of anybody's
MOST_AT_ONCE = 32  # requests whose rest is thrown away; others are closed at once


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
        if status == TOO_SLOW or self._n_reading >= MOST_AT_ONCE:
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
