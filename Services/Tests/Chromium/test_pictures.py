"""Screenshots of each screen in light and dark, for people to look at; and those of docs/browser.md.

They are written if FREEHOLD_PICTURES names a folder. In one that is called docs/pictures only the few of the documentation are.
"""

import io
import pathlib
import unittest

from browsing import PICTURES, BrowserTest
from PIL import Image
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

#: The pictures of the documentation by scheme; the greatest size of each, in bytes.
DOCUMENTED = {"light": ["grid", "query", "profile", "schema", "live"], "dark": ["grid", "edits"]}
GREATEST = 150_000
IS_DOCUMENTATION = PICTURES.rstrip("/").endswith("docs/pictures")


@unittest.skipUnless(PICTURES, "FREEHOLD_PICTURES names no folder")
class Pictures(BrowserTest):
    write = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(lambda: cls.page.scheme("light"))

    def screens(self):
        page = self.page
        yield "start", self.start
        yield "grid", self.grid
        yield "query", self.query
        yield "mistake", self.mistake
        yield "profile", self.profile
        yield "values", self.values
        yield "preview", self.preview
        yield "collections", self.collections
        yield "sections", lambda: page.go("/f/1/c/Order?s=state")
        yield "groups", lambda: page.go("/f/1/c/Order?q=GROUP(state)+SELECT(@count,+total.@avg,+total.@max)")
        yield "schema", lambda: page.go("/f/1/schema")
        yield "file", self.file
        yield "code", lambda: page.go("/f/1/code?l=swift")
        yield "panes", lambda: page.go("/f/1/c/Order?o=Order:12|/f/1/schema")
        yield "live", self.live
        yield "edits", self.edits
        yield "selection", self.selection
        yield "draft", self.draft
        yield "nothing", lambda: page.go("/f/1/c/Order?q=total+%3C+0")
        yield "help", self.help

    def start(self):
        self.page.go("/f/1/c/Note")
        self.page.one("fh-objects .message")

    def grid(self):
        self.page.go("/f/1/c/Order?q=total+%3E+60+SORT(total+DESC)")
        self.page.press_on("fh-grid .row[data-position='3'] .cell:nth-child(2)")
        self.page.until("return document.querySelector(\"fh-inspector [data-property='quantities'] .unfold\")").click()
        self.page.until("document.querySelector('fh-inspector .elements li')")

    def query(self):
        self.page.go("/f/1/c/Order").one("fh-query input").click()
        self.page.keys("total > 60 AND customer.name BEGINSWITH 'A")
        self.page.until("document.querySelectorAll('.completions li').length > 2")
        self.page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)

    def mistake(self):
        self.page.go("/f/1/c/Order").query("total > 60 AND stat == 'open'")
        self.page.one("fh-query .mistake")

    def open_column(self, name):
        self.page.run("arguments[0].querySelector('.column-menu').click()", self.page.one("fh-grid .head [role=columnheader]", name))

    def profile(self):
        self.page.go("/f/1/c/Order?q=state+%3D%3D+'shipped'")
        self.open_column("total")
        ActionChains(self.page.driver).move_to_element(self.page.one(".histogram g:nth-child(8)")).perform()

    def values(self):
        self.page.go("/f/1/c/Product")
        self.open_column("name")
        self.page.one(".panel .top")

    def preview(self):
        self.page.go("/f/1/c/Order")
        ActionChains(self.page.driver).move_to_element(self.page.one("fh-grid .row[data-position='5'] .chip")).perform()
        self.page.one(".preview")

    def collections(self):
        self.page.go("/f/1/c/Order?o=Order:9")
        self.page.until("document.querySelector('fh-inspector .unfold')")
        for name in ("items", "parcels"):
            self.page.run("document.querySelector(`[data-property='${arguments[0]}'] .unfold`).click()", name)
        self.page.until("document.querySelector('[data-property=parcels] .elements li button.collection')").click()
        self.page.until("document.querySelector('[data-property=parcels] .elements .elements li')")

    def file(self):
        self.page.go("/f/1/file")
        self.page.press_on("fh-file button", "Check the file")
        self.page.one("fh-file .good")
        self.page.run(
            "document.querySelector('fh-file .sheet').parentElement.scrollTop = 0; document.querySelector('fh-file .sheet').scrollTop = 0")

    def live(self):
        self.page.go("/f/1/c/Order?q=state+%3D%3D+'open'+SORT(placed+DESC)")
        self.page.press_on("fh-objects .tools button", "Watch")
        self.page.press_on("fh-grid .row[data-position='2'] .cell:nth-child(2)")
        other = self.other()
        rows = self.page.run(
            "return [1, 2, 5].map((row) => document.querySelector(`fh-grid .row[data-position='${row}'] .cell:nth-child(2)`).textContent)")
        self.number = getattr(self, "number", 0) + 1
        other.do(*({
            "kind": "set",
            "class": "Order",
            "query": f"id == {row}",
            "values": {
                "total": total + self.number
            }
        } for row, total in zip(rows, (18.4, 62.75, 9.9))))
        self.page.until("document.querySelectorAll('fh-grid .cell.changed').length === 3")
        self.page.run("document.querySelector('fh-status button[title=\"Last commits\"]').click()")
        self.page.until("document.querySelectorAll('.panel.commits li').length >= 1")

    def edits(self):
        self.page.go("/f/1/c/Product?o=Product:3")
        for row, name, text in ((0, "price", "4.20"), (0, "stock", "120"), (2, "name", "Jasmine tea"), (4, "stock", "0")):
            self.page.press_cell(row, name)
            self.page.keys(Keys.F2)
            self.page.one("fh-grid .editor input")
            self.page.keys((Keys.CONTROL, "a"), text, Keys.ENTER)
        self.page.press_cell(6, "name")
        self.page.keys(Keys.DELETE, (Keys.ALT, "r"))
        self.page.until("document.querySelector('fh-edits .outcome')?.textContent.startsWith('One')")
        self.page.press_cell(5, "name")
        self.page.keys(Keys.F2)
        self.page.one("fh-grid .editor input")

    def selection(self):
        self.page.run("sessionStorage.clear()")
        self.page.go("/f/1/c/Product?q=stock+%3C+50")
        for row in (1, 2, 5):
            self.page.run("document.querySelector(`fh-grid .row[data-position='${arguments[0]}'] .number`).click()", row)
        self.page.run(
            "const one = document.querySelector('.selection select'); one.value = 'organic'; one.dispatchEvent(new Event('change'))")

    def draft(self):
        self.page.go("/f/1/c/Product").press_on("fh-objects .tools button", "Add")
        self.page.one(".draft")

    def help(self):
        self.page.go("/f/1/c/Order").keys("?")
        self.page.one("dialog[open]")

    def shoot(self, scheme):
        self.page.scheme(scheme)
        for name, show in self.screens():
            if IS_DOCUMENTATION and name not in DOCUMENTED[scheme]:
                continue
            with self.subTest(name):
                show()
                if name != "live":
                    self.page.until(
                        "document.getAnimations().every((one) => one.playState !== 'running' || "
                        "one.effect.getComputedTiming().iterations === Infinity)"
                    )
                self.page.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                if IS_DOCUMENTATION:
                    self.write_small(f"{name}-{scheme}")
                else:
                    self.page.picture(f"screen-{name}-{scheme}")
            self.page.run("sessionStorage.clear(); localStorage.clear()")

    def write_small(self, name):
        """A picture with few enough colours to be small; they are the page's own, so nothing is lost that is seen."""
        picture = Image.open(io.BytesIO(self.page.driver.get_screenshot_as_png())).convert("RGB")
        path = pathlib.Path(PICTURES) / f"browser-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        for colours in (256, 128, 64, 32):
            picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
            if path.stat().st_size <= GREATEST:
                return
        self.fail(f"{path} has {path.stat().st_size} bytes")

    def test_light(self):
        "Each screen in light colours."
        self.shoot("light")

    def test_dark(self):
        "Each screen in dark colours."
        self.shoot("dark")
