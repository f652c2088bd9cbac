"""Serves the explorer, with the files that were named for it, until it is interrupted."""

from __future__ import annotations

import ipaddress
import json
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symbed.errors import MissingExtra, RangeError, SymbedError
from symbed.formula_files.table_rows import EXPRESSION_COLUMNS
from symbed.web._collection import Collection, open_collection
from symbed.web._open_files import Table, open_table
from symbed.web._request_guard import Address, Keys
from symbed.workbench.data_files import READERS

ARRAYS = frozenset(READERS) - {".csv", ".tsv", ".txt", ".dat"}  # endings that only data have
SHOWN_COLUMNS = 6
USUAL_PORT = 8765
MAX_ANSWERED = 64  # requests that are being answered at once; the others are told to come again


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
    from symbed.web._app import build_app  # it needs the extra

    files = CommandLineFiles.open(paths, data)
    for line in files.told():
        print(line, file=sys.stderr, flush=True)
    # Bound first: the port, perhaps a free one, is part of the address that requests must name.
    listener = bind(host, port)
    address, keys = Address(host, listener.getsockname()[1], public), Keys()
    threading.Thread(target=warm_up, daemon=True).start()
    app = build_app(address, keys, files.collections, tables=files.tables)
    server = uvicorn.Server(uvicorn.Config(app, **settings()))
    link = f"{address.url}?token={keys.token}"
    announce(address, link, as_json=as_json)
    if browser:
        # The socket listens already, so a browser that is faster than the server just waits.
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:  # how it is meant to end
        pass
    finally:
        listener.close()


@dataclass
class CommandLineFiles:
    """What the page offers from the start.

    Attributes
    ----------
    collections : list of Collection
        Files of formulas, and atlases.
    tables : list of Table
        Files of data.
    """

    collections: list[Collection] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @classmethod
    def open(cls, paths: Sequence[str] = (), data: Sequence[str] = ()) -> CommandLineFiles:
        """Open files of any kind, and files that were said to be data."""
        files = cls()
        for path in map(Path, paths):
            table = _table_of_numbers(path)
            if table is None:
                files.collections.append(open_collection(str(path)))
            else:
                files.tables.append(table)
        files.tables += [open_table(Path(path)) for path in data]
        return files

    def told(self) -> Iterator[str]:
        """One line for each file: what it was taken for."""
        for one in self.collections:
            if one.listing is not None:
                yield f"{one.name}: {len(one.listing.formulas):,} formulas"
            elif one.atlas is not None:
                yield f"{one.name}: an atlas of {len(one.atlas):,} formulas"
        for table in self.tables:
            names = table.data.names
            shown = ", ".join(names[:SHOWN_COLUMNS]) + ", ..." * (len(names) > SHOWN_COLUMNS)
            gaps = f", {table.n_dropped:,} with gaps left out" if table.n_dropped else ""
            yield f"{table.name}: data, {len(table.data.X):,} rows of {shown}{gaps}"


def _table_of_numbers(path: Path) -> Table | None:
    """The data in a file; None if it may hold formulas.

    Data have a header of two names or more, none of them one that formulas stand under, and
    nothing but numbers below it. A column of numbers could as well be a list of formulas.
    """
    if path.is_dir():
        return None
    if path.suffix.lower() in ARRAYS:
        return open_table(path)
    try:
        table = open_table(path)
    except SymbedError:
        return None
    titles = {name.strip().lower() for name in table.data.names}
    return table if len(titles) > 1 and not titles & set(EXPRESSION_COLUMNS) else None


def warm_up() -> None:
    """Answer a first question, so that the reader's first one does not wait for loading."""
    from symbed.web._comparison_view import ComparisonRequest, answer
    from symbed.web._json_fields import Fields

    answer(ComparisonRequest.of(Fields({"formulas": ["a*x + b", "a*sin(x)"]})))


def settings() -> dict[str, Any]:
    """How uvicorn serves: what is not needed is off, and what strangers could fill is bounded."""
    from symbed.web._connections import MAX_WAITING, BoundedConnection

    return {
        "access_log": False,
        "h11_max_incomplete_event_size": 1 << 15,
        "http": BoundedConnection,
        "lifespan": "off",
        "limit_concurrency": MAX_WAITING + MAX_ANSWERED,
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
        warning = (
            f"symbed: other machines can reach {address.host}:{address.port}; whoever has the link "
            "can use the explorer, and what it sends is not encrypted"
        )
        print(warning, file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps({"url": link, "host": address.host, "port": address.port}), flush=True)
        return
    print(f"The explorer is at {link}\nCtrl+C ends it.", flush=True)


def _listen(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    # asyncio sends without delay only where the protocol is named; else small answers wait 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # Closed connections of the last run linger for a while, and would keep the port.
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
