// The sidebar: files, the classes of the active file with a filter, and the watch list.
import { h, fill, button, icon, uniqueId } from "./dom.js";
import { get, filePath } from "./requests.js";
import { cellText, countText, bytesText, clockText } from "./cells.js";
import { live } from "./live.js";
import { app } from "./app.js";

/** What a watched item is now. */
function watchedText({ gone, count, cell, text }) {
    if (gone) return "deleted";
    if (count !== undefined) return countText(count);
    return cell !== undefined ? cellText(cell) : text ?? "…";
}

class Sidebar extends HTMLElement {
    connectedCallback() {
        this.setAttribute("role", "navigation");
        this.setAttribute("aria-label", "Files and classes");
        this.sizes = new Map();
        this.files = h("section", { class: "files" });
        this.filter = h("input", {
            type: "search", placeholder: "Filter classes", "aria-label": "Filter classes (/)", title: "Filter classes (/)",
            autocomplete: "off", spellcheck: "false", oninput: () => this.drawClasses(),
        });
        this.classes = h("ul", { class: "classes" });
        this.classTools = h("h2", {});
        this.watchList = h("section", { class: "watch" });
        this.append(this.files, h("section", { class: "class-list" }, this.classTools, this.filter, this.classes), this.watchList);
        this.filter.addEventListener("keydown", (event) => {
            if (event.key === "ArrowDown") this.classes.querySelector("a")?.focus();
            else if (event.key === "Enter") this.classes.querySelector("a")?.click();
            else if (event.key === "Escape") {
                this.filter.value = "";
                this.drawClasses();
            } else return;
            event.preventDefault();
        });
        this.classes.addEventListener("keydown", (event) => {
            const links = [...this.classes.querySelectorAll("a")],
                next = links.indexOf(document.activeElement) + { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (Number.isNaN(next)) return;
            event.preventDefault();
            (links[next] ?? (next < 0 ? this.filter : null))?.focus();
        });
        for (const type of ["files", "routes", "active", "schemaChanged"]) app.on(type, () => this.draw());
        for (const type of ["schema", "counts"]) app.on(type, (file) => { if (file === this.file) this.drawClasses(); });
        live.on("watch", (ids) => this.drawWatched(ids));
        this.draw();
        this.drawWatched();
    }

    get route() { return app.routes[app.active] ?? {}; }
    get file() { return this.route.file; }

    draw() {
        this.drawFiles();
        if (this.file && app.file(this.file)) app.schema(this.file).catch(() => this.classes.replaceChildren());
        this.drawClasses();
    }

    link(route, attributes, ...content) {
        return h("a", { href: `#${app.formatRoute(route)}`, onclick: (event) => {
            event.preventDefault();
            if (event.ctrlKey || event.metaKey) app.openBeside(route);
            else app.go(app.active, route);
        }, ...attributes }, content);
    }

    drawFiles() {
        const path = h("input", {
            placeholder: "Path of a file", "aria-label": "Path of a file to open", spellcheck: "false", autocomplete: "off",
            list: "recent-files",
        });
        const mistake = h("p", { class: "mistake", role: "alert" });
        const form = h("form", { class: "open-file", hidden: !this.isOpening, onsubmit: async (event) => {
            event.preventDefault();
            try {
                const file = await app.openFile(path.value);
                this.isOpening = false;
                app.go(app.active, { view: "objects", file: file.id });
            } catch (error) {
                fill(mistake, error.message);
            }
        } }, path, h(
            "datalist", { id: "recent-files" }, app.state.recent.map((one) => h("option", { value: one }))
        ), button({ text: "Open", type: "submit" }), mistake);
        fill(this.files, h("h2", {}, "Files", button({ icon: "add", quiet: true, title: "Open a file",
            "aria-expanded": String(Boolean(this.isOpening)), press: () => {
            this.isOpening = !this.isOpening;
            this.drawFiles();
            this.querySelector(".open-file input")?.focus();
        } })), form,
        h("ul", {}, app.state.files.map((file) => h("li", { class: file.id === this.file ? "current" : "" },
            this.link({ view: "objects", file: file.id }, {
                "aria-current": file.id === this.file ? "true" : null,
                title: [file.path, file.readOnlyBecause, file.error].filter(Boolean).join("\n"),
            },
                icon(file.error ? "warning" : "file"), h("span", { class: "name" }, file.name),
                !app.isWritable(file.id) && h(
                    "span", { class: "detail", title: file.readOnlyBecause ?? "Start with --write to edit" }, "read only"
                ), file.encrypted && icon("lock")),
            app.state.files.length > 1 && button({
                icon: "close", quiet: true, title: `Close ${file.name}`, press: () => app.closeFile(file.id),
            })))),
        this.isOpening && app.state.recent.length > 0 && h("ul", { class: "recent" }, app.state.recent.map((one) => h("li", {}, h("button",
            { type: "button", title: one, onclick: () => {
            path.value = one;
            form.requestSubmit();
        } }, one.split("/").at(-1))))));
    }

    drawClasses() {
        const { file } = this, schema = file ? app.presentSchema(file) : null;
        this.classTools.hidden = this.filter.hidden = !schema;
        if (!schema) {
            fill(this.classes, file && app.file(file) && h("li", { class: "quiet" }, "Loading…"));
            return;
        }
        const sizes = this.sizes.get(file);
        fill(this.classTools, `Classes`, h("span", { class: "count" }, countText(schema.classes.length)),
            button({
                text: sizes ? "Counts" : "Sizes", quiet: true,
                title: sizes ? "Show numbers of objects" : "Show sizes in the file (reads the file's structure)",
                press: () => this.toggleSizes(),
            }));
        const wanted = this.filter.value.toLowerCase();
        const matching = schema.classes.filter((one) => one.name.toLowerCase().includes(wanted));
        const greatest = sizes ? Math.max(1, ...sizes.values()) : 1;
        const item = (one) => h("li", {}, this.link({ view: "objects", file, class: one.name }, {
            "aria-current": this.route.class === one.name && this.route.view === "objects" ? "page" : null,
            class: one.embedded ? "embedded" : "",
            title: [one.superclass && `extends ${one.superclass}`, one.embedded && "embedded"].filter(Boolean).join(", ") || null,
        }, h("span", { class: "name" }, one.name),
        h("span", { class: "count" }, sizes ? bytesText(sizes.get(one.name) ?? 0) : countText(one.count)),
        sizes && this.share((sizes.get(one.name) ?? 0) / greatest)));
        const embedded = matching.filter((one) => one.embedded);
        fill(this.classes, matching.filter((one) => !one.embedded).map(item),
            embedded.length > 0 && h("li", { class: "group" }, "Embedded"), embedded.map(item),
            matching.length === 0 && h("li", { class: "quiet" }, "No class has this in its name"));
    }

    share(part) {
        const element = h("span", { class: "share", "aria-hidden": "true" });
        element.style.width = `${(part * 100).toFixed(1)}%`;
        return element;
    }

    async toggleSizes() {
        const { file } = this;
        if (this.sizes.delete(file)) {
            this.drawClasses();
            return;
        }
        try {
            const answer = await get(filePath(file, "sizes"));
            this.sizes.set(file, new Map(answer.classes.map((one) => [one.name, one.bytes])));
        } catch (error) {
            app.notice(error.message, "error");
        }
        this.drawClasses();
    }

    drawWatched(ids = []) {
        const items = [...live.watched.values()];
        this.watchList.hidden = !items.length;
        const headingId = uniqueId("watch");
        fill(this.watchList, h("h2", { id: headingId }, "Watched"), h("ul", { "aria-labelledby": headingId }, items.map((item) => h("li",
            { class: ids?.includes(item.id) && item.time ? "changed" : "" },
            h("button", { type: "button", class: "watched",
                title: `${item.name}: show ${item.query !== undefined ? "the query" : "the object"}`,
                onclick: () => app.go(app.active, item.query !== undefined
                ? { view: "objects", file: item.file, class: item.class, query: item.query } : {
                    view: "objects", file: item.file, class: item.class, object: { class: item.class, key: item.key },
                }) },
            h("span", { class: "name" }, item.name),
            h(
                "span", { class: "now" },
                watchedText(item),
            ),
            item.time && h("span", { class: "detail" }, `changed ${clockText(item.time)}`)),
            button({ icon: "close", quiet: true, title: `Stop watching ${item.name}`, press: () => live.unwatch(item.id) })))));
    }
}

customElements.define("fh-sidebar", Sidebar);
