// One pane: a file's view under a head with its name and the other views. Two can stand side by side.
import { h, fill, button, icon } from "./dom.js";
import { acceptDrops, showImport } from "./import-strip.js";
import { firstClass } from "./start.js";
import { app } from "./app.js";
import "./objects-view.js";

/** The modules of views that are not shown at first. */
const modules = {
    schema: () => import("./schema-view.js"), file: () => import("./file-view.js"), code: () => import("./code-view.js"),
};
const tags = { objects: "fh-objects", schema: "fh-schema", file: "fh-file", code: "fh-code" };
const tabs = [["objects", "grid", "Objects"], ["schema", "graph", "Schema"], ["file", "info", "File"], ["code", "code", "Code"]];

class Pane extends HTMLElement {
    connectedCallback() {
        if (this.head) return;
        this.setAttribute("role", "region");
        this.head = h("header", { class: "pane-head" });
        this.content = h("div", { class: "pane-body" });
        this.append(this.head, this.content);
        this.addEventListener("focusin", () => app.activate(this.index));
        this.addEventListener("pointerdown", () => app.activate(this.index));
        this.addEventListener("go", (event) => app.go(this.index, event.detail.route, event.detail));
        acceptDrops(this, () => this.route ?? {});
        app.on("active", () => this.markActive());
    }

    markActive() { this.classList.toggle("active", this.index === app.active && app.routes.length > 1); }

    /** Shows a route: the view that is there stays if it is of the same kind. */
    async show(index, route) {
        this.index = index;
        this.route = route;
        this.markActive();
        const file = route.file && app.file(route.file);
        this.setAttribute("aria-label", file ? `${file.name} ${route.class ?? route.view}` : "Start");
        if (!file) {
            this.drawHead(null);
            this.drawStart();
            return;
        }
        if (route.view === "objects" && !route.class) {
            await this.chooseClass(route);
            return;
        }
        this.drawHead(file);
        if (modules[route.view]) await modules[route.view]();
        if (this.route !== route) return;
        const tag = tags[route.view];
        if (this.view?.localName !== tag || !this.view.isConnected) {
            this.view = document.createElement(tag);
            fill(this.content, this.view);
        }
        this.view.paneIndex = index;
        await this.view.show(route);
    }

    /** Without a class in the route, the one with most objects is shown. */
    async chooseClass(route) {
        this.drawHead(app.file(route.file));
        fill(this.content, h("div", { class: "state loading-state", role: "status" }, "Reading the schema…"));
        this.view = null;
        try {
            const { classes } = await app.schema(route.file);
            if (this.route !== route) return;
            const best = firstClass(classes);
            if (best) app.go(this.index, { ...route, class: best.name }, { replace: true });
            else fill(
                this.content,
                h(
                    "div", { class: "state" }, h("h2", {}, "The file has no classes"),
                    h("p", {}, "A program that opens it with classes creates them; so does an import: drop a JSON or CSV file here."),
                ),
            );
        } catch (error) {
            fill(
                this.content,
                h(
                    "div", { class: "state" }, icon("warning"), h("h2", {}, "The file could not be read"), h("p", {}, error.message),
                    button({ text: "Try again", press: () => this.show(this.index, route) }),
                ),
            );
        }
    }

    drawHead(file) {
        const { route } = this, isOnly = app.routes.length < 2;
        const chosen = h("input", { type: "file", class: "offscreen", tabindex: "-1", "aria-label": "File to import" });
        chosen.addEventListener("change", () => chosen.files[0] && showImport(this, chosen.files[0], this.route));
        fill(this.head,
            h(
                "h1", {},
                file ? [
                    h("span", { class: "file-name" }, file.name),
                    route.view === "objects" && route.class && [h("span", { class: "slash" }, "/"), h("span", {}, route.class)],
                ] : "Freehold",
            ),
            file && h("nav", { class: "segments", "aria-label": app.routes.length > 1 ? `Views of pane ${this.index + 1}` : "Views" },
                tabs.map(([view, symbol, text]) => h("a", {
                href: `#${app.formatRoute(this.routeOf(view))}`, "aria-label": text, title: text,
                "aria-current": route.view === view ? "page" : null, onclick: (event) => {
                    event.preventDefault();
                    app.go(this.index, this.routeOf(view));
                },
            }, icon(symbol), h("span", {}, text)))),
            h("span", { class: "spring" }),
            file && app.isWritable(file.id)
                && [
                    chosen,
                    button({
                        icon: "upload", quiet: true, title: "Import a JSON or CSV file (or drop it here)", press: () => chosen.click(),
                    }),
                ],
            isOnly && file && button({
                icon: "split", quiet: true, title: "Open a second pane (Alt+2)",
                press: () => app.openBeside({ ...route, object: undefined, trail: undefined }),
            }),
            !isOnly && button({ icon: "close", quiet: true, title: "Close this pane", press: () => app.closePane(this.index) }));
    }

    routeOf(view) {
        const { file, class: className, query, section } = this.route;
        return view === "objects" ? { view, file, class: className, query, section } : view === "code"
            ? { view, file, class: className, query } : { view, file };
    }

    drawStart() {
        this.view = null;
        const { files, recent } = app.state, gone = this.route.file;
        fill(this.content, h("div", { class: "state start" },
            h("h2", {}, gone ? "This file is not open any more" : files.length ? "Choose a file" : "No file is open"),
            h("ul", { class: "start-files" }, files.map(
                (file) => h(
                    "li", {},
                    h(
                        "button", { type: "button", onclick: () => app.go(this.index, { view: "objects", file: file.id }) }, icon("file"),
                        h("span", { class: "name" }, file.name), h("span", { class: "detail" }, file.path),
                    ),
                )
            ),
                recent.filter((path) => !files.some((file) => file.path === path)).map(
                    (path) => h(
                        "li", {},
                        h(
                            "button", { type: "button", onclick: () => this.open(path) }, icon("file"),
                            h("span", { class: "name" }, path.split("/").at(-1)), h("span", { class: "detail" }, path),
                        ),
                    )
                )),
            h("p", { class: "quiet" }, "Open another file with the plus in the sidebar.")));
    }

    async open(path) {
        try {
            const file = await app.openFile(path);
            app.go(this.index, { view: "objects", file: file.id });
        } catch (error) {
            app.notice(error.message, "error");
        }
    }
}

customElements.define("fh-pane", Pane);
