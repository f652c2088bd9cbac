"""The application: requests that passed the gate go in; pages, scripts and answers come out."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from symbed.web import collection_map as charting
from symbed.web import comparison_answer as comparing
from symbed.web.collection import MAX_FILE, Collection, Shelf
from symbed.web.fields import BadRequest, Fields
from symbed.web.gate import Address, App, Gate, Keys
from symbed.web.translation import offered
from symbed.web.worker import Busy, Late, Worker

BODY_SECONDS = 10.0
LANGUAGES = b"<!--languages-->"  # where the page lists them
SMALL, LARGE = 1 << 18, 4 * MAX_FILE  # bytes of a body

STATIC = {
    "explorer.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    **{
        f"{name}.js": "text/javascript; charset=utf-8"
        for name in (
            "main", "state", "server", "dom", "mathml", "theme", "axes", "density", "cdf",
            "profile", "compare", "names", "telling", "reading", "collection", "scatter",
            "exporting",
        )
    },
}  # fmt: skip


def build_app(
    address: Address,
    keys: Keys,
    opened: Sequence[Collection] = (),
    worker: Worker | None = None,
) -> App:
    """The whole application behind its gate."""
    shelf = Shelf(opened)
    worker = worker or Worker()
    questions = {
        "compare": Question(lambda fields: comparing.answer(comparing.Question.of(fields))),
        "collection": Question(
            lambda fields: charting.chart(charting.Request.of(fields), shelf), LARGE
        ),
        "nearest": Question(lambda fields: charting.neighbors(fields, shelf)),
        "opened": Question(lambda fields: {"opened": shelf.opened}),
    }
    routes = [Route("/", _page("index.html", "text/html; charset=utf-8"))]
    routes += [Route(f"/static/{name}", _page(name, kind)) for name, kind in STATIC.items()]
    routes += [
        Route(f"/api/{name}", _endpoint(question, worker), methods=["POST"])
        for name, question in questions.items()
    ]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    return Gate(app, address, keys)


@dataclass(frozen=True)
class Question:
    """One kind of question: what answers it, and how many bytes it may have."""

    answer: Callable[[Fields], dict[str, Any]]
    most: int = SMALL


def _page(name: str, kind: str) -> Callable[[Request], Any]:
    content = files("symbed.web").joinpath("static", name).read_bytes()
    content = content.replace(LANGUAGES, _options().encode())

    async def page(request: Request) -> Response:
        return Response(content, headers={"content-type": kind})

    return page


def _options() -> str:
    """The languages that a formula can be written in, from the table of dialects."""
    return "".join(
        f'<option value="{escape(row["name"])}">{escape(row["title"])}</option>'
        for row in offered()
    )


def _endpoint(question: Question, worker: Worker) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request, question.most)
            return Response(
                await worker.run(_answered, question, body),
                headers={"content-type": "application/json"},
            )
        except _Refused as refused:
            return _words(refused.status, refused.words)
        except BadRequest as error:
            return _words(400, str(error))
        except Busy:
            return _words(503, "the explorer is busy; try again in a moment")
        except Late:
            return _words(503, "this takes too long for a page; take fewer points or draws")
        except ClientDisconnect:
            return _words(400, "the request was given up")

    return endpoint


class _Refused(Exception):
    def __init__(self, status: int, words: str) -> None:
        self.status, self.words = status, words


async def _body(request: Request, most: int) -> bytes:
    """The body of a request, read no further than allowed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise _Refused(415, "the body must be application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise _Refused(413, f"the body may have {most:,} bytes")
    except TimeoutError:
        raise _Refused(408, "the body came too slowly") from None
    return bytes(body)


def _answered(question: Question, body: bytes) -> bytes:
    """The answer to a body, both JSON; runs in a thread."""
    began = time.perf_counter()
    answer = question.answer(Fields(_document(body)))
    answer["milliseconds"] = round(1e3 * (time.perf_counter() - began), 2)
    return json.dumps(_plain(answer), allow_nan=False).encode()


def _document(body: bytes) -> object:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadRequest("the body is no JSON document") from None


def _plain(value: Any) -> Any:
    """Infinities as the string "inf", as on the command line; JSON has no such number."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _words(status: int, words: str) -> Response:
    return Response(f"{words}\n", status, headers={"content-type": "text/plain; charset=utf-8"})
