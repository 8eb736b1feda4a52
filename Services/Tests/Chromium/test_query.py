"""The query bar, and what is asked through headers and menus."""

from browsing import BrowserTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


class Querying(BrowserTest):

    def setUp(self):
        super().setUp()
        self.page.go("/f/1/c/Order")
        self.field = self.page.one("fh-query input")
        self.field.click()

    def completions(self):
        return self.page.run(
            "return [...document.querySelectorAll('.completions li .name')].filter((one) => one.checkVisibility()).map((one) "
            "=> one.textContent)"
        )

    def test_names_operators_and_values_are_completed_by_keys(self):
        "A query comes about by letters, arrows, Tab and Enter: names, operators, and the values of the file."
        page = self.page
        page.keys("st")
        page.until("document.querySelector('.completions:not([hidden]) li')?.textContent.includes('state')")
        page.keys(Keys.TAB, " ")
        page.until("[...document.querySelectorAll('.completions li')].some((one) => one.textContent.includes('BEGINSWITH'))")
        page.keys("== ")
        page.until("[...document.querySelectorAll('.completions li .name')].some((one) => one.textContent.includes('shipped'))")
        self.assertTrue({"'open'", "'paid'", "'returned'", "'shipped'"} <= {one.replace('"', "'")
                                                                            for one in self.completions()}, self.completions())
        page.keys("'sh")
        page.until("document.querySelectorAll('.completions li').length === 1")
        page.keys(Keys.ARROW_DOWN)
        self.assertIsNotNone(page.one("fh-query input").get_attribute("aria-activedescendant"))
        page.keys(Keys.ENTER)
        page.until(
            "document.querySelector('fh-query input').value.endsWith('shipped\\'') || document.querySelector('fh-query "
            "input').value.endsWith('shipped\"')"
        )
        page.keys(Keys.ESCAPE, Keys.ENTER)
        page.until("!document.querySelector('fh-objects .result strong').textContent.startsWith('2,000')")
        self.assertEqual(set(page.column("state")), {"shipped"})

    def test_names_are_completed_along_links(self):
        "After a link and a dot the properties of its class are offered."
        self.page.keys("customer.")
        self.page.until("[...document.querySelectorAll('.completions li .name')].some((one) => one.textContent === 'email')")
        self.assertIn("name", self.completions())
        self.page.keys(Keys.ESCAPE)
        self.page.lacks(".completions")

    def test_a_mistake_is_marked_at_its_column_and_the_corrected_query_runs(self):
        "A mistake shows the engine's message, and marks the word that it is about; the rows before stay; correcting it runs."
        page = self.page
        page.query("total > 40 AND stat == 'open'")
        page.one("fh-query .mistake")
        self.assertIn("stat", page.text("fh-query .mistake"))
        self.assertIn("Column 16", page.text("fh-query .mistake"))
        self.assertEqual(page.text("fh-query .ink .marked"), "stat")
        self.assertEqual(page.one("fh-query input").get_attribute("aria-invalid"), "true")
        marked, field = page.one("fh-query .ink .marked").rect, page.one("fh-query input").rect
        self.assertTrue(field["x"] < marked["x"] < field["x"] + field["width"])
        self.assertGreater(len(page.rows()), 10)
        self.picture("query-mistake")
        page.query("total > 40 AND state == 'open'")
        page.lacks("fh-query .mistake")
        self.assertEqual(set(page.column("state")), {"open"})

    def test_a_mistake_behind_the_end_and_behind_wide_letters_is_marked(self):
        "The column counts characters, also those that a page's strings count twice; one behind the end is marked there."
        self.page.query("state == '𝒳😀' AND stat == 1")
        self.page.one("fh-query .mistake")
        self.assertEqual(self.page.text("fh-query .ink .marked"), "stat")
        self.page.query("total >")
        self.page.one("fh-query .mistake")
        self.assertEqual(len(self.page.all("fh-query .ink .marked")), 1)

    def test_headers_sort(self):
        "A header sorts by its column, pressed again the other way; Shift adds a column; the query and the header say so."
        page = self.page
        page.press_on("fh-grid .head [role=columnheader]", "total")
        page.until("document.querySelector('fh-query input').value.includes('SORT(total ASC)')")
        totals = [float(text) for text in page.column("total")]
        self.assertEqual(totals, sorted(totals))
        page.press_on("fh-grid .head [role=columnheader]", "total")
        page.until("document.querySelector('[aria-sort=descending]')")
        totals = [float(text) for text in page.column("total")]
        self.assertEqual(totals, sorted(totals, reverse=True))
        page.go("/f/1/c/Order?q=SORT(state+ASC)")
        ActionChains(page.driver).key_down(Keys.SHIFT).click(page.one("fh-grid .head [role=columnheader]",
                                                                      "total")).key_up(Keys.SHIFT).perform()
        page.until("document.querySelectorAll('[aria-sort]').length === 2")
        self.assertEqual(page.one("fh-query input").get_attribute("value"), "SORT(state ASC, total ASC)")

    def test_distinct_limits_and_groups(self):
        "DISTINCT shows one row for each value; GROUP shows aggregates as rows without keys."
        page = self.page
        page.query("DISTINCT(state)")
        page.until("document.querySelector('fh-objects .result strong').textContent === '4 objects'")
        self.assertEqual(set(page.column("state")), {"open", "paid", "shipped", "returned"})
        page.query("GROUP(state) SELECT(@count, total.@avg)")
        page.until("document.querySelector('fh-objects .result strong').textContent === '4 groups'")
        self.assertEqual(sum(int(text.replace(",", "")) for text in page.column(page.headers()[2])), 2000)
        self.picture("groups")

    def test_sections_head_the_rows_of_each_value(self):
        "Sections put a heading before the rows of each value, with their number; a menu goes to a section."
        page = self.page
        page.press_on("fh-objects .tools button", "Sections")
        page.press_on(".menu button", "state")
        page.until("document.querySelectorAll('fh-grid .row.section').length >= 1")
        self.assertIn("s=state", page.address)
        self.assertIn("open", page.text("fh-grid .row.section"))
        page.press_on("fh-objects .tools button", "Go to section")
        page.press_on(".menu button", "shipped")
        page.until("[...document.querySelectorAll('fh-grid .row.section')].some((one) => one.textContent.includes('shipped'))")
        self.assertIn("shipped", page.column("state"))
        self.picture("sections")

    def test_explain_shows_the_plan(self):
        "The plan is shown beside the query."
        page = self.page
        page.query("state == 'open'")
        page.until("!document.querySelector('fh-objects .result strong').textContent.startsWith('2,000')")
        page.press_on("fh-query button", "Explain")
        page.shows(".explanation pre", "state")
        self.picture("explain")
        page.keys(Keys.ESCAPE)
        page.lacks(".explanation")
        self.assertIn("Explain", page.focused)

    def test_explain_runs_the_query(self):
        "Run, the plan counts what was read."
        self.page.query("state == 'open'")
        self.page.press_on("fh-query button", "Explain")
        self.page.shows(".explanation pre", "state")
        self.page.one(".explanation input").click()
        self.page.shows(".explanation pre", "found", seconds=4)

    def test_a_profile_narrows_the_query(self):
        "A column's panel shows a histogram; a press on a bar adds its condition to the query, and the rows fit it."
        page = self.page
        page.run("arguments[0].querySelector('.column-menu').click()", page.one("fh-grid .head [role=columnheader]", "total"))
        page.one(".panel .histogram svg")
        self.picture("profile-number")
        whole = page.count()
        page.run("document.querySelectorAll('.histogram g')[2].dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        page.until("document.querySelector('fh-query input').value.includes('total')")
        page.until("document.querySelector('fh-objects .result strong').textContent !== arguments[0]", whole)
        self.assertGreater(len(page.column("total")), 0)

    def test_frequent_values_narrow_the_query(self):
        "A column's panel lists the most frequent values with their numbers; a press on one asks for it alone."
        page = self.page
        page.run("arguments[0].querySelector('.column-menu').click()", page.one("fh-grid .head [role=columnheader]", "state"))
        page.shows(".panel .top li:first-child", "shipped")
        count = page.text(".panel .top li:first-child .count")
        self.picture("profile-values")
        page.press_on(".panel .top button", "shipped")
        page.until("document.querySelector('fh-objects .result strong').textContent === `${arguments[0]} objects`", count)
        self.assertEqual(set(page.column("state")), {"shipped"})

    def test_nothing_matches(self):
        "A query without an answer says so, and offers all objects."
        page = self.page
        page.query("total > 1000000")
        page.shows("fh-objects .message", "No object matches")
        page.press_on("fh-objects .message button", "Show all objects")
        self.assertEqual(page.count(), "2,000 objects")

    def test_past_queries_are_offered(self):
        "Arrow down in the empty bar offers the class's past queries."
        self.page.query("total > 77")
        self.page.until("!document.querySelector('fh-objects .result strong').textContent.startsWith('2,000')")
        self.page.query("")
        self.page.until("document.querySelector('fh-objects .result strong').textContent.startsWith('2,000')")
        self.page.one("fh-query input").click()
        self.page.keys(Keys.ARROW_DOWN)
        self.page.shows(".completions li", "total > 77")
