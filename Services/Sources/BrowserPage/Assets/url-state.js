// What the page shows, as the fragment of its address. Pure: no DOM.
//
//   #/f/1/c/Person?q=age > 18&o=Person:12     one pane
//   #/f/1/c/Person|/f/2/schema                two panes
//
// A route is {view: "start"|"objects"|"schema"|"file"|"code", file, class, query, section, object, trail, language, kind}.
// `object` is {class, key}; `trail` holds the objects that were followed on the way to it.

const parameters = { query: "q", section: "s", language: "l", kind: "k" };

function parseObject(text) {
    const colon = text.lastIndexOf(":");
    if (colon < 1 || !/^-?\d+$/.test(text.slice(colon + 1))) return null;
    return { class: decode(text.slice(0, colon)), key: text.slice(colon + 1) };
}

const formatObject = (object) => `${encodeURIComponent(object.class)}:${object.key}`;

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/** Reads one pane's route; a malformed one is the start. */
function parseRoute(text) {
    const mark = text.indexOf("?");
    const path = (mark < 0 ? text : text.slice(0, mark)).split("/").filter(Boolean).map(decode);
    const values = new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1));
    if (path[0] !== "f" || !path[1]) return { view: "start" };
    const route = { view: "objects", file: path[1] };
    if (path[2] === "c" && path[3]) route.class = path[3];
    else if (["schema", "file", "code"].includes(path[2])) route.view = path[2];
    if (route.view === "code" && values.get("c")) route.class = values.get("c");
    for (const [name, short] of Object.entries(parameters)) {
        if (values.get(short)) route[name] = values.get(short);
    }
    const object = parseObject(values.get("o") ?? "");
    if (object) route.object = object;
    const trail = (values.get("b") ?? "").split(",").map(parseObject).filter(Boolean);
    if (trail.length) route.trail = trail;
    return route;
}

/** Writes one pane's route. */
export function formatRoute(route) {
    if (!route || route.view === "start" || !route.file) return "/";
    let path = `/f/${encodeURIComponent(route.file)}`;
    if (route.view === "objects") path += route.class ? `/c/${encodeURIComponent(route.class)}` : "";
    else path += `/${route.view}`;
    const values = new URLSearchParams();
    for (const [name, short] of Object.entries(parameters)) {
        if (route[name]) values.set(short, route[name]);
    }
    if (route.view === "code" && route.class) values.set("c", route.class);
    if (route.object) values.set("o", formatObject(route.object));
    if (route.trail?.length) values.set("b", route.trail.map(formatObject).join(","));
    // URLSearchParams escapes "|", so it can stand between panes.
    const text = values.toString();
    return text ? `${path}?${text}` : path;
}

/** Reads the fragment: one or two routes. */
export function parseFragment(fragment) {
    const text = fragment.replace(/^#/, "");
    return text.split("|").slice(0, 2).map(parseRoute);
}

/** Writes the fragment. */
export function formatFragment(routes) {
    return `#${routes.map(formatRoute).join("|")}`;
}

/** The route after following a link or backlink from the object that a route shows. */
export function followed(route, object) {
    const at = (route.trail ?? []).findIndex((step) => step.key === object.key && step.class === object.class);
    if (at >= 0) return { ...route, object, trail: route.trail.slice(0, at) };
    const isSame = route.object?.key === object.key && route.object?.class === object.class;
    const trail = route.object && !isSame ? [...(route.trail ?? []), route.object] : route.trail ?? [];
    return { ...route, object, trail: trail.slice(-12) };
}

/** The token in the fragment of the link that the program prints, or null. */
export function tokenOf(fragment) {
    return /^#token=([^&]+)/.exec(fragment)?.[1] ?? null;
}
