"""Commits of another process, as the page shows them."""

import subprocess
import sys
import time
import unittest

from browsing import COMMAND, WAIT, BrowserTest

#: Notes when an element of a selector has a text, in milliseconds since 1970: `window.noted`.
NOTE = """
const [selector, wanted] = arguments;
window.noted = null;
const look = () => {
    const isShown = document.querySelector(selector)?.textContent.trim() === wanted;
    if (window.noted === null && isShown) window.noted = performance.timeOrigin + performance.now();
};
new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
look();
"""


class Live(BrowserTest):

    def setUp(self):
        super().setUp()
        self.page.go("/f/1/c/Category")
        self.page.until("document.body.dataset.connection === 'live'")
        self.second = self.other()

    def tearDown(self):
        self.second.set("Category", "id == 5", name="Dairy")
        self.second.delete("Category", "id > 8")

    def test_another_processs_commit_changes_the_cell_and_marks_it(self):
        "A cell that another process changes is shown with its new value, marked, and says who changed it; no other cell is marked."
        page = self.page
        self.second.set("Category", "id == 5", name="Milk")
        page.until("document.querySelector('fh-grid .cell.changed')?.textContent === 'Milk'")
        self.assertEqual(len(page.all("fh-grid .cell.changed")), 1)
        self.assertIn(f"({self.second.pid})", page.one("fh-grid .cell.changed").get_attribute("title"))
        self.picture("live-changed")

    def test_the_status_strip_names_process_and_time(self):
        "The strip at the lower edge shows the last commit's time, program and process, and what it changed; pressed, the last commits."
        page = self.page
        self.second.set("Category", "id == 5", name="Milk")
        page.shows("fh-status", f"({self.second.pid})")
        self.assertRegex(page.text("fh-status"), rf"\d\d:\d\d:\d\d python\S* \({self.second.pid}\) Category: 1 changed")
        self.second.create("Category", id=9, name="Sweets")
        page.shows("fh-status", "Category: +1")
        page.run("document.querySelector('fh-status button[title=\"Last commits\"]').click()")
        page.until("document.querySelectorAll('.panel.commits li').length >= 2")
        page.shows(".panel.commits li", str(self.second.pid))
        self.picture("live-commits")

    def test_rows_come_and_go(self):
        "A row that another process adds appears, marked as new; one that it deletes goes; the counts follow."
        page = self.page
        self.second.create("Category", id=9, name="Sweets")
        page.until("document.querySelector('fh-grid .row.new')?.textContent.includes('Sweets')")
        page.until("document.querySelector('fh-objects .result strong').textContent === '9 objects'")
        page.until("document.querySelector('fh-sidebar .classes a[aria-current] .count').textContent === '9'")
        self.second.delete("Category", "id == 9")
        page.until("document.querySelector('fh-objects .result strong').textContent === '8 objects'")
        page.until("![...document.querySelectorAll('fh-grid .row')].some((one) => one.textContent.includes('Sweets'))")
        self.assertEqual(len(page.settle()), 8)

    def test_rows_move_to_where_the_order_wants_them(self):
        "In a sorted query a changed row moves to its new position."
        page = self.page
        page.go("/f/1/c/Category?q=SORT(name+ASC)")
        self.second.set("Category", "id == 5", name="Zest")
        page.until(
            "[...document.querySelectorAll('fh-grid .row')].find((one) => one.dataset.position === '7')?.textContent.includes('Zest')")
        self.assertEqual(page.column("name"), sorted(page.column("name")))

    def test_the_object_in_the_panel_follows(self):
        "The panel shows the new value of its object, marked, and says when the object is deleted."
        page = self.page
        self.second.create("Category", id=9, name="Sweets")
        page.go("/f/1/c/Category?q=id+%3D%3D+9")
        page.press_on("fh-grid .row .cell:nth-child(3)")
        page.shows("fh-inspector h2", "Sweets")
        self.second.set("Category", "id == 9", name="Candy")
        page.shows("fh-inspector dd.changed", "Candy")
        self.second.delete("Category", "id == 9")
        page.shows("fh-inspector", "This object has been deleted")

    def test_a_commit_is_shown_soon(self):
        "From the return of another process's commit to the changed text takes less than 200 ms in the middle of 15; slower "
        "machines have more."
        page, taken = self.page, []
        for number in range(15):
            name = f"Dairy {number}"
            page.run(NOTE, "fh-grid .row[data-position='4'] .cell:nth-child(3)", name)
            returned = self.second.set("Category", "id == 5", name=name)
            taken.append(page.until("window.noted") - returned)
        taken.sort()
        print(f"\nCommit of another process to the changed text: median {taken[7]:.0f} ms, least {taken[0]:.0f}, most {taken[-1]:.0f}",
              flush=True)
        self.assertLess(taken[7], 100 * WAIT)

    def test_paused_the_page_stands_still_and_continues(self):
        "Paused, commits change nothing that is shown; continued, the page shows what is now."
        page = self.page
        page.press_on("fh-status button", "Pause")
        page.until("document.body.dataset.connection === 'paused'")
        page.shows("fh-status .connection", "Paused")
        # The rows of a paused tab are those of the version it held: this is asked of the server, not only of what is drawn.
        self.second.set("Category", "id == 5", name="Milk")
        self.second.create("Category", id=9, name="Sweets")
        self.picture("live-paused")
        self.assertEqual(page.count(), "8 objects")
        self.assertEqual(page.cell_text(4, "name"), "Dairy")
        page.press_on("fh-status button", "Continue")
        page.shows("fh-objects .result strong", "9 objects")
        page.until("document.querySelector('fh-grid .row[data-position=\"4\"] .cell:nth-child(3)').textContent === 'Milk'")

    def test_many_commits_are_shown_together(self):
        "A hundred commits at once end with the last value, and with the strip saying how many there were."
        for number in range(100):
            self.second.set("Category", "id == 5", name=f"Dairy {number}")
        self.page.until("document.querySelector('fh-grid .row[data-position=\"4\"] .cell:nth-child(3)').textContent === 'Dairy 99'")

    def holders(self):
        """The browser's holders of a version, as `freehold info` lists them."""
        text = subprocess.run([COMMAND, "info", str(self.files[0])], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              check=True).stdout
        return [line for line in text.splitlines() if f"(process {self.server.process.pid})" in line]

    @unittest.skipUnless(COMMAND, "FREEHOLD_COMMAND names no command")
    def test_a_hidden_tab_lets_go_of_its_version(self):
        "A tab in the background holds no version, also after a commit: `freehold info` says so; in front again it shows what is now."
        page = self.page
        driver, first = page.driver, page.driver.current_window_handle
        self.wait(lambda: self.holders(), "the page holds a version")
        driver.switch_to.new_window("tab")
        try:
            self.wait(lambda: not self.holders(), "the hidden page holds none")
            self.second.set("Category", "id == 5", name="Milk")
            self.assertFalse(self.holders())
        finally:
            driver.close()
            driver.switch_to.window(first)
        page.until("document.querySelector('fh-grid .row[data-position=\"4\"] .cell:nth-child(3)').textContent === 'Milk'")

    def wait(self, condition, what):
        limit = time.monotonic() + WAIT
        while not condition():
            self.assertLess(time.monotonic(), limit, f"{what}: {self.holders()}")

    def test_a_tab_comes_back_to_changes_of_other_classes(self):
        "A tab that comes back after a commit to a class that it does not show stands as it was, and no error is in the console."
        page = self.page
        driver, first = page.driver, page.driver.current_window_handle
        driver.switch_to.new_window("tab")
        try:
            self.second.set("Order", "id < 10", total=1.5)
        finally:
            driver.close()
            driver.switch_to.window(first)
        page.until("import('/live.js').then((module) => module.live.commits.length > 0)")
        self.assertEqual(page.complaints(), [])

    def test_watched_values_follow(self):
        "A watched cell, object and query stand in the sidebar with their present values, whatever is shown; they can be let go."
        page = self.page
        page.press_on("fh-grid .row[data-position='4'] .cell:nth-child(3)")
        page.keys("w")
        page.shows("fh-sidebar .watch .now", "Dairy")
        page.press_on("fh-objects .tools button", "Watch")
        page.until("document.querySelectorAll('fh-sidebar .watch li').length === 2")
        page.press_on("fh-sidebar .classes a", "Product")
        self.second.set("Category", "id == 5", name="Milk")
        self.second.create("Category", id=9, name="Sweets")
        page.shows("fh-sidebar .watch .now", "Milk")
        page.shows("fh-sidebar .watch .now", "9")
        self.picture("watch")
        page.run("document.querySelectorAll('fh-sidebar .watch li button.square').forEach((one) => one.click())")
        page.until("!document.querySelector('fh-sidebar .watch li')")

    def test_a_changed_schema_is_shown(self):
        "A property that another process adds appears as a column, and a class in the sidebar."
        code = ("import sys, freehold\nwith freehold.open(sys.argv[1]) as d, d.write() as t:\n"
                "    t.create_class('Courier', name=str) if sys.argv[2] == 'add' else t.drop_class('Courier')")

        def change(what):
            subprocess.run([sys.executable, "-c", code, str(self.files[0]), what], check=True, stdin=subprocess.DEVNULL)

        change("add")
        self.addCleanup(lambda: change("drop"))
        self.page.shows("fh-sidebar .classes", "Courier")
