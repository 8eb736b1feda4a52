// Builds elements. Text only ever gets into the page as text nodes and attribute values.

/**
 * Creates an element. Properties: `class`, `on…` listeners, `dataset`, `style` (an object), ARIA and other attributes.
 * False, null and undefined leave an attribute out.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...(Node|string|number|null|undefined|false|Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "style") Object.assign(element.style, value);
        else if (name === "dataset") Object.assign(element.dataset, value);
        else if (name === "value") element.value = value;
        else element.setAttribute(name, value === true ? "" : String(value));
    }
    append(element, children);
    return element;
}

/** Appends children; arrays are flattened, and null, undefined and false are skipped. */
export function append(parent, children) {
    for (const child of children.flat(3)) {
        if (child === null || child === undefined || child === false) continue;
        parent.append(child instanceof Node ? child : String(child));
    }
}

/** Replaces the content of an element. */
export function fill(parent, ...children) {
    parent.replaceChildren();
    append(parent, children);
    return parent;
}

const svgNamespace = "http://www.w3.org/2000/svg";

/** Creates an SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS(svgNamespace, tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
    }
    append(element, children);
    return element;
}

const paths = {
    add: "M8 3v10M3 8h10",
    back: "M10 3 5 8l5 5",
    backlink: "M13 8H4m4-4L4 8l4 4",
    chart: "M3 13V8m3.3 5V4m3.4 9V6M13 13V9",
    check: "m3 8.5 3.5 3.5L13 4.5",
    chevron: "m4 6 4 4 4-4",
    close: "m4 4 8 8m0-8-8 8",
    code: "m6 4-4 4 4 4m4-8 4 4-4 4",
    columns: "M2.5 3.5h11v9h-11zM6.5 3.5v9M10 3.5v9",
    copy: "M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z",
    descend: "M8 3v10m-4-4 4 4 4-4",
    ascend: "M8 13V3M4 7l4-4 4 4",
    download: "M8 2.5v7m-3-3 3 3 3-3M3 13h10",
    edit: "m3 13 .8-3L11 2.8 13.2 5 6 12.2z",
    explain: "M2.5 3.5h6m-6 4.5h4m-4 4.5h6M11 3.5v9m-2-2 2 2 2-2",
    eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
    file: "M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5",
    graph: "M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5v5H9",
    grid: "M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 3v10",
    help: "M5.8 6.2a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M8 12v.3",
    info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.2",
    key: "M9.5 9a3 3 0 1 0-2.6-1.5L3 11.4V13h2l.5-1.5L7 11l1.2-2.1",
    link: "M3 13 13 3M6 3h7v7",
    lock: "M4 7.5h8V13H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
    more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
    pause: "M5.5 3.5v9m5-9v9",
    play: "M5 3.5v9L12.5 8z",
    redo: "M13 7H6.5a3 3 0 0 0 0 6H10m3-6-3-3m3 3-3 3",
    remove: "M3 8h10",
    search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm3.3-1.2L14 14",
    panel: "M2.5 3h11v10h-11zM10 3v10",
    sidebar: "M2.5 3h11v10h-11zM6 3v10",
    split: "M2.5 3h11v10h-11zM8 3v10",
    trash: "M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.5 8.5h6l.5-8.5",
    undo: "M3 7h6.5a3 3 0 0 1 0 6H6M3 7l3-3M3 7l3 3",
    upload: "M8 10.5v-8m-3 3 3-3 3 3M3 13h10",
    warning: "M8 2 1.5 13.5h13zM8 6.5v3.5M8 11.7v.2",
};

/** A line icon of 16 pixels; hidden from screen readers, so what has it needs a name. */
export function icon(name) {
    return svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true", focusable: "false" }, svg("path", { d: paths[name] }));
}

/** A button with an icon, a text or both. Without a visible text, `title` is its name. */
export function button({ icon: name, text, title, primary, danger, quiet, press, ...rest }) {
    const kind = [primary && "primary", danger && "danger", quiet && "quiet", !text && "square"].filter(Boolean).join(" ");
    return h("button", { type: "button", class: kind, title, "aria-label": text ?? title, onclick: press, ...rest },
        name && icon(name), text && h("span", {}, text));
}

let lastId = 0;
/** An id that no other element has. */
export function uniqueId(prefix) {
    return `${prefix}-${++lastId}`;
}

/** Lets the page's one live region say something to screen readers. */
export function announce(text) {
    const region = document.getElementById("announcer");
    if (region) region.textContent = text;
}

/** Copies text, and says so. */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        announce("Copied");
        return true;
    } catch {
        const area = h("textarea", { class: "offscreen", value: text, "aria-hidden": "true" });
        const focused = document.activeElement;
        document.body.append(area);
        area.select();
        const worked = document.execCommand("copy");
        area.remove();
        focused?.focus();
        announce(worked ? "Copied" : "The browser does not let this page copy");
        return worked;
    }
}

/** Calls a function at most once per animation frame. */
export function perFrame(action) {
    let isPending = false;
    return () => {
        if (isPending) return;
        isPending = true;
        requestAnimationFrame(() => {
            isPending = false;
            action();
        });
    };
}

/** Calls a function once calls have stopped for a while. */
export function debounced(milliseconds, action) {
    let timer;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...values), milliseconds);
    };
}
