"""Measures a sync server and agents, with PostgreSQL beside them on the same machine. No test: figures are of this machine.

    FREEHOLD_SERVICES=… FREEHOLD_LIBRARY=… PYTHONPATH=bindings/python/src python3 Services/Tests/sync/measure.py [OBJECTS] [PULLS]

Programs should be optimised ones. Prints rates of a first upload and a first download, the time from a commit to another file's
reader, and what pulls that wait cost.
"""

import pathlib
import secrets
import select
import shutil
import socket
import statistics
import sys
import tempfile
import time

import agent
import bank
import cluster
import freehold
import server
import tokens


def memory(process):
    """Megabytes that a process has."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in text.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def processor(process):
    """Seconds of processor time."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Measure:
    def __init__(self, folder):
        self.folder = folder
        self.cluster = cluster.Cluster(folder / "postgres")
        self.token = folder / "token"
        self.token.write_text(tokens.token("ann"), encoding="utf-8")
        server.prepare(self.cluster.url, self.file("classes"))
        self.server = server.Server(self.cluster.url, tokens.key_file(folder / "keys.json"), "--metrics", "--body-limit", str(1 << 30))

    def file(self, name):
        path = str(self.folder / f"{name}.freehold")
        freehold.open(path, models=bank.MODELS).close()
        return path

    def once(self, file):
        """Seconds of an exchange."""
        start = time.perf_counter()
        status, words = agent.sync_once(file, self.server.address, self.token)
        if status != 0:
            raise RuntimeError(words)
        return time.perf_counter() - start

    def rates(self, count):
        first, second, up = self.file("first"), self.file("second"), 0
        for part in range(0, count, 100_000):
            with freehold.open(first, models=bank.MODELS) as database:
                for start in range(part, min(count, part + 100_000), 10_000):
                    with database.write(durable=False) as transaction:
                        for number in range(start, min(count, start + 10_000)):
                            transaction.add(bank.Entry(f"e{number}", "account", number))
            up += self.once(first)
        sizes = [pathlib.Path(one).stat().st_size >> 20 for one in (first, second)]
        down = self.once(second)
        sizes.append(pathlib.Path(second).stat().st_size >> 20)
        print(f"upload of {count:,} objects of two properties, 100,000 a batch: {2 * count / up:,.0f} properties/s; "
              f"server {memory(self.server.process)} MB")
        print(f"first download of them: {down:.1f} s, {count / down:,.0f} objects/s; the file has {sizes[-1]} MB, the first one {sizes[0]}")

    def latency(self, commits=100):
        files = [self.file("near"), self.file("far")]
        agents = [agent.Agent(file, self.server.address, self.token) for file in files]
        near, far = [freehold.open(file, models=bank.MODELS) for file in files]
        times = []
        for number in range(commits + 10):
            start = time.perf_counter()
            with near.write(durable=False) as transaction:
                transaction.add(bank.Page(f"page-{number}", number))
            while True:
                with far.read() as snapshot:
                    if snapshot.get(bank.Page, f"page-{number}") is not None:
                        break
                time.sleep(0.0005)
            times.append(time.perf_counter() - start)
        times = sorted(times[10:])
        late = times[-1 - len(times) // 100]
        print(f"commit to another file's reader: p50 {1000 * statistics.median(times):.1f} ms, p99 {1000 * late:.1f} ms")
        for one in agents:
            one.stop()

    def waiting(self, count):
        file = self.file("waiting")
        self.once(file)
        with freehold.open(file, models=bank.MODELS) as database:
            question = database.sync_pull()
        before, lines = memory(self.server.process), []
        for number in range(count):
            # Each is another file, and has the identity behind the first two bytes.
            body = question[:2] + secrets.token_bytes(16) + question[18:]
            line = socket.create_connection(("127.0.0.1", self.server.port))
            head = f"POST /v1/pull?wait=60 HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {tokens.token(f'user-{number % 40}')}\r\n"
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            lines.append(line)
        while f"freehold_sync_waiting_pulls {count}.0" not in self.server.ask("GET", "/metrics")[2].decode():
            time.sleep(0.1)
        used, spent = memory(self.server.process), processor(self.server.process)
        time.sleep(5)
        spent = processor(self.server.process) - spent
        print(f"{count:,} pulls that wait: {used} MB, {used - before} more than before; {spent / 5:.4f} s of processor time a second")
        with freehold.open(file, models=bank.MODELS) as database, database.write() as transaction:
            transaction.add(bank.Page("one", 1))
        start = time.perf_counter()
        self.once(file)
        poll, left, good = select.poll(), {line.fileno(): line for line in lines}, 0
        for number in left:
            poll.register(number, select.POLLIN)
        while left:
            for number, _ in poll.poll(60_000):
                good += left.pop(number).recv(65_536).startswith(b"HTTP/1.1 200")
                poll.unregister(number)
        print(f"a commit that concerns all: {good:,} answered in {time.perf_counter() - start:.2f} s")

    def end(self):
        self.server.stop()
        self.cluster.stop()


def main(objects="100000", pulls="5000"):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="freehold-measure-"))
    folder.chmod(0o755)
    measure = Measure(folder)
    try:
        measure.rates(int(objects))
        measure.latency()
        measure.waiting(int(pulls))
    finally:
        measure.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
