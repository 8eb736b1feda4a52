"""axe-core on each screen, light and dark."""

import json
import unittest

from browsing import BrowserTest, axe_source
from selenium.webdriver.common.keys import Keys

#: What is asked of axe: rules of WCAG 2 A and AA, and good practice.
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations'], ...(arguments[0] ? {runOnly: [arguments[0]]} : {})}).then((found) =>
    done(JSON.stringify(found.violations.map((one) => ({
    rule: one.id, impact: one.impact, help: one.help, nodes: one.nodes.slice(0, 4).map((node) =>
        `${node.target.join(' ')}: ${node.failureSummary?.split('\\n')[1]?.trim()}`)})))), (error) =>
            done(JSON.stringify([{rule: String(error), impact: 'serious'}])));
"""


class Accessibility(BrowserTest):
    write = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.axe = axe_source()
        cls.addClassCleanup(lambda: cls.page.scheme("light"))

    def screens(self):
        page = self.page
        yield "grid", lambda: page.go("/f/1/c/Order")
        yield "inspector", self.inspector
        yield "sections", lambda: page.go("/f/1/c/Order?s=state")
        yield "mistake", self.mistake
        yield "nothing", lambda: page.go("/f/1/c/Order?q=total+%3C+0")
        yield "completion", self.completion
        yield "profile", self.profile
        yield "schema", lambda: page.go("/f/1/schema")
        yield "file", lambda: page.go("/f/1/file")
        yield "code", lambda: page.go("/f/1/code?l=python")
        yield "edits", self.edits
        yield "draft", self.draft
        yield "help", self.help

    def inspector(self):
        self.page.go("/f/1/c/Order?o=Order:7")
        self.page.shows("fh-inspector h2", "7")
        self.page.press_on("fh-inspector .unfold")
        self.page.one("fh-inspector .elements li")

    def mistake(self):
        self.page.go("/f/1/c/Order").query("total > and")
        self.page.one("fh-query .mistake")

    def completion(self):
        self.page.go("/f/1/c/Order").one("fh-query input").click()
        self.page.keys("c")
        self.page.one(".completions li")
        self.page.keys(Keys.ARROW_DOWN)

    def profile(self):
        self.page.go("/f/1/c/Order")
        self.page.run("arguments[0].querySelector('.column-menu').click()", self.page.one("fh-grid .head [role=columnheader]", "total"))
        self.page.one(".panel .histogram")

    def edits(self):
        self.page.go("/f/1/c/Product")
        self.page.press_cell(0, "name")
        self.page.keys(Keys.F2)
        self.page.one("fh-grid .editor input")
        self.page.keys((Keys.CONTROL, "a"), "Jasmine tea", Keys.ENTER, Keys.ARROW_DOWN, Keys.DELETE, (Keys.ALT, "r"))
        self.page.until("document.querySelector('fh-edits .outcome')?.textContent.startsWith('One transaction')")
        self.page.keys(Keys.ARROW_DOWN, Keys.F2)
        self.page.one("fh-grid .editor input")

    def draft(self):
        self.page.run("sessionStorage.clear()")
        self.page.go("/f/1/c/Product")
        self.page.press_on("fh-objects .tools button", "Add")
        self.page.one(".draft")

    def help(self):
        self.page.go("/f/1/c/Order").keys("?")
        self.page.one("dialog[open]")

    def findings(self, rule=None):
        self.page.run(f"if (!window.axe) {{ {self.axe} }}")
        return json.loads(self.page.driver.execute_async_script(RUN, rule))

    def test_a_mistake_in_the_address(self):
        "A page that begins with a mistake in its query is no worse than others."
        self.page.go("/f/1/c/Order?q=total+%3E+and")
        self.page.one("fh-query .mistake")
        self.assertEqual([one for one in self.findings() if one["impact"] in ("serious", "critical")], [])

    def check(self, scheme, rule=None):
        self.page.scheme(scheme)
        for name, show in self.screens():
            with self.subTest(name):
                show()
                # What fades in is judged at its end.
                self.page.until(
                    "document.getAnimations().filter((one) => one.effect.getComputedTiming().iterations !== "
                    "Infinity).every((one) => one.playState !== 'running')"
                )
                found = self.findings(rule)
                for one in found:
                    if one["impact"] not in ("serious", "critical"):
                        print(f"\naxe, {name}, {scheme}: {one['impact']}: {one['rule']}: {one['help']}: {one['nodes'][:1]}", flush=True)
                wrong = [one for one in found if one["impact"] in ("serious", "critical")]
                self.assertEqual(wrong, [], json.dumps(wrong, indent=1))

    def test_light(self):
        "axe finds nothing serious on any screen in light colours."
        self.check("light")

    def test_dark(self):
        "In dark colours contrast is enough on every screen; what else axe looks at is the same as in light ones."
        self.check("dark", "color-contrast")
