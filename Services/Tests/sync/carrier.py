"""A client of the protocol in Python: exchanges a file with a server by HTTP.

    python3 carrier.py FILE http://HOST:PORT TOKEN

It shows that the protocol's specification is enough to write one, and stands for an agent in tests of the server alone.
"""

import http.client
import sys
import time
import urllib.parse

import bank
import freehold


class Carrier:
    def __init__(self, path, address, token, models=bank.MODELS):
        self.path = path
        self.database = freehold.open(path, models=models)
        #: What the answers have said was lost.
        self.losses = []
        self.address = urllib.parse.urlparse(address)
        self.token = token
        self.connection = None

    def hang_up(self):
        """The next question has a connection of its own."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def close(self):
        self.hang_up()
        self.database.close()

    def ask(self, path, body):
        """The status and the body of an answer."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=40)
        try:
            self.connection.request("POST", path, body, {"Authorization": f"Bearer {self.token}",
                                                         "Content-Type": "application/octet-stream"})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.hang_up()
            raise

    def exchange(self, wait=0):
        """One round. True if nothing is pending and nothing was new."""
        batch = self.database.sync_push()
        if batch is not None:
            status, answer = self.ask("/v1/push", batch)
            if status not in (200, 409):
                raise OSError(f"push: status {status}: {answer!r}")
        status, answer = self.ask(f"/v1/pull?wait={wait}", self.database.sync_pull())
        if status == 204:
            return batch is None
        if status != 200:
            raise OSError(f"pull: status {status}: {answer!r}")
        report = self.database.sync_apply(answer)
        self.losses += report.losses if report else ()
        return batch is None and report is not None and report.changed_objects == 0


def main(path, address, token):
    carrier, pause = Carrier(path, address, token), 0.05
    while True:
        try:
            carrier.exchange(wait=0.2)
            pause = 0.05
        except (OSError, http.client.HTTPException):
            time.sleep(pause)
            pause = min(pause * 2, 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
