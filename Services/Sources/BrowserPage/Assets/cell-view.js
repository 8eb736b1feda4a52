// Shows cells: in the grid, in the inspector and in previews.
import { h, fill } from "./dom.js";
import { kindOf, bytesText, countText, cellText, visibleText } from "./cells.js";
import { getShown, filePath } from "./requests.js";
import { place } from "./menu.js";
import { app } from "./app.js";

/**
 * The content of a cell.
 * @param cell
 * @param {{follow?: (link) => void, unfold?: () => void, file?: string, isFocusable?: boolean}} actions
 *   `follow` makes links buttons, `unfold` collections; `isFocusable` lets Tab reach them.
 * @returns {Node}
 */
export function cellView(cell, actions = {}) {
    switch (kindOf(cell)) {
        case "null": return h("span", { class: "null" }, "null");
        case "bool": return h("span", { class: cell ? "true" : "false" }, String(cell));
        case "text": return cell === "" ? h("span", { class: "empty", title: "The empty string" }, "“”")
            : h("span", { class: "value" }, visibleText(cell, !actions.isFocusable));
        case "cut": return h(
            "span", { class: "value" }, visibleText(cell.text, !actions.isFocusable),
            actions.isFocusable ? "…" : h("span", { class: "size" }, `… ${bytesText(cell.bytes)}`),
        );
        case "data": return cell.data === 0
            ? h("span", { class: "empty", title: "No bytes" }, "0 B")
            : h("span", { class: "data" }, h("span", { class: "size" }, bytesText(cell.data)), h("code", {}, cell.start));
        case "link": return chip(cell.link, actions);
        case "embedded": return chip(cell.embedded, actions, "embedded");
        case "list": case "set": case "map": return collection(cell, actions);
        case "mixed": return h("span", { class: "mixed" }, h("span", { class: "type" }, cell.mixed), cellView(cell.value, actions));
        default: return h("span", {});
    }
}

function chip(link, actions, kind = "") {
    const label = visibleText(link.label || link.key || link.class, true);
    if (!actions.follow || !link.key) return h("span", { class: `chip ${kind}` }, label);
    const element = h("button", {
        type: "button", class: `chip ${kind}`, tabindex: actions.isFocusable ? null : "-1", "aria-label": `${label}, ${link.class}`,
        onclick: (event) => {
            event.stopPropagation();
            hidePreview();
            quietUntil = performance.now() + 1500;
            actions.follow({ class: link.class, key: link.key }, event);
        },
        ondblclick: (event) => event.stopPropagation(),
    }, label);
    if (actions.file) {
        element.addEventListener("pointerenter", () => showPreview(element, actions.file, link));
        element.addEventListener("pointerleave", hidePreview);
        element.addEventListener("focus", () => showPreview(element, actions.file, link));
        element.addEventListener("blur", hidePreview);
    }
    return element;
}

const brackets = { list: ["[", "]"], set: ["<", ">"], map: ["{", "}"] };
export const nouns = { list: "element", set: "element", map: "entry" };

function collection(cell, actions) {
    const kind = kindOf(cell), count = cell[kind], [left, right] = brackets[kind];
    const items = (cell.items ?? []).map((item) => (kind === "map" ? `${item[0]}: ${cellText(item[1])}` : cellText(item))).join(", ");
    const content = [
        h("span", { class: "count" }, `${left}${countText(count)}${right}`),
        count > 0 && h("span", { class: "items" }, visibleText(items, true), count > (cell.items?.length ?? 0) && items ? ", …" : ""),
    ];
    if (!actions.unfold || count === 0) return h("span", { class: "collection" }, content);
    const plural = kind === "map" ? "entries" : "elements";
    return h("button", {
        type: "button", class: "collection", tabindex: actions.isFocusable ? null : "-1",
        "aria-label": `${kind} of ${countText(count)} ${count === 1 ? nouns[kind] : plural}`,
        onclick: (event) => {
            event.stopPropagation();
            actions.unfold(event);
        },
        ondblclick: (event) => event.stopPropagation(),
    }, content);
}

// Previews of links

let preview = null;
/** No preview of what was just followed: the inspector shows it. */
let quietUntil = 0;

function hidePreview() {
    if (!preview) return;
    clearTimeout(preview.timer);
    preview.controller.abort();
    preview.card?.remove();
    preview = null;
}

/** Shows the target's first properties beside a chip, after a moment. */
function showPreview(anchor, file, link) {
    hidePreview();
    if (performance.now() < quietUntil) return;
    const controller = new AbortController();
    const mine = { controller, timer: setTimeout(show, 350) };
    preview = mine;
    async function show() {
        try {
            const object = await getShown(filePath(file, "object"), { class: link.class, key: link.key }, controller.signal);
            const properties = app.classOf(file, object.class)?.properties ?? [];
            if (preview !== mine || !anchor.isConnected) return;
            const rows = object.cells.slice(0, 9).map((cell, index) => [
                h("dt", {}, properties[index]?.name ?? ""), h("dd", {}, cellView(cell)),
            ]);
            mine.card = h("div", { class: "panel preview", role: "tooltip" });
            fill(mine.card, h("header", {}, h("strong", {}, object.label || object.key), h("span", { class: "type" }, object.class)),
                h("dl", {}, rows),
                object.cells.length > 9 && h("footer", {}, `and ${object.cells.length - 9} more`));
            document.body.append(mine.card);
            place(mine.card, anchor);
        } catch { /* the object is gone, or the pointer is */ }
    }
}

window.addEventListener("scroll", hidePreview, { capture: true, passive: true });
