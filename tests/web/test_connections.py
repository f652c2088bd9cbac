"""The page cannot be held up: half-sent requests, slow ones and bodies that nobody wants."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from symbed.web import _connections as connections
from symbed.web._app import SMALL
from tests.web.live import Explorer, running


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    """A live explorer."""
    with running() as live:
        yield live


def connect(explorer: Explorer) -> socket.socket:
    """An open connection."""
    return socket.create_connection(("127.0.0.1", explorer.address.port), timeout=20)


def until(connection: socket.socket, end: bytes) -> bytes:
    """What is sent up to an end."""
    content = b""
    while not content.endswith(end):
        part = connection.recv(1 << 16)
        assert part, content
        content += part
    return content


def head(connection: socket.socket) -> bytes:
    """What is sent at least up to the end of an answer's head."""
    content = b""
    while b"\r\n\r\n" not in content:
        part = connection.recv(1 << 16)
        assert part, content
        content += part
    return content


def everything(connection: socket.socket) -> bytes:
    """What is sent until the connection ends."""
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def test_two_hundred_half_sent_requests_hold_nobody_up(explorer: Explorer) -> None:
    with ExitStack() as stack:
        for _ in range(200):
            half = stack.enter_context(connect(explorer))
            half.sendall(b"GET / HTTP/1.1\r\nHost: x")
        began = time.monotonic()
        assert explorer.send("GET", "/", {"Host": explorer.host}).status == 403
        assert explorer.ask("opened", {}).status == 200
        assert time.monotonic() - began < connections.HEAD_SECONDS


def test_a_request_that_is_never_finished_is_given_up(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)
    with connect(explorer) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: x")
        answer = everything(slow)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert answer.endswith(b"\r\n\r\nthe request came too slowly.\n")
    assert f"content-length: {len(b'the request came too slowly.') + 1}".encode() in answer


def test_drop_by_drop_is_not_soon_enough(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    with connect(explorer) as slow:
        began = time.monotonic()
        with suppress(OSError):  # it is closed
            while time.monotonic() - began < 10:
                slow.sendall(b"x")
                time.sleep(0.02)
        assert time.monotonic() - began < 5


def test_a_second_request_on_a_connection_has_its_own_time(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    headers = "".join(f"{name}: {value}\r\n" for name, value in explorer.own_headers().items())
    request = f"GET /static/icon.svg HTTP/1.1\r\n{headers}\r\n".encode()
    with connect(explorer) as one:
        one.sendall(request)
        assert until(one, b"</svg>\n").startswith(b"HTTP/1.1 200 ")
        time.sleep(0.6)  # idle, which is allowed
        one.sendall(request)
        assert until(one, b"</svg>\n").startswith(b"HTTP/1.1 200 ")
        one.sendall(request[:30])
        assert b"408" in everything(one)


@pytest.mark.parametrize("size", [SMALL + 1, 20 * SMALL])
def test_an_upload_over_the_limit_gets_its_answer(explorer: Explorer, size: int) -> None:
    for _ in range(5):
        answer = explorer.ask("compare", b"x" * size)
        assert answer.status == 413
        assert f"{SMALL:,} bytes".encode() in answer.body


def test_an_upload_of_unknown_length_gets_its_answer_while_it_is_sent(explorer: Explorer) -> None:
    headers = explorer.own_headers() | {"Transfer-Encoding": "chunked"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    part = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    with connect(explorer) as one:
        one.sendall(f"POST /api/compare HTTP/1.1\r\n{lines}\r\n".encode())
        for _ in range(20 * SMALL // 0x10000):
            one.sendall(part)
        one.sendall(b"0\r\n\r\n")
        assert head(one).startswith(b"HTTP/1.1 413 ")  # the connection stays open for a while


def test_a_stranger_s_upload_is_refused_and_the_answer_arrives(explorer: Explorer) -> None:
    answer = explorer.ask("collection", b"x" * (1 << 21), x_symbed_token="no")
    assert answer.status == 403


def test_who_waits_to_be_told_to_go_on_is_not_told(explorer: Explorer) -> None:
    headers = explorer.own_headers() | {
        "Content-Length": str(SMALL + 1),
        "Expect": "100-continue",
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with connect(explorer) as one:
        one.sendall(f"POST /api/compare HTTP/1.1\r\n{lines}\r\n".encode())
        assert head(one).startswith(b"HTTP/1.1 413 ")  # the connection stays open for a while


def test_what_is_thrown_away_is_bounded(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "OTHER_SECONDS", 0.2)
    lines = f"Host: {explorer.host}\r\nContent-Length: 1000000\r\n"
    with connect(explorer) as one:
        one.sendall(f"POST /api/compare HTTP/1.1\r\n{lines}\r\nx".encode())
        began = time.monotonic()
        assert everything(one).startswith(b"HTTP/1.1 403 ")
        assert time.monotonic() - began < 5
