"""Values that a page could take for something else: all are shown as they are, and nothing of them runs."""

from browsing import BrowserTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import freehold

RUN = "window.ran=1"

#: Texts that a page without care would run, load or take apart. `window.ran` tells if one ran.
EVIL = [
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    f"\"><img src=x onerror={RUN}>",
    f"'><svg onload={RUN}>",
    f"javascript:{RUN}",
    f"jaVasCript:{RUN}//",
    f"\" onmouseover=\"{RUN}\" x=\"",
    f"' autofocus onfocus='{RUN}",
    f"</title><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"</style><script>{RUN}</script>",
    f"<!--><script>{RUN}</script>-->",
    f"<![CDATA[<script>{RUN}</script>]]>",
    f"${{{RUN}}}",
    f"{{{{constructor.constructor('{RUN}')()}}}}",
    f"`;{RUN};//",
    f"\\u003cscript\\u003e{RUN}",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={RUN}>",
    f"<a href=javascript:{RUN}>x</a>",
    f"<base href=//evil.example/>",
    f"<link rel=stylesheet href=//evil.example/x.css>",
    f"<meta http-equiv=refresh content='0;url=javascript:{RUN}'>",
    "url(//evil.example/x.png)",
    "__proto__",
    "constructor",
    "toString",
    "\u202egnirts\u202c",
    "\u2066a\u2069",
    "zero\u200bwidth\u200d\ufeff",
    "a\x00b",
    "\x1b[31mred",
    "line\nbreak\r\nand\ttab",
    "\u2028\u2029",
    "👩‍👩‍👧‍👦",
    "e\u0301\u0301\u0301",
    "../../etc/passwd",
    "%00%3Cscript%3E",
    "|/f/1/c/x",
    "a,b:c?d#e&f=g",
    " ",
    "null",
    "“”",
    "=1+1",
    "&lt;b&gt;&amp;",
]
#: Characters that would hide or reorder others are shown by a sign.
SIGNS = str.maketrans({
    "\u202e": "⟨202E⟩",
    "\u202c": "⟨202C⟩",
    "\u2066": "⟨2066⟩",
    "\u2069": "⟨2069⟩",
    "\x00": "␀",
    "\x1b": "␛",
    "\n": "↵ ",
    "\r": "␍",
    "\t": "⇥ "
})
MARKS = "a" + "\u0301\u0336\u20dd" * 16_700
NAMES = [text for text in EVIL if "\x00" not in text and text.strip()][:24]


class Hostile(BrowserTest):
    write = True

    @classmethod
    def make(cls):
        path = cls.folder / "<img src=x onerror=window.ran=1>&\"'.freehold"
        cls.classes, cls.properties = [], []
        with freehold.open(path) as database, database.write() as transaction:
            transaction.create_class("Evil",
                                     id=freehold.Property.declared("id", str, primary_key=True),
                                     text=str,
                                     list=freehold.Property.declared("list", list[str]),
                                     map=freehold.Property.declared("map", dict[str, str]),
                                     any=str)
            for number, text in enumerate([*EVIL, MARKS]):
                key = text[:1000] if text is MARKS else text
                transaction.create("Evil", id=key, text=text, list=[text], map={key: text} if "\x00" not in key else {}, any=str(number))
            for name in NAMES:
                try:
                    transaction.create_class(name, **{name: str, "id": int})
                    transaction.create(name, **{name: name, "id": 1})
                    cls.classes.append(name)
                except freehold.FreeholdError:
                    pass
            transaction.create_class("Link", id=freehold.Property.declared("id", int, primary_key=True), to="Evil")
            for number, item in enumerate(list(transaction.objects("Evil"))):
                transaction.create("Link", id=number, to=item)
        return [path]

    def setUp(self):
        super().setUp()
        self.addCleanup(self.assertNothingRan)

    def assertNothingRan(self):
        ran = self.page.run(
            "return [window.ran, document.querySelectorAll('iframe, object, embed, base').length, Object.prototype.polluted, "
            "document.scripts.length]"
        )
        self.assertEqual(ran, [None, 0, None, 2])
        self.assertEqual(
            self.page.run(
                "return [...document.querySelectorAll('a[href]')].filter((one) => !['http:', 'blob:'].includes(one.protocol)).length"), 0)

    def quiet(self):
        self.assertNothingRan()
        complaints = self.page.complaints()
        self.assertEqual(complaints, [])

    def test_values_are_shown_as_they_are(self):
        "Strings of each kind stand in the grid letter by letter, as keys and as values; control characters are shown by signs."
        page = self.page
        page.go("/f/1/c/Evil")
        shown = set()
        for _ in range(4):
            page.settle()
            shown |= set(
                page.run(
                    "return [...document.querySelectorAll('fh-grid .row')].flatMap((row) => [...row.children].map((cell) => "
                    "cell.querySelector('.value')?.textContent))"
                ))
            page.one("fh-grid .scroller")
            page.run("document.querySelector('fh-grid .scroller').scrollTop += 500")
            page.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertEqual([text for text in EVIL if text.translate(SIGNS) not in shown], [])
        self.picture("hostile")

    def test_links_previews_and_panels(self):
        "Labels of links, previews of their targets, and panels show them, with lists and maps unfolded."
        page = self.page
        page.go("/f/1/c/Link")
        labels = page.run("return [...document.querySelectorAll('fh-grid .chip')].map((one) => one.textContent)")
        self.assertTrue(any("<" in label and RUN in label for label in labels), labels[:3])
        for chip in page.all("fh-grid .chip")[:4]:
            ActionChains(page.driver).move_to_element(chip).perform()
            page.one(".preview")
            self.assertNothingRan()
        keys = page.run(
            "return fetch('/api/files/1/find?class=Evil&text=&limit=100').then((answer) => answer.json()).then((found) => "
            "found.objects.map((one) => one.key))"
        )
        for key in keys[:30]:
            page.driver.get(f"{page.base}#/f/1/c/Evil?o=Evil:{key}")
            page.until("document.querySelector('fh-inspector .subtitle')?.textContent.includes(arguments[0])", f" {key}")
            for name in ("list", "map"):
                page.run("document.querySelector(`[data-property='${arguments[0]}'] .unfold[aria-expanded=false]`)?.click()", name)
            page.until("document.querySelector('[data-property=list] .elements li')")
        self.picture("hostile-panel")
        self.quiet()

    def test_names_of_classes_properties_and_files(self):
        "Names stand in the sidebar, in headers, in the schema's picture, in code and in the title as they are."
        page = self.page
        page.go("/f/1/c/Evil")
        listed = page.run("return [...document.querySelectorAll('fh-sidebar .classes .name')].map((one) => one.textContent)")
        self.assertEqual([name for name in self.classes if name not in listed], [])
        self.assertGreater(len(self.classes), 10)
        self.assertIn(self.files[0].name, page.run("return document.querySelector('fh-sidebar .files .name').textContent"))
        self.assertIn(self.files[0].name, page.driver.title)
        for name in self.classes:
            page.run(
                "[...document.querySelectorAll('fh-sidebar .classes a')].find((one) => one.querySelector('.name').textContent "
                "=== arguments[0]).click()",
                name)
            page.until("document.querySelector('fh-query .prefix').textContent === arguments[0]", name)
            page.settle()
            self.assertIn(name, page.headers())
            self.assertEqual(page.rows()[0]["cells"][page.headers().index(name)], name.strip() or "“”")
        page.go("/f/1/schema")
        drawn = page.run("return [...document.querySelectorAll('fh-schema .class-name')].map((one) => one.textContent)")
        self.assertEqual([name for name in self.classes if name not in drawn and name[:12] not in " ".join(drawn)], [])
        self.picture("hostile-schema")
        for language in ("swift", "c", "cpp", "python"):
            page.go(f"/f/1/code?l={language}")
        page.go("/f/1/file")
        self.quiet()

    def test_addresses(self):
        "Hostile addresses show an error or the start, and run nothing."
        for fragment in [
                *(f"/f/1/c/{text}" for text in EVIL[:4]), *(f"/f/1/c/Evil?q={text}" for text in EVIL[4:8]),
                f"/f/1/code?l=<script>{RUN}</script>", f"/f/<img src=x onerror={RUN}>/schema", f"/f/1/c/Evil?s=<img src=x onerror={RUN}>",
                f"/f/1/c/Evil?o=<img src=x onerror={RUN}>:1", f"token=<img src=x onerror={RUN}>", f"javascript:{RUN}",
                "|".join(["/f/1/c/Evil"] * 9), "/" * 3000
        ]:
            self.page.driver.get("about:blank")
            self.page.driver.get(f"{self.page.base}#{fragment}")
            self.page.until("document.querySelector('fh-pane, main.state h1')")
            self.page.run("return new Promise((done) => setTimeout(done, 60))")
            self.assertNothingRan()

    def test_queries_and_completions(self):
        "A hostile query's mistake, the completion of hostile values, and past queries show text alone."
        page = self.page
        page.go("/f/1/c/Evil")
        for text in EVIL[:16]:
            page.run(
                "const one = document.querySelector('fh-query input'); one.value = arguments[0]; one.dispatchEvent(new Event('input'))",
                text.replace("\n", " "))
            page.one("fh-query input").send_keys(Keys.ESCAPE, Keys.ENTER)
            page.until("document.querySelector('fh-query .ink').textContent.replace(/\\u00a0$/, '') === arguments[0]",
                       text.replace("\n", " "))
        page.query("")
        page.one("fh-query input").click()
        page.keys(Keys.ARROW_DOWN)
        page.one(".completions li")
        page.keys(Keys.ESCAPE, "text == ")
        page.until("document.querySelectorAll('.completions li').length > 5")
        page.keys(Keys.ESCAPE)
        self.quiet()

    def test_profiles_sections_and_menus(self):
        "Frequent values, headings of sections and the menus that list them show text alone."
        page = self.page
        page.go("/f/1/c/Evil")
        page.run("arguments[0].querySelector('.column-menu').click()", page.one("fh-grid .head [role=columnheader]", "text"))
        page.one(".panel .facts")
        page.go("/f/1/c/Evil?s=text")
        page.until("document.querySelector('fh-grid .row.section')")
        page.press_on("fh-objects .tools button", "Go to section")
        page.one(".menu")
        self.quiet()

    def test_edits_and_watched_values(self):
        "Staged edits, their review, the watch list and the strip of commits show text alone."
        page = self.page
        page.go("/f/1/c/Evil?q=text+BEGINSWITH+'<'")
        page.press_cell(0, "text")
        page.keys("w", Keys.F2)
        page.one("fh-grid .editor input, fh-grid .editor textarea")
        page.keys((Keys.CONTROL, "a"), EVIL[1], Keys.ENTER)
        page.keys(Keys.ARROW_DOWN, "w", Keys.F2)
        page.one("fh-grid .editor input, fh-grid .editor textarea")
        page.keys((Keys.CONTROL, "a"), EVIL[2], Keys.ENTER)
        page.press_on("fh-edits button", "Review")
        page.until("document.querySelector('fh-edits .outcome')?.textContent.startsWith('One')")
        self.picture("hostile-edits")
        self.quiet()
        page.press_on("fh-edits button", "Discard")

    def test_a_hundred_thousand_marks_stay_in_their_row(self):
        "A letter with a hundred kilobytes of marks neither covers other rows nor stops the page."
        page = self.page
        page.go("/f/1/c/Evil?q=any+%3D%3D+'" + str(len(EVIL)) + "'")
        self.assertEqual(len(page.settle()), 1)
        page.press_on("fh-grid .row .cell:nth-child(3)")
        page.one("fh-inspector .property")
        self.assertEqual(
            page.run(
                "return getComputedStyle(document.querySelector('fh-grid .row')).overflow + "
                "getComputedStyle(document.querySelector('fh-grid .row .cell')).overflow"
            ).count("hidden") > 0, True)
        self.picture("hostile-marks")

    def test_the_policy_forbids_what_the_page_does_not_need(self):
        "The content security policy is sent, and a script that is put in does not run."
        policy = self.page.run("return fetch('/').then((answer) => answer.headers.get('Content-Security-Policy'))")
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.page.run(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran=1\">'); const one = "
            "document.createElement('script'); one.textContent = 'window.ran=1'; document.body.append(one); one.remove(); "
            "document.querySelector('img').remove()"
        )
        self.page.run("return new Promise((done) => setTimeout(done, 100))")
        # The two that were refused are in the console.
        self.assertTrue(any("Content Security Policy" in one for one in self.page.complaints()))
