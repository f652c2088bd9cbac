"""Connections of the page: none may hold the others up.

uvicorn waits for the rest of a request for as long as it takes, and refuses everybody when there
are many connections. Here a connection has a few seconds for the head of a request, and where too
many wait, the one that has waited longest makes room. So half-sent requests cost others nothing.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 5.0  # for the head of a request, from its first byte or from the connection on
MOST_WAITING = 64  # connections without a request that is being answered
LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-type: text/plain\r\n"
    b"content-length: 29\r\n\r\nthe request came too slowly.\n"
)


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
        self._waiting[self] = None
        if len(self._waiting) > MOST_WAITING:
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
