"""Edits: staged in the page, committed together, undone; and conflicts with other processes."""

import collections.abc
import os
import pathlib
import unittest

from browsing import BrowserTest
from selenium.webdriver.common.keys import Keys

import freehold
import shop


def plain(value):
    """A value that outlives its snapshot."""
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, (collections.abc.Sequence, collections.abc.Set)) and not isinstance(value, (str, bytes)):
        return set(value) if isinstance(value, collections.abc.Set) else list(value)
    return value


class Editing(BrowserTest):
    write = True

    def setUp(self):
        super().setUp()
        self.page.go("/f/1/c/Product")
        self.addCleanup(self.discard)

    def discard(self):
        "No edit stays for the next test."
        self.page.run("sessionStorage.clear()")

    def read(self, name, key, *properties):
        with freehold.open(self.files[0], shop.MODELS) as database, database.read() as snapshot:
            found = snapshot.objects(name).where(f"id == {key}").first()
            return tuple(plain(found[one]) for one in properties) if found else None

    def count(self, name, query="TRUEPREDICATE"):
        with freehold.open(self.files[0], shop.MODELS) as database, database.read() as snapshot:
            return len(snapshot.objects(name).where(query)) if query != "TRUEPREDICATE" else len(snapshot.objects(name))

    def edit(self, position, name):
        """Puts the cursor on a cell and opens its editor by F2."""
        self.page.run_on_cell(position, name, "const [cell] = arguments; cell.scrollIntoView({inline: 'nearest'}); cell.click()")
        self.page.until("document.activeElement.closest('.cell')")
        self.page.keys(Keys.F2)
        return self.page.one("fh-grid .editor input, fh-grid .editor select, fh-grid .editor textarea, fh-grid .editor button")

    def type(self, position, name, text, end=Keys.ENTER):
        self.edit(position, name)
        self.page.keys((Keys.CONTROL, "a"), text, end)

    def staged(self):
        return self.page.text("fh-edits .edit-strip strong")

    def commit(self):
        "Deletions and bulk edits are committed only after their review, which the first press shows."
        page = self.page
        page.until("!document.querySelector('fh-edits .outcome')?.textContent.startsWith('Working')")
        is_reviewed = page.run("return Boolean(document.querySelector('fh-edits .outcome'))")
        page.press_on("fh-edits button", "Commit")
        state = page.until(
            """
            if (document.querySelector('fh-edits .edit-strip')?.textContent.includes('Committed as version')) return 'committed';
            return !arguments[0] && document.querySelector('fh-edits .outcome')?.textContent.startsWith('One transaction') && 'reviewed';
        """, is_reviewed)
        if state == "reviewed":
            page.press_on("fh-edits button", "Commit")
            page.shows("fh-edits .edit-strip", "Committed as version")

    def test_values_of_each_type_are_edited_in_place_and_committed_at_once(self):
        "Text, numbers, a date, null, a choice and a link are entered in their cells; one commit writes them, and undo takes them back."
        page = self.page
        before = self.read("Product", 1, "name", "price", "stock", "organic", "category", "added")
        self.type(0, "name", "Jasmine tea")
        self.type(0, "price", "12.5")
        self.type(0, "stock", "77")
        self.type(0, "added", "2024-05-01T09:30:00Z")
        self.edit(0, "organic")
        page.run("const one = document.activeElement; one.value = one.value === 'true' ? 'false' : 'true'")
        page.keys(Keys.ENTER)
        self.edit(0, "category")
        page.keys("Tea")
        page.until("document.querySelector('.choices li')?.textContent.includes('Tea')")
        page.keys(Keys.ARROW_DOWN, Keys.ENTER)
        page.until("!document.querySelector('fh-grid .editor')")
        self.assertEqual(self.staged(), "1 object, 6 properties")
        self.assertEqual(len(page.all("fh-grid .cell.staged")), 6)
        self.assertEqual(self.read("Product", 1, "name", "price", "stock", "organic", "category", "added")[:3], before[:3])
        page.press_on("fh-edits button", "Review")
        page.shows("fh-edits .outcome", "1 object, 6 properties")
        page.shows("fh-edits .operations", "name = Jasmine tea")
        self.picture("edits-review")
        self.commit()
        after = self.read("Product", 1, "name", "price", "stock", "organic", "added")
        self.assertEqual(after[:3], ("Jasmine tea", 12.5, 77))
        self.assertEqual(after[3], before[3] is not True)
        self.assertEqual(after[4].isoformat(), "2024-05-01T09:30:00+00:00")
        page.until("document.querySelector('fh-grid .row[data-position=\"0\"]').textContent.includes('Jasmine tea')")
        page.press_on("fh-edits button", "Undo")
        page.until("!document.querySelector('fh-grid .row[data-position=\"0\"]').textContent.includes('Jasmine tea')")
        self.assertEqual(self.read("Product", 1, "name", "price", "stock", "organic", "added"), (*before[:4], before[5]))

    def test_an_undone_commit_is_redone(self):
        "After an undo the page offers to redo it, and a redo writes what was undone."
        self.type(5, "name", "Redone honey")
        self.commit()
        self.page.press_on("fh-edits button", "Undo")
        self.page.until("!document.querySelector('fh-grid .row[data-position=\"5\"]').textContent.includes('Redone')")
        self.page.press_on("fh-edits button, fh-status button", "Redo")
        self.page.until("document.querySelector('fh-grid .row[data-position=\"5\"]').textContent.includes('Redone')")
        self.assertEqual(self.read("Product", 6, "name"), ("Redone honey", ))

    def test_null_and_empty_are_set(self):
        "The editor's button sets null; an emptied text is the empty string."
        self.type(1, "notes", "something")
        self.commit()
        self.edit(1, "notes")
        self.page.press_on("fh-grid .editor .null-button")
        self.page.until("!document.querySelector('fh-grid .editor')")
        self.commit()
        self.assertEqual(self.read("Product", 2, "notes"), (None, ))
        self.type(1, "notes", "x")
        self.commit()
        self.type(1, "notes", Keys.DELETE)
        self.commit()
        self.assertEqual(self.read("Product", 2, "notes"), ("", ))

    def test_a_value_that_does_not_fit_is_refused_in_its_place(self):
        "A text that is no number stays in the editor with a message; Escape leaves the value as it was."
        self.type(2, "stock", "many")
        self.page.shows("fh-grid .editor .mistake", "whole number")
        self.page.keys(Keys.ESCAPE)
        self.page.until("!document.querySelector('fh-grid .editor')")
        self.assertEqual(self.page.all("fh-grid .cell.staged"), [])

    def test_tab_goes_on_to_the_next_cell(self):
        "Tab stages the value and edits the next cell."
        self.type(3, "price", "3.5", Keys.TAB)
        self.page.until("document.activeElement.getAttribute('aria-label') === 'stock'")
        self.page.keys((Keys.CONTROL, "a"), "11", Keys.ENTER)
        self.assertEqual(self.staged(), "1 object, 2 properties")

    def test_staged_edits_survive_a_reload_and_are_discarded(self):
        "What is staged is still staged after a reload; discarded, it is gone."
        self.type(4, "name", "Staged honey")
        self.page.reload()
        self.assertEqual(self.staged(), "1 object, 1 property")
        self.assertEqual(self.page.cell_text(4, "name"), "Staged honey")
        self.page.press_on("fh-edits button", "Discard")
        self.page.lacks("fh-edits .edit-strip")
        self.assertNotEqual(self.page.cell_text(4, "name"), "Staged honey")

    def test_elements_of_collections_are_edited(self):
        "Elements of lists, sets and maps are added, replaced and removed in the panel."
        page = self.page
        with freehold.open(self.files[0], shop.MODELS) as database, database.write() as transaction:
            product = transaction.get(shop.Product, 9)
            product.sizes, product.tags = [1.0, 2.0, 3.0], {"gift"}
            order = transaction.get(shop.Order, 9)
            order.quantities = {"tea": 1, "rice": 2}
        page.go("/f/1/c/Product?o=Product:9")
        self.unfold("sizes")
        page.press_on("[data-property=sizes] button", "Edit 1")
        page.one("fh-inspector .editor input")
        page.keys((Keys.CONTROL, "a"), "2.5", Keys.ENTER)
        page.until("document.querySelector('[data-property=sizes]').textContent.includes('2.5')")
        self.commit()
        self.assertEqual(self.read("Product", 9, "sizes")[0], [1.0, 2.5, 3.0])
        self.unfold("tags")
        page.run(
            "[...document.querySelectorAll('[data-property=tags] .footer button')].find((one) => one.textContent.includes('Add')).click()")
        page.one("fh-inspector .editor input")
        page.keys("local", Keys.ENTER)
        page.until("document.querySelector('[data-property=tags]').textContent.includes('local')")
        self.commit()
        self.assertEqual(self.read("Product", 9, "tags")[0], {"gift", "local"})
        page.go("/f/1/c/Order?o=Order:9")
        self.unfold("quantities")
        page.press_on("[data-property=quantities] button", "Remove rice")
        self.commit()
        self.assertEqual(self.read("Order", 9, "quantities")[0], {"tea": 1})
        self.unfold("quantities")
        page.run(
            "[...document.querySelectorAll('[data-property=quantities] .footer button')].find((one) => "
            "one.textContent.includes('Add')).click()"
        )
        page.until("document.activeElement.getAttribute('aria-label') === 'Key of the entry'")
        page.keys("plums", Keys.ENTER)
        page.one("fh-inspector .editor input")
        page.keys("7", Keys.ENTER)
        page.until("document.querySelector('[data-property=quantities] .elements').textContent.includes('plums')")
        self.commit()
        self.assertEqual(self.read("Order", 9, "quantities")[0], {"tea": 1, "plums": 7})

    def unfold(self, name):
        self.page.until(
            """
            const button = document.querySelector(`fh-inspector [data-property='${arguments[0]}'] .unfold`);
            if (button?.getAttribute('aria-expanded') === 'false') button.click();
            return document.querySelector(`fh-inspector [data-property='${arguments[0]}'] .elements li`);
        """, name)

    def test_a_conflict_with_another_process_is_shown_and_resolved(self):
        "If another process changed the value meanwhile, a commit is refused with both values; mine can be set over it, or theirs kept."
        page = self.page
        for choice, wanted in (("Set mine", 333), ("Keep theirs", 222)):
            with self.subTest(choice):
                other = self.other()
                other.set("Product", "id == 7", stock=111)
                page.until("document.querySelector('fh-grid .row[data-position=\"6\"]').textContent.includes('111')")
                self.type(6, "stock", "333")
                other.set("Product", "id == 7", stock=222)
                page.press_on("fh-edits button", "Commit")
                page.shows("fh-edits .operations .mistake", "222")
                self.assertIn("111", page.text("fh-edits .operations .mistake"))
                self.picture("edits-conflict")
                page.press_on("fh-edits button", choice)
                if choice == "Set mine":
                    page.shows("fh-edits .outcome", "1 object, 1 property")
                    self.commit()
                else:
                    page.until("!document.querySelector('fh-edits .operations')")
                self.assertEqual(self.read("Product", 7, "stock"), (wanted, ))

    def select(self, *positions):
        for position in positions:
            self.page.run("document.querySelector(`fh-grid .row[data-position='${arguments[0]}'] .number`).click()", position)

    def bulk(self, name, text):
        self.page.run(
            "const one = document.querySelector('.selection select'); one.value = arguments[0]; one.dispatchEvent(new Event('change'))",
            name)
        self.page.one(".selection .editor input")
        self.page.keys(text, Keys.ENTER)

    def test_a_property_of_a_selection_and_of_a_query_is_set(self):
        "A property is set for the selected rows, and for all objects of a query, in one transaction each; both can be undone."
        page = self.page
        page.go("/f/1/c/Product?q=id+%3C%3D+60+AND+id+%3E+50")
        self.select(0, 2, 4)
        page.shows(".selection", "3 objects selected")
        self.picture("selection")
        self.bulk("stock", "4321")
        self.assertEqual(self.staged(), "1 bulk edit")
        page.press_on("fh-edits button", "Review")
        page.shows("fh-edits .outcome", "3 objects")
        self.commit()
        self.assertEqual(self.count("Product", "stock == 4321"), 3)
        page.press_on("fh-edits button", "Undo")
        page.lacks("fh-edits .edit-strip")
        self.assertEqual(self.count("Product", "stock == 4321"), 0)
        page.press_cell(0, "id")
        page.keys((Keys.CONTROL, "a"))
        page.shows(".selection", "All 10 objects of the query")
        self.bulk("stock", "1234")
        self.commit()
        self.assertEqual(self.count("Product", "stock == 1234"), 10)

    def test_a_selection_and_a_query_are_deleted(self):
        "Selected rows are deleted, and all objects of a query; undo brings them back."
        page = self.page
        page.go("/f/1/c/Order?q=id+%3E+1990")
        self.select(1, 2)
        page.press_on(".selection button", "Delete")
        page.press_on("fh-edits button", "Review")
        page.shows("fh-edits .outcome", "2 objects deleted")
        self.commit()
        page.until("document.querySelector('fh-objects .result strong').textContent === '8 objects'")
        page.press_on("fh-edits button", "Undo")
        page.until("document.querySelector('fh-objects .result strong').textContent === '10 objects'")
        page.press_cell(0, "id")
        page.keys((Keys.CONTROL, "a"))
        page.press_on(".selection button", "Delete")
        self.commit()
        page.shows("fh-objects .message", "No object matches")
        self.assertEqual(self.count("Order"), 1990)
        page.press_on("fh-edits button", "Undo")
        page.until("document.querySelector('fh-objects .result strong').textContent === '10 objects'")

    def test_an_object_is_added_and_another_one_deleted(self):
        "A new object is entered in a form; it and a deletion are one commit."
        page = self.page
        page.go("/f/1/c/Category")
        page.press_on("fh-objects .tools button", "Add")
        for name, text in (("id", "20"), ("name", "Sweets")):
            page.run("[...document.querySelectorAll('.draft .edit')].find((one) => one.title === `Enter ${arguments[0]}`).click()", name)
            page.until("document.activeElement.getAttribute('aria-label') === arguments[0]", name)
            page.keys(text, Keys.ENTER)
        self.picture("draft")
        page.press_on(".draft button", "Stage the object")
        self.page.run("document.querySelector(`fh-grid .row[data-position='7'] .cell:nth-child(3)`).click()")
        page.keys(Keys.DELETE)
        page.until("document.querySelector('fh-grid .row.deleted')")
        self.assertEqual(self.staged(), "1 new, 1 deleted")
        self.commit()
        self.assertEqual((self.read("Category", 20, "name"), self.read("Category", 8, "name")), (("Sweets", ), None))
        page.press_on("fh-edits button", "Undo")
        page.lacks("fh-edits .edit-strip")
        self.assertEqual((self.read("Category", 20, "name"), self.read("Category", 8, "name")), (None, ("Spices", )))

    def test_data_is_uploaded_and_downloaded(self):
        "A file becomes the value of a data property, and comes back byte by byte."
        page = self.page
        given, downloads = self.folder / "photo.bin", self.folder / "downloads"
        given.write_bytes(os.urandom(300_000))
        downloads.mkdir(exist_ok=True)
        page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        self.edit(0, "photo")
        page.all("fh-grid .editor input[type=file]")[0].send_keys(str(given))
        page.until("!document.querySelector('fh-grid .editor')")
        self.commit()
        self.assertEqual(self.read("Product", 1, "photo")[0], given.read_bytes())
        self.edit(0, "photo")
        page.press_on("fh-grid .editor button", "Download")
        for _ in range(1000):
            found = [one for one in downloads.iterdir() if one.suffix != ".crdownload" and one.stat().st_size == 300_000]
            if found:
                break
            page.run("return 1")
        self.assertEqual(found[0].read_bytes(), given.read_bytes())

    def test_a_file_is_imported(self):
        "A chosen CSV file becomes objects of the class that is named."
        page = self.page
        page.go("/f/1/c/Note")
        given = pathlib.Path(self.folder / "notes.csv")
        given.write_text("text\nfirst\nsecond\n")
        page.all("fh-pane .pane-head input[type=file]")[0].send_keys(str(given))
        page.press_on(".strip.import button", "Import")
        page.shows("fh-objects .result strong", "2 objects")
        self.assertEqual(sorted(page.column("text")), ["first", "second"])


class ReadOnly(BrowserTest):

    def test_without_write_nothing_can_be_edited_and_the_page_says_why(self):
        "Without --write no editor opens and nothing offers a change; the sidebar and the file's page say what to do."
        page = self.page
        page.go("/f/1/c/Product?o=Product:1")
        page.press_cell(0, "name")
        page.keys(Keys.F2)
        page.keys(Keys.DELETE)
        page.keys("n")
        self.assertEqual(page.all("fh-grid .editor, .draft, fh-edits .edit-strip, fh-inspector .edit, .pane-head input[type=file]"), [])
        self.assertNotIn("Add", page.text("fh-objects .tools"))
        page.shows("fh-sidebar .files", "read only")
        page.go("/f/1/file")
        page.shows("fh-file .facts", "--write")

    def test_the_program_refuses_changes_too(self):
        "Not only the page: a change that is sent is answered with 403."
        status = self.page.run("""
            return fetch('/api/files/1/edits/commit', {method: 'POST', headers: {'Content-Type': 'application/json', 'X-Freehold': '1'},
                body: JSON.stringify({tab: 'a'.repeat(20), stamp: '', operations: [{do: 'delete', class: 'Product',
                    key: '1'}]})}).then((answer) => answer.status)
        """)
        self.assertEqual(status, 403)
