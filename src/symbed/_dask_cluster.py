"""Clusters: the address of a Dask scheduler goes in, an executor on its workers comes out."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from symbed.errors import MissingExtra, WorkerError

PATIENCE = 5  # seconds to wait for a scheduler, and then for its first worker


@contextmanager
def open_cluster(address: str | None) -> Iterator[Executor | None]:
    """An executor on a Dask cluster; None for no address, which means threads on this machine.

    Parameters
    ----------
    address : of the scheduler, such as ``tcp://host:8786``.
    """
    if address is None:
        yield None
        return
    client = _connect(address)
    try:
        yield client.get_executor()
    finally:
        client.close()


def _connect(address: str) -> Any:
    try:
        from distributed import Client as connect
    except ImportError:
        raise MissingExtra(
            "a scheduler needs Dask; install it with: pip install 'symbed[dask]'"
        ) from None
    _knock(address)
    logging.getLogger("distributed.client").setLevel(logging.ERROR)
    try:
        client: Any = connect(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise _nobody(address, error) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise WorkerError(
            f"the scheduler at {address} has no workers; start some with: dask worker {address}"
        ) from None
    return client


def _knock(address: str) -> None:
    """See first whether anybody listens there.

    A Dask client that cannot connect is torn down when it is collected as garbage, and if that
    happens while the next one is being made, both wait for each other for ever.
    """
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    try:
        if not colon or not port.isdigit():
            raise ValueError("an address looks like tcp://host:8786")
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise _nobody(address, error) from None


def _nobody(address: str, error: Exception) -> WorkerError:
    return WorkerError(
        f"no Dask scheduler answers at {address} ({str(error) or type(error).__name__}); "
        "start one with: dask scheduler"
    )
