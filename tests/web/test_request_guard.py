"""Nobody but our own page gets an answer: forged hosts, foreign origins, missing secrets, paths."""

from __future__ import annotations

import json
import socket

import pytest

from symbed.web._app import LARGE, SMALL
from symbed.web._request_guard import Address
from tests.web.live import Answer, Explorer

QUESTION = {"formulas": ["a*x + b", "a*sin(x)"]}
BODY = json.dumps(QUESTION).encode()
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
APIS = ["compare", "collection", "nearest", "opened"]


def assert_refused(
    answer: Answer, *, statuses: tuple[int, ...] = (400, 403, 404, 405, 421)
) -> None:
    """No data, no secret, no permission for others; just a few words."""
    assert answer.status in statuses
    assert "json" not in answer.headers.get("content-type", "")
    assert "set-cookie" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert len(answer.body) < 200
    for word in (b"distance", b"<html", b"import ", b"function"):
        assert word not in answer.body


class TestOurOwnPageIsServed:
    def test_the_link_opens_the_page_and_sets_a_strict_cookie(self, explorer: Explorer) -> None:
        token = explorer.keys.token
        answer = explorer.send("GET", f"/?token={token}", {"Host": explorer.host})
        assert answer.status == 200
        assert b"symbed explorer" in answer.body
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert token not in cookie
        assert token.encode() not in answer.body

    @pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
    def test_a_question_is_answered(self, explorer: Explorer, name: str) -> None:
        host = f"{name}:{explorer.address.port}"
        answer = explorer.ask("compare", QUESTION, Host=host, Origin=f"http://{host}")
        assert answer.status == 200
        assert answer.json()["result"]["distance"] > 0

    @pytest.mark.parametrize("path", ["/", "/static/main.js", "/static/explorer.css"])
    def test_the_cookie_opens_pages_and_scripts(self, explorer: Explorer, path: str) -> None:
        cookie = f"other=1; {explorer.address.cookie}={explorer.keys.page_pass}"
        answer = explorer.send("GET", path, {"Host": explorer.host, "Cookie": cookie})
        assert answer.status == 200
        assert "set-cookie" not in answer.headers

    def test_every_answer_has_a_strict_policy(self, explorer: Explorer) -> None:
        answers = [
            explorer.ask("compare", QUESTION),
            explorer.send("GET", "/", {"Host": explorer.host}),
            explorer.send("GET", "/nowhere", explorer.own_headers()),
        ]
        assert [answer.status for answer in answers] == [200, 403, 404]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert "server" not in answer.headers


FORGED_HOSTS = [
    "evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1:0{port}",
    "127.0.0.1.evil.example:{port}", "localhost.evil.example:{port}", "evil-localhost:{port}",
    "localhost.:{port}", "LOCALHOST:{port}x", "0.0.0.0:{port}", "127.1:{port}", "127.0.0.2:{port}",
    "2130706433:{port}", "0x7f000001:{port}", "0177.0.0.1:{port}", "[::1]:{port}", "[::ffff:127.0.0.1]:{port}",
    "192.168.1.5:{port}", "user@127.0.0.1:{port}", "127.0.0.1:{port}@evil.example",
    "127.0.0.1:{port},evil.example", "127.0.0.1:{port}/x", "", ":{port}",
]  # fmt: skip


class TestForgedHosts:
    """What a page meets that has pointed a name of its own at this machine."""

    @pytest.mark.parametrize("host", FORGED_HOSTS)
    def test_a_question_is_not_answered(self, explorer: Explorer, host: str) -> None:
        forged = host.format(port=explorer.address.port)
        answer = explorer.ask("compare", QUESTION, Host=forged, Origin=f"http://{forged}")
        assert_refused(answer, statuses=(400, 421))

    @pytest.mark.parametrize("host", FORGED_HOSTS)
    def test_the_page_is_not_shown(self, explorer: Explorer, host: str) -> None:
        forged = host.format(port=explorer.address.port)
        headers = explorer.own_headers(Host=forged, Origin=None)
        answer = explorer.send("GET", f"/?token={explorer.keys.token}", headers)
        assert_refused(answer, statuses=(400, 421))

    def test_two_hosts_are_not_answered(self, explorer: Explorer) -> None:
        headers = [*explorer.own_headers().items(), ("Host", "evil.example")]
        assert_refused(explorer.send("POST", "/api/compare", headers, BODY), statuses=(400, 421))

    def test_no_host_is_not_answered(self, explorer: Explorer) -> None:
        headers = explorer.own_headers(Host=None)
        assert_refused(explorer.send("POST", "/api/compare", headers, BODY), statuses=(400, 421))

    def test_a_request_of_the_old_protocol_is_not_answered(self, explorer: Explorer) -> None:
        with socket.create_connection(("127.0.0.1", explorer.address.port)) as one:
            one.sendall(f"GET /?token={explorer.keys.token} HTTP/1.0\r\n\r\n".encode())
            answer = one.makefile("rb").read()
        assert answer.split()[1] in (b"400", b"421")
        assert b"<html" not in answer

    def test_a_target_with_another_authority_is_not_answered(self, explorer: Explorer) -> None:
        target = f"http://evil.example/?token={explorer.keys.token}"
        assert_refused(explorer.send("GET", target, explorer.own_headers(Origin=None)))


FOREIGN_ORIGINS = [
    "null", "", "http://evil.example", "http://evil.example:{port}", "https://127.0.0.1:{port}",
    "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:{port}", "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}.evil.example", "http://evil.example/http://127.0.0.1:{port}",
    "http://127.0.0.1:{port} http://evil.example", "http://127.0.0.1:{port},null",
    "file://", "chrome-extension://abcdefgh", "data:", "127.0.0.1:{port}", "HTTP://127.0.0.1:{port}",
]  # fmt: skip


class TestForeignOrigins:
    @pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
    @pytest.mark.parametrize("question", ["compare", "collection"])
    def test_a_question_is_not_answered(
        self, explorer: Explorer, origin: str, question: str
    ) -> None:
        told = origin.format(port=explorer.address.port)
        assert_refused(explorer.ask(question, QUESTION, Origin=told), statuses=(403,))

    @pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
    def test_not_even_the_page_is_shown(self, explorer: Explorer, origin: str) -> None:
        headers = explorer.own_headers(Origin=origin.format(port=explorer.address.port))
        assert_refused(explorer.send("GET", "/", headers), statuses=(403,))

    def test_a_question_without_an_origin_is_not_answered(self, explorer: Explorer) -> None:
        assert_refused(explorer.ask("compare", QUESTION, Origin=None), statuses=(403,))

    def test_two_origins_are_not_answered(self, explorer: Explorer) -> None:
        headers = [*explorer.own_headers().items(), ("Origin", "http://evil.example")]
        assert_refused(explorer.send("POST", "/api/compare", headers, BODY), statuses=(403,))


class TestEveryMethod:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize(
        "change",
        [
            {"Host": "evil.example"},
            {"Origin": "http://evil.example"},
            {"Sec_Fetch_Site": "cross-site"},
            {"X_Symbed_Token": None},
        ],
        ids=["host", "origin", "site", "token"],
    )
    def test_a_stranger_gets_nothing(
        self, explorer: Explorer, method: str, change: dict[str, str | None]
    ) -> None:
        headers = explorer.own_headers(**change)
        assert_refused(explorer.send(method, "/api/compare", headers), statuses=(403, 421))

    @pytest.mark.parametrize("method", [m for m in METHODS if m != "POST"])
    def test_data_come_by_post_only(self, explorer: Explorer, method: str) -> None:
        answer = explorer.send(method, "/api/compare", explorer.own_headers())
        assert_refused(answer, statuses=(405,))

    @pytest.mark.parametrize("method", [m for m in METHODS if m not in ("GET", "HEAD")])
    @pytest.mark.parametrize("path", ["/", "/static/main.js"])
    def test_pages_are_only_got(self, explorer: Explorer, method: str, path: str) -> None:
        answer = explorer.send(method, path, explorer.own_headers())
        assert_refused(answer, statuses=(405,))


def _tokens(explorer: Explorer) -> dict[str, list[tuple[str, str]]]:
    token, cookie = explorer.keys.token, explorer.address.cookie
    header = "X-Symbed-Token"
    return {
        "none": [],
        "empty": [(header, "")],
        "wrong": [(header, "x" * len(token))],
        "shorter": [(header, token[:-1])],
        "longer": [(header, token + "A")],
        "other case": [(header, token.swapcase())],
        "the page's pass": [(header, explorer.keys.page_pass)],
        "not ASCII": [(header, "\xe9" * len(token))],
        "twice": [(header, token), (header, token)],
        "in a cookie": [("Cookie", f"{cookie}={token}")],
        "as a bearer": [("Authorization", f"Bearer {token}")],
    }


class TestSecrets:
    @pytest.mark.parametrize("question", APIS)
    @pytest.mark.parametrize(
        "kind",
        [
            "none", "empty", "wrong", "shorter", "longer", "other case", "the page's pass",
            "not ASCII", "twice", "in a cookie", "as a bearer",
        ],
    )  # fmt: skip
    def test_data_need_the_token(self, explorer: Explorer, question: str, kind: str) -> None:
        base = explorer.own_headers(X_Symbed_Token=None)
        if kind == "in a cookie":
            del base["Cookie"]
        headers = [*base.items(), *_tokens(explorer)[kind]]
        assert_refused(explorer.send("POST", f"/api/{question}", headers, BODY), statuses=(403,))

    def test_a_token_in_the_address_opens_no_data(self, explorer: Explorer) -> None:
        headers = explorer.own_headers(X_Symbed_Token=None)
        path = f"/api/compare?token={explorer.keys.token}"
        assert_refused(explorer.send("POST", path, headers, BODY), statuses=(403,))

    @pytest.mark.parametrize("path", ["/", "/static/main.js", "/static/icon.svg", "/nowhere"])
    @pytest.mark.parametrize(
        "cookie",
        [
            "",
            "{name}=",
            "{name}=wrong",
            "{name}={token}",
            "other={pass_}",
            "{name}={pass_}; {name}=x",
        ],
    )
    def test_pages_and_scripts_need_the_pass(
        self, explorer: Explorer, path: str, cookie: str
    ) -> None:
        keys = explorer.keys
        told = cookie.format(name=explorer.address.cookie, token=keys.token, pass_=keys.page_pass)
        headers = {"Host": explorer.host, "Cookie": told}
        assert_refused(explorer.send("GET", path, headers), statuses=(403,))

    @pytest.mark.parametrize(
        "query", ["token=", "token=x", "token={t}&token={t}", "token={t}x", "Token={t}", "t={t}"]
    )
    def test_a_wrong_link_shows_nothing(self, explorer: Explorer, query: str) -> None:
        path = "/?" + query.format(t=explorer.keys.token)
        assert_refused(explorer.send("GET", path, {"Host": explorer.host}), statuses=(403,))

    def test_a_query_of_a_hundred_fields_is_refused(self, explorer: Explorer) -> None:
        path = "/?" + "&".join(f"a{k}=1" for k in range(100))
        assert_refused(explorer.send("GET", path, explorer.own_headers(Origin=None)))


class TestSites:
    @pytest.mark.parametrize("site", ["cross-site", "same-site", "none", "", "Same-Origin", "x"])
    @pytest.mark.parametrize("question", ["compare", "opened"])
    def test_data_go_to_the_same_origin_only(
        self, explorer: Explorer, site: str, question: str
    ) -> None:
        assert_refused(explorer.ask(question, QUESTION, Sec_Fetch_Site=site), statuses=(403,))

    @pytest.mark.parametrize("site", ["cross-site", "same-site", "", "x"])
    @pytest.mark.parametrize("path", ["/", "/static/main.js"])
    def test_pages_are_not_linked_from_other_sites(
        self, explorer: Explorer, site: str, path: str
    ) -> None:
        headers = explorer.own_headers(Origin=None, Sec_Fetch_Site=site)
        assert_refused(explorer.send("GET", path, headers), statuses=(403,))

    @pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object"])
    def test_the_page_is_not_embedded(self, explorer: Explorer, dest: str) -> None:
        headers = explorer.own_headers(Origin=None, Sec_Fetch_Dest=dest)
        assert_refused(explorer.send("GET", "/", headers), statuses=(403,))


PATHS = [
    "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/%2e%2e%2fapp.py",
    "/static/..%5capp.py", "/static/..\\app.py", "/static//etc/passwd", "//etc/passwd", "/etc/passwd",
    "/static/....//app.py", "/static/main.js/../../app.py", "/static/main.js%00", "/static/index.html",
    "/static/", "/static", "/app.py", "/index.html", "/api/", "/api", "/api/compare/", "/API/compare",
    "/api/../static/main.js", "/static/main.js/", "/.git/config", "/favicon.ico", "*",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_there_are_no_other_paths(explorer: Explorer, path: str) -> None:
    answer = explorer.send("GET", path, explorer.own_headers())
    assert_refused(answer, statuses=(400, 404))


class TestBodies:
    @pytest.mark.parametrize(
        "kind",
        [
            None, "", "text/plain", "text/plain; application/json", "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded", "application/jsonp", "application/json5", "text/json",
            "application/csp-report",
        ],
    )  # fmt: skip
    def test_only_json_is_taken(self, explorer: Explorer, kind: str | None) -> None:
        answer = explorer.ask("compare", QUESTION, Content_Type=kind)
        assert_refused(answer, statuses=(415,))

    @pytest.mark.parametrize("question", ["compare", "nearest", "opened", "collection", "data"])
    def test_a_large_body_is_refused(self, explorer: Explorer, question: str) -> None:
        size = LARGE if question in ("collection", "data") else SMALL
        answer = explorer.ask(question, b'{"text": "' + b"x" * size + b'"}')
        assert_refused(answer, statuses=(413,))
        assert f"{size:,} bytes".encode() in answer.body

    def test_a_large_body_in_pieces_is_refused(self, explorer: Explorer) -> None:
        headers = explorer.own_headers() | {"Transfer-Encoding": "chunked"}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        with socket.create_connection(("127.0.0.1", explorer.address.port)) as one:
            one.sendall(f"POST /api/compare HTTP/1.1\r\n{lines}\r\n".encode() + 6 * piece)
            answer = one.recv(4096)
        assert b" 413 " in answer.split(b"\r\n")[0]

    @pytest.mark.parametrize(
        "body",
        [
            b"", b"{", b"[]", b"null", b"1", b'"x"', b"\xff\xfe", b"{}", b'{"formulas": "x"}',
            b'{"formulas": ["x"]}', b'{"formulas": ["x", "y", "z"]}', b'{"formulas": [1, 2]}',
            b'{"formulas": ["x", "y"], "points": 0}', b'{"formulas": ["x", "y"], "points": 1000000}',
            b'{"formulas": ["x", "y"], "points": 64.5}', b'{"formulas": ["x", "y"], "points": true}',
            b'{"formulas": ["x", "y"], "draws": -1}', b'{"formulas": ["x", "y"], "p": 3}',
            b'{"formulas": ["x", "y"], "seed": 1e999}', b'{"formulas": ["x", "y"], "ranges": []}',
            b'{"formulas": ["x", "y"], "ranges": {"x": [1]}}',
            b'{"formulas": ["x", "y"], "ranges": {"x": [NaN, 1]}}',
            b'{"formulas": ["x", "y"], "ranges": {"x": ["1", 2]}}',
            b'{"formulas": ["x", "y"], "roles": {"x": "king"}}',
            b'{"formulas": ["x", "y"], "held": {"x": Infinity}}',
            b'{"formulas": ["x", "y"], "held": {"x": 1' + b"0" * 400 + b"}}",
            b'{"formulas": ["x", "y"], "axis": 3}', b"[" * 100_000, b'{"a":' * 50_000,
            b'{"formulas": ["' + b"x" * 20_000 + b'", "y"]}', b"1" * 5_000,
        ],
    )  # fmt: skip
    def test_what_the_page_would_not_send_is_refused(self, explorer: Explorer, body: bytes) -> None:
        assert_refused(explorer.ask("compare", body), statuses=(400,))

    def test_the_explorer_goes_on_after_all_this(self, explorer: Explorer) -> None:
        assert explorer.ask("compare", QUESTION).status == 200


class TestAddresses:
    def test_a_public_page_is_called_by_numbers_and_its_own_name_only(self) -> None:
        address = Address("0.0.0.0", 80, public=True)
        assert address.is_ours("192.168.1.5:80")
        assert address.is_ours("[fe80::1]:80")
        assert address.url == "http://127.0.0.1:80/"
        assert not address.is_ours("evil.example:80")
        assert Address("lab.example", 80, public=True).is_ours("lab.example:80")

    def test_an_address_of_version_six_has_brackets(self) -> None:
        address = Address("::1", 8765)
        assert address.url == "http://[::1]:8765/"
        assert address.is_ours("[::1]:8765")
        assert not address.is_ours("[::2]:8765")
