// What can be done to the selected rows: set a property of all, delete them.
import { h, fill, button } from "./dom.js";
import { counted } from "./cells.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { app } from "./app.js";

/** Fills the strip above the grid. */
export function selectionBar(element, { keys, route, view }) {
    const writable = app.isWritable(route.file), edits = app.edits(route.file);
    const target = () => (
        keys.isAll ? { class: route.class, query: route.query ?? "" } : { class: route.class, keys: [...keys.selected.keys()] }
    );
    const editor = h("span", { class: "bulk" });
    const properties = view.properties.filter((property) => isEditable(property) && property.type !== "data");
    const select = h(
        "select", { "aria-label": "Property to set" }, h("option", { value: "" }, "Set a property…"),
        properties.map((property) => h("option", { value: property.name }, property.name)),
    );
    select.addEventListener("change", () => {
        const property = properties.find((one) => one.name === select.value);
        if (!property) {
            editor.replaceChildren();
            return;
        }
        fill(editor, cellEditor({
            file: route.file, class: route.class, key: "", property, cell: null, isDraft: true,
            stage: (value, show) => edits.push({ do: "setAll", ...target(), property: property.name, value, show }),
            done: () => {
                editor.replaceChildren();
                select.value = "";
                select.focus();
            },
        }));
    });
    fill(element,
        h("strong", {}, keys.isAll ? `All ${counted(view.count, "object")} of the query` : `${counted(keys.count, "object")} selected`),
        writable && [select, editor, button({ icon: "trash", text: "Delete", danger: true, press: () => {
            edits.push({ do: "deleteAll", ...target() });
            keys.clear();
        } })],
        !keys.isAll && keys.count < view.count
            && button({ text: `Select all ${counted(view.count, "object")}`, quiet: true, press: () => keys.selectAll() }),
        button({ text: "Clear", quiet: true, title: "Clear the selection (Escape)", press: () => keys.clear() }));
}
