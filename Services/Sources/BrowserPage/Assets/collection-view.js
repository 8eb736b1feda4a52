// The elements of a list, set or map, unfolded in place and read piece by piece; collections within unfold again.
import { h, fill, button } from "./dom.js";
import { getShown, filePath } from "./requests.js";
import { cellView } from "./cell-view.js";
import { cellEditor, isEditable } from "./cell-editor.js";
import { kindOf, countText } from "./cells.js";
import { stagedElement } from "./staged-edits.js";
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

    const staged = () => edits.elementEdits(options.class, options.key, property.name, path);

    async function load(from, isFresh) {
        try {
            const answer = await getShown(filePath(file, "elements"), {
                ...target, path: path.length ? JSON.stringify(path) : undefined, from, count: isFresh ? Math.max(piece, loaded) : piece
            });
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
        const edited = staged(), isWritable = app.isWritable(file);
        const added = edited.filter((one) => one.do === "insert" || one.do === "embed" || (one.do === "replace" && one.isNew));
        fill(footer,
            added.length > 0 && h(
                "ol", { class: "added" },
                added.map(
                    (one) => h(
                        "li", { class: "staged" }, h("span", { class: "position" }, one.isNew ? one.at : "new"),
                        h("div", { class: "cell" }, one.do === "embed" ? "new object" : cellView(one.show)),
                    )
                ),
            ),
            total === 0 && !added.length && h("span", { class: "quiet" }, "No elements"),
            loaded < total && button({
                text: `Show ${countText(Math.min(piece, total - loaded))} more of ${countText(total - loaded)}`, quiet: true,
                press: () => load(loaded),
            }),
            property.isEmbedded && isWritable && kind !== "map"
                && button({ icon: "add", text: "Create", quiet: true, press: () => edits.push({ do: "embed", ...target, values: {} }) }),
            canEdit && button({ icon: "add", text: kind === "map" ? "Add an entry" : "Add", quiet: true, press: insert }),
            edited.length > 0 && h("span", { class: "tag staged" }, `${edited.length} staged`));
    }

    function row(item, position) {
        const at = item.name ?? position, now = stagedElement(staged(), at);
        const shown = now.cell === undefined ? item.cell : now.cell, isRemoved = now.at === null;
        const isStaged = now.cell !== undefined || (!isRemoved && now.at !== at);
        const name = h(
            "span", { class: "position" }, item.name ?? (isRemoved || now.at === at ? String(position) : `${position} → ${now.at}`)
        );
        const value = h("div", { class: "cell" });
        const inner = ["list", "set", "map"].includes(kindOf(shown));
        const element = h("li", { class: isRemoved ? "removed" : isStaged ? "staged" : "" }, name, value);
        const unfold = () => {
            const open = element.querySelector(":scope > .elements");
            if (open) open.remove();
            else element.append(collectionView({ ...options, path: [...path, at] }));
        };
        const draw = () => fill(
            value, cellView(shown, { file, follow: options.follow, isFocusable: true, unfold: inner ? unfold : undefined })
        );
        draw();
        if (isRemoved || !app.isWritable(file)) return element;
        const replace = () => fill(value, cellEditor({
            ...target, property: { ...elementProperty, name: property.name }, file, cell: shown,
            stage: (given, show) => edits.push({ do: "replace", ...target, at: now.at, value: given, was: shown, show }),
            done: () => load(0, true),
        }));
        element.append(h("span", { class: "row-actions" },
            canEdit && kind !== "set" && button({ icon: "edit", quiet: true, title: `Edit ${at}`, press: replace }),
            kind === "list" && now.at > 0
                && button({
                    icon: "ascend", quiet: true, title: `Move ${at} up`,
                    press: () => edits.push({ do: "move", ...target, at: now.at, to: now.at - 1 }),
                }),
            button({
                icon: "remove", quiet: true, title: `Remove ${at}`,
                press: () => edits.push({ do: "remove", ...target, at: now.at, was: shown }),
            })));
        return element;
    }

    function insert() {
        const holder = h("li", {});
        let entry = null;
        const edit = () => fill(holder, entry !== null && h("span", { class: "position" }, entry), cellEditor({
            ...target, property: { ...elementProperty, name: property.name }, file, cell: null, isDraft: true,
            stage: (value, show) => edits.push(
                kind === "map" ? { do: "replace", ...target, at: entry, value, was: null, show, isNew: true }
                    : { do: "insert", ...target, value, show }
            ),
            done: () => {
                holder.remove();
                drawFooter();
            },
        }));
        list.append(holder);
        if (kind !== "map") {
            edit();
            return;
        }
        const field = h("input", { "aria-label": "Key of the entry", placeholder: "key", onkeydown: (event) => {
            if (event.key !== "Enter" && event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            entry = field.value;
            if (event.key === "Escape" || !entry) holder.remove();
            else edit();
        } });
        fill(holder, field);
        field.focus();
    }

    element.reload = () => load(0, true);
    element.reload();
    return element;
}
