// The grid: shows the rows of a view, however many there are. Only rows in view are elements.
import { h, fill, perFrame } from "./dom.js";
import { ScrollMap, SectionMap } from "./scroll-map.js";
import { Columns, columnHeader } from "./grid-columns.js";
import { GridKeys } from "./grid-keys.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { countText } from "./cells.js";
import { fillPlaceholder, fillRow, fillSection } from "./grid-rows.js";

const rowHeight = 28, headHeight = 44;
/** Pixels beside the view within which columns have cells. */
const columnMargin = 300;

/**
 * Events: "open" {row, link?, property?, isQuiet?}, "active" {row}, "select", "sort" {column, isAdded}, "column" {column, anchor},
 * "add", "delete", "filter", "watch".
 */
export class Grid extends HTMLElement {
    connectedCallback() {
        if (this.scroller) return;
        this.map = new ScrollMap(rowHeight);
        this.sections = new SectionMap();
        this.elements = new Map();
        this.generation = 0;
        /** Where the scroller is, and how wide. */
        this.left = 0;
        this.room = 0;
        this.active = { row: 0, column: 0 };
        this.head = h("div", { class: "head", role: "row", "aria-rowindex": "1" });
        this.body = h("div", { class: "body", role: "rowgroup" });
        this.sizer = h(
            "div", { class: "sizer", hidden: true, role: "grid", "aria-label": "Objects", "aria-multiselectable": "true" },
            h("div", { role: "rowgroup", class: "heads" }, this.head), this.body,
        );
        this.scroller = h("div", { class: "scroller", tabindex: "-1" }, this.sizer);
        this.message = h("div", { class: "message", hidden: true });
        this.append(this.scroller, this.message);
        this.draw = perFrame(() => this.render());
        this.scroller.addEventListener("scroll", () => this.scrolled());
        this.scroller.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
        this.keys = new GridKeys(this);
        new ResizeObserver(() => this.resized()).observe(this.scroller);
        this.body.addEventListener("click", (event) => this.pressed(event));
        this.body.addEventListener("dblclick", (event) => this.doublePressed(event));
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    /** Shows a view. `context` is {file, className, primaryKey, edits, isWritable, sort, place}. */
    show(view, context) {
        const isSame = this.view && this.view.className === view.className && this.view.file === view.file;
        this.view = view;
        this.headSignature = null;
        this.context = context;
        this.isFitted = false;
        this.isAsBefore = isSame && this.columns?.all.length === view.columns.length;
        const widths = this.isAsBefore ? new Map(this.columns.all.map((column) => [column.name, column.width])) : null;
        this.columns = new Columns(context.place, view.columns, view.properties, context.primaryKey);
        for (const column of this.columns.all) column.width = widths?.get(column.name) ?? column.width;
        this.keys.clear();
        this.elements.clear();
        this.body.replaceChildren();
        this.sizer.hidden = false;
        if (!isSame) this.scrollToLeft(0);
        // A header that was pressed keeps the focus.
        const isInHead = isSame && this.head.contains(document.activeElement);
        this.active = { row: isInHead ? -1 : 0, column: isSame ? Math.min(this.active.column, this.columns.shown.length) : 1 };
        this.map.moveTo(0);
        this.counted();
        this.scroller.scrollTop = this.map.scrollTop;
        if (view.row(0)) this.arrived();
    }

    /** Rows have arrived. The first ones say how wide the columns are. */
    arrived() {
        if (!this.isFitted && this.view.row(0)) {
            this.isFitted = true;
            this.columns.fit(this.view.cache.pages.get(0).rows, this.isAsBefore);
            this.refresh();
            this.render();
            return;
        }
        this.draw();
    }

    /** The number of rows or sections has changed. */
    counted() {
        this.sections = new SectionMap(this.view.sections, this.view.count);
        this.active.row = Math.max(Math.min(this.active.row, 0), Math.min(this.active.row, this.sections.count - 1));
        this.resized();
        this.refresh();
    }

    resized() {
        if (!this.view) return;
        this.room = this.scroller.clientWidth;
        const viewport = Math.max(0, this.scroller.clientHeight - headHeight);
        const scrollTop = this.map.resize(this.sections.count, viewport);
        this.sizer.style.height = `${this.map.elementHeight + headHeight}px`;
        this.body.style.height = `${viewport}px`;
        if (Math.abs(this.scroller.scrollTop - scrollTop) > 1) this.scroller.scrollTop = scrollTop;
        this.draw();
    }

    scrolled() {
        this.left = this.scroller.scrollLeft;
        // The position that was set comes back as an event of its own, rounded.
        if (Math.abs(this.scroller.scrollTop - this.map.scrollTop) > 1) {
            this.map.scrolled(this.scroller.scrollTop);
            clearTimeout(this.settling);
            if (this.map.isScaled) this.settling = setTimeout(() => { this.scroller.scrollTop = this.map.synchronise(); }, 200);
        }
        this.draw();
    }

    wheeled(event) {
        if (!this.map.isScaled || event.ctrlKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
        event.preventDefault();
        const unit = event.deltaMode === 1 ? rowHeight : event.deltaMode === 2 ? this.map.viewport : 1;
        this.scroller.scrollTop = this.map.moveBy(event.deltaY * unit);
        this.draw();
    }

    scrollToRow(position, isCentred = false) {
        this.scroller.scrollTop = isCentred ? this.map.centre(position) : this.map.reveal(position);
        this.draw();
    }

    /** Draws all rows anew, because something other than the rows has changed. */
    refresh() {
        this.generation += 1;
        this.drawn = null;
        this.drawHead();
        this.draw();
    }

    /** The columns that rows have cells for: [column, position]. */
    get drawnColumns() {
        return [...this.columns.shown.entries()].slice(this.drawn.first, this.drawn.end).map(([position, column]) => [column, position]);
    }

    get gutter() { return Math.max(44, 24 + Math.round(6.6 * countText(this.view.count).length)); }

    drawHead() {
        const { sort } = this.context, shown = this.columns.shown;
        this.sizer.setAttribute("aria-colcount", shown.length + 1);
        this.sizer.setAttribute("aria-rowcount", this.sections.count + 1);
        this.sizer.setAttribute("aria-label", `${this.view.className}, ${countText(this.view.count)} rows`);
        // A group without rows is not allowed.
        this.body.setAttribute("role", this.sections.count ? "rowgroup" : "presentation");
        this.template = this.columns.template(this.gutter);
        const signature = JSON.stringify([this.template, sort, this.view.id, shown.map((column) => column.name)]);
        if (signature === this.headSignature) return;
        this.headSignature = signature;
        const focused = this.head.contains(document.activeElement);
        this.sizer.style.width = `${this.gutter + this.columns.width}px`;
        this.head.style.gridTemplateColumns = this.template;
        fill(this.head, h(
            "div", { role: "columnheader", class: "corner", "aria-colindex": "1", tabindex: "-1", dataset: { column: "-1" } },
            h("span", { class: "offscreen" }, "Row"),
        ),
            shown.map((column, position) => {
                const rank = sort.findIndex((key) => key.path === column.name);
                return columnHeader(column, position, rank < 0 ? undefined : { ...sort[rank], rank: rank + 1, of: sort.length }, {
                    isGrouped: this.view.isGrouped,
                    pressed: (one, isAdded) => this.emit("sort", { column: one, isAdded }),
                    menu: (one, anchor) => this.emit("column", { column: one, anchor }),
                    resized: (one, width) => {
                        this.columns.resize(one, width);
                        this.applyWidths();
                    },
                });
            }));
        this.setTab();
        if (focused) this.focusActive();
    }

    /** Moves columns without drawing cells anew. */
    applyWidths() {
        this.headSignature = null;
        this.template = this.columns.template(this.gutter);
        this.sizer.style.width = `${this.gutter + this.columns.width}px`;
        for (const row of [this.head, ...this.elements.values()]) row.style.gridTemplateColumns = this.template;
    }

    /** Which columns are in view, or near it; rows have cells for these only. */
    columnRange() {
        // As they were last, because asking the element for them would lay out the page once more.
        const { left, room } = this, right = left + room, { shown } = this.columns;
        let edge = this.gutter, first = 0, end = shown.length;
        shown.forEach((column, position) => {
            if (edge + column.width < left - columnMargin) first = position + 1;
            if (edge > right + columnMargin) end = Math.min(end, position);
            edge += column.width;
        });
        return { first, end };
    }

    /** Draws cells anew once columns without cells come near. */
    checkColumns() {
        const { first, end } = this.columnRange(), { drawn } = this;
        if (drawn && first >= drawn.first && end <= drawn.end) return;
        this.drawn = { first: Math.max(0, first - 2), end: end + 2 };
        this.generation += 1;
    }

    render() {
        if (!this.view || !this.isConnected) return;
        this.checkColumns();
        const { first, end } = this.map.visible();
        this.needRows(first, end);
        const focused = document.activeElement;
        const isFocused = this.body.contains(focused) && !focused.closest(".editor");
        for (const [position, element] of this.elements) {
            if ((position < first || position >= end) && !element.querySelector(".editor")) {
                element.remove();
                this.elements.delete(position);
            }
        }
        for (let position = first; position < end; position += 1) this.drawRow(position);
        // Rows that scrolled away take the focus with them; the grid keeps it.
        if (isFocused && !this.body.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
        this.setTab();
    }

    needRows(first, end) {
        if (end <= first) return;
        const from = this.sections.at(first), to = this.sections.at(end - 1);
        const fromRow = from.row ?? this.view.sections[from.section].from;
        const toRow = (to.row ?? this.view.sections[to.section].from - 1) + 1;
        this.view.cache.need(Math.max(0, fromRow), Math.min(this.view.count, Math.max(fromRow + 1, toRow)));
    }

    drawRow(position) {
        const place = this.sections.at(position);
        const row = place.section === undefined ? this.view.row(place.row) : this.view.sections[place.section];
        let element = this.elements.get(position);
        if (!element) {
            element = h("div", { role: "row", "aria-rowindex": position + 2, dataset: { position } });
            this.elements.set(position, element);
            this.body.append(element);
        } else if (element.querySelector(".editor")) {
            element.style.transform = `translateY(${this.map.offset(position)}px)`;
            return;
        }
        const change = row?.key ? this.view.changes.get(row.key) : undefined;
        element.style.transform = `translateY(${this.map.offset(position)}px)`;
        if (element.row === row && element.generation === this.generation && element.change === change) return;
        Object.assign(element, { row, generation: this.generation, change });
        const focusedColumn = element.contains(document.activeElement) ? this.active.column : null;
        element.style.gridTemplateColumns = this.template;
        if (place.section !== undefined) fillSection(this, element, row);
        else if (row) fillRow(this, element, row, place.row, change);
        else fillPlaceholder(this, element, place.row);
        if (focusedColumn !== null) this.activeElement()?.focus({ preventScroll: true });
    }

    // The active cell. Column 0 is the row number; row -1 are the headers.

    setTab() {
        this.tabStop?.setAttribute("tabindex", "-1");
        this.tabStop = this.activeElement() ?? this.scroller;
        this.tabStop.setAttribute("tabindex", "0");
    }

    activeElement() {
        const row = this.active.row < 0 ? this.head : this.elements.get(this.active.row);
        return row?.querySelector(
            `:scope > [aria-colindex="${this.active.column + 1}"]`
        ) ?? row?.querySelector(":scope > [aria-colspan]") ?? null;
    }

    /** The row data of a position, or undefined. */
    rowAt(position) {
        const place = this.sections.at(position);
        return place.section === undefined ? this.view.row(place.row) : undefined;
    }

    get activeRow() { return this.active.row < 0 ? undefined : this.rowAt(this.active.row); }
    get activeColumn() { return this.columns?.shown[this.active.column - 1]; }

    activate(row, column, { focus = true, centred = false, isQuiet = false } = {}) {
        this.active = {
            row: Math.max(-1, Math.min(row, this.sections.count - 1)), column: Math.max(0, Math.min(column, this.columns.shown.length)),
        };
        if (this.active.row >= 0) this.scrollToRow(this.active.row, centred);
        this.revealColumn();
        this.render();
        if (focus) this.focusActive();
        if (this.active.row >= 0 && !isQuiet) this.emit("active", { row: this.activeRow });
    }

    focusActive() {
        (this.activeElement() ?? this.scroller).focus({ preventScroll: true });
    }

    revealColumn() {
        if (this.active.column <= 1) {
            this.scrollToLeft(0);
            return;
        }
        const { shown } = this.columns, at = Math.min(this.active.column, shown.length);
        const left = shown.slice(0, at - 1).reduce((sum, column) => sum + column.width, 0),
            right = left + this.gutter + (shown[at - 1]?.width ?? 0);
        if (left < this.left) this.scrollToLeft(left);
        else if (right > this.left + this.room) this.scrollToLeft(right - this.room);
    }

    scrollToLeft(left) {
        if (left === this.left) return;
        this.scroller.scrollLeft = left;
        this.left = this.scroller.scrollLeft;
    }

    /** Goes to an object by its position in the view. */
    goToRow(row, options) { this.activate(this.sections.positionOf(row), Math.max(1, this.active.column), { centred: true, ...options }); }

    place(event) {
        const cell = event.target.closest(".cell"), row = cell?.parentElement;
        if (!row?.dataset.position) return null;
        return { row: Number(row.dataset.position), column: Number(cell.getAttribute("aria-colindex")) - 1, cell };
    }

    pressed(event) {
        if (event.target.closest(".editor")) return;
        const place = this.place(event);
        if (!place) return;
        if (event.shiftKey) this.keys.extendTo(place.row);
        else if (event.ctrlKey || event.metaKey || place.column === 0) this.keys.toggle(place.row);
        else this.keys.clear();
        this.activate(place.row, place.column);
        const row = this.activeRow;
        if (row?.key && place.column > 0 && !event.shiftKey && !event.ctrlKey && !event.metaKey) this.emit("open", { row, isQuiet: true });
    }

    doublePressed(event) {
        const place = this.place(event);
        if (place && !this.edit()) this.emit("open", { row: this.activeRow });
    }

    /** Edits the active cell in place; false if it cannot be edited. */
    edit(typed) {
        const row = this.activeRow, column = this.activeColumn, element = this.activeElement();
        if (
            !this.context.isWritable || !row?.key || !column || this.view.isGrouped || !isEditable(column.property)
            || element.querySelector(".editor")
        ) return false;
        const className = row.class ?? this.context.className, { edits } = this.context;
        const staged = edits.valueOf(className, row.key, column.name);
        const cell = staged ? staged.cell : row.cells[column.index];
        element.removeAttribute("title");
        const editor = cellEditor({
            file: this.context.file, class: className, key: row.key, property: column.property, cell, typed,
            stage: (value, show) => edits.set({
                class: className, key: row.key, property: column.name, value, was: row.cells[column.index], show,
            }),
            done: (moved) => {
                const rowElement = element.closest(".row");
                element.replaceChildren();
                element.classList.remove("editing");
                if (rowElement) rowElement.generation = -1;
                this.render();
                if (moved === "blur") return;
                const step = moved === "next" ? 1 : moved === "previous" ? -1 : 0;
                this.activate(this.active.row, this.active.column + step);
                if (step) this.edit();
            },
        });
        fill(element, editor);
        element.classList.add("editing");
        element.closest(".row").classList.add("editing");
        element.classList.toggle("leftward", editor.getBoundingClientRect().right > this.scroller.getBoundingClientRect().right);
        return true;
    }

    /** Marks the row of the object that is shown beside the grid. */
    markOpen(key) {
        if (!this.context) return;
        this.context.openKey = key;
        for (const element of this.elements.values()) element.classList.toggle("open", Boolean(key) && element.row?.key === key);
    }

    setMessage(...content) {
        this.message.hidden = content.length === 0;
        fill(this.message, content);
    }
}

customElements.define("fh-grid", Grid);
