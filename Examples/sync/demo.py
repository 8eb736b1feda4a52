"""Sells at three files in three languages while the network, the server, an agent and PostgreSQL fail: run by tools/sync-demo

    python3 demo.py --swift PROGRAM --c PROGRAM

Each program logs what it sold. After each failure all files must show the same, and exactly what was logged. It waits for
conditions, each for a minute at most; exit 1 if one does not come true. The environment: FREEHOLD_SERVICES is the folder of
`freehold-sync-server` and `freehold-sync`, FREEHOLD_LIBRARY the C library, and PYTHONPATH has the package `freehold`.
"""

import argparse
import collections
import contextlib
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import freehold

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Services" / "Tests" / "sync"))

import agent  # noqa: E402
import cluster  # noqa: E402
import proxy  # noqa: E402
import server  # noqa: E402
import tokens  # noqa: E402
from stall import Stall  # noqa: E402

LIMIT_SECONDS = 60
SALES = 60  # of each program in each step


class Failure(Exception):
    """Something that should have come true did not."""


def until(holds, what):
    """Waits until `holds()` is true. Returns what it gave."""
    limit = time.monotonic() + LIMIT_SECONDS
    while not (found := holds()):
        if time.monotonic() > limit:
            raise Failure(f"waited {LIMIT_SECONDS} s, and not so: {what() if callable(what) else what}")
        time.sleep(0.02)
    return found


class Seller:
    """A program that sells at a file of its own."""

    def __init__(self, name, program, folder):
        self.name, self.file, self.log = name, str(folder / f"{name}.freehold"), folder / f"{name}.log"
        self.process = subprocess.Popen([*program, self.file, name, str(self.log)], stdin=subprocess.PIPE, text=True)
        self.ordered = 0
        self.database = None

    def order(self, sales):
        """Lets it sell so often."""
        self.ordered += sales
        self.process.stdin.write(f"{sales}\n")
        self.process.stdin.flush()

    def logged(self):
        """The kind, the stall and the words of each whole line of its log."""
        text = self.log.read_text(encoding="utf-8") if self.log.exists() else ""
        return [line.split(" ", 2) for line in text[:text.rfind("\n") + 1].splitlines()]

    def sales(self):
        return sum(kind == "sold" for kind, _, _ in self.logged())

    def has_sold(self, share=1.0):
        """Whether it has sold this share of its last order, or all that was ordered."""
        if self.process.poll() is not None:
            raise Failure(f"the {self.name} program ended with status {self.process.returncode}")
        return self.sales() >= self.ordered - SALES * (1 - share)

    def shown(self):
        """What its file shows: pieces sold and the note, by stall."""
        if self.database is None:
            self.database = freehold.open(self.file, models=[Stall])
        with self.database.read() as snapshot:
            return {stall.id: (stall.sold, stall.note) for stall in snapshot.objects(Stall)}

    def finish(self):
        """Ends it in good order. Returns its status."""
        if self.database is not None:
            self.database.close()
        self.process.stdin.close()
        return self.process.wait(LIMIT_SECONDS)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Till:
    """Other software: it knows nothing of Freehold, and sells by SQL, at the server's table of stalls."""

    def __init__(self, cluster):
        self.cluster, self.sold = cluster, collections.Counter()

    def sell(self, stalls, sales):
        for stall in random.choices(sorted(stalls), k=sales):
            self.cluster.sql(f"""UPDATE app."Stall" SET sold = sold + 5 WHERE id = '{stall}'""")
            self.sold[stall] += 5


def pieces(shown):
    return sum(sold for sold, _ in shown.values())


class Market:
    """The demonstration: what runs, and its steps."""

    def __init__(self, folder, programs, ends):
        self.folder, self.ends, self.start = folder, ends, time.monotonic()
        self.cluster = cluster.Cluster(folder / "postgres")
        ends.callback(self.cluster.stop)
        self.sellers = [Seller(name, program, folder) for name, program in programs.items()]
        for one in self.sellers:
            ends.callback(one.kill)
        self.token = folder / "token"
        self.token.write_text(tokens.token("market"), encoding="utf-8")
        self.server = self.network = None
        self.agents = []
        self.till = Till(self.cluster)

    def connect(self):
        """Makes the server's tables, starts it, and an agent at each file. The agents reach it by a network that can be cut."""
        server.prepare(self.cluster.url, self.sellers[0].file)
        self.server = server.Server(self.cluster.url, tokens.key_file(self.folder / "keys.json"))
        self.ends.callback(self.server.kill)
        self.network = proxy.Proxy(self.server.port)
        self.ends.callback(self.network.close)
        for one in self.sellers:
            self.agents.append(agent.Agent(one.file, f"http://127.0.0.1:{self.network.port}", self.token))
            self.ends.callback(self.agents[-1].kill)

    def say(self, words):
        print(f"{time.monotonic() - self.start:5.1f} s  {words}", flush=True)

    def order(self):
        for one in self.sellers:
            one.order(SALES)

    def wait_for_sales(self, share=1.0):
        until(lambda: all(one.has_sold(share) for one in self.sellers), "all programs sell")

    def logged(self):
        """The pieces sold of each stall, by all logs and by SQL; and the last note of each program at each stall."""
        sold, notes = collections.Counter(self.till.sold), collections.defaultdict(dict)
        for one in self.sellers:
            for kind, stall, words in one.logged():
                if kind == "sold":
                    sold[stall] += int(words)
                else:
                    notes[stall][one.name] = words
        return sold, notes

    def is_right(self, shown):
        """Whether a file shows what was logged, while nobody sells."""
        sold, notes = self.logged()
        return {stall: found for stall, (found, _) in shown.items()} == sold and all(
            note in (notes[stall].values() or {""}) for stall, (_, note) in shown.items())

    def wait_for_agreement(self):
        """Until all files show the same, and what was logged. Returns the pieces sold."""
        def agree():
            shown = [one.shown() for one in self.sellers]
            return shown[0] if shown.count(shown[0]) == len(shown) and self.is_right(shown[0]) else None

        def said():
            files = "; ".join(f"{one.name}'s file shows {one.shown()}" for one in self.sellers)
            return f"all files show what was logged, {dict(self.logged()[0])}; {files}"
        return pieces(until(agree, said))

    def counts(self):
        return ", ".join(f"{pieces(one.shown()):,} in {one.name}'s" for one in self.sellers) + " file"

    def fail_and_return(self, fail, mend, words):
        """Lets all sell, and something fail meanwhile; they sell on; then it is mended, and all must agree."""
        self.order()
        self.wait_for_sales(0.3)
        fail()
        self.wait_for_sales()
        self.say(f"{words[0]}; all three sell on: {self.counts()}")
        mend()
        self.say(f"{words[1]}: all three files show {self.wait_for_agreement():,}")

    def run(self):
        version = self.cluster.sql("SHOW server_version")[0][0].split()[0]
        names = ", ".join(one.name for one in self.sellers)
        print(f"Three files, three agents, one server, PostgreSQL {version}. At each file a program sells at a market's stalls: {names}.\n",
              flush=True)
        # A file needs no server.
        self.order()
        self.wait_for_sales()
        self.say(f"no server runs yet; pieces sold: {self.counts()}")
        self.connect()
        self.say(f"server and agents are started: all three files show {self.wait_for_agreement():,}")
        self.sell_by_sql()
        self.fail_and_return(self.network.cut, self.network.heal, ("the network is cut", "the network is healed"))
        self.fail_and_return(self.server.kill, self.server.start, ("the server is killed (SIGKILL)", "the server runs again"))
        last = self.agents[-1]
        self.fail_and_return(last.kill, last.start, (
            f"the agent at {self.sellers[-1].name}'s file is killed (SIGKILL)", "an agent runs there again"))
        self.fail_and_return(self.cluster.kill, self.cluster.start, (
            "PostgreSQL is killed (SIGKILL)", "PostgreSQL has recovered"))
        self.fetch_anew()
        self.finish()

    def sell_by_sql(self):
        """Other software writes into the tables, while all sell."""
        self.order()
        self.till.sell(self.sellers[0].shown(), SALES // 3)
        self.wait_for_sales()
        self.say(f"other software sells {self.till.sold.total()} by SQL meanwhile: all three files show {self.wait_for_agreement():,}")

    def fetch_anew(self):
        """An empty file gets all of it."""
        fresh = self.folder / "fresh.freehold"
        with freehold.open(fresh, models=[Stall]) as database:
            status, words = agent.sync_once(fresh, self.server.address, self.token)
            with database.read() as snapshot:
                shown = {stall.id: (stall.sold, stall.note) for stall in snapshot.objects(Stall)}
        if status != 0 or not self.is_right(shown):
            raise Failure(f"an empty file got {shown} of the server; freehold-sync ended with {status}: {words}")
        self.say(f"a fourth file, empty so far, gets {pieces(shown):,} from the server")

    def finish(self):
        """Ends all in good order, and prints the table."""
        shown = [one.shown() for one in self.sellers]
        sold, _ = self.logged()
        print(f"\n{'stall':10}" + "".join(f"{one.name + chr(39) + 's file':>16}" for one in self.sellers) + "   last note")
        for stall in sorted(sold):
            row = "".join(f"{found[stall][0]:16,}" for found in shown)
            print(f"{stall:10}{row}   {shown[0][stall][1]}")
        statuses = [one.finish() for one in self.sellers] + [one.stop() for one in self.agents] + [self.server.stop()]
        if any(statuses):
            raise Failure(f"programs, agents and server ended with {statuses}")
        total = pieces(shown[0])
        if total != sold.total():
            raise Failure(f"sold in all {total:,}, logged {sold.total():,}")
        print(f"\nsold in all {total:,}, logged {sold.total():,}: they agree", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--swift", required=True, help="the program of Stall.swift")
    options.add_argument("--c", required=True, help="the program of stall.c")
    given = options.parse_args()
    programs = {"Swift": [given.swift], "C": [given.c], "Python": [sys.executable, "-B", str(HERE / "stall.py")]}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="freehold-market-"))
    folder.chmod(0o755)  # PostgreSQL may run as another user
    try:
        with contextlib.ExitStack() as ends:
            Market(folder, programs, ends).run()
    except (Failure, OSError, RuntimeError, subprocess.SubprocessError, freehold.FreeholdError) as error:
        print(f"The demonstration failed: {error}\nIts files are kept in {folder}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        shutil.rmtree(folder, ignore_errors=True)
        return 130
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
