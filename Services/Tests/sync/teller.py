"""A program that writes the classes of `bank` by SQL, and logs what it does as `bank` does."""

import random

import bank


class Teller:
    """Each transaction is one of psql. One whose outcome nobody has told is in the log as tried."""

    def __init__(self, cluster, name, seed, log):
        self.cluster, self.name, self.log_path = cluster, name, log
        self.random, self.log = random.Random(f"{seed} {name}"), bank.Log(log)
        self.count = self.done = 0

    def step(self):
        self.count += 1
        account = self.random.choice(bank.ACCOUNTS)
        kind = self.random.choice(["pay", "pay", "page", "note", "tag"])
        words, statements = getattr(self, kind)(account)
        self.log.say("try", *words)
        found = self.cluster.sql(f"""
            BEGIN;
            INSERT INTO app."Account" (id, balance) VALUES ('{account}', 0) ON CONFLICT (id) DO NOTHING;
            {statements};
            COMMIT""", check=False)
        if found is not None:
            self.log.say("did")
            self.done += 1

    def pay(self, account):
        entry, amount = f"{self.name}-{self.count}", self.random.randint(-50, 100)
        return ["pay", entry, account, amount], f"""
            INSERT INTO app."Entry" (id, account, amount) VALUES ('{entry}', '{account}', {amount});
            UPDATE app."Account" SET balance = coalesce(balance, 0) + {amount} WHERE id = '{account}'"""

    def page(self, account):
        return ["page", self.count], f"""
            INSERT INTO app."Page" (id, text) VALUES ('{self.name}', {self.count}) ON CONFLICT (id) DO UPDATE SET text = excluded.text"""

    def note(self, account):
        note = f"{self.name}-{self.count}"
        return ["note", account, note], f"""UPDATE app."Account" SET note = '{note}' WHERE id = '{account}'"""

    def tag(self, account):
        tag = f"{self.name}-{self.random.randrange(3)}"
        gone = f"""DELETE FROM app."Account.tags" WHERE owner = '{account}' AND element = '{tag}'"""
        if self.random.random() < 0.5:
            return ["untag", account, tag], gone
        return ["tag", account, tag], f"""{gone}; INSERT INTO app."Account.tags" VALUES ('{account}', '{tag}')"""
