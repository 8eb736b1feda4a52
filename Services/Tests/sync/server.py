"""freehold-sync-server as a process: prepared, started, stopped, killed, asked."""

import http.client
import json
import os
import pathlib
import signal
import subprocess

PROGRAMS = pathlib.Path(os.environ.get("FREEHOLD_SERVICES", "Services/.build/debug"))


def prepare(database, *files, restored=False):
    """Makes the tables, with the classes of files. Returns what it says."""
    words = [PROGRAMS / "freehold-sync-server", "init", "--database", database]
    for file in files:
        words += ["--classes", file]
    if restored:
        words.append("--restored")
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


class Server:
    """A server on a port of its own."""

    def __init__(self, database, keys, *words, port=0, option="--database"):
        self._words = [PROGRAMS / "freehold-sync-server", "serve", option, database, "--keys", keys, *words]
        #: What it says to its operator.
        self.log = pathlib.Path(keys).with_name("server.log")
        self.port = port
        self.process = None
        self.start()

    def start(self):
        """Starts it, on the same port as before."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*self._words, "--port", str(self.port)], stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("serving "):
            raise RuntimeError(f"the server does not start: {line!r} {self.log.read_text(errors='replace')[-2000:]}")
        self.port = int(line.rsplit(":", 1)[1])

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        """SIGKILL."""
        self.process.kill()
        self._end()

    def stop(self):
        """SIGTERM. Returns its status."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self):
        status = self.process.wait(30)
        self.process.stdout.close()
        return status

    def ask(self, method, path, body=None, token=None, headers=None, timeout=40):
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = dict(headers or {})
            if token is not None:
                fields["Authorization"] = f"Bearer {token}"
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def failure(self, *words, **named):
        """The status and the JSON of a refusal."""
        status, _, body = self.ask(*words, **named)
        return status, json.loads(body)
