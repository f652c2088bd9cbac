"""The explorer starts where it is told, for nobody else, and waits for nobody too long."""

from __future__ import annotations

import builtins
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

import symbed
from symbed.cli import main
from symbed.errors import MissingExtra, RangeError
from symbed.web import server as serving
from symbed.web._app import Endpoint, ThreadPool, static_files
from symbed.web._request_guard import Address, Keys, RequestGuard
from tests.web.live import Explorer, running

PACKAGE = Path(symbed.__file__).parent
QUESTION = {"formulas": ["a*x", "x"]}


class TestAddresses:
    @pytest.mark.parametrize(
        "host", ["0.0.0.0", "::", "192.168.1.5", "10.0.0.1", "example.org", ""]
    )
    def test_a_public_address_needs_the_flag(self, host: str) -> None:
        with pytest.raises(RangeError, match="--public"):
            serving.check_host(host, public=False)
        serving.check_host(host, public=True)

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.5", "::1", "localhost"])
    def test_this_machine_needs_none(self, host: str) -> None:
        serving.check_host(host, public=False)

    def test_a_taken_port_is_an_error_only_if_it_was_asked_for(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serving.bind("127.0.0.1", 0) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(OSError, match=f"127.0.0.1:{port}"):
                serving.bind("127.0.0.1", port)
            monkeypatch.setattr(serving, "USUAL_PORT", port)
            with serving.bind("127.0.0.1", None) as other:
                assert other.getsockname()[1] != port

    @pytest.mark.parametrize("port", [-1, 65536])
    def test_a_port_that_cannot_be_is_told(self, port: int) -> None:
        with pytest.raises(RangeError, match="between 0 and 65535"):
            serving.bind("127.0.0.1", port)


class TestCommand:
    def test_a_public_address_is_refused_in_one_line(self, capsys) -> None:
        assert main(["explore", "--host", "0.0.0.0", "--no-browser"]) == 1
        assert "add --public" in capsys.readouterr().err

    def test_a_public_address_is_warned_of(self, capsys) -> None:
        serving.announce(Address("0.0.0.0", 80, public=True), "LINK", as_json=True)
        told = capsys.readouterr()
        assert "not encrypted" in told.err
        assert json.loads(told.out)["url"] == "LINK"

    def test_a_missing_file_is_told(self, capsys) -> None:
        assert main(["explore", "--no-browser", "--port", "0", "no-such-file.csv"]) == 1
        assert "no-such-file.csv" in capsys.readouterr().err

    def test_it_says_which_extra_it_needs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        known = builtins.__import__

        def without(name: str, *rest: object, **more: object) -> object:
            if name == "uvicorn":
                raise ImportError(name)
            return known(name, *rest, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(MissingExtra, match=r"symbed\[web\]"):
            serving.explore(browser=False)

    def test_the_page_can_be_opened_by_the_printed_link_until_interrupted(self) -> None:
        words = ["explore", "--no-browser", "--port", "0", "--json"]
        code = "import sys; from symbed.cli import main; sys.exit(main(sys.argv[1:]))"
        running = subprocess.Popen(
            [sys.executable, "-c", code, *words],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
            text=True,
        )
        try:
            assert running.stdout is not None
            told = json.loads(running.stdout.readline())
            assert told["host"] == "127.0.0.1"
            with urllib.request.urlopen(told["url"]) as page:
                assert b"symbed explorer" in page.read()
        finally:
            running.send_signal(signal.SIGINT)
            code_ = running.wait(20)
            running.stdout.close()
        assert code_ == 0

    def test_explore_opens_the_browser_and_serves_its_socket(
        self, monkeypatch: pytest.MonkeyPatch, capsys
    ) -> None:
        opened: list[str] = []
        known = threading.Event()

        class Server:
            def __init__(self, config: object) -> None:
                self.config = config

            def run(self, sockets: list[socket.socket]) -> None:
                assert sockets[0].getsockname()[0] == "127.0.0.1"
                assert known.wait(10)
                raise KeyboardInterrupt

        import uvicorn

        monkeypatch.setattr(uvicorn, "Server", Server)
        monkeypatch.setattr(
            serving.webbrowser, "open", lambda link: (opened.append(link), known.set())
        )
        serving.explore(port=0)
        shown = capsys.readouterr().out
        assert "Ctrl+C" in shown
        assert opened[0] in shown

    def test_the_first_question_is_asked_before_the_reader_does(self) -> None:
        serving.warm_up()


class TestFiles:
    def test_every_file_of_the_page_is_served_and_nothing_else_lies_there(self) -> None:
        top = PACKAGE / "web" / "static"
        present = {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}
        assert present == {"index.html", *static_files()}

    def test_the_page_asks_nothing_of_other_machines(self) -> None:
        allowed = {"http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"}
        for path in filter(Path.is_file, (PACKAGE / "web" / "static").rglob("*")):
            text = path.read_text()
            links = {
                word.strip("\"';,)>")
                for word in text.replace('"', " ").split()
                if word.startswith(("http:", "https:", "//www"))
            }
            assert links <= allowed, path.name

    def test_nothing_typed_becomes_markup(self) -> None:
        for path in (PACKAGE / "web" / "static").rglob("*.js"):
            text = path.read_text()
            for word in (
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "Function(",
            ):
                assert word not in text, path.name
        page = (PACKAGE / "web" / "static" / "index.html").read_text()
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick" not in page


class TestThreadPool:
    def test_what_takes_too_long_is_given_up_in_words(self) -> None:
        slow = Endpoint(lambda fields: time.sleep(0.5) or {})
        with running(pool=ThreadPool(seconds=0.05), endpoints={"compare": slow}) as explorer:
            answer = explorer.ask("compare", QUESTION)
        assert answer.status == 503
        assert b"fewer points" in answer.body

    def test_a_long_queue_is_refused_in_words(self) -> None:
        go_on = threading.Event()
        waiting = Endpoint(lambda fields: {"ok": go_on.wait(10)})
        pool = ThreadPool(n_threads=1, n_waiting=1)
        with running(pool=pool, endpoints={"compare": waiting}) as explorer:
            answers: list[int] = []

            def ask() -> None:
                answers.append(explorer.ask("compare", QUESTION).status)

            threads = [threading.Thread(target=ask) for _ in range(4)]
            for thread in threads:
                thread.start()
            deadline = time.monotonic() + 10
            while answers.count(503) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            go_on.set()
            for thread in threads:
                thread.join()
            assert sorted(answers) == [200, 200, 503, 503]
            assert explorer.ask("compare", QUESTION).status == 200

    def test_a_slow_body_is_given_up(self) -> None:
        impatient = Endpoint(lambda fields: {}, body_seconds=0.1)
        with running(endpoints={"compare": impatient}) as explorer:
            assert _unfinished(explorer).split()[1] == b"408"

    def test_a_defect_tells_strangers_nothing(self, capfd) -> None:
        def broken(fields: object) -> dict[str, object]:
            raise RuntimeError("secret words")

        with running(endpoints={"compare": Endpoint(broken)}) as explorer:
            answer = explorer.ask("compare", QUESTION)
        assert (answer.status, answer.body) == (500, b"Internal Server Error")
        assert "content-security-policy" in answer.headers


def _unfinished(explorer: Explorer) -> bytes:
    """The answer to a request whose body never ends."""
    headers = explorer.own_headers() | {"Content-Length": "100"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    with socket.create_connection(("127.0.0.1", explorer.address.port)) as one:
        one.sendall(f"POST /api/compare HTTP/1.1\r\n{lines}\r\n{{".encode())
        return one.recv(4096)


def test_other_kinds_of_connection_are_not_served() -> None:
    import asyncio

    async def nobody(*given: object) -> None:
        raise AssertionError("nothing may be received or sent")

    guard = RequestGuard(nobody, Address("127.0.0.1", 1), Keys())
    asyncio.run(guard({"type": "websocket"}, nobody, nobody))
