"""The servers that are measured: how each is started, and what is asked of it for the same thing."""

import http.client
import json
import re
import socket
import subprocess
import time
from pathlib import Path


class Server:
    """One server, started on its data; a kept connection asks it."""

    name = ""

    def __init__(self, command, port, environment=None):
        self.port = port
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL, env=environment)
        self.headers = {}
        self.connection = None

    def connect(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def wait_for_port(self):
        limit = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self.connect()
            except OSError:
                if time.monotonic() > limit:
                    raise RuntimeError(f"{self.name} does not answer") from None
                time.sleep(0.05)

    def ask(self, method, path, body=None):
        """The bytes of an answer; an error is raised, so that no error page is measured as an answer."""
        headers = dict(self.headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self.connection.getresponse()
        data = response.read()
        if response.status != 200:
            raise RuntimeError(f"{self.name}: {method} {path}: {response.status} {data[:300]}")
        return data

    def memory(self):
        """Bytes in memory: all, and those that are not of files."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = {name: int(value) * 1024 for name, value in re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", text)}
        return found["VmRSS"], found["RssAnon"]

    def processor_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def stop(self):
        self.process.kill()
        self.process.wait()

    def first_rows(self):
        """From the click on the table to its first rows, with whatever the page shows beside them."""
        raise NotImplementedError

    def page(self, number):
        """A hundred rows, read on from the ones before."""
        raise NotImplementedError

    def jump(self, row):
        """A hundred rows at a place far away."""
        raise NotImplementedError


class Freehold(Server):
    name = "freehold-browse"
    TAB = "benchmark0000000000"

    def __init__(self, program, data, port):
        super().__init__([program, str(data), "--port", str(port)], port)
        token = next(re.search(r"#token=(\w+)", line)[1] for line in self.process.stdout if "#token=" in line)
        self.connect()
        self.headers = {"X-Freehold": "1"}
        self.connection.request("POST", "/api/login", json.dumps({"token": token}), {"Content-Type": "application/json"} | self.headers)
        response = self.connection.getresponse()
        response.read()
        self.headers["Cookie"] = response.headers["Set-Cookie"].split(";")[0]
        self.view = None

    def first_rows(self):
        view = json.loads(self.ask("POST", "/api/files/1/views", {"tab": self.TAB, "class": "Event", "query": ""}))
        self.view = view["view"]
        return json.loads(self.jump(0))["rows"]

    def page(self, number):
        return self.jump(number * 100)

    def jump(self, row):
        return self.ask("GET", f"/api/views/{self.view}/rows?tab={self.TAB}&from={row}&count=100")

    def events(self):
        """A connection with the events, so that the server follows commits as for a page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", f"/api/events?tab={self.TAB}", headers=self.headers)
        return connection.getresponse()


class SQLiteWeb(Server):
    name = "sqlite-web"

    def __init__(self, program, data, port):
        super().__init__([program, "--no-browser", "--port", str(port), "--rows-per-page", "100", str(data)], port)
        self.wait_for_port()

    def first_rows(self):
        return self.page(0)

    def page(self, number):
        return self.ask("GET", f"/Event/content/?page={number + 1}")

    def jump(self, row):
        return self.page(row // 100)


class Datasette(Server):
    name = "datasette"

    def __init__(self, program, data, port):
        super().__init__([program, "serve", str(data), "--port", str(port), "--setting", "sql_time_limit_ms", "60000"], port)
        self.wait_for_port()
        self.next = 0

    def first_rows(self):
        return self.ask("GET", "/events/Event.json?_size=100")

    def page(self, number):
        return self.jump(number * 100)

    def jump(self, row):
        # Its pages begin after a key; here keys are places.
        return self.ask("GET", f"/events/Event.json?_size=100&_next={row}")
