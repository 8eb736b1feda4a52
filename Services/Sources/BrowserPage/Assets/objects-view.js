// The view of a class: query bar, grid and inspector, kept together by the route.
import { h, fill, button, announce, debounced } from "./dom.js";
import { View } from "./view.js";
import { clockText, counted, countText, durationText, kindOf } from "./cells.js";
import { literal, quoted, sortOf, toggledSort, withCondition } from "./query-text.js";
import { followed } from "./url-state.js";
import { openColumnPanel } from "./column-panel.js";
import { askForRow, divider, drawTools } from "./view-tools.js";
import { selectionBar } from "./selection-bar.js";
import { shownCells } from "./staged-edits.js";
import { draftView } from "./draft-view.js";
import { live, committer } from "./live.js";
import { app, settings } from "./app.js";
import "./grid.js";
import "./query-bar.js";
import "./inspector.js";

class ObjectsView extends HTMLElement {
    connectedCallback() {
        if (this.bar) return;
        this.lifetime = new AbortController();
        const { signal } = this.lifetime;
        this.bar = document.createElement("fh-query");
        this.tools = h("div", { class: "tools" });
        this.result = h("p", { class: "result" });
        this.selection = h("div", { class: "selection", hidden: true });
        this.grid = document.createElement("fh-grid");
        this.inspector = document.createElement("fh-inspector");
        this.side = h("aside", { class: "side", "aria-label": "Object", hidden: true }, this.inspector);
        this.handle = divider(this.side);
        this.append(this.bar, this.tools, this.selection, h("div", { class: "work" }, this.grid, this.handle, this.side));
        this.listen(signal);
    }

    disconnectedCallback() {
        this.lifetime.abort();
        this.view?.close();
    }

    listen(signal) {
        const { grid, inspector, bar } = this;
        bar.addEventListener(
            "query",
            (event) => this.go(
                { query: event.detail.query || undefined, object: undefined, trail: undefined },
                event.detail.query === (this.route.query ?? ""),
            ),
        );
        bar.addEventListener("leave", () => grid.activate(Math.max(0, grid.active.row), Math.max(1, grid.active.column)));
        grid.addEventListener(
            "sort", ({ detail }) => this.run(toggledSort(this.route.query ?? "", quoted(detail.column.name), detail.isAdded))
        );
        grid.addEventListener("column", ({ detail }) => openColumnPanel(detail.anchor, detail.column, {
            file: this.route.file, className: this.route.class, query: this.route.query ?? "", present: this.route.section,
            run: (query) => this.run(query), section: (section) => this.go({ section: section || undefined }),
            hide: () => {
                grid.columns.setHidden(detail.column, true);
                grid.refresh();
            },
        }));
        grid.addEventListener("open", ({ detail }) => this.open(detail));
        grid.addEventListener("active", ({ detail }) => this.followActive(detail.row));
        grid.addEventListener("select", () => this.drawSelection());
        grid.addEventListener("add", () => this.draft());
        grid.addEventListener("delete", () => this.stageDeletion());
        grid.addEventListener("filter", () => this.filterByActive());
        grid.addEventListener("watch", () => this.watchActive());
        inspector.addEventListener("follow", ({ detail }) => this.goTo(followed(this.route, detail)));
        inspector.addEventListener(
            "crumb", ({ detail }) => this.go({ object: this.route.trail[detail], trail: this.route.trail.slice(0, detail) })
        );
        inspector.addEventListener("close", () => this.closeSide());
        inspector.addEventListener(
            "reveal", ({ detail }) => this.goTo({ view: "objects", file: this.route.file, class: detail.class, object: detail })
        );
        inspector.addEventListener("query", ({ detail }) => {
            const isMany = app.classOf(this.route.file, detail.class)?.properties.find(
                (one) => one.name === detail.property
            )?.collections.length;
            const query = `${isMany ? "ANY " : ""}${quoted(detail.property)} == object(${inspector.target.key})`;
            this.goTo({ view: "objects", file: this.route.file, class: detail.class, query, trail: [inspector.target] });
        });
        live.on("commit", (data) => this.committed(data), signal);
        live.on("again", () => this.ask(true), signal);
        app.on("edits", (file) => {
            if (file !== this.route?.file) return;
            if (!grid.querySelector(".editor")) grid.refresh();
            inspector.redraw();
        }, signal);
    }

    go(changes, isAgain = false) {
        const route = { ...this.route, ...changes };
        if (isAgain) this.ask(true);
        this.goTo(route);
    }

    goTo(route, options) { this.dispatchEvent(new CustomEvent("go", { detail: { route, ...options }, bubbles: true })); }

    run(query) { this.go({ query: query || undefined }); }

    /** Shows a route. Only what differs from the route before is asked for. */
    async show(route) {
        const before = this.route;
        this.route = route;
        this.bar.show(route.file, route.class, route.query ?? "");
        const isSame = before && ["file", "class", "query", "section"].every((name) => before[name] === route[name]);
        this.drawSide(before);
        if (!isSame) await this.ask();
        else if (this.view && route.object && route.object.key !== this.grid.activeRow?.key && !route.trail) this.reveal();
        this.grid.markOpen(route.object?.key);
    }

    async ask(isAgain = false) {
        const { route, grid } = this;
        const asked = (this.asked = {});
        grid.classList.add("loading");
        try {
            const [view] = await Promise.all([
                View.open(route.file, route.class, route.query ?? "", route.section), app.schema(route.file),
            ]);
            if (asked !== this.asked) {
                view.close();
                return;
            }
            app.markEmbedded(app.presentSchema(route.file), view.properties);
            this.view?.close();
            this.view = view;
            this.bar.setMistake(null);
            grid.setMessage();
            const active = isAgain ? grid.active : null;
            grid.show(view, {
                file: route.file, className: route.class, primaryKey: app.classOf(route.file, route.class)?.primaryKey,
                edits: app.edits(route.file), isWritable: app.isWritable(route.file), place: `${app.file(route.file)?.path}:${route.class}`,
                sort: sortOf(route.query ?? "").map((key) => ({ ...key, path: key.path.replace(/^`|`$/g, "") })),
                openKey: route.object?.key,
            });
            view.addEventListener("rows", () => grid.arrived());
            view.addEventListener("counted", () => {
                grid.counted();
                this.drawResult();
                this.drawState();
            });
            view.addEventListener("failed", ({ detail }) => this.failed(detail));
            this.drawResult();
            drawTools(this);
            this.drawState();
            if (!route.object) this.drawSide();
            if (active) grid.activate(active.row, active.column, { focus: false, isQuiet: true });
            else if (route.object && !route.trail) this.reveal();
            announce(`${counted(view.count, view.isGrouped ? "group" : "object")}`);
        } catch (error) {
            if (asked === this.asked) this.failed(error);
        } finally {
            if (asked === this.asked) grid.classList.remove("loading");
        }
    }

    failed(error) {
        if (error.column !== undefined || (error.status === 400 && this.route.query)) {
            this.bar.setMistake(error);
            if (this.view?.className !== this.route.class || this.view?.file !== this.route.file) {
                this.grid.setMessage(h("h2", {}, "The query has a mistake"), h("p", {}, "It stands under the query."));
            } else if (!this.tools.querySelector(".outdated")) {
                this.result.after(h("span", { class: "note outdated" }, "rows of the previous query"));
            }
            return;
        }
        this.grid.setMessage(
            h("h2", {}, "The rows could not be read"), h("p", {}, error.message), button({ text: "Try again", press: () => this.ask(true) })
        );
    }

    drawState() {
        if (this.view.count > 0) this.grid.setMessage();
        else if (this.route.query) this.grid.setMessage(
            h("h2", {}, "No object matches"), h("p", {}, "The condition is true for no object of this class."),
            button({ text: "Show all objects", press: () => this.run("") }),
        );
        else this.grid.setMessage(
            h("h2", {}, `${this.route.class} has no objects`), h("p", {}, "Objects that any program adds appear here."),
            app.isWritable(this.route.file) && button({ icon: "add", text: "Add an object", press: () => this.draft() }),
        );
    }

    drawResult() {
        const { view } = this;
        fill(this.result, h("strong", {}, counted(view.count, view.isGrouped ? "group" : "object")),
            h("span", { class: "quiet" }, ` in ${durationText(view.milliseconds)}`),
            this.lastChange && h("span", { class: "delta", title: this.lastChange.who }, this.lastChange.text));
    }

    // The object at the side

    open({ row, link, property, isQuiet }) {
        clearTimeout(this.opening);
        if (!row?.key) return;
        if (isQuiet && this.side.hidden) {
            if (this.isSideWanted) this.openSoon(row);
            return;
        }
        const own = { class: row.class ?? this.route.class, key: row.key };
        this.isDrafting = false;
        this.unfold = property ?? null;
        if (link) this.goTo(followed({ ...this.route, object: own, trail: undefined }, link));
        else this.goTo({ ...this.route, object: own, trail: undefined }, { replace: Boolean(isQuiet && this.route.object) });
        if (property && this.route.object?.key === row.key) this.drawSide();
    }

    /** Shows the panel of a row that was pressed, unless the press begins an edit or a selection. */
    openSoon(row) {
        this.opening = setTimeout(() => {
            const { grid } = this, isChosen = this.isConnected && grid.activeRow?.key === row.key && this.side.hidden;
            if (isChosen && !grid.querySelector(".editor") && !grid.keys.count) this.open({ row });
        }, 300);
    }

    followActive = debounced(140, (row) => {
        if (
            !this.isConnected || this.side.hidden || this.route.trail || !row?.key || this.isDrafting || row.key === this.route.object?.key
        ) return;
        this.goTo({ ...this.route, object: { class: row.class ?? this.route.class, key: row.key } }, { replace: true });
    });

    drawSide(before) {
        const { object, trail, file } = this.route;
        if (this.isDrafting && before) {
            this.isDrafting = false;
            fill(this.side, this.inspector);
        }
        this.side.hidden = this.handle.hidden = !object && !this.isDrafting && !(this.isSideKept && !this.view?.isGrouped);
        // Once chosen, the panel stays until it is closed.
        if (object) this.isSideKept = true;
        if (object && !this.isDrafting) this.inspector.show(file, object, trail, this.unfold);
        else if (!this.side.hidden && !this.isDrafting) this.inspector.showNothing();
        this.unfold = null;
    }

    /** Whether pressing a row opens the panel: there is room, and the panel was not closed. */
    get isSideWanted() { return !this.view?.isGrouped && this.clientWidth >= 800 && settings.read("inspectorShown", innerWidth >= 1200); }

    toggleSide() {
        if (!this.side.hidden) {
            this.closeSide();
            return;
        }
        settings.write("inspectorShown", true);
        this.isSideKept = true;
        const row = this.grid.activeRow;
        if (row?.key) this.open({ row });
        else this.drawSide();
    }

    closeSide() {
        this.isSideKept = false;
        settings.write("inspectorShown", false);
        if (!this.route.object) this.drawSide();
        this.go({ object: undefined, trail: undefined });
        this.grid.focusActive();
    }

    async reveal() {
        const position = await this.view.positionOf(this.route.object.key).catch(() => null);
        if (position !== null && this.isConnected) this.grid.goToRow(position, { focus: false, isQuiet: true });
    }

    draft() {
        if (!app.isWritable(this.route.file) || this.view?.isGrouped) return;
        this.isDrafting = true;
        this.side.hidden = this.handle.hidden = false;
        fill(this.side, draftView({ file: this.route.file, className: this.route.class, done: () => {
            this.isDrafting = false;
            fill(this.side, this.inspector);
            this.drawSide();
            this.grid.focusActive();
        } }));
    }

    askForRow() { if (this.view) askForRow(this); }

    // Selection, edits, live

    drawSelection() {
        const { keys } = this.grid;
        this.selection.hidden = keys.count === 0;
        if (keys.count) selectionBar(this.selection, { keys, route: this.route, view: this.view });
    }

    stageDeletion() {
        const { grid, route } = this;
        if (!app.isWritable(route.file)) return;
        const row = grid.activeRow, edits = app.edits(route.file);
        if (grid.keys.isAll) edits.push({ do: "deleteAll", class: route.class, query: route.query ?? "" });
        else if (grid.keys.selected.size) edits.push({ do: "deleteAll", class: route.class, keys: [...grid.keys.selected.keys()] });
        else if (row?.key) {
            const names = app.classOf(route.file, route.class)?.properties ?? [];
            edits.push({ do: "delete", class: row.class ?? route.class, key: row.key, was: shownCells(names, row.cells) });
        }
        grid.keys.clear();
    }

    /** Narrows the query to the value of the active cell. */
    filterByActive() {
        const { grid } = this, row = grid.activeRow, column = grid.activeColumn;
        if (!row?.key || !column || column.property.collections.length) return;
        const cell = row.cells[column.index];
        const value = cell?.link ? `object(${cell.link.key})` : kindOf(cell) === "cut" ? null : literal(column.property.type, cell);
        if (value) this.run(withCondition(this.route.query ?? "", `${quoted(column.name)} == ${value}`));
    }

    watchActive() {
        const { grid, route } = this, row = grid.activeRow, column = grid.activeColumn;
        if (!row?.key) return;
        live.watch({
            file: route.file, class: row.class ?? route.class, key: row.key, property: column?.name,
            name: `${row.class ?? route.class} ${row.key}${column ? `.${column.name}` : ""}`,
        });
        announce("Watched");
    }

    /** Shows how many objects of the class came and went, for a while. */
    noteChange(data) {
        const change = data.classes.find((one) => one.name === this.route.class), commit = data.commits.at(-1);
        if (!change || !commit || !(change.inserted || change.deleted)) return;
        const parts = [
            change.inserted && `+${countText(change.inserted)}`, change.deleted && `−${countText(change.deleted)}`,
        ].filter(Boolean);
        this.lastChange = { text: parts.join(" "), who: `${committer(commit)}, ${clockText(commit.time)}` };
        clearTimeout(this.forgetting);
        this.forgetting = setTimeout(() => {
            this.lastChange = null;
            this.result.querySelector(".delta")?.remove();
        }, 4000);
    }

    committed(data) {
        if (!this.route || data.file !== this.route.file) return;
        if (data.schemaChanged) {
            this.ask(true);
            return;
        }
        this.noteChange(data);
        const mine = data.views.find((one) => one.view === this.view?.id);
        if (mine && (mine.changed || mine.count !== this.view.count)) this.view.refresh(mine.count, data.commits.at(-1), true);
        if (data.classes.length || data.isUnknown) this.inspector.committed(data);
    }
}

customElements.define("fh-objects", ObjectsView);
