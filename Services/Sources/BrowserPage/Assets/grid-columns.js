// The columns of a grid: which, how wide, and their headers.
import { h, button, icon } from "./dom.js";
import { isNumeric, cellText } from "./cells.js";
import { typeName } from "./completion.js";
import { settings } from "./app.js";

const widths = {
    int: 96, float: 104, double: 112, decimal: 120, bool: 72, date: 208, uuid: 288, objectId: 204, string: 180, data: 200, link: 168,
    mixed: 168,
};
const leastWidth = 48;

let measure = null;

/** The width of a text in the page's font. */
function textWidth(text) {
    if (!measure) {
        measure = document.createElement("canvas").getContext("2d");
        const style = getComputedStyle(document.body);
        measure.font = `${style.fontSize} ${style.fontFamily}`;
    }
    // Digits are tabular in the page: each is as wide as a zero.
    return measure.measureText(text.slice(0, 80).replace(/\d/g, "0")).width;
}

export class Columns {
    /**
     * @param {string} place where widths and hidden columns are kept
     * @param {string[]} names
     * @param {object[]} properties as many as names; an aggregate's is made up by the program
     * @param {string[]} primaryKey names of the properties of the primary key
     */
    constructor(place, names, properties, primaryKey = []) {
        this.place = `columns:${place}`;
        const kept = settings.read(this.place, { widths: {}, hidden: [] });
        this.all = names.map((name, index) => {
            const property = properties[index] ?? { name, type: "string", collections: [] };
            const usual = property.collections?.length ? 200 : widths[property.type] ?? 160;
            const forName = Math.ceil(name.length * 7.6 + typeName(property).length * 6.2 + 44);
            return {
                index, name, property, least: Math.min(forName, 260), width: kept.widths[name] ?? Math.max(usual, Math.min(forName, 260)),
                isSized: name in kept.widths, isKey: primaryKey.includes(name), isHidden: kept.hidden.includes(name),
                isNumeric: isNumeric(property),
            };
        });
    }

    get shown() { return this.all.filter((column) => !column.isHidden); }
    get width() { return this.shown.reduce((sum, column) => sum + column.width, 0); }

    resize(column, width) {
        column.width = Math.max(leastWidth, Math.min(1200, Math.round(width)));
        column.isSized = true;
        this.keep();
    }

    /** Gives columns that nobody has sized the width that their first rows need; `isGrowing` keeps wider ones. */
    fit(rows, isGrowing) {
        for (const column of this.all) {
            if (column.isSized || column.property.collections?.length) continue;
            const longest = Math.max(0, ...rows.map((row) => textWidth(cellText(row.cells[column.index]))));
            const extra = column.property.type === "link" ? 40 : 22;
            const needed = Math.max(column.least, Math.min(320, Math.ceil(longest) + extra));
            column.width = isGrowing ? Math.max(column.width, needed) : needed;
        }
    }

    setHidden(column, isHidden) {
        column.isHidden = isHidden;
        this.keep();
    }

    keep() {
        const sized = this.all.filter((column) => column.isSized);
        settings.write(this.place, {
            widths: Object.fromEntries(sized.map((column) => [column.name, column.width])),
            hidden: this.all.filter((column) => column.isHidden).map((column) => column.name),
        });
    }

    /** The value of `grid-template-columns` for a row, with the column of row numbers first. */
    template(gutter) {
        return [`${gutter}px`, ...this.shown.map((column) => `${column.width}px`)].join(" ");
    }
}

/**
 * The header of a column.
 * @param sort {descending, rank, of} or undefined
 */
export function columnHeader(column, position, sort, { pressed, menu, resized, isGrouped }) {
    const { property } = column;
    const marks = [
        column.isKey && h("span", { class: "key", title: "Primary key" }, icon("key")),
        property.indexed && !column.isKey
            && h("span", { class: "indexed", title: property.unique ? "Unique index" : "Index" }, property.unique ? "u" : "i"),
    ];
    const menuButton = button({ icon: "chevron", quiet: true, title: `Column ${column.name}`, tabindex: "-1", class: "column-menu",
        "aria-haspopup": "dialog", "aria-expanded": "false", press: (event) => {
        event.stopPropagation();
        menu(column, menuButton);
    } });
    const handle = h("span", { class: "resize", "aria-hidden": "true" });
    const header = h("div", {
        role: "columnheader", class: column.isNumeric ? "numeric" : "", tabindex: "-1", "aria-colindex": position + 2,
        "aria-sort": sort ? (sort.descending ? "descending" : "ascending") : null, dataset: { column: position },
        onclick: (event) => { if (!handle.contains(event.target)) pressed(column, event.shiftKey); },
    },
    h("span", { class: "title" }, h("span", { class: "name" }, column.name), marks,
        sort && h("span", { class: "sort" }, icon(sort.descending ? "descend" : "ascend"), sort.of > 1 && String(sort.rank))),
    h("span", { class: "type" }, typeName(property)), !isGrouped && menuButton, handle);
    handle.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        event.stopPropagation();
        const from = event.clientX, width = column.width;
        handle.setPointerCapture(event.pointerId);
        const move = (moved) => resized(column, width + moved.clientX - from);
        handle.addEventListener("pointermove", move);
        handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), { once: true });
    });
    return header;
}
