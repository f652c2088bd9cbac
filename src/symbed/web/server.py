"""Serves the explorer at an address until it is interrupted."""

from __future__ import annotations

import ipaddress
import json
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import Any

from symbed.errors import MissingExtra, RangeError
from symbed.web.request_guard import Address, Keys

USUAL_PORT = 8765
MOST_ANSWERED = 64  # requests that are being answered at once; the others are told to come again


def explore(
    host: str = "127.0.0.1",
    port: int | None = None,
    *,
    public: bool = False,
    browser: bool = True,
    paths: Sequence[str] = (),
    data: Sequence[str] = (),
    as_json: bool = False,
) -> None:
    """Serve the explorer until Ctrl+C.

    Parameters
    ----------
    host : str
        The address to serve at.
    port : int, optional
        By default the usual one, or a free one if that is taken.
    public : bool
        Whether an address that others can reach is meant.
    browser : bool
        Whether to open the page.
    paths : sequence of str
        Atlases, files of formulas and files of data that the page may open; which is which is
        found out and said.
    data : sequence of str
        Files of data, whatever they look like.
    as_json : bool
        Whether the address is printed as one JSON document.
    """
    check_host(host, public)
    uvicorn = _uvicorn()
    from symbed.web.app import build_app
    from symbed.web.command_line_files import CommandLineFiles

    files = CommandLineFiles.open(paths, data)
    for line in files.told():
        print(line, file=sys.stderr, flush=True)
    listener = bind(host, port)
    address, keys = Address(host, listener.getsockname()[1], public), Keys()
    threading.Thread(target=warm_up, daemon=True).start()
    app = build_app(address, keys, files.collections, tables=files.tables)
    server = uvicorn.Server(uvicorn.Config(app, **settings()))
    link = f"{address.url}?token={keys.token}"
    announce(address, link, as_json=as_json)
    if browser:
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # how it is meant to end
        pass
    finally:
        listener.close()


def warm_up() -> None:
    """Answer a first question, so that the reader's first one does not wait for loading."""
    from symbed.web.json_fields import Fields
    from symbed.web.views.comparison_view import ComparisonRequest, answer

    answer(ComparisonRequest.of(Fields({"formulas": ["a*x + b", "a*sin(x)"]})))


PUBLIC = (
    "symbed: other machines can reach {host}:{port}; whoever has the link can use the explorer, "
    "and what it sends is not encrypted"
)


def settings() -> dict[str, Any]:
    """How uvicorn serves: what is not needed is off, and what strangers could fill is bounded."""
    from symbed.web.connections import MOST_WAITING, BoundedConnection

    return {
        "access_log": False,
        "h11_max_incomplete_event_size": 1 << 15,
        "http": BoundedConnection,
        "lifespan": "off",
        "limit_concurrency": MOST_WAITING + MOST_ANSWERED,
        "log_level": "warning",
        "proxy_headers": False,
        "server_header": False,
        "timeout_graceful_shutdown": 2,
        "timeout_keep_alive": 15,
        "ws": "none",
    }


def check_host(host: str, public: bool) -> None:
    """Refuse an address that others can reach, unless the user said so."""
    if public or host == "localhost":
        return
    try:
        if ipaddress.ip_address(host).is_loopback:
            return
    except ValueError:
        pass
    raise RangeError(
        f"others can reach the explorer at host {host!r}; leave --host away for this machine "
        "only, or add --public if that is meant"
    )


def bind(host: str, port: int | None) -> socket.socket:
    """A listening socket; any free port if none is asked for and the usual one is taken."""
    if port is not None and not 0 <= port <= 65535:
        raise RangeError(f"port must be between 0 and 65535, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    if port is not None:
        return _listen(family, host, port)
    try:
        return _listen(family, host, USUAL_PORT)
    except OSError:
        return _listen(family, host, 0)


def announce(address: Address, link: str, *, as_json: bool) -> None:
    """Print the link; the token in it is the key."""
    if address.public:
        print(PUBLIC.format(host=address.host, port=address.port), file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps({"url": link, "host": address.host, "port": address.port}), flush=True)
        return
    print(f"The explorer is at {link}\nCtrl+C ends it.", flush=True)


def _listen(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    # asyncio sends without delay only where the protocol is named; else small answers wait 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from None
    return listener


def _uvicorn() -> Any:
    try:
        import starlette  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtra(
            "the explorer needs Starlette and uvicorn; install them with: pip install 'symbed[web]'"
        ) from None
    return uvicorn
