"""The page without a mouse."""

import unittest

from browsing import BrowserTest
from selenium.webdriver.common.keys import Keys

import freehold
import shop

#: Whether the focused element is seen to have the focus: an outline, a shadow or a border that it lacks without. The body has none.
RING = """
const one = document.activeElement;
if (!one || one === document.body) return 'nothing has the focus';
const visible = one.closest('.offscreen') ? 'off the screen' : '';
const box = one.getBoundingClientRect();
if (visible || box.width === 0 || box.bottom < 0 || box.top > innerHeight || box.right < 0 ||
    box.left > innerWidth) return `${one.outerHTML.slice(0, 120)} is not in view`;
const look = (element, pseudo) => { const style = getComputedStyle(element, pseudo); return [style.outlineStyle,
    style.outlineWidth, style.outlineColor, style.boxShadow, style.borderColor, style.backgroundColor, style.stroke,
        style.strokeWidth].join(); };
const chain = [one, one.parentElement, one.parentElement?.parentElement, one.parentElement?.parentElement?.parentElement].filter(Boolean);
const shapes = () => chain.map((element) => look(element) + look(element, '::after') + [...element.children].slice(0,
    3).map((child) => look(child)).join()).join('|');
const sheet = new CSSStyleSheet();
sheet.replaceSync('* { transition: none !important; animation: none !important }');
document.adoptedStyleSheets.push(sheet);
const focused = shapes();
one.blur();
const blurred = shapes();
one.focus({preventScroll: true});
document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
return focused === blurred ? `${one.outerHTML.slice(0, 160)} shows no focus` : '';
"""


class Keyboard(BrowserTest):
    write = True

    def setUp(self):
        super().setUp()
        self.page.go("/f/1/c/Category")
        self.addCleanup(lambda: self.page.run("sessionStorage.clear()"))

    def focus_is(self, script):
        self.page.until(f"const one = document.activeElement; return {script}", what=f"focus: {script}; it is on {self.page.focused}")

    def test_from_the_start_to_a_commit_and_back(self):
        "Classes, query, grid, editor, review, commit and undo by keys alone; the cursor is seen all the way."
        page = self.page
        page.keys("/")
        self.focus_is("one.type === 'search'")
        page.keys("custo", Keys.ENTER)
        page.shows("fh-objects .result strong", "300 objects")
        page.keys((Keys.CONTROL, "a"), Keys.DELETE, "categ", Keys.ARROW_DOWN)
        self.focus_is("one.closest('fh-sidebar .classes')")
        page.keys(Keys.ENTER)
        page.shows("fh-objects .result strong", "8 objects")
        page.keys("q")
        self.focus_is("one.closest('fh-query')")
        page.keys("id > 1", Keys.ESCAPE, Keys.ENTER)
        page.shows("fh-objects .result strong", "7 objects")
        page.settle()
        page.keys(Keys.ARROW_DOWN)
        self.focus_is("one.matches('fh-grid .cell')")
        self.assertEqual(page.run(RING), "")
        page.keys(Keys.ARROW_DOWN, Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.focus_is("one.textContent === 'Bakery'")
        page.keys(Keys.F2)
        self.focus_is("one.closest('.editor')")
        page.keys((Keys.CONTROL, "a"), "Bread", Keys.ENTER)
        self.focus_is("one.matches('fh-grid .cell.staged')")
        page.keys((Keys.ALT, "r"))
        page.shows("fh-edits .outcome", "1 object, 1 property")
        page.keys((Keys.CONTROL, "s"))
        page.shows("fh-edits", "Committed as version")
        self.focus_is("one.matches('fh-grid .cell')")
        self.assertEqual(self.name(3), "Bread")
        page.keys((Keys.CONTROL, "z"))
        page.until("document.querySelector('fh-grid .row[data-position=\"1\"]').textContent.includes('Bakery')")
        self.assertEqual(self.name(3), "Bakery")
        self.focus_is("one !== document.body")

    def name(self, key):
        with freehold.open(self.files[0], shop.MODELS) as database, database.read() as snapshot:
            return snapshot.get(shop.Category, key).name

    def test_a_link_is_followed_and_left_by_keys(self):
        "Enter on a link follows it; O goes to the panel, Escape back to the grid."
        page = self.page
        page.go("/f/1/c/Order")
        page.keys("g")
        self.focus_is("one.matches('fh-grid .cell')")
        page.keys(Keys.ARROW_RIGHT, Keys.ENTER)
        page.shows("fh-inspector .subtitle", "Customer")
        page.keys("o")
        self.focus_is("one.closest('fh-inspector')")
        page.keys(Keys.ESCAPE)
        self.focus_is("one.closest('fh-grid')")

    def test_headers_are_sorted_by_keys(self):
        "Arrow up from the first row reaches the headers; Enter sorts, Alt and arrow down opens the column's panel, Escape closes it."
        page = self.page
        page.keys("g", Keys.ARROW_RIGHT, Keys.ARROW_UP)
        self.focus_is("one.matches('[role=columnheader]')")
        page.keys(Keys.ENTER)
        page.until("document.querySelector('fh-query input').value === 'SORT(name ASC)'")
        page.settle()
        self.focus_is("one.matches('[role=columnheader]')")
        page.keys((Keys.ALT, Keys.ARROW_DOWN))
        page.one(".panel .top, .panel .facts")
        page.keys(Keys.ESCAPE)
        page.lacks(".panel")
        self.focus_is("one.closest('fh-grid')")

    def test_every_stop_of_tab_is_seen_and_none_is_a_trap(self):
        "Tab walks through the page and comes round; each stop shows that it has the focus."
        page = self.page
        for address in ("/f/1/c/Category?o=Category:2", "/f/1/schema", "/f/1/file", "/f/1/code"):
            with self.subTest(address):
                page.go(address)
                seen, faults = [], []
                for _ in range(120):
                    page.keys(Keys.TAB)
                    name = page.run(
                        "const one = document.activeElement; window.stops ??= new Map(); if (one === document.body) return "
                        "'body'; if (!window.stops.has(one)) window.stops.set(one, window.stops.size); return window.stops.get(one)"
                    )
                    if name == "body" or name in seen:
                        break
                    seen.append(name)
                    fault = page.run(RING)
                    if fault:
                        faults.append(fault)
                self.assertGreater(len(seen), 8)
                self.assertLess(len(seen), 119, "Tab does not come round")
                self.assertEqual(faults, [])

    def test_menus_are_walked_by_arrows(self):
        "A menu takes the focus, arrows walk, Escape gives it back to its button."
        page = self.page
        page.one("fh-objects .tools button", "Columns").send_keys(Keys.ENTER)
        self.focus_is("one.closest('.menu')")
        first = page.focused
        page.keys(Keys.ARROW_DOWN)
        self.assertNotEqual(page.focused, first)
        self.assertEqual(page.run(RING), "")
        page.keys(Keys.ESCAPE)
        page.lacks(".menu")
        self.focus_is("one.textContent.includes('Columns')")

    def test_a_question_mark_lists_the_keys(self):
        "The list of keys opens on the question mark and closes on Escape; the focus is where it was."
        page = self.page
        page.keys("g")
        self.focus_is("one.matches('fh-grid .cell')")
        page.keys("?")
        page.shows("dialog[open]", "Completion")
        self.picture("help")
        page.keys(Keys.ESCAPE)
        page.lacks("dialog")
        self.focus_is("one.matches('fh-grid .cell')")

    def test_rows_are_selected_by_keys(self):
        "Space selects a row, Shift and arrows extend the selection, Escape clears it."
        page = self.page
        page.keys("g", " ", (Keys.SHIFT, Keys.ARROW_DOWN), (Keys.SHIFT, Keys.ARROW_DOWN))
        page.shows(".selection", "3 objects selected")
        self.assertEqual([row["position"] for row in page.rows() if row["selected"]], [0, 1, 2])
        page.keys(Keys.ESCAPE)
        page.lacks(".selection")

    def test_the_focus_survives_commits_of_others(self):
        "A commit that redraws the row of the cursor leaves the focus on its cell."
        page = self.page
        page.keys("g", Keys.ARROW_DOWN)
        self.focus_is("one.matches('fh-grid .row[data-position=\"1\"] .cell')")
        other = self.other()
        other.set("Category", "id == 2", name="Cold drinks")
        page.until("document.querySelector('fh-grid .row[data-position=\"1\"]').textContent.includes('Cold drinks')")
        self.focus_is("one.matches('fh-grid .row[data-position=\"1\"] .cell')")
        other.set("Category", "id == 2", name="Drinks")
