"""Programs under torture: started, spoken to, killed; what they say and how they end."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
#: Within how many seconds every command is answered, if nobody is stopped.
PATIENCE = 180


class Failure(Exception):
    """Something that must not be."""


class Gone(Exception):
    """The program has ended, because it was killed."""


@dataclass
class Programs:
    """What is run."""

    members: dict[str, list[str]]
    command_line: str
    environment: dict[str, str] = field(default_factory=dict)


class Member:
    """A program that obeys commands."""

    def __init__(self, programs: Programs, language: str, prefix: list[str] = [], limits: dict[int, int] = {}) -> None:
        self.language, self.is_killed, self.child_pids = language, False, []
        self.errors = tempfile.TemporaryFile()
        self.last = ""

        def prepare() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            for limit, value in limits.items():
                resource.setrlimit(limit, (value, value))

        self.process = subprocess.Popen(
            [*prefix, *programs.members[language]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            env={**os.environ, **programs.environment}, preexec_fn=prepare, start_new_session=True)
        self.guard = threading.Lock()

    def send(self, commands: list[str]) -> None:
        self.last = commands[-1][:200] if len(commands) == 1 else f"{commands[0][:60]} … {len(commands)} lines … {commands[-1][:60]}"
        try:
            self.process.stdin.write(("\n".join(commands) + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, OSError):
            raise self.ended() from None

    def answer(self, patience: float = PATIENCE) -> str:
        timer = threading.Timer(patience, self.give_up)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            raise self.ended()
        return line[:-1].decode()

    def ask(self, command: str, patience: float = PATIENCE) -> str:
        self.send([command])
        return self.answer(patience)

    def give_up(self) -> None:
        """Nothing was answered in time: that is a hang, which the end of the program then tells."""
        self.hang = stacks(self.process.pid)
        self.kill(is_wanted=False)

    def ended(self) -> Exception:
        if self.is_killed:
            self.process.wait()
            return Gone()
        self.process.kill()
        code = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read()[-3000:].decode(errors="replace")
        if hasattr(self, "hang"):
            return Failure(f"{self.language} hangs at '{self.last}'\n{self.hang}\n{said}")
        return Failure(f"{self.language} ended with {code} at '{self.last}': {said}")

    def complaints(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def kill(self, is_wanted: bool = True) -> None:
        with self.guard:
            self.is_killed = self.is_killed or is_wanted
            try:
                # The whole session: a program that is in a namespace of its own stands behind the one that made that.
                for pid in [self.process.pid, *children(self.process.pid)]:
                    if pid not in self.child_pids:
                        os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def signal(self, number: int) -> None:
        with self.guard:
            for pid in [self.process.pid, *children(self.process.pid)]:
                if pid not in self.child_pids and self.process.poll() is None:
                    try:
                        os.kill(pid, number)
                    except ProcessLookupError:
                        pass

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            try:
                stream.close()
            except OSError:
                pass


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def stacks(pid: int) -> str:
    """Where the threads of a process and of its children are."""
    told = []
    for one in [pid, *children(pid)]:
        for task in Path(f"/proc/{one}/task").glob("*"):
            try:
                told.append(f"{task}: {(task / 'wchan').read_text()} {(task / 'syscall').read_text().strip()}")
            except OSError:
                pass
        if shutil.which("gdb"):
            told.append(subprocess.run(
                ["gdb", "-p", str(one), "-batch", "-ex", "thread apply all bt 24"], capture_output=True, text=True, timeout=60).stdout[-6000:])
    return "\n".join(told)
