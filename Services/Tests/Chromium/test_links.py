"""Links, backlinks, collections and values."""

from browsing import BrowserTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


class Links(BrowserTest):

    def cell_of(self, name):
        """The value of a property in the object's panel."""
        return self.page.until("return document.querySelector(`fh-inspector [data-property='${arguments[0]}'] dd`)", name)

    def test_a_link_is_followed_and_the_way_back_is_shown(self):
        "Links show their target's name; following one shows it beside the grid, with the way that led there; back leads there again."
        page = self.page
        page.go("/f/1/c/Order")
        chip = page.one("fh-grid .chip")
        name = chip.text
        self.assertIn("@example.org", name)
        chip.click()
        page.shows("fh-inspector .subtitle", "Customer")
        self.assertIn(name, page.text("fh-inspector h2"))
        page.shows("fh-inspector .crumb", "Order 1")
        self.picture("inspector-link")
        page.press_on("fh-inspector .crumb", "Order 1")
        page.shows("fh-inspector .subtitle", "Order")
        page.driver.back()
        page.shows("fh-inspector .subtitle", "Customer")

    def test_a_link_is_previewed(self):
        "The pointer on a link shows the target's properties; taken away, the preview goes."
        page = self.page
        page.go("/f/1/c/Order")
        ActionChains(page.driver).move_to_element(page.one("fh-grid .chip")).perform()
        page.shows(".preview", "invitedBy")
        page.shows(".preview header", "Customer")
        self.picture("preview")
        ActionChains(page.driver).move_to_element(page.one("fh-pane h1")).perform()
        page.lacks(".preview")

    def test_backlinks_are_counted_listed_and_queried(self):
        "An object shows what links to it, by class and property; the list unfolds, and a query of all of them opens."
        page = self.page
        page.go("/f/1/c/Product?o=Product:5")
        page.shows("fh-inspector .backlink", "Order.items")
        count = page.text("fh-inspector .backlink .count")
        page.press_on("fh-inspector .backlink .unfold")
        page.one("fh-inspector .linking .chip")
        self.assertGreater(int(count), 0)
        page.press_on("fh-inspector .backlink button", "Query Order")
        page.until("document.querySelector('fh-objects .result strong')?.textContent.startsWith(`${arguments[0]} object`)", count)
        self.assertIn("/c/Order", page.address)

    def test_collections_unfold_also_within_collections(self):
        "A list unfolds in place, a list in it again; maps show their keys."
        page = self.page
        page.go("/f/1/c/Order?o=Order:1")
        for name in ("items", "quantities", "parcels"):
            button = page.until("return document.querySelector(`fh-inspector [data-property='${arguments[0]}'] .unfold`)", name)
            page.run("arguments[0].click()", button)
            page.until("return document.querySelector(`fh-inspector [data-property='${arguments[0]}'] .elements li`)", name)
        keys = page.run(
            "return [...document.querySelectorAll('[data-property=quantities] .elements .position')].map((one) => one.textContent)")
        items = page.run("return [...document.querySelectorAll('[data-property=items] .elements .chip')].map((one) => one.textContent)")
        self.assertTrue(keys)
        self.assertTrue(all(any(key in item for item in items) for key in keys), (keys, items))
        page.run("document.querySelector('[data-property=parcels] .elements button.collection').click()")
        page.until("document.querySelectorAll('[data-property=parcels] .elements .elements li').length >= 1")
        self.picture("collections")

    def test_a_collection_of_the_grid_unfolds_in_the_panel(self):
        "A press on a collection in the grid opens the object with this collection unfolded."
        page = self.page
        page.go("/f/1/c/Order")
        page.press_on("fh-grid button.collection")
        page.until("document.querySelector('fh-inspector .elements li')")

    def test_null_and_empty_look_different(self):
        "Null, the empty string and no bytes are told apart by their text, not by colour alone."
        page = self.page
        page.go("/f/1/c/Product?q=notes+%3D%3D+NULL")
        self.assertEqual(set(page.column("notes")), {"null"})
        page.go("/f/1/c/Product?q=notes+%3D%3D+''")
        self.assertEqual(set(page.column("notes")), {"“”"})
        page.go("/f/1/c/Product?q=photo+%21%3D+NULL")
        self.assertTrue(any(text == "0 B" for text in page.column("photo")), page.column("photo"))

    def test_embedded_mixed_and_long_values_are_shown(self):
        "Embedded objects, values with their types, dates, decimals and long strings have their own looks."
        page = self.page
        page.go("/f/1/c/Customer")
        self.assertGreater(len(page.all("fh-grid .chip.embedded")), 5)
        page.go("/f/1/c/Product")
        page.reveal("extra")
        types = {text for text in page.run("return [...document.querySelectorAll('fh-grid .mixed .type')].map((one) => one.textContent)")}
        self.assertTrue(types & {"string", "int", "double", "bool", "map", "list", "dictionary"}, types)
        page.go("/f/1/c/Product?q=notes+BEGINSWITH+'Sells+well+in+winter.+'&o=Product:1")
        self.assertRegex(page.column("notes")[0], r"… \d+ B$")

    def test_the_panel_is_walked_by_rows(self):
        "With the panel open, the arrow keys of the grid show each row's object."
        page = self.page
        page.go("/f/1/c/Category?o=Category:1")
        page.shows("fh-inspector h2", "Pantry")
        page.press_on("fh-grid .body .row[data-position='1'] .cell:nth-child(3)")
        page.shows("fh-inspector h2", "Drinks")
        page.keys(Keys.ARROW_DOWN)
        page.shows("fh-inspector h2", "Bakery")

    def test_the_graph_of_the_schema_leads_to_objects(self):
        "The schema is drawn with its links; a press on a class shows its objects."
        page = self.page
        page.go("/f/1/schema")
        page.one("fh-schema .box")
        self.assertEqual(len(page.all("fh-schema .box")), 6)
        self.assertGreaterEqual(len(page.all("fh-schema .arrow")), 5)
        self.picture("schema")
        page.run(
            "[...document.querySelectorAll('fh-schema .box')].find((one) => "
            "one.getAttribute('aria-label').startsWith('Customer')).dispatchEvent(new MouseEvent('click', {bubbles: true}))"
        )
        page.shows("fh-objects .result strong", "300 objects")

    def test_code_of_models_and_queries(self):
        "Models and a program of the present query are shown in each language."
        page = self.page
        page.go("/f/1/code")
        for language, word in (("Swift", "class"), ("C++", "#include"), ("Python", "freehold.model"), ("C", "#include")):
            page.press_on("fh-code .segments label",
                          language) if language != "C" else page.run("document.querySelector('fh-code input[value=c]').click()")
            page.shows("fh-code .code", word)
        page.go("/f/1/code?c=Order&q=total+%3E+40&k=snippet&l=python")
        page.shows("fh-code .code", "total > 40")
        self.picture("code")

    def test_information_of_the_file(self):
        "The file's sizes, the holders of versions, a check and the report of a salvage."
        page = self.page
        page.go("/f/1/file")
        page.shows("fh-file .facts", str(self.files[0]))
        page.shows("fh-file table", "this browser")
        page.press_on("fh-file button", "Check the file")
        page.shows("fh-file .good", "No problems", seconds=30)
        page.press_on("fh-file button", "Make the report")
        page.shows("fh-file [role=status]", "Everything can be read", seconds=30)
        self.picture("file")

    def test_sizes_of_classes_and_properties(self):
        "The sizes of classes in the file, and of their properties, are read on demand."
        self.page.go("/f/1/file")
        self.page.press_on("fh-file button", "Read the sizes")
        self.page.shows("fh-file .sizes", "Order")
