// The grid's keyboard and its selection. A selection is a set of objects, or all of the query.
import { announce, copyText } from "./dom.js";
import { cellText, countText } from "./cells.js";

const greatestRange = 5000;

export class GridKeys {
    constructor(grid) {
        this.grid = grid;
        /** Object key to class. */
        this.selected = new Map();
        this.isAll = false;
        this.anchor = 0;
        grid.scroller.addEventListener("keydown", (event) => this.pressed(event));
    }

    get count() { return this.isAll ? this.grid.view.count : this.selected.size; }
    isSelected(row) { return Boolean(row.key) && (this.isAll || this.selected.has(row.key)); }

    changed() {
        this.grid.refresh();
        this.grid.emit("select");
    }

    clear() {
        if (!this.isAll && !this.selected.size) return;
        this.isAll = false;
        this.selected.clear();
        if (this.grid.view) this.changed();
    }

    toggle(position) {
        const row = this.grid.rowAt(position);
        this.anchor = position;
        if (!row?.key) return;
        this.isAll = false;
        if (!this.selected.delete(row.key)) this.selected.set(row.key, row.class ?? this.grid.context.className);
        this.changed();
        announce(`${countText(this.count)} selected`);
    }

    selectAll() {
        if (this.grid.view.isGrouped) return;
        this.isAll = true;
        this.selected.clear();
        this.changed();
        announce(`All ${countText(this.count)} selected`);
    }

    /** Selects from the anchor up to a position; rows that are not here are asked for. */
    async extendTo(position) {
        const { grid } = this, from = Math.min(this.anchor, position), to = Math.max(this.anchor, position);
        if (to - from >= greatestRange) {
            announce(`At most ${countText(greatestRange)} rows can be selected one by one. Press Control A for all.`);
            return;
        }
        const take = (row) => { if (row?.key) this.selected.set(row.key, row.class ?? grid.context.className); };
        this.isAll = false;
        const rows = [];
        for (let one = from; one <= to; one += 1) {
            const place = grid.sections.at(one);
            if (place.section !== undefined) continue;
            const row = grid.view.row(place.row);
            if (row) take(row);
            else rows.push(place.row);
        }
        this.changed();
        for (let index = 0; index < rows.length;) {
            const first = rows[index], last = Math.min(first + 499, rows.at(-1));
            const answer = await grid.view.fetch(first, last - first + 1).catch(() => ({ rows: [] }));
            answer.rows.forEach(take);
            while (index < rows.length && rows[index] <= last) index += 1;
        }
        if (rows.length) this.changed();
    }

    copy() {
        const { grid } = this, row = grid.activeRow, column = grid.activeColumn;
        if (!this.selected.size) {
            if (row && column) copyText(cellText(row.cells[column.index]));
            return;
        }
        const lines = [grid.columns.shown.map((one) => one.name).join("\t")];
        for (const page of grid.view.cache.pages.values()) {
            for (const one of page.rows) {
                if (this.selected.has(one.key)) lines.push(
                    grid.columns.shown.map((shown) => cellText(one.cells[shown.index]).replace(/[\t\n\r]/g, " ")).join("\t")
                );
            }
        }
        copyText(lines.join("\n"));
    }

    pressed(event) {
        const { grid } = this;
        if (!grid.view || event.target.closest(".editor") || event.target.closest("input")) return;
        const { row, column } = grid.active, isControl = event.ctrlKey || event.metaKey;
        const page = Math.max(1, Math.floor(grid.map.viewport / grid.map.rowHeight) - 1);
        const move = (toRow, toColumn = column) => {
            if (event.shiftKey && toRow !== row && toRow >= 0) {
                if (!this.selected.size) this.anchor = Math.max(0, row);
                this.extendTo(Math.min(toRow, grid.sections.count - 1));
            } else if (toRow !== row) this.anchor = Math.max(0, toRow);
            grid.activate(toRow, toColumn);
        };
        const isHeader = row < 0;
        if (isHeader && this.headerPressed(event)) {
            event.preventDefault();
            return;
        }
        switch (event.key) {
            case "ArrowDown": move(row + 1); break;
            case "ArrowUp": move(isControl ? 0 : row - 1); break;
            case "ArrowRight": move(row, column + 1); break;
            case "ArrowLeft": move(row, column - 1); break;
            case "PageDown": move(row + page); break;
            case "PageUp": move(Math.max(0, row - page)); break;
            case "Home": move(isControl ? 0 : row, 0); break;
            case "End": move(isControl ? grid.sections.count - 1 : row, isControl ? column : grid.columns.shown.length); break;
            case "Enter": this.enter(event); break;
            case "F2": grid.edit(); break;
            case " ": this.toggle(row); break;
            case "Escape": this.clear(); break;
            case "Delete": grid.emit("delete"); break;
            case "a": if (!isControl) return; this.selectAll(); break;
            case "c": if (!isControl) return; this.copy(); break;
            case "n": if (isControl) return; grid.emit("add"); break;
            case "f": if (isControl) return; grid.emit("filter"); break;
            case "w": if (isControl) return; grid.emit("watch"); break;
            default:
                // A digit begins an edit of a number; elsewhere digits choose views.
                if (isControl || event.altKey || !/^[\d.-]$/.test(event.key)) return;
                if (grid.activeColumn?.isNumeric) grid.edit(event.key);
        }
        event.preventDefault();
        event.stopPropagation();
    }

    headerPressed(event) {
        const { grid } = this, column = grid.activeColumn;
        if (!column) return false;
        if (event.key === "Enter" || event.key === " ") grid.emit("sort", { column, isAdded: event.shiftKey });
        else if (event.altKey && event.key === "ArrowDown" && !grid.view.isGrouped) grid.emit("column", {
            column, anchor: grid.activeElement().querySelector("button"),
        });
        else if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
            grid.columns.resize(column, column.width + (event.key === "ArrowLeft" ? -16 : 16));
            grid.applyWidths();
        } else return false;
        return true;
    }

    /** Enter follows a link, unfolds a collection, edits a value where that is possible, and else shows the object. */
    enter(event) {
        const { grid } = this, inner = grid.activeElement()?.querySelector("button");
        const row = grid.activeRow;
        if (!row) return;
        if (event.altKey || event.ctrlKey || event.metaKey) grid.emit("open", { row });
        else if (inner) inner.click();
        else if (!grid.edit() && row.key) grid.emit("open", { row });
    }
}
