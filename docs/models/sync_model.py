#!/usr/bin/env python3
"""Model of sync: files on devices, a server that merges, and a network between them that loses, repeats, delays and reorders.

    python3 docs/models/sync_model.py --traces 150 --seed 1         # every shortcut until three of its traces are bad; --all: all
    python3 docs/models/sync_model.py --variant "pending cleared by the ack" --show 3

Programs commit to files, agents push what is pending and pull what others have changed; agents are killed, machines lose power, files
are copied and put back, clocks are wrong, the server is restored from a backup. The rules are those of docs/sync.md. What a file holds
stands in `sync_file.py`, how it takes an answer in `sync_apply.py`, the server in `sync_server.py` and `sync_merge.py`, processes in
`sync_process.py`, the judge in `sync_judge.py`. The exit code is 1 when the rules that must hold show a violation.
"""

import collections
import pickle

from simulation import exit_with, main
from sync_file import File
from sync_judge import Judge
from sync_network import Network
from sync_process import Agent, Program, deliver
from sync_rules import VARIANTS
from sync_runs import Runs
from sync_server import SQL, Server

DEVICES = (1, 1, 2)         # their users
MOST_FILES = 5


class World:
    """One trace: the files, the server, the network, true time, and what happens to them."""

    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.time = 1000
        self.numbers = self.replicas = 0
        self.has_restored = False
        self.holders = {}               # replica -> number of the file that has, or had, the identity
        self.runs = Runs(self)          # of list elements, for the judge
        self.judge = Judge(self)
        self.network = Network(random_source, rules, self.counters)
        self.server = Server(self)
        self.agents = []
        self.set_up()
        self.files = [File(number, user, self, self.new_replica()) for number, user in enumerate(DEVICES)]

    def set_up(self):
        """Objects that are there from the start: a pair that is always changed together, and a note."""
        from sync_server import ServerRow
        def create(state, transaction):
            for key in ("p1", "p2", "a"):
                row = state.rows[key] = ServerRow(transaction)
                row.births.add(SQL)
                row.changed[SQL] = transaction
        self.server.sql(create)
        self.server.back_up()

    def unique(self):
        self.numbers += 1
        return self.numbers

    def new_replica(self):
        self.replicas += 1
        return self.replicas

    # Events

    def run(self):
        rules = self.rules
        events = ((self.commit, 34), (self.step_agent, 40), (self.deliver, 26), (self.finish, 14), (self.write_sql, 1 + rules.rights),
                  (self.kill_agent, 3 * rules.kills), (self.power_cut, 1.2 * rules.kills), (self.crash_server, rules.kills),
                  (self.copy_file, 0.7 * rules.copies), (self.put_back, 0.7 * rules.copies), (self.set_skew, 1.5 * rules.clocks),
                  (self.change_rights, rules.rights), (self.disconnect, rules.offline), (self.long_absence, rules.absences),
                  (self.pass_time, 1.5), (self.prune, rules.prunes), (self.back_up, 0.4 * rules.restores),
                  (self.restore, 0.4 * rules.restores))
        acts, weights = zip(*events)
        for act in self.random.choices(acts, weights, k=self.rules.steps):
            self.time += self.random.choice((0, 0, 1, 2))
            act()
        self.settle()
        self.judge.check_end()

    def commit(self):
        file = self.random.choice(self.files)
        Program(file).run()
        self.judge.check(file)

    def step_agent(self):
        file = self.random.choice(self.files)
        if file.offline_until > self.time:
            return
        agents = [agent for agent in self.agents if agent.file is file]
        if not agents or (self.rules.agents > len(agents) and self.random.random() < 0.1):
            agents.append(Agent(file))
            self.agents.append(agents[-1])
        for _ in range(self.random.choice((1, 1, 2, 4))):
            self.advance(self.random.choice(agents))

    def advance(self, agent):
        point = next(agent.steps)
        self.log(f"{self.time} file {agent.file.number} {point}")

    def deliver(self):
        message = self.network.next()
        if message is not None:
            self.log(f"{self.time} delivers {type(message).__name__} of file {message.file}")
            deliver(self, message)

    def finish(self):
        if self.server.running:
            running = list(self.server.running)
            transaction = running[0] if self.random.random() < 0.5 else self.random.choice(running)
            self.log(f"{self.time} commits transaction {transaction} of file {self.server.running[transaction].file}")
            self.server.finish(transaction)

    def write_sql(self):
        key = self.random.choice(("a", "b", "u1"))
        path = self.random.choice(("x", "y", "owner"))
        self.server.write_sql(key, path, self.random.choice((None, 1, 2)) if path == "owner" else self.unique())

    def change_rights(self):
        self.server.state.admins = {user for user in (1, 2) if self.random.random() < 0.6}

    # Failures

    def kill_agent(self):
        if self.agents:
            agent = self.agents.pop(self.random.randrange(len(self.agents)))
            self.log(f"{self.time} kills the agent of file {agent.file.number}")
            self.counters["agents killed"] += 1

    def stop_agents(self, file):
        self.agents = [agent for agent in self.agents if agent.file is not file]

    def power_cut(self):
        file = self.random.choice(self.files)
        self.log(f"{self.time} power cut of file {file.number}")
        self.counters["power cuts"] += 1
        self.stop_agents(file)
        file.power_cut()

    def crash_server(self):
        """Transactions that have begun never were; what answers were sent stays."""
        self.log(f"{self.time} server crashes")
        self.server.running.clear()

    def copy_file(self):
        if len(self.files) >= MOST_FILES:
            return
        source = self.random.choice(self.files)
        copy = File(len(self.files), source.user, self, 0)
        copy.take(pickle.dumps(source.now), source.marked if self.random.random() < 0.5 else (0, 0))
        self.log(f"{self.time} file {source.number} copied to file {copy.number}")
        self.counters["copies"] += 1
        self.files.append(copy)

    def put_back(self):
        """A file's own copy is put back in its place, or is made."""
        file = self.random.choice(self.files)
        if file.copy is None or self.random.random() < 0.3:
            file.copy = pickle.dumps(file.now)
            return
        self.log(f"{self.time} file {file.number} put back")
        self.counters["put back"] += 1
        self.stop_agents(file)
        if file.is_open:                    # else nobody has closed it since it was put back before
            file.closed = file.now.commits
        file.take(file.copy, file.marked)

    def set_skew(self):
        file = self.random.choice(self.files)
        file.skew = self.random.choice(self.rules.skews)
        file.now.is_told = False
        self.log(f"{self.time} clock of file {file.number} is {file.skew} ahead")

    def disconnect(self):
        self.random.choice(self.files).offline_until = self.time + self.random.choice((20, 60, 150))

    def long_absence(self):
        """A device is away for longer than the server keeps tombstones, of one object that is deleted meanwhile."""
        away, other = self.random.sample(self.files, 2)
        keys = [key for key in away.now.objects.keys() & other.now.objects.keys() if key[0] != "p"]
        if keys:
            self.log(f"{self.time} file {away.number} is away for long")
            away.offline_until = self.time + 4 * self.rules.retention
            other.open()
            other.commit({self.random.choice(keys): None}, True)
            self.exchange(other)
            for _ in range(3):
                self.time += self.rules.retention + 1
                self.prune()

    def pass_time(self):
        self.time += self.random.choice((30, 80, 200))

    def prune(self):
        self.server.prune(self.rules.retention)

    def back_up(self):
        self.server.back_up()

    def restore(self):
        self.log(f"{self.time} server restored from its backup")
        self.has_restored = True
        self.server.restore()

    # The end: everything is delivered

    def settle(self):
        self.log("settling")
        self.agents = []
        for _ in range(self.rules.rounds):
            for file in self.files:
                self.exchange(file)
            if not any(file.now.pending for file in self.files):
                break
        for file in self.files:                 # what the last ones have pushed
            self.exchange(file)

    def exchange(self, file):
        """An agent of one file pushes and pulls, and nothing is lost."""
        self.stop_agents(file)
        agent = Agent(file)
        self.agents.append(agent)
        for _ in range(6 if self.rules.applies_at_once else 10):
            self.advance(agent)
            self.deliver_all()

    def deliver_all(self):
        while self.network.messages or self.server.running:
            message = self.network.next(in_order=True)
            if message is not None:
                deliver(self, message)
            for transaction in list(self.server.running):
                self.server.finish(transaction)


if __name__ == "__main__":
    exit_with(main(__doc__.splitlines()[0], World, VARIANTS, traces=150, enough=3))
