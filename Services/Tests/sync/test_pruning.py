"""Deletions that are older than files may stay away are forgotten; a file that has stayed away for longer loses nothing of its own."""

import subprocess
import unittest

import bank
import server
import stage


class Pruning(stage.ServerTest):
    def prune(self, days):
        words = [server.PROGRAMS / "freehold-sync-server", "prune", "--database", self.stage.cluster.url, "--older-than", str(days)]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    def dead(self):
        return self.number('SELECT count(*) FROM freehold."row" WHERE NOT alive')

    def number(self, text):
        return int(self.stage.cluster.sql(text)[0][0])

    def age(self, days):
        self.stage.cluster.sql(f"UPDATE freehold.mark SET taken = taken - interval '{days} days'")

    def restart(self):
        """It prunes when it starts, and once an hour."""
        self.stage.server.stop()
        self.stage.server.start()
        recent = "SELECT count(*) FROM freehold.mark WHERE taken > now() - interval '1 day'"
        stage.until(lambda: self.number(recent) == 1, "the server has set a mark")

    def pages(self, file, *added, without=()):
        with file.database.write() as transaction:
            for name in added:
                transaction.add(bank.Page(name, 1))
            for name in without:
                transaction.delete(transaction.get(bank.Page, name))

    def test_a_late_file_is_reset_and_keeps_what_it_has_not_sent(self):
        here, away = self.stage.file("here"), self.stage.file("away")
        self.pages(here, "kept", "gone", "later")
        self.settled(here, away)
        self.pages(here, without=["gone"])
        self.settled(here)
        self.assertEqual(self.prune(1), "0 deleted objects are forgotten\n")
        self.assertEqual(self.dead(), 1)
        self.assertEqual(self.prune(0), "1 deleted objects are forgotten\n")
        self.assertEqual(self.dead(), 0)
        self.pages(here, without=["later"])
        self.pages(away, "own")
        stage.pay(away, "a", 3, "e")
        self.settled(here, away)
        for file in (here, away):
            self.assertEqual(sorted(stage.shown(file)["Page"]), ["kept", "own"])
            self.assertEqual(stage.shown(file)["Account"]["a"][0], 3)

    def test_a_server_prunes_by_itself_what_is_old_enough(self):
        file = self.stage.file("one")
        self.pages(file, "a", "b")
        self.settled(file)
        self.pages(file, without=["a"])
        self.settled(file)
        count = self.dead()
        self.assertGreater(count, 0)
        self.stage.cluster.sql("DELETE FROM freehold.mark")
        self.restart()  # a mark behind the deletion
        self.age(89)
        self.restart()
        self.assertEqual(self.dead(), count)
        self.age(2)
        self.restart()
        stage.until(lambda: self.dead() == 0, "what is 91 days old is forgotten")
        self.pages(file, "c")
        self.settled(file)


if __name__ == "__main__":
    unittest.main()
