// The line of tools over a grid, the strip that goes to a row, and the divider beside the grid.
import { h, fill, button } from "./dom.js";
import { address, filePath, download } from "./requests.js";
import { counted, countText, cellText } from "./cells.js";
import { menuButton } from "./menu.js";
import { live } from "./live.js";
import { app, settings } from "./app.js";

const exports = [["csv", "CSV"], ["tsv", "TSV"], ["json", "JSON"], ["jsonl", "JSON lines"]];
const greatestMenu = 200;

/** Fills the tools of an objects view. */
export function drawTools(owner) {
    const { view, route } = owner, writable = app.isWritable(route.file) && !view.isGrouped;
    const query = route.query ?? "";
    fill(owner.tools,
        owner.result,
        view.notes.map((note) => h("span", { class: "note", title: note }, note)),
        h("span", { class: "spring" }),
        view.sections.length > 0 && menuButton({ text: "Go to section", items: () => sectionItems(owner) }),
        !view.isGrouped && menuButton({
            text: route.section ? `Sections: ${route.section}` : "Sections", title: "Group the rows by a property",
            items: () => sectionChoices(owner),
        }),
        menuButton({ icon: "columns", text: "Columns", title: "Show and hide columns", items: () => columnItems(owner) }),
        menuButton({
            icon: "download", text: "Export", title: "Export what is shown",
            items: () => exports.map(([format, text]) => ({
                text, icon: "download",
                press: () => download(address(filePath(route.file, "export"), { class: route.class, query, format })),
            })),
        }),
        button({
            icon: "code", text: "Code", quiet: true, title: "A program that runs this query",
            press: () => owner.goTo({ view: "code", file: route.file, class: route.class, query: route.query, kind: "snippet" }),
        }),
        button({
            icon: "eye", text: "Watch", quiet: true, title: "Watch the number of objects that match",
            press: () => live.watch({ file: route.file, class: route.class, query, name: `${route.class} ${query}`.trim() }),
        }),
        writable && button({ icon: "add", text: "Add", quiet: true, title: `Add a ${route.class} (N)`, press: () => owner.draft() }),
        !view.isGrouped && button({
            icon: "panel", quiet: true, title: "Show or hide the object's panel (I)", press: () => owner.toggleSide(),
        }));
}

function sectionItems({ view, grid }) {
    return view.sections.slice(0, greatestMenu).map((section, index) => ({
        text: section.cell === "" ? "“”" : cellText(section.cell), detail: counted(section.count, "row"),
        press: () => grid.activate(section.from + index, 0, { centred: true }),
    }));
}

function sectionChoices(owner) {
    const { route } = owner, properties = app.classOf(route.file, route.class)?.properties ?? [];
    const isSortable = (one) => !one.collections.length && !["link", "data", "mixed"].includes(one.type);
    const names = properties.filter(isSortable).map((one) => one.name);
    return [
        { text: "None", checked: !route.section, press: () => owner.go({ section: undefined }) }, null,
        ...names.flatMap((name) => [name, `${name} DESC`]).map((section) => ({
            text: section, checked: route.section === section, press: () => owner.go({ section }),
        })),
    ];
}

function columnItems({ grid }) {
    const { columns } = grid;
    return [
        { text: "Show all", press: () => setHidden(grid, columns.all, false) }, null,
        ...columns.all.map((column) => ({
            text: column.name, detail: column.property.type, checked: !column.isHidden,
            press: () => setHidden(grid, [column], !column.isHidden),
        })),
    ];
}

/** Shows or hides columns. The menu stays open, so its marks follow. */
export function setHidden(grid, columns, isHidden) {
    for (const column of columns) grid.columns.setHidden(column, isHidden);
    grid.refresh();
    for (const item of document.querySelectorAll('.menu [role="menuitemcheckbox"]')) {
        const column = grid.columns.all.find((one) => one.name === item.querySelector(".name").textContent);
        if (column) item.setAttribute("aria-checked", String(!column.isHidden));
    }
}

/** Asks which row to go to. */
export function askForRow({ view, grid, tools, parentElement }) {
    parentElement.querySelector(".go-to-row")?.remove();
    const field = h("input", { inputmode: "numeric", "aria-label": "Row to go to", placeholder: `1 – ${countText(view.count)}` });
    const close = () => {
        strip.remove();
        grid.focusActive();
    };
    const strip = h("form", { class: "strip go-to-row" }, h("label", {}, "Go to row ", field),
        button({ text: "Go", primary: true, type: "submit" }), button({ icon: "close", quiet: true, title: "Cancel", press: close }));
    strip.addEventListener("submit", (event) => {
        event.preventDefault();
        const row = Number(field.value.replace(/[^\d]/g, ""));
        close();
        if (row >= 1) grid.goToRow(Math.min(row, view.count) - 1);
    });
    strip.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    tools.after(strip);
    field.focus();
}

const leastWidth = 260, greatestWidth = 800, usualWidth = 360;

/** The divider before a panel: dragging it, or arrows, set the panel's width, which is kept. */
export function divider(panel) {
    const element = h("div", {
        class: "divider", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the object's panel", tabindex: "0",
        "aria-valuemin": leastWidth, "aria-valuemax": greatestWidth,
    });
    const set = (width) => {
        const given = Math.round(Math.max(leastWidth, Math.min(greatestWidth, width)));
        panel.style.width = `${given}px`;
        element.setAttribute("aria-valuenow", given);
        settings.write("inspector", given);
    };
    set(settings.read("inspector", usualWidth));
    element.addEventListener("pointerdown", (event) => {
        element.setPointerCapture(event.pointerId);
        const from = event.clientX, width = panel.offsetWidth;
        const move = (moved) => set(width - moved.clientX + from);
        element.addEventListener("pointermove", move);
        element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), { once: true });
    });
    element.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: 16, ArrowRight: -16 }[event.key];
        if (step) set(panel.offsetWidth + step);
    });
    return element;
}
