"""Starts `freehold-browse` and Chromium, and asks the page what it shows."""

import atexit
import contextlib
import importlib.util
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

TEXTS = "return [...document.querySelectorAll(arguments[0])].slice(0, 5).map((one) => one.textContent.slice(0, 200))"
BINARY = os.environ.get("FREEHOLD_BROWSE", "freehold-browse")
COMMAND = os.environ.get("FREEHOLD_COMMAND", "")
PICTURES = os.environ.get("FREEHOLD_PICTURES", "")
FAILURES = os.environ.get("FREEHOLD_FAILURES") or tempfile.gettempdir()
WAIT = 10.0 * float(os.environ.get("FREEHOLD_PATIENCE") or 1)
SIZE = (1440, 900)

#: Rows in view, from the top: position, class names, and the text of each cell, null for those of columns out of view; the first one
#: is the row's number.
ROWS = """
const texts = (row) => {
    const found = Array(Number(document.querySelector('fh-grid .sizer').getAttribute('aria-colcount'))).fill(null);
    for (const cell of row.children) found[Number(cell.getAttribute('aria-colindex')) - 1] = cell.textContent.trim();
    return found;
};
return [...document.querySelectorAll('fh-pane:first-child fh-grid .body > .row')].map((row) => ({
    position: Number(row.dataset.position), kind: row.className, selected: row.getAttribute('aria-selected') === 'true',
    cells: texts(row),
})).sort((one, other) => one.position - other.position);
"""

#: Whether the grid shows what it is to show: no rows that wait, no request for a view.
SETTLED = """
const grid = document.querySelector('fh-grid');
if (!grid?.view || grid.classList.contains('loading') || grid.view.cache.pending.size) return false;
const {first, end} = grid.map.visible();
const rows = [...grid.body.children].filter((row) => +row.dataset.position >= first && +row.dataset.position < end);
return rows.length === end - first && !rows.some((row) => row.classList.contains('placeholder'));
"""


class Chromium:
    """The one browser that all tests share."""

    shared: "webdriver.Chrome | None" = None

    @classmethod
    def driver(cls):
        if cls.shared is None:
            options = Options()
            options.binary_location = "/usr/bin/chromium"
            for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                             "--force-color-profile=srgb", "--disable-background-networking", f"--window-size={SIZE[0]},{SIZE[1]}"):
                options.add_argument(argument)
            options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
            options.set_capability("unhandledPromptBehavior", "ignore")
            cls.shared = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
            cls.shared.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": SIZE[0],
                "height": SIZE[1],
                "deviceScaleFactor": 1,
                "mobile": False
            })
            cls.shared.execute_cdp_cmd("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
            atexit.register(cls.quit)
        return cls.shared

    @classmethod
    def quit(cls):
        if cls.shared is not None:
            with contextlib.suppress(Exception):
                cls.shared.quit()
            cls.shared = None


class Server:
    """A running `freehold-browse`."""

    def __init__(self, *files, folder, write=False, arguments=()):
        environment = dict(os.environ, XDG_STATE_HOME=str(pathlib.Path(folder) / "state"), HOME=str(folder))
        self.log = open(pathlib.Path(folder) / "server.log", "a+")
        # A terminal, because only there Enter prints another link.
        self.terminal, terminal = pty.openpty()
        self.process = subprocess.Popen([BINARY, *map(str, files), *(["--write"] if write else []), "--idle-seconds", "0", *arguments],
                                        stdin=terminal,
                                        stdout=subprocess.PIPE,
                                        stderr=self.log,
                                        env=environment,
                                        text=True)
        os.close(terminal)
        self.link = self.next_link()
        self.base = self.link.split("#")[0]

    def next_link(self):
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+/#token=\w+", line):
                return found[0]
        self.log.seek(0)
        raise AssertionError(f"freehold-browse did not print a link: {self.process.wait()} {self.log.read()[-2000:]}")

    def another_link(self):
        """A link for one more browser: Enter prints it."""
        os.write(self.terminal, b"\n")
        return self.next_link()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        self.process.stdout.close()
        self.log.close()


class Other:
    """Another process, which commits to a file."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(pathlib.Path(__file__).with_name("other.py")),
             str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True)
        self.answer()

    @property
    def pid(self):
        return self.process.pid

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the other process has ended")
        return json.loads(line)

    def do(self, *operations):
        """Commits; the answer is when the commit returned, in milliseconds since 1970."""
        self.process.stdin.write(json.dumps({"do": operations}) + "\n")
        self.process.stdin.flush()
        return self.answer()["at"]

    def set(self, name, query, /, **values):
        return self.do({"kind": "set", "class": name, "query": query, "values": values})

    def create(self, name, /, **values):
        return self.do({"kind": "create", "class": name, "values": values})

    def delete(self, name, query):
        return self.do({"kind": "delete", "class": name, "query": query})

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Page:
    """The page in the browser: what it shows, and keys and presses for it."""

    def __init__(self, driver, base):
        self.driver, self.base = driver, base
        #: How long it waits for what is to come.
        self.patience = WAIT

    # Asking

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def until(self, script, *values, what="", seconds=None):
        """Waits until a script returns something true, and returns that."""
        script = script if "return" in script else f"return {script}"
        seconds = seconds or self.patience
        limit = time.monotonic() + seconds
        while True:
            with contextlib.suppress(StaleElementReferenceException):
                if found := self.run(script, *values):
                    return found
            if time.monotonic() > limit:
                raise AssertionError(f"not within {seconds} s: {what or script} {values or ''}")
            time.sleep(0.01)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector, text=None):
        """The first element of a selector, with this text if one is given, once it is shown."""
        return self.until("""
            return [...document.querySelectorAll(arguments[0])].find((one) =>
                one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length
                && (arguments[1] === null || one.textContent.includes(arguments[1]) ||
                    one.getAttribute('aria-label')?.includes(arguments[1])
                    || one.title?.includes(arguments[1])));
        """,
                          selector,
                          text,
                          what=f"{selector} {text or ''} is shown")

    def text(self, selector):
        """The text of the first element of a selector that shows one.

        The page says itself what it shows, in one question. What the driver says, which computes by itself whether each word can be
        seen, was twice the empty text on a busy machine.
        """
        return self.until("""
            for (const one of document.querySelectorAll(arguments[0])) {
                const text = one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length && one.innerText.trim();
                if (text) return text;
            }
        """,
                          selector,
                          what=f"{selector} shows a text; it holds {self.run(TEXTS, selector)}")

    def shows(self, selector, text, seconds=None):
        """Waits until an element of a selector has a text in it."""
        return self.until(
            "return [...document.querySelectorAll(arguments[0])].some((one) => one.checkVisibility() && "
            "one.textContent.includes(arguments[1]))",
            selector,
            text,
            what=
            f"{selector} shows {text!r}; it shows {self.run(TEXTS, selector)}",
            seconds=seconds)

    def lacks(self, selector):
        self.until(
            "return ![...document.querySelectorAll(arguments[0])].some((one) => one.checkVisibility() && one.getClientRects().length)",
            selector,
            what=f"{selector} is gone")

    def press_on(self, selector, text=None):
        return self.press(lambda: self.one(selector, text))

    def press(self, find):
        """Presses what a function finds."""

        def click(element):
            self.run("arguments[0].scrollIntoView({block: 'nearest'})", element)
            element.click()
            return element

        return self.found(find, click)

    def run_on(self, find, script):
        """Runs a script on the element, `arguments[0]`, that a function finds."""
        return self.found(find, lambda element: self.run(script, element))

    def found(self, find, act):
        """Does something with the element that a function finds, which is found again if it was drawn anew in between."""
        for _ in range(19):
            with contextlib.suppress(StaleElementReferenceException):
                return act(find())
        return act(find())

    def keys(self, *keys):
        """Presses keys; a tuple is pressed together: (Keys.CONTROL, "s")."""
        actions = ActionChains(self.driver, duration=0)
        for key in keys:
            if isinstance(key, tuple):
                *held, last = key
                for one in held:
                    actions.key_down(one)
                actions.send_keys(last)
                for one in reversed(held):
                    actions.key_up(one)
            else:
                actions.send_keys(key)
        actions.perform()

    @property
    def focused(self):
        """The focused element in words: tag, classes, name and text."""
        return self.run("""
            const one = document.activeElement;
            const name = `${one.localName}.${one.className?.baseVal ?? one.className}`;
            return `${name} ${one.getAttribute('aria-label') ?? ''} ${one.textContent.slice(0, 60)}`;
        """)

    # The grid

    def settle(self):
        """Waits until the grid shows its rows."""
        self.until(SETTLED, what="the rows are shown")
        return self.rows()

    def rows(self):
        return self.run(ROWS)

    def column(self, name):
        """The cells of a column in view."""
        self.settle()
        index = self.reveal(name)
        return [row["cells"][index] for row in self.settle() if "section" not in row["kind"]]

    def reveal(self, name):
        """Scrolls to a column, which only then has cells; its number."""
        index = self.headers().index(name)
        self.until("""
            const [index, grid] = [arguments[0], document.querySelector('fh-grid')];
            if ([...grid.body.children].every((row) => row.matches('.section') ||
                row.querySelector(`:scope > [aria-colindex='${index + 1}']`))) return true;
            grid.scroller.scrollLeft = grid.head.children[index].offsetLeft - grid.head.children[0].offsetWidth;
        """,
                   index,
                   what=f"column {name} is drawn")
        return index

    def headers(self):
        return self.run(
            "return [...document.querySelectorAll('fh-grid .head [role=columnheader]')].map((one) => "
            "one.querySelector('.name')?.textContent ?? one.textContent.trim())"
        )

    def cell(self, position, name):
        """The element of a cell by its row's position and its column."""
        index = self.reveal(name)
        return self.until(
            "return document.querySelector(`fh-grid .body > .row[data-position='${arguments[0]}'] > "
            "[aria-colindex='${arguments[1] + 1}']`)",
            position,
            index,
            what=f"row {position}, {name}")

    def press_cell(self, position, name):
        return self.press(lambda: self.cell(position, name))

    def run_on_cell(self, position, name, script):
        """Runs a script on a cell, `arguments[0]`, found again if the grid draws it anew before the script runs."""
        return self.run_on(lambda: self.cell(position, name), script)

    def cell_text(self, position, name):
        return self.run_on_cell(position, name, "return arguments[0].textContent.trim()")

    def count(self):
        """The text of the number of objects: "2,000 objects"."""
        self.until(SETTLED, what="the rows are shown")
        return self.text("fh-objects .result strong")

    # Going

    def go(self, fragment):
        """Shows a view by its address, and waits for its rows if it has any."""
        # Through an empty page, so that nothing stays of what was there.
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}#{fragment}")
        if re.match(r"/f/\d+(/c/|$)", fragment):
            self.until(f"if (document.querySelector('fh-objects .message:not([hidden])')) return true; {SETTLED}",
                       what=f"{fragment} is shown")
        else:
            self.until("document.querySelector('fh-schema .box, fh-file table, fh-code .code:not(:empty)')", what=f"{fragment} is shown")
        return self

    def reload(self):
        self.driver.refresh()
        self.settle()

    @property
    def address(self):
        return self.driver.current_url

    def query(self, text):
        """Runs a query by typing it."""
        field = self.one("fh-query input")
        field.click()
        self.keys((Keys.CONTROL, "a"), Keys.DELETE)
        if text:
            field.send_keys(text)
        self.keys(Keys.ESCAPE, Keys.ENTER)
        return self

    def scheme(self, name):
        """Light or dark."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def picture(self, name, folder=PICTURES):
        """Writes a screenshot into the folder of pictures, if there is one."""
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))

    # What the browser has noted since it was asked last

    def complaints(self):
        """Messages of the console: errors, and violations of the content security policy. Answers with an error status are none."""
        return [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING") and entry["source"] != "network"
        ]

    def requests(self):
        """The addresses of all requests."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found


class BrowserTest(unittest.TestCase):
    """Tests with a folder, one server and one page. The console stays without errors, and requests go to the server alone."""

    write = False
    folder: pathlib.Path
    server: Server
    page: Page

    @classmethod
    def make(cls) -> "list[Any]":
        """Makes the files to open."""
        import shop
        return [shop.make(cls.folder / "shop.freehold")]

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="freehold-chromium-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.files = cls.make()
        cls.server = Server(*cls.files, folder=cls.folder, write=cls.write)
        cls.addClassCleanup(cls.server.close)
        cls.addClassCleanup(lambda: Chromium.driver().get("about:blank"))
        cls.page = Page(Chromium.driver(), cls.server.base)
        cls.page.complaints(), cls.page.requests()
        cls.page.driver.get(cls.server.link)
        cls.page.one("fh-objects, .state")

    def setUp(self):
        # What does not work yet is not waited for as long.
        self.page.patience = WAIT * 0.3 if self.is_expected_to_fail else WAIT
        self.addCleanup(self.check_quiet)

    def check_quiet(self):
        if self.failed:
            name = self.id().replace(" ", "-")
            with contextlib.suppress(Exception):
                self.page.picture(f"failed-{name}", FAILURES)
        requests, complaints = self.page.requests(), self.page.complaints()
        if self.is_expected_to_fail:
            complaints = []
        foreign = [url for url in requests if not url.startswith((*self.origins(), "data:", "blob:", "about:"))]
        self.assertEqual(foreign, [], "requests that leave the program")
        self.assertEqual(complaints, [], "messages in the console")

    @property
    def is_expected_to_fail(self):
        return getattr(getattr(type(self), self._testMethodName), "__unittest_expecting_failure__", False)

    @property
    def failed(self):
        return not self._outcome.success

    def origins(self):
        return [self.server.base]

    def other(self):
        other = Other(self.files[0])
        self.addCleanup(other.close)
        return other

    def picture(self, name):
        self.page.picture(name)


def axe_source():
    """The text of axe.min.js, from the package that brings it."""
    for package in ("axe_playwright_python", "axe_core_python", "axe_selenium_python"):
        if found := importlib.util.find_spec(package):
            for path in sorted(pathlib.Path(found.submodule_search_locations[0]).rglob("axe.min.js")):
                return path.read_text()
    raise AssertionError("no package has axe.min.js")
