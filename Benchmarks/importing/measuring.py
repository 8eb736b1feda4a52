"""Runs programs, and measures how long they take and how much memory they use."""

import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS_BETWEEN_SAMPLES = 0.005


class Failure(Exception):
    """What ends the whole run, as one line."""


@dataclass
class Measured:
    seconds: float
    #: Of all processors, in user and system mode.
    processor_seconds: float
    #: The peak resident memory of the processes, mapped files included, added up.
    peak_bytes: int
    #: The peak of what of it is not mapped from a file, which the system cannot take back.
    own_bytes: int


def measure(*commands, environment=None):
    """Runs commands, each of which reads the output of the one before it."""
    started, processes, above = time.perf_counter(), [], subprocess.DEVNULL
    for command in commands:
        is_last = command is commands[-1]
        process = subprocess.Popen(
            [str(word) for word in command], stdin=above, stdout=subprocess.DEVNULL if is_last else subprocess.PIPE,
            stderr=subprocess.PIPE if is_last else subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        if above is not subprocess.DEVNULL:
            above.close()
        above = process.stdout
        processes.append(process)
    sampler = _Sampler([process.pid for process in processes])
    errors = processes[-1].stderr.read()
    ends = [os.wait4(process.pid, 0) for process in processes]
    seconds = time.perf_counter() - started
    processes[-1].stderr.close()
    peak, own = sampler.stop()
    for process, command, (_, status, _) in zip(processes, commands, ends):
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failure(f"{Path(command[0]).name} ended with {process.returncode}: {errors.decode(errors='replace').strip()[-500:]}")
    return Measured(seconds, sum(usage.ru_utime + usage.ru_stime for _, _, usage in ends), peak, own)


class _Sampler:
    """Reads the peak memory of processes again and again while they run.

    What the system tells of a process after its end, `ru_maxrss`, includes the memory of the process that started it.
    """

    def __init__(self, processes):
        self._peaks = dict.fromkeys(processes, (0, 0))
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self):
        """Ends the thread; returns the sums of the peaks in bytes: of all resident memory, and of their own."""
        self._is_over.set()
        self._thread.join()
        return tuple(map(sum, zip(*self._peaks.values())))

    def _run(self):
        while True:
            for process in self._peaks:
                self._peaks[process] = tuple(map(max, self._peaks[process], _memory(process)))
            if self._is_over.wait(SECONDS_BETWEEN_SAMPLES):
                return


def _memory(process):
    """The peak resident memory of a process so far, and its own memory now, in bytes; 0 after its end."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    facts = {name: value for name, _, value in (line.partition(":") for line in lines)}
    return tuple(int(facts.get(name, "0").split()[0]) * 1024 for name in ("VmHWM", "RssAnon"))
