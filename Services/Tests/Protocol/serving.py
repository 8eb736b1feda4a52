"""Starts `freehold-browse`, speaks its protocol, and ends it."""

import contextlib
import http.client
import json
import os
import pathlib
import queue
import re
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse

BINARY = os.environ.get("FREEHOLD_BROWSE", "freehold-browse")
# Runs of the random and slow tests; 1 is the long run, less or none the short one.
LONG = float(os.environ.get("FREEHOLD_LONG") or 0)
WAIT = 20.0 * float(os.environ.get("FREEHOLD_PATIENCE") or 1)

SAME_ORIGIN = [("content-security-policy", "default-src 'none'"), ("x-content-type-options", "nosniff"), ("cache-control", "no-store"),
               ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"), ]


class Answer:
    """A response: its status, headers (names in lower case) and body."""

    def __init__(self, status, headers, body):
        self.status, self.body = status, body
        self.headers = [(name.lower(), value) for name, value in headers]

    def header(self, name):
        return next((value for key, value in self.headers if key == name.lower()), None)

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of an error."""
        return self.json["error"]["code"]

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


def parameters(**values):
    return urllib.parse.urlencode({name: value for name, value in values.items() if value is not None}, errors="surrogateescape")


class Connection:
    """One kept connection of a logged-in page."""

    def __init__(self, server):
        self.server = server
        self.http = http.client.HTTPConnection("127.0.0.1", server.port, timeout=WAIT * 3)

    def request(self, method, path, body=None, headers=(), cookie=True):
        own = {"Host": f"127.0.0.1:{self.server.port}"}
        if cookie and self.server.cookie:
            own["Cookie"] = self.server.cookie
        if method not in ("GET", "HEAD"):
            own["X-Freehold"] = "1"
            own["Content-Type"] = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        own.update(headers)
        own = {name: value for name, value in own.items() if value is not None}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode("utf-8", "surrogatepass")
        for attempt in (1, 2):
            try:
                self.http.request(method, path, data, own)
                response = self.http.getresponse()
                return Answer(response.status, response.getheaders(), response.read())
            except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
                # A kept connection may have ended meanwhile.
                self.http.close()
                if attempt == 2:
                    raise
            except BaseException:
                self.http.close()
                raise

    def close(self):
        self.http.close()


class Events:
    """The events of a tab, as they come."""

    def __init__(self, server, tab):
        self.seen, self.queue, self.ended = [], queue.Queue(), threading.Event()
        self.http = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        self.http.request("GET", f"/api/events?tab={tab}", headers={"Host": f"127.0.0.1:{server.port}", "Cookie": server.cookie})
        self.socket = self.http.sock
        self.response = self.http.getresponse()
        if self.response.status != 200:
            raise AssertionError(f"events: {self.response.status} {self.response.read()!r}")
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        self.wait("hello")

    def _read(self):
        name = None
        try:
            while line := self.response.fp.readline():
                text = line.rstrip(b"\r\n")
                if text.startswith(b"event: "):
                    name = text[7:].decode()
                elif text.startswith(b"data: "):
                    self.queue.put((name, json.loads(text[6:])))
        except (OSError, ValueError, AttributeError):
            pass
        self.ended.set()
        self.queue.put((None, None))

    def wait(self, name, test=lambda data: True, seconds=None):
        """The next event of this name that passes a test; all events before it are dropped."""
        limit = time.monotonic() + (seconds or WAIT)
        while True:
            try:
                event, data = self.queue.get(timeout=max(0, limit - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no event '{name}' within {seconds or WAIT} s; seen before: {self.seen[-5:]}") from None
            if event is None:
                self.queue.put((None, None))
                raise AssertionError(f"the events ended before '{name}'; seen before: {self.seen[-5:]}")
            self.seen.append((event, data))
            if event == name and test(data):
                return data

    def taken(self):
        """The events that have arrived."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                event = self.queue.get_nowait()
                if event[0] is None:
                    self.queue.put(event)
                    break
                found.append(event)
        self.seen += found
        return found

    def job(self, name, seconds=None):
        """The last event of a job."""
        return self.wait("job", lambda data: data["job"] == name and data["state"] != "running", seconds)

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(WAIT)
        self.response.close()
        self.http.close()


class Server:
    """A running `freehold-browse`, logged in."""

    def __init__(self, *files, write=False, folder, arguments=(), login=True, user=None):
        self.folder = pathlib.Path(folder)
        self.log = self.folder / f"server-{secrets.token_hex(4)}.log"
        environment = dict(os.environ, XDG_STATE_HOME=str(self.folder / "state"), HOME=str(self.folder))
        environment.pop("FREEHOLD_BROWSE_PAGE", None)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([BINARY, *map(str, files), *(["--write"] if write else []), "--idle-seconds", "0", *arguments],
                                            stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE,
                                            stderr=log,
                                            env=environment,
                                            text=True,
                                            user=user)
        self.cookie = self.token = self.port = None
        self.printed = ""
        for line in self.process.stdout:
            self.printed += line
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/#token=(\w+)", line):
                self.port, self.token = int(found[1]), found[2]
                break
        if self.port is None:
            self.process.wait()
            self.process.stdout.close()
            raise AssertionError(f"the server did not start: {self.printed}{self.errors}")
        self.main = Connection(self)
        self.opened = []
        if login:
            answer = self.main.request("POST", "/api/login", {"token": self.token})
            assert answer.status == 204, answer
            self.cookie = answer.header("set-cookie").split(";")[0]

    @property
    def errors(self):
        """What the server has written on its standard error."""
        return self.log.read_text(errors="replace")

    @property
    def trouble(self):
        """The beginning and the end of `errors`: a crash says first what it was, and then lists all threads."""
        errors = self.errors
        return errors if len(errors) < 8000 else f"{errors[:6000]}\n…\n{errors[-2000:]}"

    @property
    def lives(self):
        return self.process.poll() is None

    @property
    def memory(self):
        """The resident bytes of its own; pages of mapped files are not counted."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+) kB", text)[1]) * 1024

    @property
    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    @property
    def readers(self):
        """The versions that the server holds of its first file; one is that of the request."""
        return sum(holder["readers"] for holder in self.get("/api/files/1/information")["holders"])

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    # requests

    def request(self, method, path, body=None, headers=(), **more):
        return self.main.request(method, path, body, headers, **more)

    def get(self, path, /, **values):
        """The JSON of a request that is answered."""
        answer = self.request("GET", path + ("?" + parameters(**values) if values else ""))
        if answer.status != 200:
            raise AssertionError(f"GET {path} {values}: {answer}")
        return answer.json

    def failure(self, path, /, **values):
        """The answer of a request that is refused."""
        answer = self.request("GET", path + ("?" + parameters(**values) if values else ""))
        if answer.status < 400:
            raise AssertionError(f"GET {path} {values}: {answer}")
        return answer

    def post(self, path, body=None, /, **values):
        answer = self.request("POST", path + ("?" + parameters(**values) if values else ""), body)
        if answer.status not in (200, 204):
            raise AssertionError(f"POST {path} {values} {str(body)[:200]}: {answer}")
        return answer.json if answer.status == 200 else None

    def view(self, tab, name, query="", section=None, file="1"):
        body = {"tab": tab, "class": name, "query": query}
        if section is not None:
            body["section"] = section
        return self.post(f"/api/files/{file}/views", body)

    def rows(self, tab, view, start=0, count=100):
        return self.get(f"/api/views/{view}/rows", tab=tab, **{"from": start, "count": count})

    def events(self, tab):
        events = Events(self, tab)
        self.opened.append(events)
        return events

    # bytes

    def connect(self, seconds=None):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=seconds or WAIT)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def head(self, method="GET", path="/api/state", headers=(), host=True, cookie=True, version="1.1"):
        """The head of a request, as bytes, without its empty line."""
        lines = [f"{method} {path} HTTP/{version}"]
        if host:
            lines.append(f"Host: 127.0.0.1:{self.port}")
        if cookie:
            lines.append(f"Cookie: {self.cookie}")
        lines += [f"{name}: {value}" for name, value in headers]
        return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n"

    def talk(self, data, seconds=None, finish=True):
        """Sends bytes and reads until the server closes; with `finish` the sending side is closed first."""
        with self.connect(seconds) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
                if finish:
                    connection.shutdown(socket.SHUT_WR)
            return read_all(connection)

    def exchange(self, data, seconds=None):
        """Sends bytes on a connection of their own and reads one answer; None if the connection ended without one."""
        with self.connect(seconds) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
            return read_answer(connection)

    # the end

    def close(self):
        self.main.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for events in self.opened:
            with contextlib.suppress(Exception):
                events.close()
        self.process.stdout.close()


def read_all(connection):
    """Everything until the connection ends."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            found += piece
    return found


def read_answer(connection, method="GET"):
    """One answer; None if the connection ended before it began."""
    response = http.client.HTTPResponse(connection, method=method)
    try:
        response.begin()
        return Answer(response.status, response.getheaders(), response.read())
    except (http.client.BadStatusLine, ConnectionError):
        return None
    finally:
        response.close()


def answers(data):
    """The answers in bytes that a connection gave."""

    class Source:

        def __init__(self, data):
            import io
            self.file = io.BytesIO(data)

        def makefile(self, mode):
            return self.file

    source, found = Source(data), []
    while source.file.tell() < len(data):
        response = http.client.HTTPResponse(source)
        # `close` would close the bytes that the next answer is read from.
        response._close_conn = lambda: None
        response.begin()
        found.append(Answer(response.status, response.getheaders(), response.read()))
    return found


def shown(cell):
    """A cell without the digests of what it does not show."""
    if isinstance(cell, dict):
        return {name: shown(value) for name, value in cell.items() if name != "digest"}
    return [shown(item) for item in cell] if isinstance(cell, list) else cell


def wait_until(test, what, seconds=None, pace=0.02):
    """Asks again until a condition holds; fails when the time is up."""
    limit = time.monotonic() + (seconds or WAIT)
    while True:
        if found := test():
            return found
        if time.monotonic() > limit:
            raise AssertionError(f"{what}: not within {seconds or WAIT} s")
        time.sleep(pace)


def check(path):
    """Whether `freehold check` finds nothing wrong with a file; its output if it does."""
    program = os.environ.get("FREEHOLD_COMMAND") or str(pathlib.Path(__file__).resolve().parents[3] / ".build/debug/freehold")
    done = subprocess.run([program, "check", str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return None if done.returncode == 0 else f"{done.returncode}: {done.stdout}{done.stderr}"


def other(code, *arguments):
    """Runs Python statements in another process; returns its process id and what it printed."""
    process = subprocess.Popen([sys.executable, "-B", "-c", code, *map(str, arguments)],
                               stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE,
                               text=True)
    output, errors = process.communicate()
    if process.returncode != 0:
        raise AssertionError(f"the other process failed: {errors}")
    return process.pid, output


class ServerTest(unittest.TestCase):
    """A test with a folder of its own; servers that it starts are ended."""

    folder: pathlib.Path
    server: Server

    # What every test of a class shares.
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="freehold-browse-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)

    @classmethod
    def shared(cls, *files, **options):
        server = Server(*files, folder=cls.folder, **options)
        cls.addClassCleanup(server.close)
        return server

    def start(self, *files, **options):
        server = Server(*files, folder=self.folder, **options)
        self.addCleanup(server.close)
        return server

    def path(self, name=None):
        return self.folder / (name or f"{secrets.token_hex(6)}.freehold")

    def tab(self):
        return secrets.token_hex(12)

    def assertServes(self, server=None):
        """The server lives, and answers."""
        server = server or self.server
        self.assertTrue(server.lives, f"the server ended: {server.process.poll()}\n{server.trouble}")
        self.assertIn("files", server.get("/api/state"))

    def assertSafe(self, answer):
        """An answer has the headers that keep other sites out."""
        for name, start in SAME_ORIGIN:
            self.assertTrue((answer.header(name) or "").startswith(start), f"{name}: {answer.headers}")
        for name, _ in answer.headers:
            self.assertFalse(name.startswith("access-control-"), answer.headers)
