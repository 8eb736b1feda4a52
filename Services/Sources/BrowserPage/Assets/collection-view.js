// The elements of a list, set or map, unfolded in place and read piece by piece; collections within unfold again.
import { h, fill, button } from "./dom.js";
import { get, filePath } from "./requests.js";
import { cellView } from "./cell-view.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { kindOf, countText } from "./cells.js";
import { app } from "./app.js";

const piece = 50;

/**
 * @param {{file, class, key, property, path?: (number|string)[], depth?: number, follow: (link) => void}} options
 *   `property` is the Property; `path` leads to an inner collection.
 */
export function collectionView(options) {
    const path = options.path ?? [], depth = path.length, kindHere = options.property.collections[depth];
    const element = h("div", { class: "elements" });
    const list = h("ol", { class: kindHere ?? "list" }), footer = h("div", { class: "footer" });
    element.append(list, footer);
    const { file, property } = options, edits = app.edits(file);
    const target = { class: options.class, key: options.key, property: property.name, ...(path.length ? { path } : {}) };
    const elementProperty = { ...property, collections: property.collections.slice(depth + 1), nullable: property.nullable };
    const canEdit = app.isWritable(file) && isEditable(elementProperty);
    let loaded = 0, total = 0, kind = kindHere;

    async function load(from, isFresh) {
        try {
            const answer = await get(filePath(file, "elements"), { ...target, path: path.length ? JSON.stringify(path) : undefined, from, count: isFresh ? Math.max(piece, loaded) : piece });
            if (isFresh) list.replaceChildren();
            kind = answer.kind;
            total = answer.count;
            answer.items.forEach((item, index) => list.append(row(item, answer.from + index)));
            loaded = answer.from + answer.items.length;
            drawFooter();
        } catch (error) {
            fill(footer, h("p", { class: "mistake" }, error.message));
        }
    }

    function drawFooter() {
        const staged = edits.elementEdits(options.class, options.key, property.name);
        fill(footer,
            total === 0 && h("span", { class: "quiet" }, "No elements"),
            loaded < total && button({ text: `Show ${countText(Math.min(piece, total - loaded))} more of ${countText(total - loaded)}`, quiet: true, press: () => load(loaded) }),
            canEdit && button({ icon: "add", text: kind === "map" ? "Add an entry" : "Add", quiet: true, press: insert }),
            staged.length > 0 && h("span", { class: "tag staged" }, `${staged.length} staged`));
    }

    function row(item, position) {
        const at = item.name ?? position, name = h("span", { class: "position" }, item.name ?? String(position));
        const value = h("div", { class: "cell" });
        const inner = ["list", "set", "map"].includes(kindOf(item.cell));
        const element = h("li", {}, name, value);
        const draw = () => fill(value, cellView(item.cell, { file, follow: options.follow, isFocusable: true, unfold: inner ? unfold : undefined }));
        const unfold = () => {
            const open = element.querySelector(":scope > .elements");
            if (open) open.remove();
            else element.append(collectionView({ ...options, path: [...path, at] }));
        };
        draw();
        const mark = (text, className) => {
            element.classList.add(className);
            fill(name, text);
            drawFooter();
        };
        const replace = () => fill(value, cellEditor({
            ...target, property: { ...elementProperty, name: property.name }, file, cell: item.cell,
            stage: (given, show) => {
                edits.push({ do: "replace", ...target, at, value: given, was: item.cell, show });
                item = { ...item, cell: show };
                mark(item.name ?? String(position), "staged");
            },
            done: draw,
        }));
        const actions = h("span", { class: "row-actions" },
            canEdit && kind !== "set" && button({ icon: "edit", quiet: true, title: `Edit ${at}`, press: replace }),
            app.isWritable(file) && kind === "list" && position > 0 && button({ icon: "ascend", quiet: true, title: `Move ${at} up`, press: () => {
                edits.push({ do: "move", ...target, at, to: position - 1 });
                mark(`${position} → ${position - 1}`, "staged");
            } }),
            app.isWritable(file) && button({ icon: "remove", quiet: true, title: `Remove ${at}`, press: () => {
                edits.push({ do: "remove", ...target, at, was: item.cell });
                mark(String(at), "removed");
            } }));
        element.append(actions);
        return element;
    }

    function insert() {
        const holder = h("li", { class: "staged" });
        let entry = null;
        const edit = () => fill(holder, entry ? h("span", { class: "position" }, entry) : null, cellEditor({
            ...target, property: { ...elementProperty, name: property.name }, file, cell: null, isDraft: true,
            stage: (value, show) => {
                edits.push(kind === "map" ? { do: "replace", ...target, at: entry, value, was: null, show } : { do: "insert", ...target, value, show });
                holder.cell = show;
            },
            done: (moved) => {
                if (holder.cell === undefined || moved === "cancel") holder.remove();
                else fill(holder, h("span", { class: "position" }, entry ?? "new"), h("div", { class: "cell" }, cellView(holder.cell)));
                drawFooter();
            },
        }));
        list.append(holder);
        if (kind !== "map") {
            edit();
            return;
        }
        const field = h("input", { "aria-label": "Key of the entry", placeholder: "key", onkeydown: (event) => {
            if (event.key === "Escape") holder.remove();
            if (event.key !== "Enter" || !field.value) return;
            event.preventDefault();
            entry = field.value;
            edit();
        } });
        fill(holder, field);
        field.focus();
    }

    load(0, true);
    element.reload = () => load(0, true);
    return element;
}
