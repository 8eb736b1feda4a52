"""Agents on another host: HTTPS with HTTP/2, over a cable that is pulled out, slow, and loses packets where the kernel can do that.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_network

Takes root for network namespaces; else only what one host can show is run.
"""

import http.client
import os
import random
import ssl
import subprocess
import time
import unittest

import agent
import bank
import freehold
import judge
import network
import server
import tokens
from stage import LONG, PATIENCE, Background, Stage, until

MISSING = network.Host.missing()


class SecureTests(unittest.TestCase):
    """On this host."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.certificate, key = network.certificate(cls.stage.folder, "127.0.0.1")
        words = ["--certificate", str(cls.certificate), "--certificate-key", str(key)]
        cls.server = server.Server(cls.stage.cluster.url, cls.stage.keys, *words)

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.stage.close()

    def context(self):
        return ssl.create_default_context(cafile=self.certificate)

    def handshake(self, context, *protocols):
        """The protocol that is agreed on."""
        if protocols:
            context.set_alpn_protocols(list(protocols))
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=PATIENCE, context=context)
        try:
            connection.connect()
            return connection.sock.selected_alpn_protocol()
        finally:
            connection.close()

    def test_protocols(self):
        self.assertEqual(self.handshake(self.context(), "h2", "http/1.1"), "h2")
        self.assertEqual(self.handshake(self.context(), "http/1.1"), "http/1.1")
        old = self.context()
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises(OSError):
            self.handshake(old)
        # Without TLS there is no answer that could be taken for one.
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.server.ask("GET", "/health", timeout=10)

    def test_requests_by_http_1(self):
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=PATIENCE, context=self.context())
        self.addCleanup(connection.close)
        connection.request("GET", "/health")
        self.assertEqual(connection.getresponse().read(), b"ok\n")
        file = self.stage.file("secure")
        connection.request("POST", "/v1/pull", file.database.sync_pull(), {"Authorization": f"Bearer {tokens.token('ann')}"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        file.database.sync_apply(answer.read())

    @unittest.skipIf(os.geteuid() != 0, "to trust a certificate takes root here")
    def test_agents(self):
        path, token = self.stage.path("by-agent"), self.stage.folder / "token"
        token.write_text(tokens.token("ann"), encoding="utf-8")
        with freehold.open(path, bank.MODELS) as database, database.write() as transaction:
            for place in range(3_000):
                transaction.add(bank.Page(f"page-{place}", place))
        address = f"https://127.0.0.1:{self.server.port}"
        status, said = agent.sync_once(path, address, token)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "(?i)certificate|peer")
        mount = f'mount --bind "{self.certificate}" /etc/ssl/certs/ca-certificates.crt && exec "$0" "$@"'
        words = [server.PROGRAMS / "freehold-sync", "--once", path, "--server", address, "--token-file", token]
        done = subprocess.run(["unshare", "-m", "sh", "-c", f"mount --make-rprivate / && {mount}", *words],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.stage.cluster.sql("""SELECT count(*) FROM app."Page" WHERE id LIKE 'page-%'"""), [["3000"]])


@unittest.skipIf(MISSING, MISSING)
class CableTests(unittest.TestCase):
    def test_a_cable_that_is_bad(self):
        """Three programs write while their agents, on two other hosts, lose the network; in the end all files are alike."""
        stage = Stage()
        self.addCleanup(stage.close)
        hosts = [network.Host(), network.Host()]
        for host in hosts:
            self.addCleanup(host.close)
        seed = int(os.environ.get("FREEHOLD_SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        token = stage.folder / "token"
        token.write_text(tokens.token("ann"), encoding="utf-8")
        servers, agents, writers = [], [], []
        for host in hosts:
            certificate, key = network.certificate(stage.folder, host.address)
            made = server.Server(stage.cluster.url, stage.keys, "--host", host.address, "--certificate", str(certificate),
                                 "--certificate-key", str(key))
            self.addCleanup(made.kill)
            servers.append((made, host.words(certificate)))
        for place, name in enumerate(["ann", "ben", "cleo"]):
            log = str(stage.folder / f"{name}.log")
            writers.append(bank.Writer(stage.path(name), name, seed, log))
            made, around = servers[place % 2]
            one = agent.Agent(stage.path(name), f"https://{hosts[place % 2].address}:{made.port}", token, around)
            self.addCleanup(one.kill)
            agents.append(one)
        goes_on = [True]

        def write(writer):
            while goes_on[0]:
                writer.step()
                time.sleep(0.005)

        threads = [Background(lambda one=one: write(one)) for one in writers]
        has_netem = None
        for _ in range(int(60 * LONG) or 8):
            host = chance.choice(hosts)
            kind = chance.choice(["pull out", "lossy", "slow", "narrow", "good", "agent", "server"])
            if kind == "pull out":
                host.pull_out()
                time.sleep(chance.random())
                host.plug_in()
            elif kind in ("lossy", "slow"):
                words = ("loss", "5%", "delay", "10ms", "5ms") if kind == "lossy" else ("delay", "80ms", "40ms")
                has_netem = host.impair(*words)
            elif kind == "narrow":
                host.narrow("2mbit")
            elif kind == "good":
                host.impair()
            elif kind == "agent":
                one = chance.choice(agents)
                one.kill()
                one.start()
            else:
                one = chance.choice(servers)[0]
                one.kill()
                one.start()
            time.sleep(chance.random() * 0.4)
        for host in hosts:
            host.impair()
            host.plug_in()
        goes_on[0] = False
        for one in threads:
            one.result()
        for one in writers:
            one.database.close()
        files = [stage.path(one.name) for one in writers]

        def is_alike():
            first, *others = map(judge.read_file, files)
            return all(one == first for one in others)

        until(is_alike, f"the files agree (FREEHOLD_SEED={seed}, netem {has_netem})")
        problems = judge.Verdict({one.name: one.log_path for one in writers}).problems(judge.read_file(files[0]))
        self.assertEqual(problems, [], f"FREEHOLD_SEED={seed}")
