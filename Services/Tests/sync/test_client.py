"""A program that configures sync, waits for what the server has, and sees how it goes, while `freehold-sync` works at its file."""

import subprocess
import unittest

import agent
import bank
import freehold
import judge
import tokens
from server import PROGRAMS
from stage import PATIENCE, Stage


class Client(unittest.TestCase):
    def setUp(self):
        self.stage = Stage()
        self.addCleanup(self.stage.close)
        self.token = self.stage.folder / "token"
        self.token.write_text(tokens.token("ann"), encoding="utf-8")
        self.other = self.stage.folder / "other-token"
        self.other.write_text(tokens.token("ann"), encoding="utf-8")
        self.database = freehold.open(self.stage.path("mine"), bank.MODELS)
        self.addCleanup(self.database.close)
        self.sync = self.database.sync

    def elsewhere(self, name):
        """Another device has a page at the server when this returns."""
        path = self.stage.path("elsewhere")
        with freehold.open(path, bank.MODELS) as database, database.write() as transaction:
            transaction.add(bank.Page(name, 1))
        status, words = agent.sync_once(path, self.stage.server.address, self.other)
        self.assertEqual(status, 0, words)

    def start(self):
        """An agent that has nothing but the file's settings."""
        process = subprocess.Popen([PROGRAMS / "freehold-sync", self.stage.path("mine")], stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def until(self, is_so):
        """Waits for commits until the agent has said something."""
        with self.database.commits(timeout=PATIENCE) as commits:
            while not is_so():
                self.assertIsNotNone(next(iter(commits), None), self.sync.state())

    def pages(self):
        return set(judge.read_file(self.stage.path("mine"))["Page"])

    def test_program(self):
        self.elsewhere("first")
        self.sync.configure(self.stage.server.address, token_file=self.token)
        with self.assertRaisesRegex(freehold.BusyError, "no agent works at this file: start `freehold-sync"):
            self.sync.download(timeout=0)
        self.start()
        self.sync.download(timeout=PATIENCE)
        self.assertEqual(self.pages(), {"first"})
        # The agent's pull waits for news by now: it asks anew, and the answer has what came between.
        self.elsewhere("second")
        self.sync.download(timeout=PATIENCE)
        self.assertEqual(self.pages(), {"first", "second"})
        with self.database.write() as transaction:
            transaction.add(bank.Page("own", 1))
        self.until(lambda: not self.sync.state().pending)
        self.until(lambda: self.sync.state().connection == "connected")
        self.assertTrue(self.sync.state().has_agent)
        self.assertIsNotNone(self.sync.state().last_exchange)
        self.refused()
        self.suspended()

    def refused(self):
        """A token that the server does not take is an error at once, and an issue; a good one goes on by itself."""
        self.token.write_text(tokens.token("ann", secret=b"another secret, of 32 bytes long"), encoding="utf-8")
        with self.assertRaisesRegex(freehold.FileError, "the server refuses, unauthorized"):
            self.sync.download(timeout=PATIENCE)
        self.until(lambda: "unauthorized" in [issue.code for issue in self.sync.issues()])
        self.until(lambda: self.sync.state().connection == "refused")
        self.token.write_text(tokens.token("ann"), encoding="utf-8")
        self.sync.download(timeout=PATIENCE)

    def suspended(self):
        self.sync.suspend()
        self.until(lambda: self.sync.state().connection == "stopped")
        self.assertTrue(self.sync.state().has_agent)
        with self.assertRaisesRegex(freehold.ArgumentError, "suspended"):
            self.sync.download(timeout=PATIENCE)
        self.elsewhere("third")
        self.assertNotIn("third", self.pages())
        self.sync.resume()
        self.sync.download(timeout=PATIENCE)
        self.assertIn("third", self.pages())


if __name__ == "__main__":
    unittest.main()
