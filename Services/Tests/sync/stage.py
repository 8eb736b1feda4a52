"""A cluster, a server and files in a temporary folder, for the tests of the server."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import tempfile
import threading
import time
import unittest

import bank
import freehold
import judge
import server
import tokens
from carrier import Carrier
from cluster import Cluster

LONG = float(os.environ.get("FREEHOLD_LONG") or 0)
#: Seconds after which something that should have happened has not.
PATIENCE = 30 * float(os.environ.get("FREEHOLD_PATIENCE") or 1)


class Stage:
    """`words` are arguments of the server."""

    def __init__(self, *words, models=bank.MODELS):
        self.models = models
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sync-server-"))
        self.folder.chmod(0o755)
        self.carriers = []
        self.cluster = Cluster(self.folder / "pg")
        freehold.open(str(self.folder / "classes.freehold"), models=models).close()
        server.prepare(self.cluster.url, self.folder / "classes.freehold")
        self.keys = tokens.key_file(self.folder / "keys.json")
        self.server = server.Server(self.cluster.url, self.keys, *words)

    def close(self):
        for carrier in self.carriers:
            carrier.close()
        if self.server.process.poll() is None:
            self.server.kill()
        if self.cluster.process is not None:
            self.cluster.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return str(self.folder / f"{name}.freehold")

    def file(self, name, user="ann", models=None):
        """The carrier of a file, which is made if it is not there."""
        made = Carrier(self.path(name), self.server.address, tokens.token(user), models or self.models)
        self.carriers.append(made)
        return made

    def ask(self, method, path, body=None, token=None, user="ann", **named):
        return self.server.ask(method, path, body, token or tokens.token(user), **named)

    def waiting(self):
        """How many pulls wait, as the metrics say."""
        return self.metric("freehold_sync_waiting_pulls")

    def metric(self, name):
        lines = self.server.ask("GET", "/metrics")[2].decode().splitlines()
        return next((float(line.split()[1]) for line in lines if line.startswith(name + " ")), 0)

    def until_waiting(self, count):
        until(lambda: self.waiting() == count, f"{count} pulls wait")


def until(is_so, what, patience=PATIENCE):
    """Waits until something is so: what it waits for decides, not the time."""
    limit = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > limit:
            raise AssertionError(f"it does not come to pass: {what}")
        time.sleep(0.01)


def pay(file, account, amount, entry):
    """A payment, as the programs of `bank` make it."""
    with file.database.write() as transaction:
        owner = transaction.get(bank.Account, account) or transaction.add(bank.Account(account, 0, "", set(), []))
        transaction.add(bank.Entry(entry, account, amount))
        transaction.increment(owner, "balance", amount)


def settle(*files):
    """Exchanges until nothing is new for any file."""
    for file in files:
        file.hang_up()  # what was kept may have ended with its server
    for _ in range(30):
        if all([file.exchange() for file in files]):
            return
    raise AssertionError("the files come to no end")


def shown(file):
    return judge.read_file(file.path)


def problems(*files):
    """Where files differ, and balances that are not the sum of the payments."""
    first, *others = map(shown, files)
    said = [line for place, other in enumerate(others) for line in judge.differences(first, other, f"file {place + 2}")]
    for account, (balance, *_) in first["Account"].items():
        total = sum(amount for owner, amount in first["Entry"].values() if owner == account)
        if balance != total:
            said.append(f"balance of {account}: {balance}, payments {total}")
    return said


def failure(answer):
    """The code of a refusal, which is JSON of four strings."""
    status, _, body = answer
    fields = json.loads(body)
    assert set(fields) == {"code", "what", "where", "advice"}, f"{status}: {body!r}"
    assert all(isinstance(field, str) for field in fields.values()) and fields["what"], f"{status}: {body!r}"
    return fields["code"]


class Line:
    """A connection that is kept, and made anew when it ends."""

    def __init__(self, port):
        self.port, self.http = port, None

    def ask(self, path, body, token, **headers):
        for attempt in (1, 2):
            try:
                if self.http is None:
                    self.http = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
                self.http.request("POST", path, body, {"Authorization": f"Bearer {token}", **headers})
                answer = self.http.getresponse()
                return answer.status, answer.headers, answer.read()
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if attempt == 2:
                    raise

    def close(self):
        if self.http is not None:
            self.http.close()
        self.http = None


class Background(threading.Thread):
    """Does something meanwhile; `result` waits for it, and raises what it raised."""

    def __init__(self, body):
        super().__init__(daemon=True)
        self.body, self.value, self.error = body, None, None
        self.start()

    def run(self):
        try:
            self.value = self.body()
        except BaseException as error:  # it is raised where the result is wanted
            self.error = error

    def result(self, patience=None):
        self.join(patience or PATIENCE)
        if self.is_alive():
            raise AssertionError("what was begun does not end")
        if self.error:
            raise self.error
        return self.value


def begin(line, path, token, length=100):
    line.putrequest("POST", path)
    line.putheader("Authorization", f"Bearer {token}")
    line.putheader("Content-Length", str(length))
    line.endheaders(b"x")


@contextlib.contextmanager
def begun(port, count, path, token, length=100):
    """Requests that have said that a body comes, and have not sent all of it."""
    lines = []
    try:
        for _ in range(count):
            lines.append(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE))
            begin(lines[-1], path, token, length)
        yield lines
    finally:
        for line in lines:
            line.close()


class ServerTest(unittest.TestCase):
    """One cluster and one server for a class."""

    WORDS = ["--metrics"]

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(*cls.WORDS)

    @classmethod
    def tearDownClass(cls):
        cls.stage.close()

    def refused(self, answer, status, code, *note):
        self.assertEqual(answer[0], status, (*note, answer[2][:300]))
        self.assertEqual(failure(answer), code, note)

    def settled(self, *files):
        """All files agree, and balances are the sums of their payments."""
        settle(*files)
        self.assertEqual(problems(*files), [])


def number(message, at):
    """A number in a message, and where it ends."""
    value = shift = 0
    while True:
        value |= (message[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if message[at - 1] < 0x80:
            return value, at


def inheriting(question, replicas):
    """A question that names files that its file was before; `replicas` are 16 bytes each."""
    at = 18
    for _ in range(2):  # the history, and the next transaction
        _, at = number(question, at)
    running, at = number(question, at)
    for _ in range(running):
        _, at = number(question, at)
    count, end = number(question, at)
    return question[:at] + varint(len(replicas) // 16) + replicas + question[end + 16 * count:]


def naming(batch, replicas):
    """A batch that names more files."""
    length = int.from_bytes(batch[-8:])
    classes, at = number(batch, len(batch) - 8 - length)
    for _ in range(classes):
        at = behind_text(batch, at)
        properties, at = number(batch, at)
        for _ in range(properties):
            at = behind_text(batch, at)
    count, start = number(batch, at)
    end = start + 16 * count
    table = varint(count + len(replicas) // 16) + batch[start:end] + replicas
    return batch[:at] + table + batch[end:-8] + (length + len(table) - (end - at)).to_bytes(8)


def behind_text(message, at):
    length, at = number(message, at)
    return at + length


def varint(number):
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(found + bytes([number]))


def ahead(message, at, skipped=0):
    """The message with a cursor that the server has not reached: behind the history, and `skipped` numbers."""
    for _ in range(skipped + 1):
        _, at = number(message, at)
    _, end = number(message, at)
    return message[:at] + bytes([0xFF] * 6 + [0x01]) + message[end:]
