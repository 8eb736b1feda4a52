"""Requests that do not come from the page: refused, and without harm."""

import contextlib
import json
import os
import re
import socket
import time
import unittest

import freehold

import samples
from serving import LONG, WAIT, ServerTest, answers, parameters, read_all, read_answer, wait_until

JSON = [("X-Freehold", "1"), ("Content-Type", "application/json")]
TAB = "a" * 20
BODY = b'{"tab":"aaaaaaaaaaaaaaaaaaaa"}'
READS = [
    "/api/state", "/api/files/1/schema", "/api/files/1/object?class=Kinds&key=0", "/api/files/1/export?class=Kinds&query=&format=csv",
    "/api/files/1/data?class=Kinds&key=0&property=text", "/api/files/1/information", f"/api/events?tab={TAB}",
    f"/api/views/v1/rows?tab={TAB}"
]
CHANGES = [
    "/api/files", "/api/tab", "/api/tab/close", "/api/files/1/views", "/api/files/1/edits/preview", "/api/files/1/edits/commit",
    "/api/files/1/edits/undo", f"/api/files/1/uploads?tab={TAB}", f"/api/files/1/import?class=N&format=csv&tab={TAB}", "/api/files/1/check",
    "/api/files/1/salvage"
]


class HostileTest(ServerTest):
    """A server with --write, and requests in bytes."""

    writes = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = samples.make_kinds(cls.folder / "kinds.freehold")
        cls.server = cls.shared(cls.file, write=cls.writes)

    def tearDown(self):
        self.assertServes()
        self.assertEqual(self.server.errors, "")

    def ask(self, path="/api/state", headers=(), method="GET", body=b"", **more):
        """The answer to one request, which is the only thing that the connection gives."""
        given = list(headers)
        if body and not any(name.lower() in ("content-length", "transfer-encoding") for name, _ in given):
            given.append(("Content-Length", len(body)))
        return self.raw(self.server.head(method, path, given, **more) + b"\r\n" + body)

    def raw(self, data):
        answer = self.server.exchange(data)
        self.assertIsNotNone(answer, data[:300])
        return answer

    def assertRefused(self, answer, *statuses):
        self.assertIn(answer.status, statuses, answer)
        if answer.body:
            self.assertSafe(answer)
            self.assertNotIn(b"kinds.freehold", answer.body)
        return answer


class AccessTests(HostileTest):
    """Who may ask."""

    def test_foreign_hosts(self):
        """Names that were made to lead here are refused with 421, for pages and for data."""
        port = self.server.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1:{port}.evil.example",
                     f"127.0.0.1.evil.example:{port}", f"0.0.0.0:{port}", f"[::1]:{port}x", "", "localhost", f"localhost.:{port}",
                     f"user@127.0.0.1:{port}", f"127.0.0.1:{port}/", f"127.1:{port}", f"2130706433:{port}"):
            for path in ("/", "/app.js", "/api/state"):
                self.assertRefused(self.ask(path, [("Host", host)], host=False), 421, 400)
        self.assertRefused(self.ask(host=False), 421, 400)
        self.assertEqual(self.ask(headers=[("Host", f"LOCALHOST:{port}")], host=False).status, 200)

    @unittest.expectedFailure  # The HTTP library hands on the first of two hosts only; no browser sends two.
    def test_two_hosts_are_refused(self):
        """A request with two hosts is refused, whichever comes first."""
        self.assertRefused(self.ask(headers=[("Host", "evil.example")]), 400, 421)
        self.assertRefused(self.ask(headers=[("Host", "evil.example"), ("Host", f"127.0.0.1:{self.server.port}")], host=False), 400, 421)

    @unittest.expectedFailure  # The HTTP library hands on the path only; the header Host is compared.
    def test_absolute_targets_with_another_host_are_refused(self):
        """A target that names another host is refused, whatever the header Host says."""
        self.assertRefused(self.ask("http://evil.example/api/state"), 400, 404, 421)

    def test_foreign_origins(self):
        """A request of another site's page is refused, also with the cookie; that of the page is answered."""
        port = self.server.port
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "http://127.0.0.1",
                       f"http://127.0.0.1:{port}.evil.example", "", "file://", f"http://evil.example/http://127.0.0.1:{port}"):
            self.assertRefused(self.ask(headers=[("Origin", origin)]), 403)
            self.assertRefused(self.ask("/api/tab", [("Origin", origin), *JSON], "POST", BODY), 403)
        for site in ("cross-site", "same-site", "none", "", "Same-Origin", "x"):
            if site != "none":
                self.assertRefused(self.ask(headers=[("Sec-Fetch-Site", site)]), 403)
            self.assertRefused(self.ask("/api/tab", [("Sec-Fetch-Site", site), *JSON], "POST", BODY), 403)
        for host in ("127.0.0.1", "localhost"):
            own = [("Origin", f"http://{host}:{port}"), ("Sec-Fetch-Site", "same-origin")]
            self.assertEqual(self.ask(headers=own).status, 200)
            self.assertEqual(self.ask("/api/tab", [*own, *JSON], "POST", BODY).status, 204)

    def test_two_origins_are_refused(self):
        """A second Origin or Sec-Fetch-Site does not hide the first one."""
        own = f"http://127.0.0.1:{self.server.port}"
        for pair in (("Origin", "http://evil.example", own), ("Origin", own, "http://evil.example"),
                     ("Sec-Fetch-Site", "cross-site", "same-origin"), ("Sec-Fetch-Site", "same-origin", "cross-site")):
            self.assertRefused(self.ask("/api/tab", [(pair[0], pair[1]), (pair[0], pair[2]), *JSON], "POST", BODY), 400, 403)

    def test_everything_needs_the_cookie(self):
        """Without the cookie, or with a wrong one, nothing is read or changed."""
        name, value = self.server.cookie.split("=")
        wrong = [
            None, "", name, name + "=", f"{name}={'0' * 64}", f"{name}={value[:-1]}", f"{name}={value}0", f"{name}={value.upper()}",
            f"x{name}={value}", f"{name.upper()}={value}", value, f"{name}=\"{value}\"", f"{name}={'0' * 64}; {name}={value}",
            f"{name}={value[:32]}\u0130{value[33:]}"
        ]
        for cookie in wrong:
            headers = [] if cookie is None else [("Cookie", cookie)]
            for path in READS if cookie is None else READS[:1]:
                self.assertRefused(self.ask(path, headers, cookie=False), 401, 400)
            for path in CHANGES if cookie is None else CHANGES[1:2]:
                self.assertRefused(self.ask(path, [*headers, *JSON], "POST", BODY, cookie=False), 401, 400)
        self.assertRefused(self.ask("/api/files/1", JSON, "DELETE", cookie=False), 401)
        self.assertEqual(self.ask(headers=[("Cookie", f"a=b; {self.server.cookie}; c=d")], cookie=False).status, 200)

    def test_unknown_paths_below_api_need_the_cookie(self):
        """Nobody without the cookie learns which requests there are."""
        for path in ("/api/nothing", "/api/files/1/nothing", "/api/files/9/schema", "/api/views/v1/nothing"):
            self.assertRefused(self.ask(path, cookie=False), 401)

    def test_paths_written_otherwise_need_the_cookie(self):
        """No other way to write a path gets around the cookie."""
        for before in ("/", "//", "///", "/./", "/x/../", "http://127.0.0.1/", "/%2f", "/;", "\\", "/\\", "//127.0.0.1/"):
            for start in ("api", "API", "%61pi", "api/login/..", "api/login/../../api", "api;x=y", "/api/", "api/."):
                for rest in ("/state", "//state", "/files/1/schema", "/files/1/export?class=Kinds&query=&format=csv"):
                    answer = self.ask(before + start + rest, cookie=False)
                    self.assertRefused(answer, 400, 401, 404, 421)
        for path in ("//api/tab", "/api//tab", "//api//tab", "/api/login/../tab"):
            self.assertRefused(self.ask(path, JSON, "POST", BODY, cookie=False), 400, 401, 404)

    def test_tokens_serve_once(self):
        """A token that was used, is wrong, or is no token is refused; it is no cookie."""
        for token in (self.server.token, self.server.token[:-1] + "x", "", self.server.cookie.split("=")[1], "0" * 64, "\u0130" * 64,
                      "x" * 100_000):
            self.assertRefused(self.ask("/api/login", JSON, "POST", json.dumps({"token": token}).encode(), cookie=False), 401)
        for body in (b"{}", b"[]", b"null", b'{"token":7}', b'{"token":null}', b'"' + self.server.token.encode() + b'"'):
            self.assertRefused(self.ask("/api/login", JSON, "POST", body, cookie=False), 400, 401)
        for body in (b"", b"{", b"token=x", b'{"token":"a","token":"b"}'):
            self.assertRefused(self.ask("/api/login", JSON, "POST", body, cookie=False), 400)
        self.assertRefused(self.ask(headers=[("Cookie", f"freehold-{self.server.port}={self.server.token}")], cookie=False), 401)

    def test_login_by_another_site_is_refused(self):
        """A new server's token cannot be used by another site's page, and is not used up by the attempt."""
        server = self.start(self.file, login=False)
        body = json.dumps({"token": server.token}).encode()
        for headers in ([("Origin", "http://evil.example"),
                         *JSON], [("Sec-Fetch-Site", "cross-site"),
                                  *JSON], [("Content-Type", "application/json")], [("X-Freehold", "1"), ("Content-Type", "text/plain")]):
            answer = server.exchange(
                server.head("POST", "/api/login", [*headers, ("Content-Length", len(body))], cookie=False) + b"\r\n" + body)
            self.assertIn(answer.status, (403, 415))
        answer = server.request("POST", "/api/login", {"token": server.token})
        self.assertEqual(answer.status, 204)
        cookie = answer.header("set-cookie")
        self.assertRegex(cookie, rf"^freehold-{server.port}=[0-9a-f]{{64}}; ")
        for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(part, cookie)
        self.assertNotIn("Domain", cookie)
        # The cookie of another server's port is none here.
        other = cookie.split(";")[0]
        self.assertEqual(self.ask(headers=[("Cookie", other)], cookie=False).status, 401)
        self.assertEqual(self.ask(headers=[("Cookie", f"freehold-{self.server.port}={other.split('=')[1]}")], cookie=False).status, 401)

    def test_types_are_read_from_their_start(self):
        """A content type that begins with a semicolon is none."""
        self.assertRefused(self.ask("/api/tab", [("X-Freehold", "1"), ("Content-Type", ";application/json")], "POST", BODY), 403, 415)

    def test_changes_need_the_header_and_a_type(self):
        """What forms of other sites can send is refused: no own header, and their content types."""
        for path in CHANGES + ["/api/login"]:
            for headers in ([], [("X-Freehold", "1")], [("Content-Type", "application/json")], [("X-Freehold", "0"), JSON[1]], [
                ("X-Freehold", ""), JSON[1]
            ], *([("X-Freehold", "1"), ("Content-Type", type)]
                 for type in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
                              "text/plain; application/json", "text/html", "", "application/jsonx", "application/json, text/plain"))):
                self.assertRefused(self.ask(path, headers, "POST", BODY), 403, 415)
        self.assertRefused(self.ask("/api/files/1", [], "DELETE"), 403)
        self.assertEqual(self.ask("/api/tab", [JSON[0], ("Content-Type", "Application/JSON; charset=utf-8")], "POST", BODY).status, 204)

    def test_no_answer_allows_other_sites(self):
        """Answers of all kinds have the headers that keep other sites out, and none that lets them in."""
        origin = [("Origin", f"http://127.0.0.1:{self.server.port}")]
        found = [
            self.ask(path, origin) for path in ("/", "/app.js", "/base.css", "/nothing", "/api/state", "/api/nothing",
                                                "/api/files/9/schema", "/api/files/1/object?class=Kinds&key=x",
                                                "/api/files/1/export?class=Kinds&query=&format=csv", "/api/files/1/models?language=c")
        ]
        found += [
            self.ask("/api/tab", JSON, "POST", BODY),
            self.ask("/api/tab", JSON, "POST", b"{"),
            self.ask("/api/tab", [], "POST", BODY),
            self.ask("/api/state", cookie=False),
            self.ask("/api/state", [("Host", "evil")], host=False),
            self.ask("/api/state", [("Origin", "http://evil")]),
            self.ask("/api/state", method="PUT"),
            self.ask("/api/state", [("Origin", origin[0][1]), ("Access-Control-Request-Method", "POST"),
                                    ("Access-Control-Request-Headers", "x-freehold")], "OPTIONS"),
            self.ask("/" + "a" * 33_000)
        ]
        for answer in found:
            self.assertSafe(answer)
            self.assertEqual(len([1 for name, _ in answer.headers if name == "content-security-policy"]), 1)
            self.assertIn("script-src 'self'", answer.header("content-security-policy"))
            self.assertNotIn("unsafe", answer.header("content-security-policy"))
            self.assertIsNone(answer.header("server"))
        events = self.server.events(TAB)
        self.assertEqual(events.response.getheader("Content-Type"), "text/event-stream")
        self.assertEqual(events.response.getheader("Cache-Control"), "no-store")
        self.assertEqual(events.response.getheader("X-Content-Type-Options"), "nosniff")
        self.assertIsNone(events.response.getheader("Access-Control-Allow-Origin"))
        events.close()

    @unittest.expectedFailure  # The HTTP library answers these itself, without a body.
    def test_errors_of_the_parser_have_the_headers_too(self):
        """So do answers to what is no request at all."""
        self.assertSafe(self.raw(b"GARBAGE\r\n\r\n"))


class MethodTests(HostileTest):
    """Methods, paths and versions."""

    def test_other_methods(self):
        """Methods other than GET, POST and DELETE are refused, and TRACE shows no header."""
        for method in ("PUT", "PATCH", "TRACE", "OPTIONS", "CONNECT", "PROPFIND", "LINK", "FOO", "get", "G", "GET\t", "A" * 10_000):
            answer = self.ask(method=method, headers=JSON)
            self.assertRefused(answer, 400, 405, 501)
            self.assertNotIn(self.server.cookie.encode(), answer.body)
        self.assertRefused(self.ask("127.0.0.1:22", method="CONNECT"), 400, 405, 421)
        self.assertRefused(self.ask("*", method="OPTIONS"), 400, 405, 421)

    def test_methods_of_other_paths(self):
        """A path's other methods are refused."""
        for method, path in (("POST", "/api/state"), ("DELETE", "/api/state"), ("GET", "/api/login"), ("GET", "/api/tab"), ("DELETE",
                                                                                                                            "/api/tab"),
                             ("POST", "/"), ("DELETE", "/app.js"), ("GET", "/api/files/1/edits/commit"), ("GET", "/api/files/1/import"),
                             ("GET", "/api/files/1/check"), ("GET", "/api/tab/close"), ("POST", "/api/files/1/export")):
            self.assertRefused(self.ask(path, JSON if method != "GET" else [], method, BODY if method != "GET" else b""), 404, 405)

    def test_head_has_no_body(self):
        """The answer to HEAD is a head alone, so the next answer of the connection is read as it is."""
        data = self.server.talk(self.server.head("HEAD", "/api/state") + b"\r\n")
        self.assertTrue(data.endswith(b"\r\n\r\n"), data)

    def test_paths_lead_to_nothing_else(self):
        """Paths with dots, codes, doubled slashes and zero bytes reach no file and no other request."""
        for path in ("/../../etc/passwd", "/../index.html", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/etc/passwd",
                     "/..%2f..%2fetc%2fpasswd", "/..\\..\\etc\\passwd", "/%c0%ae%c0%ae/etc", "/.", "/..", "/.git", "/%00", "/app.js%00",
                     "/app.js%00.html", "/app.js.", "/APP.JS", "/app.js/x", "/app.js;x", "/index.html%20", "/page.c", "/Package.swift",
                     "/#", "/api/../api/state", "/api/files/1/../1/schema", "/api/files/%31/schema", "/api/files/1%2Fschema",
                     "/api/files//schema", "/api/files/-1/schema", "/api/files/01/schema", "/api/files/1/schema/x", "/api/views/../state",
                     "/favicon.ico", "*"):
            self.assertRefused(self.ask(path), 400, 401, 404, 421)
        for path in (b"/\0", b"/\xff", b"/a b", b"/\x7f", b"", b"api/state", b"/\t"):
            answer = self.server.exchange(b"GET " + path + b" HTTP/1.1\r\n" + self.server.head().split(b"\r\n", 1)[1] + b"\r\n")
            self.assertIn(answer.status if answer else 400, (400, 401, 404), path)
        for length in (8_000, 32_000, 33_000, 60_000, 1_000_000):
            with contextlib.suppress(ConnectionError):
                self.assertIn(self.ask("/" + "a" * length).status, (400, 404, 414, 431))
            with contextlib.suppress(ConnectionError):
                self.assertIn(self.ask("/api/files/1/find?class=Kinds&text=" + "%41" * (length // 3)).status, (200, 400, 414, 431))

    def test_files_of_the_page(self):
        """The page's files have their types."""
        for path, type in (("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
                           ("/app.js", "text/javascript; charset=utf-8"), ("/base.css", "text/css; charset=utf-8")):
            answer = self.ask(path, cookie=False)
            self.assertEqual((answer.status, answer.header("content-type")), (200, type))

    @unittest.skipUnless(LONG, "takes as long as the server waits")
    @unittest.expectedFailure  # The HTTP library does not hand on the version; the connection ends when it is idle.
    def test_http_1_0_connections_end(self):
        """The connection of a request in HTTP/1.0 ends after its answer."""
        data = self.server.talk(self.server.head(version="1.0") + b"\r\n", finish=False)
        self.assertEqual(answers(data)[0].status, 200)

    def test_other_versions(self):
        """HTTP/1.0 is answered; other protocols are refused, and their connections ended."""
        self.assertEqual(self.ask(version="1.0").status, 200)
        for start in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), bytes.fromhex("1603010200010001fc0303") + os.urandom(300),
                      b"SSH-2.0-x\r\n", b"\r\n" * 10_000 + b"x\r\n\r\n", b"\0" * 5000, self.server.head(version="2.0") + b"\r\n",
                      self.server.head(version="9.9") + b"\r\n", self.server.head(version="1.1 ") + b"\r\n\r\n", os.urandom(5000)):
            data = self.server.talk(start, finish=False)
            self.assertTrue(data == b"" or data.startswith((b"HTTP/1.1 400", b"HTTP/1.0 400")), data[:300])
        self.assertIn(self.server.talk(b"GET /\r\n")[:12], (b"", b"HTTP/1.1 400"))
        answer = self.ask(headers=[("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQAAP__")])
        self.assertEqual(answer.status, 200)
        self.assertIsNone(answer.header("upgrade"))
        self.assertNotEqual(
            self.ask(headers=[("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Key",
                                                                                    "x"), ("Sec-WebSocket-Version", "13")]).status, 101)


class HeadTests(HostileTest):
    """Heads and framing."""

    def test_large_heads(self):
        """Headers of 64 KiB, two hundred of them, or names without end are refused; what browsers send is not."""
        for headers in ([("X-A", "a" * 65_536)], [("a" * 65_536, "b")], [(f"X-{number}", "a") for number in range(200)],
                        [(f"X-{number}", "a" * 1000) for number in range(60)], [("Cookie", "a=" + "b" * 50_000)]):
            with contextlib.suppress(ConnectionError):
                self.assertIn(self.ask(headers=headers).status, (400, 431))
        self.assertEqual(self.ask(headers=[("X-A", "a" * 8000), *((f"X-{number}", "a") for number in range(60))]).status, 200)
        with self.server.connect(2) as connection, contextlib.suppress(ConnectionError, TimeoutError):
            # A head that does not end is not kept.
            for _ in range(200):
                connection.sendall(b"a" * 65_536)
        self.assertLess(self.server.memory, 150 << 20)

    @unittest.skipUnless(LONG, "takes as long as the server waits")
    def test_heads_without_end_end_their_connection(self):
        """A client that goes on sending after a mistake loses its connection within its time."""
        before = self.server.descriptors
        connections = [self.server.connect(1) for _ in range(5)]
        try:
            for connection in connections:
                with contextlib.suppress(ConnectionError, TimeoutError):
                    for _ in range(200):
                        connection.sendall(b"a" * 65_536)
            wait_until(lambda: self.server.descriptors <= before + 2, "descriptors", 100)
        finally:
            for connection in connections:
                connection.close()

    def test_malformed_heads(self):
        """Folded lines, bare line ends, zero bytes and blanks before colons are refused."""
        head = self.server.head()
        for data in (head + b"X-A : b\r\n\r\n", head + b"X-A: b\r\n folded\r\n\r\n", head + b"X-A: b\0c\r\n\r\n",
                     head + b"X-A: b\rc\r\n\r\n", head + b": b\r\n\r\n", head + b"X\x01: b\r\n\r\n", head + b"X-A\r\n\r\n",
                     head.replace(b"\r\n", b"\r") + b"\r", head + b"X-\xc3\xa9: b\r\n\r\n"):
            answer = self.server.exchange(data) if data[-2:] == b"\r\n" else None
            if answer:
                self.assertEqual(answer.status, 400, data[len(head):])
        for data in (head[:30], head, head + b"X-A", b"G", head[:-1]):
            self.assertIn(self.server.talk(data)[:12], (b"", b"HTTP/1.1 400"))

    def test_smuggling(self):
        """Bodies whose length is told twice or differently are refused, and nothing in them is taken for a request."""
        smuggled = b"GET /api/state HTTP/1.1\r\n" + self.server.head().split(b"\r\n", 1)[1] + b"\r\n"
        chunks = b"0\r\n\r\n"
        for headers, body in (([("Content-Length", len(BODY)), ("Content-Length", 3)], BODY + smuggled), ([
            ("Content-Length", len(BODY)), ("Content-Length", len(BODY))
        ], BODY + smuggled), ([("Content-Length", f"{len(BODY)}, {len(BODY)}")], BODY + smuggled), ([
            ("Content-Length", len(BODY)), ("Transfer-Encoding", "chunked")
        ], chunks + smuggled), ([("Transfer-Encoding", "chunked"), ("Content-Length", 4)], chunks + smuggled), ([
            ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")
        ], chunks + smuggled), ([("Transfer-Encoding", "identity")], chunks + smuggled), ([
            ("Transfer-Encoding", "xchunked")
        ], chunks + smuggled), ([("Transfer-Encoding", "chunked, gzip")], chunks + smuggled), ([
            ("Transfer-Encoding", " chunked")
        ], b"5\r\nab" + smuggled), ([("Content-Length", "-1")], smuggled), ([("Content-Length", "+5")], smuggled), ([
            ("Content-Length", "0x5")
        ], smuggled), ([("Content-Length", "9" * 40)], smuggled), ([("Content-Length", "")], smuggled), ([
            ("Content-Length", "5 5")
        ], smuggled), ([("Content-Length", "1e3")], smuggled), ([("Content-Length ", len(BODY))], BODY + smuggled),
                              ([("Transfer-Encoding\t", "chunked")], chunks + smuggled),
                              ):
            data = self.server.talk(self.server.head("POST", "/api/tab", [*JSON, *headers]) + b"\r\n" + body)
            self.assertNotIn(b'"uploadLimit"', data, f"{headers}: {data[:2000]}")

    def test_broken_chunks(self):
        """Chunks with wrong lengths end the request."""
        head = self.server.head("POST", "/api/tab", [*JSON, ("Transfer-Encoding", "chunked")]) + b"\r\n"
        size = b"%x" % len(BODY)
        for body in (b"zz\r\n" + BODY, b"-1\r\n" + BODY, b"ffffffffffffffffffff\r\n" + BODY, b"7fffffffffffffff\r\n" + BODY,
                     size + b"\r\n" + BODY + b"0\r\n\r\n", b"\r\n\r\n", size + b"\r\n" + BODY, b"3\r\n" + BODY,
                     size + b"\n" + BODY + b"\n0\n\n", b"0x" + size + b"\r\n" + BODY + b"\r\n0\r\n\r\n", size + b" \r\n" + BODY,
                     b"1\r\n{\r\n" * 5000, size + b";" + b"a" * 100_000 + b"\r\n" + BODY + b"\r\n0\r\n\r\n",
                     size + b"\r\n" + BODY + b"\r\n0\r\n" + b"X-A: " + b"a" * 100_000 + b"\r\n\r\n"):
            data = self.server.talk(head + body)
            self.assertIn(data[:12], (b"", b"HTTP/1.1 400", b"HTTP/1.1 413", b"HTTP/1.1 204"), f"{body[:60]} {data[:200]}")
        data = self.server.talk(head + size + b";name=value\r\n" + BODY + b"\r\n0\r\nX-Trailer: x\r\n\r\n")
        self.assertTrue(data.startswith(b"HTTP/1.1 204"))

    def test_pipelining(self):
        """Requests sent together are answered one after the other, in their order."""
        paths = ["/api/state", "/app.js", "/api/nothing", "/api/files/1/schema", "/"] * 20
        data = b"".join(self.server.head(path=path) + b"\r\n"
                        for path in paths[:-1]) + self.server.head(path=paths[-1], headers=[("Connection", "close")]) + b"\r\n"
        found = answers(self.server.talk(data, finish=False))
        self.assertEqual([answer.status for answer in found], [200, 200, 404, 200, 200] * 20)
        self.assertTrue(all(b'"classes"' in answer.body for answer in found[3::5]))

    def test_answers_end_where_they_say(self):
        """Each answer of a kept connection ends where the next one begins, also for errors with unread bodies."""
        close = self.server.head(path="/app.js", headers=[("Connection", "close")]) + b"\r\n"
        for path, headers in (("/api/tab", [("Content-Type", "application/json")]), ("/api/tab", JSON), ("/api/nothing", JSON),
                              ("/api/files/9/import?class=X&format=csv&tab=" + TAB, JSON), ("/api/login", JSON)):
            body = b'{"tab":"bad","pad":"' + b"x" * 100_000 + b'"}'
            data = self.server.head("POST", path, [*headers, ("Content-Length", len(body))]) + b"\r\n" + body + close
            found = answers(self.server.talk(data, finish=False))
            self.assertEqual([answer.status for answer in found][1:] or [200], [200], path)
            self.assertGreaterEqual(found[0].status, 400)

    def test_half_closed_connections(self):
        """A client that has closed its sending side is answered, and then the connection ends."""
        data = self.server.talk(self.server.head() + b"\r\n")
        self.assertEqual(answers(data)[0].status, 200)
        data = self.server.talk(self.server.head("POST", "/api/tab", [*JSON, ("Content-Length", 100)]) + b"\r\n" + BODY)
        self.assertIn(data[:12], (b"", b"HTTP/1.1 400"))
        with self.server.connect() as connection:
            connection.shutdown(socket.SHUT_WR)
            self.assertEqual(read_all(connection), b"")

    def test_uploads_that_end_early(self):
        """An import or upload that ends before its length is the client's mistake, and leaves nothing behind."""
        for path in (f"/api/files/1/uploads?tab={TAB}", f"/api/files/1/import?class=New&format=csv&tab={TAB}"):
            for headers, body in (([("Content-Length", 1000)], b"a\n1\n"),
                                  ([("Transfer-Encoding", "chunked")], b"4\r\na\n1\n\r\n"),
                                  ([("Transfer-Encoding", "chunked")], b"4\r\na\n1\n\r\nzz\r\n")):
                data = self.server.talk(self.server.head("POST", path, [*JSON, *headers]) + b"\r\n" + body)
                self.assertIn(data[:12], (b"", b"HTTP/1.1 400"), data)
        self.assertNotIn("New", [each["name"] for each in self.server.get("/api/files/1/schema")["classes"]])

    def test_bodies_of_gets(self):
        """A GET with a body is answered or refused, and its body is no request."""
        smuggled = self.server.head(path="/app.js") + b"\r\n"
        data = self.server.head(headers=[("Content-Length", len(smuggled))]) + b"\r\n" + smuggled
        self.assertEqual(len(answers(self.server.talk(data))), 1)

    def test_expect(self):
        """`Expect: 100-continue` does not hang."""
        data = self.server.head("POST", "/api/tab", [*JSON, ("Content-Length", len(BODY)), ("Expect", "100-continue")]) + b"\r\n" + BODY
        self.assertIn(b"HTTP/1.1 204", self.server.talk(data))


class BodyTests(HostileTest):
    """Bodies and parameters."""

    def post(self, body, path="/api/files/1/views", **more):
        return self.ask(path, JSON, "POST", body, **more)

    def test_bodies_over_the_limit(self):
        """A JSON body over 16 MiB is refused whether its length is declared or not, and not kept."""
        before = self.server.memory
        large = b'{"tab":"' + b"a" * (17 << 20)
        for headers in ([("Content-Length", len(large))], [("Content-Length", 2**62)], [("Transfer-Encoding", "chunked")]):
            with self.server.connect() as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(self.server.head("POST", "/api/files/1/views", [*JSON, *headers]) + b"\r\n")
                    if headers[0][0] == "Transfer-Encoding":
                        for start in range(0, len(large), 65_536):
                            piece = large[start:start + 65_536]
                            connection.sendall(b"%x\r\n" % len(piece) + piece + b"\r\n")
                        connection.sendall(b"0\r\n\r\n")
                    else:
                        connection.sendall(large)
                    connection.shutdown(socket.SHUT_WR)
                answer = read_answer(connection)
                if answer:
                    self.assertIn(answer.status, (400, 413), headers)
            self.assertServes()
        self.assertLess(self.server.memory - before, 120 << 20)

    def test_uploads_over_the_limit(self):
        """Imports and uploads over --upload-limit are refused, and change nothing."""
        server = self.start(samples.make_kinds(self.path()), write=True, arguments=["--upload-limit", "100000"])
        self.assertEqual(server.get("/api/state")["uploadLimit"], 100_000)
        tab = self.tab()
        for path in (f"/api/files/1/import?class=New&format=csv&tab={tab}", f"/api/files/1/uploads?tab={tab}"):
            answer = server.request("POST", path, b"a\n" * 50_001)
            self.assertIn(answer.status, (413, 404), answer)
            piece = b"%x\r\n" % 50_000 + b"a\n" * 25_000 + b"\r\n"
            data = server.head("POST", path, [("X-Freehold", "1"), ("Content-Type", "application/octet-stream"),
                                              ("Transfer-Encoding", "chunked")]) + b"\r\n" + piece * 3 + b"0\r\n\r\n"
            answer = server.exchange(data)
            self.assertIn(answer.status if answer else 413, (413, 404), answer)
        self.assertNotIn("New", [each["name"] for each in server.get("/api/files/1/schema")["classes"]])

    def test_deep_json(self):
        """JSON nested a hundred thousand deep is refused."""
        for text in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"tab":' + b"[" * 65 + b"]" * 65 + b"}",
                     b'[{"":' * 50_000):
            for path in ("/api/files/1/views", "/api/login", "/api/tab", "/api/files/1/check", "/api/files/1/edits/preview",
                         "/api/files/1/edits/commit"):
                self.assertRefused(self.post(text, path), 400, 404)
        self.assertRefused(self.ask(f"/api/files/1/elements?class=Kinds&key=0&property=nested&path={'%5B' * 9000}"), 400)

    def test_wrong_json(self):
        """What is no JSON is refused, with the place."""
        for text in (b"", b" ", b"{", b"}", b"{]", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{a:1}', b"{'a':1}", b"nul", b"NaN", b"Infinity",
                     b"-", b"01", b"1.", b".5", b"1e", b"+1", b'"', b'"\\x"', b'"\\u12"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"\n"',
                     b'"\xff"', b'"\xc0\xaf"', b'"\xed\xa0\x80"', b'"\xf5\x80\x80\x80"', b'\xef\xbb\xbf{}', b"{}{}", b"{} x", b"//",
                     b"/**/{}", b'{"a":1,"a":2}', b"\0", b"{}\0", "{}".encode("utf-16")):
            answer = self.assertRefused(self.post(text), 400)
            self.assertEqual(answer.code, "malformedInput", text)

    def test_huge_numbers(self):
        """Numbers of any size are refused where they make no sense."""
        for number in ("1" * 100_000, "1e999999999", "-1e999999999", "0." + "0" * 100_000 + "1", "9223372036854775808", "-0",
                       "1e-999999999", "1E400"):
            for body in ('{"tab":%s,"class":"Kinds"}', '{"tab":"' + TAB + '","class":%s}',
                         '{"tab":"' + TAB + '","class":"Kinds","section":%s,"query":%s}'):
                answer = self.post(body.replace("%s", number).encode())
                self.assertIn(answer.status, (200, 400), answer)
        for name in ("from", "count", "length", "limit", "key"):
            for number in ("9" * 1000, "-1", "1e3", "0x1", "+1", " 1", "1 ", "٣", "9223372036854775807", "9223372036854775808",
                           "-9223372036854775808", "-9223372036854775809"):
                for what in ("elements", "backlinks", "text", "find", "values"):
                    values = {"class": "Kinds", "key": "0", "property": "text", "fromClass": "Kinds", name: number}
                    self.assertIn(self.server.request("GET", f"/api/files/1/{what}?" + parameters(**values)).status, (200, 400, 404))

    def test_invalid_utf8_in_parameters(self):
        """Parameters that are no UTF-8 are refused or find nothing, and answers stay valid UTF-8."""
        for text in ("%ff", "%c0%af", "%ed%a0%80", "%00", "%", "%4", "%zz", "%u0041", "%f0%9f%98", "\u0301", "+", "%2B", "%0d%0a"):
            for query in (f"class={text}&key=0", f"class=Kinds&key={text}", f"{text}=x&class=Kinds&key=0", f"class=Kinds&key=0&{text}"):
                answer = self.server.exchange(self.server.head(path="/api/files/1/object?" + query) + b"\r\n")
                self.assertIn(answer.status, (200, 400, 404), query)
                answer.body.decode()
            for what in ("find", "explain", "export", "snippet", "values"):
                path = f"/api/files/1/{what}?class=Kinds&text={text}&query=text+%3D%3D+'{text}'"
                path += f"&format=json&language=c&property=text&prefix={text}"
                answer = self.server.exchange(self.server.head(path=path) + b"\r\n")
                self.assertIn(answer.status, (200, 400, 404), path)
                answer.body.decode()

    def test_parameters_twice_and_missing(self):
        """Parameters given twice, without a value, or without a name do no harm."""
        for query in ("class=Kinds&class=Target&key=0", "class&key", "&&&&", "=&=&=", "class==Kinds&key==0", "?class=Kinds",
                      "class=Kinds;key=0", "&" * 30_000, "class=Kinds&key=0&" + "a=b&" * 5000):
            self.assertIn(self.ask("/api/files/1/object?" + query).status, (200, 400, 404))

    def test_paths_of_files(self):
        """Opening what is no database is an error that changes nothing and leaves no file behind."""
        empty, text = self.path("empty.freehold"), self.path("text.freehold")
        empty.write_bytes(b"")
        text.write_bytes(b"no database\n" * 1000)
        folder = self.path("folder.freehold")
        folder.mkdir()
        pipe = self.path("pipe.freehold")
        os.mkfifo(pipe)
        before = self.server.descriptors
        for path in ("/nowhere/x", str(self.folder / "missing.freehold"), "", "/", ".", "..", "/dev/null", "/dev/zero",
                     "/etc/passwd", "/proc/self/mem", str(text), str(folder), str(pipe), "a\0b", "/" * 5000, "x" * 5000, "\ud83d\ude00",
                     str(self.file) + "/x", "file://" + str(self.file), "~/x"):
            answer = self.server.request("POST", "/api/files", {"path": path})
            self.assertGreaterEqual(answer.status, 400, f"{path!r} {answer}")
            self.assertSafe(answer)
            answer.json["error"]["message"]
        self.assertFalse((self.folder / "missing.freehold").exists())
        self.assertEqual(text.read_bytes(), b"no database\n" * 1000)
        self.assertEqual(len(self.server.get("/api/state")["files"]), 1)
        self.assertLess(self.server.descriptors, before + 5)
        for body in ({}, [], None, {"path": 3}, {"path": None}):
            self.assertEqual(self.server.request("POST", "/api/files", body).status, 400)

    def test_names_cannot_add_headers(self):
        """Names of classes and properties with line ends and quotes do not get into the headers of downloads."""
        path, names = self.path(), ['a"b', "a\r\nX-Evil: 1", "a\nb", "a;b", "../a", "é", "a\tb", "a\\b", "%0d%0a", "a b"]
        made = []
        with freehold.open(path) as database, database.write() as transaction:
            for name in names:
                with contextlib.suppress(freehold.FreeholdError), transaction.savepoint():
                    transaction.create_class(name, **{name: bytes})
                    transaction.create(name, **{name: b"x" * 100})
                    made.append(name)
        self.assertGreater(len(made), 3)
        server = self.start(path)
        for name in names:
            for what in ({"class": name, "query": "", "format": "json"}, {"class": name, "key": "0", "property": name}):
                answer = server.request("GET", f"/api/files/1/{'export' if 'format' in what else 'data'}?" + parameters(**what))
                self.assertIn(answer.status, (200, ) if name in made else (400, 404), f"{name!r} {answer}")
                self.assertSafe(answer)
                self.assertIsNone(answer.header("x-evil"))
                if answer.status == 200:
                    self.assertRegex(answer.header("content-disposition"), r'^attachment; filename="[A-Za-z0-9._-]+"$')

    def test_changes_are_refused_without_write(self):
        """A server without --write refuses every change, and the file stays as it is."""
        path = samples.make_kinds(self.path())
        server, tab = self.start(path), self.tab()
        before = path.read_bytes()
        stamp = server.get("/api/files/1/schema")["stamp"]
        body = {"tab": tab, "stamp": stamp, "operations": [{"do": "deleteAll", "class": "Kinds", "query": ""}], "undo": "1"}
        for name in ("edits/preview", "edits/commit", "edits/undo"):
            self.assertIn(server.request("POST", f"/api/files/1/{name}", body).status, (403, 404), name)
        for name in ("uploads", "import"):
            self.assertIn(server.request("POST", f"/api/files/1/{name}?class=New&format=csv&tab={tab}", b"a\n1\n").status, (403, 404), name)
        self.assertFalse(server.get("/api/state")["write"])
        self.assertEqual(path.read_bytes(), before)


class ManyTests(HostileTest):
    """More of everything than anybody needs."""

    def test_many_tabs(self):
        """Tabs without a page make room for others; the sixty-fifth with one is refused until another is closed."""
        server = self.start(self.file)

        def views(tab):
            return server.request("POST", "/api/files/1/views", {"tab": tab, "class": "Kinds", "query": ""}).status

        self.assertEqual({views(self.tab()) for _ in range(80)}, {200})
        tabs = [self.tab() for _ in range(64)]
        pages = [server.events(tab) for tab in tabs]
        self.assertEqual(views(self.tab()), 503)
        server.post("/api/tab/close", {"tab": tabs[0]})
        self.assertEqual(views(self.tab()), 200)
        for page in pages:
            page.close()
        self.assertServes(server)

    def test_many_files(self):
        """The seventeenth file is refused; files that are closed make room."""
        server, paths = self.start(), [samples.make_rows(self.path(), 1) for _ in range(17)]
        opened = [server.request("POST", "/api/files", {"path": str(path)}) for path in paths]
        self.assertEqual([answer.status for answer in opened], [200] * 16 + [503])
        self.assertEqual(opened[0].json, server.post("/api/files", {"path": str(paths[0])}))
        self.assertEqual(server.request("DELETE", f"/api/files/{opened[0].json['id']}").status, 204)
        self.assertEqual(server.request("POST", "/api/files", {"path": str(paths[16])}).status, 200)
        self.assertEqual(server.request("GET", f"/api/files/{opened[0].json['id']}/schema").status, 404)

    def test_opening_and_closing_leaves_nothing(self):
        """A file that is opened and closed again and again leaves no descriptor and no thread."""
        server, path, tab = self.start(), samples.make_rows(self.path(), 10), self.tab()
        counts = []
        for number in range(60):
            file = server.post("/api/files", {"path": str(path)})["id"]
            view = server.view(tab, "Row", file=file)
            self.assertEqual(server.rows(tab, view["view"])["count"], 10)
            self.assertEqual(server.request("DELETE", f"/api/files/{file}").status, 204)
            if number == 10:
                counts = [server.descriptors, server.threads]
        wait_until(lambda: server.descriptors <= counts[0] + 8 and server.threads <= counts[1] + 8, f"descriptors and threads {counts}")

    def test_many_jobs(self):
        """Jobs beyond the eighth that waits are refused; the others end."""
        server, tab = self.start(samples.make_rows(self.path(), 50_000)), self.tab()
        events = server.events(tab)
        found = [server.request("POST", "/api/files/1/check", {"tab": tab}) for _ in range(40)]
        self.assertTrue(all(answer.status in (200, 503) for answer in found))
        for answer in found:
            if answer.status == 200:
                self.assertEqual(events.job(answer.json["job"])["state"], "done")
        self.assertEqual(server.request("POST", "/api/files/1/check", {"tab": tab}).status, 200)

    def test_many_event_streams(self):
        """Streams of one tab replace one another, and many at once do not keep others out for long."""
        server = self.start(self.file)
        tab = self.tab()
        connections = []
        try:
            for _ in range(200):
                connection = server.connect()
                connections.append(connection)
                connection.sendall(server.head(path=f"/api/events?tab={tab}") + b"\r\n")
            self.assertEqual(answers_begin(connections[0]), b"HTTP/1.1 200")
            self.assertServes(server)
        finally:
            for connection in connections:
                connection.close()
        wait_until(lambda: server.descriptors < 60, "descriptors of ended streams", 60)
        self.assertServes(server)

    def test_many_connections(self):
        """Three hundred connections that say nothing do not end the server, and it answers once they have ended."""
        server = self.start(self.file)
        connections = []
        try:
            for _ in range(300):
                with contextlib.suppress(OSError):
                    connection = socket.create_connection(("127.0.0.1", server.port), timeout=2)
                    connections.append(connection)
            # The connection of the test's own requests was there before.
            self.assertServes(server)
        finally:
            for connection in connections:
                connection.close()
        data = wait_until(lambda: server.exchange(server.head() + b"\r\n", 30), "an answer", 60)
        self.assertEqual(data.status, 200)
        wait_until(lambda: server.descriptors < 60, "descriptors of ended connections", 60)

    def test_waiting_requests_of_a_tab(self):
        """A tab that asks for a hundred things at once is answered or told to wait."""
        server, tab = self.start(samples.make_rows(self.path(), 50_000)), self.tab()
        connections = [server.connect(60) for _ in range(100)]
        try:
            body = json.dumps({"tab": tab, "class": "Row", "query": "name CONTAINS '9' SORT(name DESC)"}).encode()
            for connection in connections:
                connection.sendall(server.head("POST", "/api/files/1/views", [*JSON, ("Content-Length", len(body))]) + b"\r\n" + body)
            found = [read_answer(connection).status for connection in connections]
            self.assertTrue(set(found) <= {200, 503}, found)
            self.assertGreaterEqual(found.count(200), 64)
        finally:
            for connection in connections:
                connection.close()
        self.assertServes(server)


def answers_begin(connection):
    """The first bytes of an answer."""
    return connection.recv(12)


@unittest.skipUnless(LONG, "takes as long as the server waits: set FREEHOLD_LONG")
class SlowTests(HostileTest):
    """Clients that take their time. The server waits 20 seconds for a head, 30 and more for a body."""

    def drip(self, start, piece, most):
        """Sends a byte a second; the seconds after which the server ended the connection."""
        with self.server.connect(2) as connection:
            begin = time.monotonic()
            connection.sendall(start)
            connection.settimeout(1)
            while time.monotonic() - begin < most:
                try:
                    if piece:
                        connection.sendall(piece)
                    if connection.recv(1000) == b"":
                        return time.monotonic() - begin
                except TimeoutError:
                    continue
                except ConnectionError:
                    return time.monotonic() - begin
        return most

    def test_slow_heads(self):
        """A head that comes a byte a second ends its connection within its time."""
        self.assertLess(self.drip(self.server.head(), b"X", 40), 30)

    def test_silence(self):
        """So does a connection that says nothing."""
        self.assertLess(self.drip(b"", b"", 40), 30)

    def test_slow_bodies(self):
        """So does a body that comes a byte a second."""
        self.assertLess(self.drip(self.server.head("POST", "/api/tab", [*JSON, ("Content-Length", 10_000)]) + b"\r\n{", b" ", 60), 45)

    def test_slow_chunks(self):
        """So do chunks of a byte each."""
        self.assertLess(
            self.drip(self.server.head("POST", "/api/tab", [*JSON, ("Transfer-Encoding", "chunked")]) + b"\r\n", b"1\r\n \r\n", 60), 45)

    def test_idle_connections(self):
        """A kept connection ends some time after its last answer."""
        self.assertLess(self.drip(self.server.head() + b"\r\n", b"", 120), 100)

    def test_slow_readers(self):
        """A client that does not read its answer costs a bounded amount of memory."""
        path = samples.make_rows(self.path(), 500_000)
        server = self.start(path)
        before = server.memory
        connections = []
        for _ in range(20):
            connection = server.connect()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(server.head(path="/api/files/1/export?class=Row&query=&format=json") + b"\r\n")
            connections.append(connection)
        for _ in range(10):
            self.assertServes(server)
            time.sleep(1)
        self.assertLess(server.memory - before, 200 << 20)
        for connection in connections:
            connection.close()
        wait_until(lambda: server.descriptors < 60, "descriptors", 60)


if __name__ == "__main__":
    unittest.main()
