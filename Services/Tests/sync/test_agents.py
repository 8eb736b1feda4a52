"""Programs, agents, servers and PostgreSQL, killed at random while programs write: all files end alike, and nothing acknowledged is lost.

The judge (judge.py) knows only what the programs have logged, and shares no code with the engine.
"""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import agent
import bank
import cluster
import freehold
import judge
import proxy
import server
import tokens

LONG = bool(os.environ.get("FREEHOLD_LONG"))


class Program:
    """A process that writes, until it is killed or told to end."""

    def __init__(self, file, name, seed, log):
        self._words = [sys.executable, "-B", bank.__file__, file, name, str(seed), log]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self._words)

    def kill(self):
        self.process.kill()
        self.process.wait(30)


class Machines(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="freehold-sync-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.cluster = cluster.Cluster(self.folder / "postgres")
        self.addCleanup(self.cluster.stop)
        self.keys = tokens.key_file(self.folder / "keys.json")
        self.token = self.folder / "token"
        self.token.write_text(tokens.token("ann"), encoding="utf-8")

    def file(self, name):
        path = str(self.folder / f"{name}.freehold")
        freehold.open(path, models=bank.MODELS).close()
        return path

    def serve(self, port=0):
        made = server.Server(self.cluster.url, self.keys, port=port)
        self.addCleanup(made.kill)
        return made

    def agent(self, file, address):
        made = agent.Agent(file, address, self.token)
        self.addCleanup(made.kill)
        return made

    def until_alike(self, files, seconds=90):
        """What all files show, once they show the same and nothing is pending."""
        limit = time.monotonic() + seconds
        while True:
            shown = [judge.read_file(file) for file in files]
            if all(one == shown[0] for one in shown[1:]):
                return shown[0]
            if time.monotonic() > limit:
                self.fail("\n".join(judge.differences(shown[0], next(one for one in shown if one != shown[0]), "another")[:20]))
            time.sleep(0.05)

    def test_kills(self):
        """The number of kills is the test's size; none of them waits for a time."""
        seed = int(os.environ.get("FREEHOLD_SEED", random.randrange(1 << 30)))
        kills = 200 if LONG else 40
        pick = random.Random(seed)
        names = ["ann", "ben", "cleo"]
        files = {name: self.file(name) for name in names}
        logs = {name: str(self.folder / f"{name}.log") for name in names}
        server.prepare(self.cluster.url, files["ann"])
        servers = [self.serve(), self.serve()]
        networks = [proxy.Proxy(one.port, seed=seed + place) for place, one in enumerate(servers)]
        for one in networks:
            self.addCleanup(one.close)
        programs = [Program(files[name], name, seed, logs[name]) for name in names]
        for one in programs:
            self.addCleanup(one.kill)
        agents = [self.agent(files[name], f"http://127.0.0.1:{networks[place % 2].port}") for place, name in enumerate(names)]
        for _ in range(kills):
            kind = pick.choices(["program", "agent", "server", "postgres", "network"], [4, 4, 3, 1, 2])[0]
            if kind == "network":
                network = pick.choice(networks)
                network.cut()
                time.sleep(pick.random() * 0.2)
                network.heal(losses=pick.choice([0.0, 0.3]), delay=pick.choice([0.0, 0.01]))
            elif kind == "postgres":
                self.cluster.kill()
                self.cluster.start()
            else:
                victim = pick.choice({"program": programs, "agent": agents, "server": servers}[kind])
                victim.kill()
                victim.start()
            time.sleep(pick.random() * 0.15)
        for one in programs:
            one.kill()
        for one in networks:
            one.heal()
        shown = self.until_alike(list(files.values()))
        problems = judge.Verdict(logs).problems(shown)
        self.assertEqual(problems, [], f"FREEHOLD_SEED={seed}")
        self.assertGreater(sum(len(bank.read_log(log)) for log in logs.values()), kills, "the programs have written too little")
        # A file that is new gets all of it, and the agents end in good order.
        fresh = self.file("fresh")
        status, words = agent.sync_once(fresh, servers[0].address, self.token)
        self.assertEqual(status, 0, words)
        self.assertEqual(judge.differences(shown, judge.read_file(fresh), "fresh"), [])
        self.assertEqual([one.stop() for one in agents] + [one.stop() for one in servers], [0] * 5)

    def test_takeover(self):
        """Of two agents at one file one works; when it is killed, the other does."""
        file, other = self.file("one"), self.file("other")
        server.prepare(self.cluster.url, file)
        address = self.serve().address
        first, second = self.agent(file, address), self.agent(file, address)
        self.agent(other, address)
        for number, ends in enumerate([None, first, None, second]):
            if ends:
                ends.kill()
            with freehold.open(file, models=bank.MODELS) as database, database.write() as transaction:
                transaction.add(bank.Page(f"page-{number}", number))
            self.assertEqual(len(self.until_page(other, f"page-{number}")), number + 1)
            if ends is first:
                first.start()

    def until_page(self, file, name, seconds=60):
        limit = time.monotonic() + seconds
        while True:
            pages = judge.read_file(file)["Page"]
            if name in pages:
                return pages
            self.assertLess(time.monotonic(), limit, f"{name} does not come")
            time.sleep(0.02)

    def test_refusals_are_said_in_the_file(self):
        """A wrong token is an issue and a state; a new token file goes on by itself."""
        file = self.file("one")
        server.prepare(self.cluster.url, file)
        served = self.serve()
        self.token.write_text(tokens.token("ann", secret=b"another secret, of 32 bytes long"), encoding="utf-8")
        status, words = agent.sync_once(file, served.address, self.token)
        self.assertEqual(status, 1)
        self.assertIn("unauthorized", words)
        with freehold.open(file, models=bank.MODELS) as database, database.write() as transaction:
            transaction.add(bank.Page("mine", 1))
        self.token.write_text(tokens.token("ann"), encoding="utf-8")
        self.assertEqual(agent.sync_once(file, served.address, self.token)[0], 0)
        other = self.file("other")
        agent.sync_once(other, served.address, self.token)
        self.assertEqual(judge.read_file(other)["Page"], {"mine": 1})
        # Another user's token: the file belongs to the first.
        self.token.write_text(tokens.token("ben"), encoding="utf-8")
        status, words = agent.sync_once(file, served.address, self.token)
        self.assertEqual((status, "forbidden" in words), (1, True), words)
        self.assertEqual(judge.read_file(file)["Page"], {"mine": 1})

    def test_restored_cluster(self):
        """PostgreSQL is put back to an older copy: files that were ahead are refused before `init --restored`, and lose nothing after."""
        files = [self.file("one"), self.file("other")]
        server.prepare(self.cluster.url, files[0])
        served = self.serve()
        self.write(files[0], "before")
        for file in files:
            self.assertEqual(agent.sync_once(file, served.address, self.token)[0], 0)
        served.kill()
        self.cluster.stop()
        copy = self.folder / "copy"
        shutil.copytree(self.cluster.data, copy)
        self.cluster.start()
        served.start()
        self.write(files[0], "after")
        for file in files:
            self.assertEqual(agent.sync_once(file, served.address, self.token)[0], 0)
        served.kill()
        self.cluster.stop()
        shutil.rmtree(self.cluster.data)
        subprocess.run(["cp", "-a", str(copy), str(self.cluster.data)], check=True)
        subprocess.run(["chown", "-R", f"--reference={self.folder / 'postgres'}", str(self.cluster.data)], check=True)
        self.cluster.start()
        served.start()
        status, words = agent.sync_once(files[0], served.address, self.token)
        self.assertEqual((status, "restored" in words), (1, True), words)
        served.kill()
        server.prepare(self.cluster.url, restored=True)
        served.start()
        self.write(files[1], "anew")
        for file in [*files, *files]:
            self.assertEqual(agent.sync_once(file, served.address, self.token)[0], 0)
        self.assertEqual(judge.read_file(files[0]), judge.read_file(files[1]))
        self.assertIn("anew", judge.read_file(files[0])["Page"])
        self.assertIn("before", judge.read_file(files[0])["Page"])

    def write(self, file, name):
        with freehold.open(file, models=bank.MODELS) as database, database.write() as transaction:
            transaction.add(bank.Page(name, 1))


if __name__ == "__main__":
    unittest.main()
