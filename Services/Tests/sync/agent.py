"""freehold-sync as a process: started, stopped, killed."""

import signal
import subprocess

import freehold

from server import PROGRAMS


class Agent:
    """An agent at a file, whose settings it writes first."""

    def __init__(self, file, address, token_file, around=()):
        """`around` stands before the command: where it is to run."""
        self._words = [*around, PROGRAMS / "freehold-sync", file, "--server", address, "--token-file", token_file]
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self._words, stderr=subprocess.DEVNULL)

    def kill(self):
        """SIGKILL."""
        self.process.kill()
        self.process.wait(30)

    def stop(self):
        """SIGTERM. Returns its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def sync_once(file, address, token_file):
    """Exchanges a file until nothing is pending and nothing is new. Returns status and words."""
    done = subprocess.run([PROGRAMS / "freehold-sync", "--once", file, "--server", address, "--token-file", token_file],
                          capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout + done.stderr


def sync_once_new(file, address, token_file, models):
    """Makes a file with these classes and exchanges it."""
    freehold.open(file, models).close()
    return sync_once(file, address, token_file)
