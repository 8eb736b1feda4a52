"""Opening the page, and addresses."""

import urllib.request

from browsing import BrowserTest, Page


class Opening(BrowserTest):

    def setUp(self):
        super().setUp()
        self.page.go("/f/1/c/Order")

    def test_1_the_token_leaves_the_address_and_the_class_with_most_objects_is_shown(self):
        "After the link was opened the address has no token, and the rows of the largest class are there."
        self.assertNotIn("token", self.page.address)
        self.assertIn("/f/1/c/Order", self.page.address)
        self.assertEqual(self.page.count(), "2,000 objects")
        self.assertEqual(self.page.rows()[0]["cells"][:2], ["1", "1"])

    def test_classes_and_their_counts_are_listed(self):
        "The sidebar lists each class with its number of objects, embedded ones apart."
        listed = self.page.run(
            "return Object.fromEntries([...document.querySelectorAll('fh-sidebar .classes a')].map((one) => "
            "[one.querySelector('.name').textContent, one.querySelector('.count').textContent]))"
        )
        self.assertEqual({name: listed[name]
                          for name in ("Order", "Product", "Customer", "Category", "Note")}, {
                              "Order": "2,000",
                              "Product": "240",
                              "Customer": "300",
                              "Category": "8",
                              "Note": "0"
                          })
        self.assertIn("Address", listed)
        self.page.one("fh-sidebar .filter, fh-sidebar input[type=search]").send_keys("cat")
        self.page.until("document.querySelectorAll('fh-sidebar .classes a').length === 1")
        self.page.run(
            "const one = document.querySelector('fh-sidebar input[type=search]'); one.value = ''; one.dispatchEvent(new Event('input'))")

    def test_a_reload_keeps_the_session_and_the_view(self):
        "A reload shows what was there: the cookie stands for the token."
        self.page.go("/f/1/c/Product?q=price+%3E+20")
        before = self.page.count()
        self.page.reload()
        self.assertEqual(self.page.count(), before)
        self.assertEqual(self.page.one("fh-query input").get_attribute("value"), "price > 20")

    def test_every_view_is_an_address(self):
        "A second tab that opens an address shows the view that the first one shows."
        driver, first = self.page.driver, self.page.driver.current_window_handle
        views = {
            "/f/1/c/Customer?q=vip+%3D%3D+true": ("fh-objects .result", "object"),
            "/f/1/schema": ("fh-schema .result", "6 classes"),
            "/f/1/file": ("fh-file h2", "Who holds which version"),
            "/f/1/code?l=python": ("fh-code .code", "import freehold"),
            "/f/1/c/Order?o=Order:7": ("fh-inspector h2", "7")
        }
        driver.switch_to.new_window("tab")
        try:
            for address, (selector, text) in views.items():
                driver.get("about:blank")
                driver.get(f"{self.page.base}#{address}")
                self.page.shows(selector, text)
                self.assertTrue(self.page.address.endswith(address), self.page.address)
            # The first tab may complain of the event that it gets when it comes back: test_live.
            self.page.complaints()
        finally:
            driver.close()
            driver.switch_to.window(first)

    def test_back_and_forward_walk_through_the_views(self):
        "Back and forward of the browser show the views in their order."
        self.page.press_on("fh-sidebar .classes a", "Customer")
        self.page.shows("fh-objects .result strong", "300 objects")
        self.page.press_on("fh-pane nav a", "Schema")
        self.page.one("fh-schema svg")
        self.page.driver.back()
        self.page.shows("fh-objects .result strong", "300 objects")
        self.page.driver.back()
        self.page.shows("fh-objects .result strong", "2,000 objects")
        self.page.driver.forward()
        self.page.shows("fh-objects .result strong", "300 objects")

    def test_two_panes_show_two_views_and_are_one_address(self):
        "The second pane shows another view; the address of both survives a reload."
        self.page.press_on("fh-pane .pane-head button", "second pane")
        self.page.until("document.querySelectorAll('fh-pane').length === 2")
        self.page.run("document.querySelectorAll('fh-pane')[1].querySelector('nav a:nth-child(2)').click()")
        self.page.until("document.querySelector('fh-pane:nth-child(2) fh-schema svg')")
        self.assertIn("|/f/1/schema", self.page.address.replace("%7C", "|"))
        self.page.driver.refresh()
        self.page.until("document.querySelector('fh-pane:nth-child(2) fh-schema svg')")
        self.page.press_on("fh-pane:nth-child(2) .pane-head button", "Close this pane")
        self.page.until("document.querySelectorAll('fh-pane').length === 1")

    def test_all_assets_are_small(self):
        "What the page loads of its own is at most 400 KB together."
        names = self.page.run(
            "return performance.getEntriesByType('resource').map((one) => one.name).filter((one) => !one.includes('/api/'))")
        sizes = {name: len(urllib.request.urlopen(name).read()) for name in {*names, self.page.base}}
        self.assertGreater(len(sizes), 20)
        self.assertLessEqual(sum(sizes.values()), 400_000, sizes)


class UsedLinks(BrowserTest):

    def test_a_link_works_once_and_says_so(self):
        "Without the cookie a used link shows a page that explains it; a new link works."
        driver = self.page.driver
        driver.delete_all_cookies()
        driver.get("about:blank")
        driver.get(self.server.link)
        self.page.shows("main h1", "Open a link of freehold-browse")
        self.page.shows("main", "freehold-browse")
        self.assertNotIn("token", self.page.address)
        self.assertEqual(self.page.all("fh-grid"), [])
        self.picture("error-used-link")
        driver.get("about:blank")
        driver.get(self.server.another_link())
        Page(driver, self.server.base).settle()

    def test_when_the_program_ends_the_page_says_so(self):
        "Without the program the page says that it is disconnected, and keeps what it shows."
        from browsing import Server
        server = Server(*self.files, folder=self.folder)
        page = Page(self.page.driver, server.base)
        page.driver.get(server.link)
        page.settle()
        server.close()
        page.until("['lost', 'ended'].includes(document.body.dataset.connection)")
        self.assertGreater(len(page.rows()), 10)
        page.picture("disconnected")
        self.ended = server.base

    def origins(self):
        return [self.server.base, getattr(self, "ended", self.server.base)]
