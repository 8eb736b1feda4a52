"""A second host on this machine: a network namespace behind a cable that can be pulled out, and made slow and lossy.

It takes root, and the kernel must allow network namespaces.
"""

import os
import shutil
import subprocess


def _run(*words):
    return subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)


class Host:
    """Programs that are started by `words` are at the other end of the cable. Here is `address`."""

    _count = 0

    def __init__(self):
        Host._count += 1
        self.name = f"freehold-{os.getpid()}-{Host._count}"
        self._here = f"fh{os.getpid() % 10_000}h{Host._count}"
        self._there = f"fh{os.getpid() % 10_000}t{Host._count}"
        number = os.getpid() % 200 + 20
        self.address = f"10.{number}.{Host._count}.1"
        steps = [
            ("ip", "netns", "add", self.name),
            ("ip", "link", "add", self._here, "type", "veth", "peer", "name", self._there),
            ("ip", "link", "set", self._there, "netns", self.name),
            ("ip", "addr", "add", f"{self.address}/24", "dev", self._here),
            ("ip", "link", "set", self._here, "up"),
            ("ip", "netns", "exec", self.name, "ip", "addr", "add", f"10.{number}.{Host._count}.2/24", "dev", self._there),
            ("ip", "netns", "exec", self.name, "ip", "link", "set", self._there, "up"),
            ("ip", "netns", "exec", self.name, "ip", "link", "set", "lo", "up"),
        ]
        for step in steps:
            done = _run(*step)
            if done.returncode != 0:
                self.close()
                raise OSError(f"{' '.join(step)}: {done.stderr.strip()}")

    @staticmethod
    def missing():
        """Why there can be no second host; empty if there can."""
        if os.geteuid() != 0:
            return "network namespaces take root"
        if shutil.which("ip") is None or shutil.which("tc") is None:
            return "ip and tc are missing: apt-get install iproute2"
        try:
            Host().close()
        except OSError as error:
            return str(error)
        return ""

    def words(self, certificates=None):
        """What stands before a command. It trusts a certificate in place of the system's."""
        begin = ["ip", "netns", "exec", self.name]
        if certificates is None:
            return begin
        # The namespace of `ip netns exec` has mounts of its own.
        mount = f'mount --bind "{certificates}" /etc/ssl/certs/ca-certificates.crt && exec "$0" "$@"'
        return [*begin, "sh", "-c", mount]

    def pull_out(self):
        """Packets vanish, and nobody is told."""
        _run("ip", "link", "set", self._here, "down")

    def plug_in(self):
        _run("ip", "link", "set", self._here, "up")

    def impair(self, *words):
        """Delay and loss as `tc netem` has them, `delay 20ms loss 3%`; none without words. False where the kernel has no netem."""
        _run("tc", "qdisc", "del", "dev", self._here, "root")
        return not words or _run("tc", "qdisc", "add", "dev", self._here, "root", "netem", *words).returncode == 0

    def narrow(self, rate):
        """No more than so much a second gets through, `2mbit`; False where the kernel cannot do it."""
        _run("tc", "qdisc", "del", "dev", self._here, "root")
        done = _run("tc", "qdisc", "add", "dev", self._here, "root", "tbf", "rate", rate, "burst", "16kb", "latency", "50ms")
        return done.returncode == 0

    def close(self):
        _run("ip", "link", "del", self._here)
        _run("ip", "netns", "del", self.name)


def certificate(folder, address):
    """A certificate for an address that signs itself, and its key."""
    certificate, key = folder / f"{address}.pem", folder / f"{address}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj",
                    "/CN=freehold", "-addext", f"subjectAltName=IP:{address}"], check=True, capture_output=True)
    return certificate, key
