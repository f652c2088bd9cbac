"""The web application behind the guard: the page, its scripts, and the answers to its questions.

The page must answer while numbers are being computed, so they are computed in threads, few at a
time. A thread cannot be stopped: what bounds it are the limits on points, draws and nodes. The
clock only decides how long the page waits, and a late thread still holds its place in the queue.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, ParamSpec, TypeVar

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from symbed._export import json_values
from symbed.limits import PAGE_TEXT
from symbed.web._collection import Collection, OpenCollections
from symbed.web._collection_view import (
    MapRequest,
    chart,
    clusters,
    equals,
    neighbors,
    one_formula,
)
from symbed.web._comparison_view import ComparisonRequest, answer
from symbed.web._connections import UnreadBodies
from symbed.web._formula_names import offered_languages
from symbed.web._json_fields import BadRequest, Fields
from symbed.web._open_files import OpenTables, Table, show_table
from symbed.web._request_guard import Address, App, Keys, RequestGuard
from symbed.web._verdict_view import judge

T = TypeVar("T")
P = ParamSpec("P")

LANGUAGES = b"<!--languages-->"  # where the page lists them
SMALL, LARGE = 1 << 18, 4 * PAGE_TEXT.maximum  # bytes of a body
PATIENT = 120.0  # seconds for what a reader starts once and waits for: opening 100,000 formulas

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def static_files() -> dict[str, str]:
    """The scripts, styles and icons of the page by their place, each with its kind."""
    top = files("symbed.web").joinpath("static")
    found = {}
    for folder in (top, *(one for one in top.iterdir() if one.is_dir())):
        for file in folder.iterdir():
            _, dot, ending = file.name.rpartition(".")
            if file.is_file() and dot + ending in KINDS:
                place = file.name if folder is top else f"{folder.name}/{file.name}"
                found[place] = KINDS[dot + ending]
    return found


def build_app(
    address: Address,
    keys: Keys,
    opened: Sequence[Collection] = (),
    pool: ThreadPool | None = None,
    endpoints: Mapping[str, Endpoint] | None = None,
    *,
    tables: Sequence[Table] = (),
) -> App:
    """The whole application behind its guard.

    Parameters
    ----------
    address : Address
        Where it is served.
    keys : Keys
        The secrets that open it.
    opened : sequence of Collection
        Formulas that were given on the command line.
    pool : ThreadPool, optional
        Who computes.
    endpoints : mapping of str to Endpoint, optional
        More questions that are answered, or other answers to the page's own.
    tables : sequence of Table
        Data that were given on the command line.
    """
    collections, data = OpenCollections(opened), OpenTables(tables)
    pool = pool or ThreadPool()
    answered = {
        "compare": Endpoint(lambda fields: answer(ComparisonRequest.of(fields))),
        "verdict": Endpoint(lambda fields: judge(ComparisonRequest.of(fields))),
        "collection": Endpoint(
            lambda fields: chart(MapRequest.of(fields), collections), LARGE, seconds=PATIENT
        ),
        "equals": Endpoint(lambda fields: equals(fields, collections, data), seconds=PATIENT),
        "clusters": Endpoint(lambda fields: clusters(fields, collections), seconds=PATIENT),
        "nearest": Endpoint(lambda fields: neighbors(fields, collections), seconds=PATIENT),
        "formula": Endpoint(lambda fields: one_formula(fields, collections)),
        "data": Endpoint(lambda fields: show_table(fields, data), LARGE),
        "opened": Endpoint(lambda fields: {"opened": collections.offered, "tables": data.offered}),
        **(endpoints or {}),
    }
    # One route for each file, read now: no request ever names a path on disk.
    routes = [Route("/", _page("index.html", "text/html; charset=utf-8"))]
    routes += [Route(f"/static/{name}", _page(name, kind)) for name, kind in static_files().items()]
    routes += [
        Route(f"/api/{name}", _answering(endpoint, pool), methods=["POST"])
        for name, endpoint in answered.items()
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    # Outermost, because the guard too answers before it has read a body.
    return UnreadBodies(RequestGuard(app, address, keys))


@dataclass(frozen=True)
class Endpoint:
    """One kind of question: what answers it, how large its body may be, and how slow.

    Attributes
    ----------
    answer : callable
        From the fields of a question to the document of its answer.
    max_bytes : int
        Of the body.
    body_seconds : float
        Until the body has to be there.
    seconds : float, optional
        Until the answer has to be there, if that is not what the pool allows everybody.
    """

    answer: Callable[[Fields], dict[str, Any]]
    max_bytes: int = SMALL
    body_seconds: float = 10.0
    seconds: float | None = None


def _page(name: str, kind: str) -> Callable[[Request], Any]:
    content = files("symbed.web").joinpath("static", *name.split("/")).read_bytes()
    content = content.replace(LANGUAGES, _options().encode())

    async def page(request: Request) -> Response:
        return Response(content, headers={"content-type": kind})

    return page


def _options() -> str:
    """The languages that a formula can be written in, from the table of dialects."""
    return "".join(
        f'<option value="{escape(row["name"])}">{escape(row["title"])}</option>'
        for row in offered_languages()
    )


def _answering(endpoint: Endpoint, pool: ThreadPool) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        try:
            body = await _body(request, endpoint)
            return Response(
                await pool.run_within(endpoint.seconds, _answered, endpoint, body),
                headers={"content-type": "application/json"},
            )
        except _Refused as refused:
            return _words(refused.status, refused.words)
        except BadRequest as error:
            return _words(400, str(error))
        except ClientDisconnect:
            return _words(400, "the request was given up")

    return respond


class _Refused(Exception):
    """Why a question is not answered, as a status of HTTP and in words."""

    def __init__(self, status: int, words: str) -> None:
        self.status, self.words = status, words


async def _body(request: Request, endpoint: Endpoint) -> bytes:
    """The body of a request, read no further than allowed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise _Refused(415, "the body must be application/json")
    too_large = _Refused(413, f"the body may have {endpoint.max_bytes:,} bytes")
    length = request.headers.get("content-length", "")
    # Python refuses to read numbers of thousands of digits; 20 are beyond every limit.
    if length.isdecimal() and int(length[:20]) > endpoint.max_bytes:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(endpoint.body_seconds):
            # Counted again: a length need not be told, nor be true.
            async for chunk in request.stream():
                body += chunk
                if len(body) > endpoint.max_bytes:
                    raise too_large
    except TimeoutError:
        raise _Refused(408, "the body came too slowly") from None
    return bytes(body)


def _answered(endpoint: Endpoint, body: bytes) -> bytes:
    """The answer to a body, both JSON; runs in a thread."""
    began = time.perf_counter()
    document = endpoint.answer(Fields(_document(body)))
    document["milliseconds"] = round(1e3 * (time.perf_counter() - began), 2)
    return json.dumps(json_values(document), allow_nan=False).encode()


def _document(body: bytes) -> object:
    try:
        return json.loads(body.decode("utf-8"))
    # Brackets nested by the thousand are a RecursionError.
    except (ValueError, RecursionError):
        raise BadRequest("the body is no JSON document") from None


def _words(status: int, words: str) -> Response:
    return Response(f"{words}\n", status, headers={"content-type": "text/plain; charset=utf-8"})


class ThreadPool:
    """A few threads, a short queue, and a clock.

    Parameters
    ----------
    seconds : float
        How long an answer may take.
    n_threads : int
        How many computations run at once.
    n_waiting : int
        How many more may wait.
    """

    def __init__(self, seconds: float = 20.0, n_threads: int = 2, n_waiting: int = 8) -> None:
        self._seconds, self._most = seconds, n_threads + n_waiting
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="symbed-explorer")
        self._pending = 0

    async def run_within(
        self, seconds: float | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Compute in a thread for so long; as long as everybody may, if None."""
        if self._pending >= self._most:
            raise _Refused(503, "the explorer is busy; try again in a moment")
        self._pending += 1
        loop = asyncio.get_running_loop()
        future = self._pool.submit(work, *args, **kwargs)
        # When the thread ends, not when the page stops waiting. Counted in the loop, which alone
        # touches the number, so it needs no lock.
        future.add_done_callback(lambda _: _tell(loop, self._finished))
        try:
            return await asyncio.wait_for(
                asyncio.wrap_future(future), self._seconds if seconds is None else seconds
            )
        except TimeoutError:
            if future.done() and not future.cancelled() and future.exception():
                raise  # the computation's own
            late = "this takes too long for a page; take fewer points or draws"
            raise _Refused(503, late) from None

    def _finished(self) -> None:
        self._pending -= 1


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
