"""What `freehold-browse` asks on its terminal."""

import os
import pty
import re
import select
import signal
import time
import unittest

import freehold

from serving import BINARY, ServerTest

LINK = r"http://127\.0\.0\.1:\d+/#token=\w+"


class Terminal:
    """A program with a terminal of its own."""

    def __init__(self, *arguments, home):
        self.shown = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(HOME=str(home), XDG_STATE_HOME=str(home / "state"))
            os.execv(BINARY, [BINARY, *arguments])

    def until(self, pattern, seconds=60):
        """What the terminal shows, as soon as the pattern is in it; None if the program ends before."""
        end = time.monotonic() + seconds
        while not re.search(pattern, self.shown):
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"not shown within {seconds} s: {pattern}; shown: {self.shown}")
            try:
                data = os.read(self.terminal, 65536)
            except OSError:  # Nobody has the other side open.
                data = b""
            if not data:
                return None
            self.shown += data.decode(errors="replace")
        return self.shown

    def type(self, text):
        os.write(self.terminal, text.encode())

    def end(self, number=signal.SIGTERM):
        """The program's exit code, or minus the signal that ended it."""
        try:
            os.kill(self.process, number)
        except ProcessLookupError:
            pass
        status = os.waitpid(self.process, 0)[1]
        os.close(self.terminal)
        return os.waitstatus_to_exitcode(status)


class TerminalTests(ServerTest):

    def setUp(self):
        self.file, self.key = self.path(), freehold.generate_key()
        with freehold.open(self.file, key=self.key) as database, database.write() as transaction:
            transaction.create_class("Row", id=int)

    def asked(self):
        terminal = Terminal(str(self.file), home=self.folder)
        self.assertIn(str(self.file), terminal.until("Key of .*: "))
        return terminal

    def test_typed_key(self):
        """A key in hexadecimal digits opens the file, and is not shown."""
        terminal = self.asked()
        terminal.type(self.key.hex() + "\n")
        self.assertIsNotNone(terminal.until(LINK), terminal.shown)
        self.assertNotIn(self.key.hex()[:16], terminal.shown)
        # What is typed afterwards is shown again.
        terminal.type("shown again\n")
        self.assertIsNotNone(terminal.until("shown again"))
        terminal.end()

    def test_path_of_a_key_file(self):
        """The path of a key file opens the file; that others may read it is told."""
        keys = self.path("typed.key")
        keys.write_bytes(self.key)
        keys.chmod(0o644)
        terminal = self.asked()
        terminal.type(f"{keys}\n")
        self.assertIsNotNone(terminal.until(LINK), terminal.shown)
        self.assertIn("chmod 600", terminal.shown)
        terminal.end()

    def test_neither(self):
        """Nothing, a wrong key, too few digits, a file that is not there, and Ctrl-C end the program with a sentence."""
        for typed, told in [("\n", "no key was given"), ("\x03", "no key was given"), (f"{'0' * 126}\n", "the key file 0+"),
                            ("/nowhere/key\n", "/nowhere/key: No such file"),
                            (f"{freehold.generate_key().hex()}\n", "encrypted with a different key")]:
            terminal = self.asked()
            terminal.shown = ""
            terminal.type(typed)
            self.assertIsNotNone(terminal.until(f"Error: .*{told}"), (typed, terminal.shown))
            self.assertIsNone(terminal.until("a line that does not come"))
            self.assertEqual(terminal.end(0), 1)


if __name__ == "__main__":
    unittest.main()
