"""A PostgreSQL of its own in a temporary folder, on a Unix socket: started, stopped, killed, asked."""

import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import time


def program(name):
    """The path of a program of PostgreSQL: Debian keeps the server's out of PATH."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    path = found[-1] if found else shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is missing: apt-get install postgresql")
    return path


class Session:
    def __init__(self, psql):
        self._psql = psql

    def run(self, text):
        """Runs statements, and waits until they are done."""
        self._psql.stdin.write(f"{text}\n\\echo done\n")
        self._psql.stdin.flush()
        for line in self._psql.stdout:
            if line == "done\n":
                return
        raise RuntimeError("the session has ended")


class Cluster:
    """A cluster with one empty database, `app`. PostgreSQL does not run as root, so root runs it as `postgres` or `nobody`."""

    def __init__(self, folder, primary=None):
        """With a primary, a hot standby of it."""
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        self.log = self.folder / "postgres.log"
        self.process = None
        self.user = self._other_user()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.user:
            shutil.chown(self.folder, self.user.pw_name)
        if primary is not None:
            self._run(program("pg_basebackup"), "--pgdata", self.data, "--host", primary.folder, "--username=app", "--write-recovery-conf",
                      "--wal-method=stream", "--checkpoint=fast", "--no-sync")
            with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
                settings.write(f"unix_socket_directories = '{self.folder}'\n")
            self.start()
            return
        self._run(program("initdb"), "--pgdata", self.data, "--username=app", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
                  "--no-instructions", "--no-sync")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(f"""
listen_addresses = ''
unix_socket_directories = '{self.folder}'
max_connections = 60
shared_buffers = 64MB
# A killed process leaves what it has written to the system, and no machine crashes here.
fsync = off
idle_in_transaction_session_timeout = 60s
log_min_messages = warning
""")
        self.start()
        self.sql("CREATE DATABASE app", database="postgres")

    @staticmethod
    def _other_user():
        if os.geteuid() != 0:
            return None
        for name in ("postgres", "nobody"):
            try:
                return pwd.getpwnam(name)
            except KeyError:
                continue
        raise RuntimeError("PostgreSQL does not run as root, and there is no user postgres or nobody")

    def _identity(self):
        if not self.user:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def _run(self, *words):
        subprocess.run([str(word) for word in words], check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **self._identity())

    @property
    def url(self):
        """The address that libpq connects to."""
        return f"postgresql:///app?host={self.folder}&user=app"

    def start(self, seconds=60):
        """Starts it, after a kill with recovery, and waits until it answers."""
        with open(self.log, "ab") as log:
            # A session of its own: a signal to the tests' group is not for it.
            self.process = subprocess.Popen([program("postgres"), "-D", str(self.data)], stdout=log, stderr=log, cwd=self.folder,
                                            start_new_session=True, **self._identity())
        limit = time.monotonic() + seconds
        while subprocess.run([program("pg_isready"), "-q", "-h", str(self.folder)], check=False).returncode != 0:
            if self.process.poll() is not None or time.monotonic() > limit:
                raise RuntimeError(f"postgres does not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def stop(self):
        """Ends it as an administrator does: connections are closed, everything is written."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self):
        """SIGKILL to the postmaster and all of its processes, as a crash of the machine without loss of the disk's cache."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # Its children end when they notice; a new postmaster refuses to start before.
        limit = time.monotonic() + 30
        while self._has_children() and time.monotonic() < limit:
            time.sleep(0.01)

    def _has_children(self):
        for status in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                words = pathlib.Path(status).read_bytes()
            except OSError:
                continue
            if words.startswith(b"postgres:") and os.path.exists(os.path.join(os.path.dirname(status), "cwd")):
                try:
                    if os.readlink(os.path.join(os.path.dirname(status), "cwd")) == str(self.data):
                        return True
                except OSError:
                    continue
        return False

    @contextlib.contextmanager
    def session(self, database="app"):
        """A session of psql, for transactions that stay open."""
        words = [program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "app", database]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
            yield Session(psql)
            psql.stdin.close()

    def sql(self, text, database="app", check=True):
        """Runs statements by psql, each in a transaction of its own unless they say otherwise; the answer's rows, tabs between columns."""
        found = subprocess.run(
            [program("psql"), "-X", "-q", "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "app", database],
            input=text, capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return [line.split("\t") for line in found.stdout.splitlines()]
        if check:
            raise RuntimeError(f"psql: {found.stderr.strip()}")
        return None
