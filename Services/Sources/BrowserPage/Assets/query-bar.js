// The query bar: a query with colours, completion, the engine's error at its column, and its plan.
import { h, fill, button, icon, uniqueId } from "./dom.js";
import { get, filePath } from "./requests.js";
import { tokenize, indexOfColumn } from "./query-text.js";
import { complete } from "./completion.js";
import { openPanel } from "./menu.js";
import { app, settings } from "./app.js";

const keptQueries = 30;

/** Events: "query" {query} when a query is to be run. */
class QueryBar extends HTMLElement {
    connectedCallback() {
        if (this.input) return;
        const listId = uniqueId("completions"), mistakeId = uniqueId("mistake");
        this.classLabel = h("label", { class: "prefix" });
        this.ink = h("div", { class: "ink", "aria-hidden": "true" });
        this.input = h("input", {
            id: uniqueId("query"), role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": listId,
            "aria-describedby": mistakeId,
            autocomplete: "off", autocapitalize: "off", spellcheck: "false",
            placeholder: "All objects. Type a condition: age > 18 SORT(name ASC)",
        });
        this.classLabel.setAttribute("for", this.input.id);
        this.list = h("ul", { class: "panel completions", role: "listbox", id: listId, "aria-label": "Completions", hidden: true });
        this.field = h("div", { class: "field" }, this.ink, this.input, this.list);
        this.clearButton = button({ icon: "close", quiet: true, title: "Show all objects", press: () => this.run("") });
        this.explainButton = button({
            icon: "explain", text: "Explain", quiet: true, title: "How the query is answered (Alt+E)", "aria-haspopup": "dialog",
            "aria-expanded": "false", press: () => this.explain(),
        });
        this.mistake = h("div", { class: "mistake", id: mistakeId, role: "alert", hidden: true });
        this.append(h("div", { class: "bar" }, this.classLabel, this.field, this.clearButton,
            button({
                icon: "play", quiet: true, title: "Run the query (Enter)", press: () => this.run(this.input.value),
            }), this.explainButton), this.mistake);
        this.items = [];
        this.at = -1;
        this.input.addEventListener("input", () => {
            this.setMistake(null);
            this.draw();
            this.complete();
        });
        this.input.addEventListener("keydown", (event) => this.pressed(event));
        this.input.addEventListener("scroll", () => this.align());
        this.input.addEventListener("blur", () => this.closeList());
        for (const type of ["keyup", "click"]) this.input.addEventListener(type, () => this.align());
    }

    /** Shows the query of a route. */
    show(file, className, query) {
        const isOther = this.file !== file || this.className !== className;
        this.file = file;
        this.className = className;
        fill(this.classLabel, className);
        if (isOther || query !== this.query) {
            this.query = query;
            this.input.value = query;
            this.setMistake(null);
        }
        this.draw();
    }

    focus() {
        this.input.focus();
        this.input.select();
    }

    run(query) {
        this.closeList();
        this.input.value = query;
        this.draw();
        if (query) {
            const kept = settings.read("queries", []).filter((one) => one.query !== query || one.class !== this.className);
            settings.write("queries", [{ class: this.className, query }, ...kept].slice(0, keptQueries));
        }
        this.dispatchEvent(new CustomEvent("query", { detail: { query: query.trim() } }));
    }

    /** Shows a mistake under the query, and marks its column. */
    setMistake(error) {
        this.error = error;
        this.mistake.hidden = !error;
        this.input.setAttribute("aria-invalid", String(Boolean(error)));
        if (error) fill(this.mistake, icon("warning"), h("span", {}, error.message.replace(/^query, column/, "Column")));
        this.draw();
    }

    draw() {
        const text = this.input.value;
        const marked = this.error?.column ? indexOfColumn(text, this.error.column) : -1;
        this.clearButton.hidden = !text;
        const nodes = [];
        for (const token of tokenize(text)) {
            const isMarked = marked >= token.from && marked < token.to;
            nodes.push(h("span", { class: `${token.type}${isMarked ? " marked" : ""}` }, token.text));
        }
        if (marked >= text.length && marked >= 0) nodes.push(h("span", { class: "marked" }, "\u00a0"));
        fill(this.ink, nodes);
        this.align();
    }

    align() { this.ink.style.transform = `translateX(${-this.input.scrollLeft}px)`; }

    async complete() {
        const schema = app.presentSchema(this.file), text = this.input.value, cursor = this.input.selectionStart;
        if (!schema) return;
        const asked = (this.asked = {});
        const { from, to, items } = await complete(schema, this.className, text, cursor, async (className, property, prefix) => {
            const answer = await get(filePath(this.file, "values"), { class: className, property, prefix, limit: 30 });
            return answer.values;
        });
        if (asked !== this.asked || document.activeElement !== this.input) return;
        this.items = items;
        this.range = { from, to };
        this.at = -1;
        this.drawList();
    }

    drawList() {
        this.list.hidden = !this.items.length;
        this.input.setAttribute("aria-expanded", String(!this.list.hidden));
        this.input.removeAttribute("aria-activedescendant");
        if (this.list.hidden) return;
        fill(this.list, this.items.map((item, index) => h("li", {
            role: "option", id: `${this.list.id}-${index}`, class: item.kind, "aria-selected": String(index === this.at),
            onpointerdown: (event) => {
                event.preventDefault();
                this.accept(item);
            },
        }, h("span", { class: "name" }, item.text), h("span", { class: "detail" }, item.detail))));
        const before = [...this.ink.children].reduce(
            (left, span) => left + span.textContent.length <= this.range.from ? left + span.textContent.length : left, 0
        );
        this.list.style.left = `${Math.max(0, Math.min(this.offsetOf(before), this.field.clientWidth - 240))}px`;
    }

    /** Where a character stands, in pixels from the left of the field. */
    offsetOf(index) {
        let left = 0;
        for (const span of this.ink.children) {
            if (left >= index) return span.offsetLeft - this.input.scrollLeft;
            left += span.textContent.length;
        }
        const last = this.ink.lastElementChild;
        return last ? last.offsetLeft + last.offsetWidth - this.input.scrollLeft : 0;
    }

    closeList() {
        this.asked = null;
        this.items = [];
        this.at = -1;
        this.drawList();
    }

    accept(item) {
        const text = this.input.value, { from, to } = this.range;
        const isPath = item.insert.startsWith(".");
        const start = isPath ? text.slice(0, from).trimEnd() : text.slice(0, from);
        this.input.setRangeText(item.insert, start.length, to, "end");
        this.setMistake(null);
        this.complete();
    }

    pressed(event) {
        const isOpen = !this.list.hidden;
        if (isOpen && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
            const step = event.key === "ArrowDown" ? 1 : -1, count = this.items.length;
            this.at = this.at < 0 ? (step > 0 ? 0 : count - 1) : (this.at + step + count) % count;
            [...this.list.children].forEach((row, index) => row.setAttribute("aria-selected", String(index === this.at)));
            this.list.children[this.at].scrollIntoView({ block: "nearest" });
            this.input.setAttribute("aria-activedescendant", this.list.children[this.at].id);
        } else if (isOpen && event.key === "Tab" && !event.shiftKey) this.accept(this.items[Math.max(0, this.at)]);
        else if (event.key === "Enter") {
            if (isOpen && this.at >= 0) this.accept(this.items[this.at]);
            else this.run(this.input.value);
        } else if (event.key === "Escape" && isOpen) this.closeList();
        else if (event.key === " " && event.ctrlKey) this.complete();
        else if (!isOpen && event.key === "ArrowDown" && !this.input.value) this.offerHistory();
        else if (!isOpen && event.key === "ArrowDown") this.dispatchEvent(new CustomEvent("leave"));
        else if (event.key === "e" && event.altKey) this.explain();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    /** In an empty bar, the queries of the class that ran last. */
    offerHistory() {
        this.range = { from: 0, to: 0 };
        this.items = settings.read("queries", []).filter((one) => one.class === this.className)
            .map((one) => ({ text: one.query, detail: "", kind: "past", insert: one.query }));
        if (!this.items.length) {
            this.complete();
            return;
        }
        this.drawList();
    }

    async explain() {
        const text = h("pre", { tabindex: "0" }, "…");
        const runs = h("input", { type: "checkbox", id: uniqueId("run") });
        const load = async () => {
            try {
                const answer = await get(filePath(this.file, "explain"), {
                    class: this.className, query: this.input.value, run: runs.checked,
                });
                fill(text, answer.text);
            } catch (error) {
                fill(text, error.message);
            }
        };
        runs.addEventListener("change", load);
        openPanel(
            this.explainButton,
            [
                h(
                    "header", {}, h("strong", {}, "How this query is answered"),
                    h("label", { for: runs.id }, runs, " run it and count what is read"),
                ),
                text,
            ],
            { label: "Explanation", className: "explanation" },
        );
        await load();
    }
}

customElements.define("fh-query", QueryBar);
