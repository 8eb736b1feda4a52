// A form in the inspector's place for an object that is to be added. It is staged like all edits.
import { h, fill, button } from "./dom.js";
import { cellView } from "./cell-view.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { typeName } from "./completion.js";
import { app } from "./app.js";

/** The cell that a property has if nothing is entered; undefined if the program decides. */
function initialCell({ type, nullable }) {
    if (nullable || type === "link" || type === "mixed") return null;
    return { int: "0", float: "0", double: "0", decimal: "0", bool: false, string: "", data: { data: 0, start: "" } }[type];
}

function initial(property, canEdit) {
    if (property.collections.length) return h("span", { class: "quiet" }, "empty");
    if (!canEdit) return h("span", { class: "quiet" }, "set after it is committed");
    const cell = initialCell(property);
    return h("span", { class: "quiet default", title: "Default" }, cell === undefined ? "default" : cellView(cell));
}

/**
 * @param {{file, className, done: () => void}} options `done` is called once the object is staged or given up.
 */
export function draftView({ file, className, done }) {
    const properties = app.classOf(file, className)?.properties ?? [];
    const edits = app.edits(file), values = {}, shown = {};
    const list = h("dl", { class: "properties" });
    for (const property of properties) {
        const value = h("dd", {});
        const canEdit = isEditable(property);
        const draw = () => fill(value, h("div", { class: "cell" },
            property.name in shown ? cellView(shown[property.name]) : initial(property, canEdit)),
        canEdit && button({ icon: "edit", quiet: true, class: "edit square quiet", title: `Enter ${property.name}`, press: edit }));
        const edit = () => fill(value, cellEditor({
            file, class: className, key: "", property, cell: shown[property.name] ?? null, isDraft: true, isWide: false,
            stage: (given, show) => {
                values[property.name] = given;
                shown[property.name] = show;
            },
            done: (moved) => {
                draw();
                if (moved === "next" || moved === "previous") {
                    const rows = [...list.querySelectorAll("dd")];
                    rows[rows.indexOf(value) + (moved === "next" ? 1 : -1)]?.querySelector(".edit")?.click();
                } else if (moved !== "blur") value.querySelector(".edit")?.focus();
            },
        }));
        if (canEdit) value.addEventListener("dblclick", edit);
        draw();
        list.append(
            h(
                "div", { class: "property" },
                h("dt", {}, h("span", { class: "name" }, property.name), h("span", { class: "type" }, typeName(property))), value,
            )
        );
    }
    const element = h("div", { class: "draft" },
        h("header", { class: "inspector-head" }, h(
            "div", { class: "title-row" }, h("h2", { tabindex: "-1" }, `New ${className}`),
            button({ icon: "close", quiet: true, title: "Give up", press: done }),
        ),
            h("p", { class: "subtitle" }, "Staged until it is committed")),
        h("div", { class: "inspector-body" }, list, h("div", { class: "footer" }, button({ text: "Stage the object", primary: true,
            press: () => {
            edits.push({ do: "add", class: className, values, name: edits.newName() });
            done();
        } }))));
    element.addEventListener("keydown", (event) => {
        if (event.key === "Escape" && !event.target.closest(".editor")) done();
    });
    queueMicrotask(() => (list.querySelector(".edit") ?? element.querySelector("button")).focus());
    return element;
}
