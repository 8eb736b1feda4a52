// A button that opens a panel under it. Escape and a press elsewhere close it; arrows walk through its items.
import { h, icon, uniqueId, fill } from "./dom.js";

let open = null;

function close(focusButton) {
    if (!open) return;
    const { panel, anchor, closed } = open;
    open = null;
    panel.remove();
    anchor.setAttribute("aria-expanded", "false");
    if (focusButton) anchor.focus();
    closed?.();
}

document.addEventListener("pointerdown", (event) => {
    if (open && !open.panel.contains(event.target) && !open.anchor.contains(event.target)) close(false);
}, true);
document.addEventListener("keydown", (event) => {
    if (open && event.key === "Escape") {
        event.stopPropagation();
        event.preventDefault();
        close(true);
    }
}, true);

export const closePanel = () => close(true);

/** Shows a panel under an element, kept within the window. `content` is filled into it. */
export function openPanel(anchor, content, { label, role = "dialog", className = "", closed } = {}) {
    if (open?.anchor === anchor) {
        close(true);
        return null;
    }
    close(false);
    const panel = h("div", { class: `panel ${className}`, role, "aria-label": label, id: uniqueId("panel"), tabindex: "-1" });
    fill(panel, content);
    (document.querySelector("main") ?? document.body).append(panel);
    open = { panel, anchor, closed };
    anchor.setAttribute("aria-expanded", "true");
    place(panel, anchor);
    (panel.querySelector("[autofocus], input, button, [tabindex='0']") ?? panel).focus();
    return panel;
}

/** Puts a panel under its anchor, or above where there is no room. */
export function place(panel, anchor) {
    const at = anchor.getBoundingClientRect(), size = panel.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, innerWidth - size.width - 8));
    const below = innerHeight - at.bottom - 12;
    const isAbove = size.height > below && at.top > below;
    panel.style.left = `${Math.round(left)}px`;
    panel.style.maxHeight = `${Math.round(Math.max(120, isAbove ? at.top - 12 : below))}px`;
    panel.style.top = isAbove ? `${Math.round(Math.max(8, at.top - size.height - 4))}px` : `${Math.round(at.bottom + 4)}px`;
}

/**
 * A menu under an element. Items are {text, detail, icon, danger, checked, press}; null is a line between.
 */
function openMenu(anchor, items, label) {
    const list = items.map((item) => item
        ? h("button", {
            type: "button", role: item.checked === undefined ? "menuitem" : "menuitemcheckbox", class: item.danger ? "danger" : "",
            tabindex: "-1",
            "aria-checked": item.checked === undefined ? null : String(item.checked),
            onclick: () => {
                if (item.checked === undefined) close(true);
                item.press();
            },
        }, h(
            "span", { class: "mark" }, item.checked !== undefined ? icon("check") : item.icon ? icon(item.icon) : ""
        ), h("span", { class: "name" }, item.text), item.detail && h("span", { class: "detail" }, item.detail))
        : h("div", { role: "separator" }));
    const panel = openPanel(anchor, list, { label, role: "menu", className: "menu" });
    panel?.addEventListener("keydown", (event) => {
        const buttons = [...panel.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
        const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
        if (next === undefined) {
            if (event.key === "Tab") close(true);
            return;
        }
        event.preventDefault();
        buttons[(next + buttons.length) % buttons.length]?.focus();
    });
    return panel;
}

/** A button that opens a menu; `items` is called each time. */
export function menuButton({ icon: name, text, title, items, ...rest }) {
    const element = h("button", {
        type: "button", class: text ? "quiet" : "quiet square", title, "aria-label": text ?? title, "aria-haspopup": "menu",
        "aria-expanded": "false",
        onclick: () => openMenu(element, items(), title ?? text), ...rest,
    }, name && icon(name), text && h("span", {}, text), text && icon("chevron"));
    return element;
}

/** A button that opens a panel; `content` is called each time, with the button. */
export function panelButton({ icon: name, text, title, content, className, ...rest }) {
    const element = h("button", {
        type: "button", class: text ? "quiet" : "quiet square", title, "aria-label": text ? null : title, "aria-haspopup": "dialog",
        "aria-expanded": "false",
        onclick: () => openPanel(element, content(element), { label: title ?? text, className }), ...rest,
    }, name && icon(name), text && h("span", {}, text), text && icon("chevron"));
    return element;
}
