// Signs in, and asks for what the page shows first, while its other modules are still on their way. What is asked for here is
// taken up by the same requests of the modules that show it.
import { ask, post, filePath, tab } from "./requests.js";
import { parseFragment, tokenOf } from "./url-state.js";

/** The rows that a grid asks for first. */
export const firstRows = 100;

/** The class that a file shows when none is chosen: the one with most objects. */
export function firstClass(classes) {
    return classes.filter((one) => !one.embedded).sort((one, other) => other.count - one.count)[0] ?? classes[0];
}

/** A token that was used before does no harm while the cookie is good. */
async function signIn() {
    const token = tokenOf(location.hash);
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    await post("/login", { token }).catch(() => {});
}

/** What an address shows is asked for at once; what it leaves open, after the answers that tell it. */
async function askAhead() {
    const [route] = parseFragment(location.hash);
    await signedIn;
    const state = ask("/state");
    const files = route.file ? null : (await state).files;
    const file = route.file ?? (files.length === 1 ? files[0].id : null);
    if (!file) return;
    const schema = ask(filePath(file, "schema"));
    if (route.view !== "objects" && route.view !== "start") return;
    const className = route.class ?? firstClass((await schema).classes)?.name;
    if (!className) return;
    const { view, count } = await ask(filePath(file, "views"), {
        tab, class: className, query: route.query ?? "", section: route.section || undefined,
    }, "POST");
    if (count) ask(`/views/${encodeURIComponent(view)}/rows`, { tab, from: 0, count: firstRows }).catch(() => {});
}

export const signedIn = signIn();
// Errors are shown by the modules that send the same requests.
askAhead().catch(() => {});
