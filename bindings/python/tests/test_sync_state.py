"""What an agent shall do for a file, and how it goes; the test writes what an agent would."""

from __future__ import annotations

import datetime
import os
import re
import threading
import unittest
from pathlib import Path
from typing import Any

import freehold
from kit import Case

AT = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
PAGE = Path(__file__).parents[3] / "docs" / "sync.md"


@freehold.model(sync="deletion_wins")
class Page:
    id: str = freehold.field(primary_key=True)


class SyncStates(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path, [Page])
        self.addCleanup(self.database.close)

    def version(self) -> int:
        with self.database.read() as snapshot:
            return snapshot.version

    def test_settings(self) -> None:
        sync = self.database.sync
        self.assertIsNone(sync.settings())
        for failing in (sync.suspend, sync.resume, lambda: sync.download(timeout=0)):
            self.assertRaisesRegex(freehold.ArgumentError, "does not say where its server is", failing)
        sync.configure("https://sync.example", token="abc")
        self.assertEqual(sync.settings(), freehold.SyncSettings("https://sync.example", "abc"))
        sync.configure("https://sync.example", token_file="token")
        whole = freehold.SyncSettings("https://sync.example", None, os.path.abspath("token"))
        self.assertEqual(sync.settings(), whole)
        version = self.version()
        sync.configure("https://sync.example", token_file=Path("token"))
        sync.resume()
        self.assertEqual(self.version(), version)
        sync.suspend()
        self.assertEqual(sync.settings(), freehold.SyncSettings(whole.address, None, whole.token_file, True))
        self.assertRaisesRegex(freehold.ArgumentError, "suspended", sync.download)

    def test_state_and_issues(self) -> None:
        sync = self.database.sync
        self.assertEqual((sync.state(), sync.issues()), (freehold.SyncState("stopped", False, False, None), []))
        sync.configure("https://sync.example")
        with self.database.write() as transaction:
            transaction.add(Page("a"))
            transaction.create("FreeholdSyncState", id=1, connection="connected", lastExchange=AT)
            transaction.create("FreeholdSyncIssue", date=AT, code="beaten", what="w", className="Page", primaryKey="a", property="id")
        # Without an agent the file does not believe what one has left.
        self.assertEqual(sync.state(), freehold.SyncState("stopped", False, True, AT))
        self.assertEqual(sync.issues(), [freehold.SyncIssue(AT, "beaten", "w", "", "", "Page", "a", "id")])

    def test_download(self) -> None:
        sync = self.database.sync
        sync.configure("https://sync.example")
        self.assertRaisesRegex(TimeoutError, "no agent works at this file: start `freehold-sync", lambda: sync.download(timeout=0))

    def test_page(self) -> None:
        """The example of the page: no agent is there, and one has left an issue."""
        example = re.search(r"```python\n(def begin.*?)```", PAGE.read_text(), re.DOTALL).group(1)
        said: list[str] = []
        names: dict[str, Any] = {"print": lambda *words: said.append(" ".join(map(str, words)))}
        exec(example.replace("timeout=60", "timeout=0"), names)
        self.database.sync.configure("https://other.example")
        with self.database.write() as transaction:
            transaction.create("FreeholdSyncIssue", date=AT, code="beaten", what="w", className="Page", primaryKey="a")
        names["begin"](self.database)
        self.assertEqual(said[1:], ["beaten Page a w"])
        self.assertIn("no agent works at this file: start `freehold-sync", said[0])

    def test_answered_download(self) -> None:
        """A thread plays the agent: it answers the first question, and the server refuses the second."""
        sync, asked = self.database.sync, [1, 2]
        sync.configure("https://sync.example")
        with self.database.write() as transaction:
            transaction.create("FreeholdSyncDownload", id=1)
        watch = self.database.watch("FreeholdSyncDownload")
        self.addCleanup(watch.close)

        def answer() -> None:
            for _ in watch:
                with self.database.write() as transaction:
                    question = transaction.get("FreeholdSyncDownload", 1)
                    if question["asked"] == asked[0]:
                        question["answered"], question["failure"] = asked.pop(0), None if asked[0:1] == [2] else "refused: no"
                if not asked:
                    return

        agent = threading.Thread(target=answer)
        agent.start()
        sync.download()
        self.assertRaisesRegex(freehold.FileError, "refused: no", sync.download)
        agent.join()


if __name__ == "__main__":
    unittest.main()
