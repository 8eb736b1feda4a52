// What all parts of the page share: the files, their schemas, the routes of the panes, and staged edits.
import { get, post, remove, filePath } from "./requests.js";
import { parseFragment, formatFragment, formatRoute } from "./url-state.js";
import { StagedEdits } from "./staged-edits.js";

class App extends EventTarget {
    constructor() {
        super();
        /** The answer of /state. */
        this.state = { write: false, files: [], recent: [], version: "", uploadLimit: 0 };
        this.routes = [{ view: "start" }];
        /** The pane that the sidebar and shortcuts are about. */
        this.active = 0;
        this.schemas = new Map();
        this.formerSchemas = new Map();
        this.staged = new Map();
        /** File id to the last commit's {undo, version}, and to those of the last undo. */
        this.undos = new Map();
        this.redos = new Map();
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
    on(type, action, signal) { this.addEventListener(type, (event) => action(event.detail), { signal }); }

    // Files

    async load() {
        this.state = await get("/state");
        this.emit("files");
    }

    file(id) { return this.state.files.find((file) => file.id === id); }

    setFiles(files) {
        this.state.files = files;
        this.emit("files");
    }

    async openFile(path) {
        const file = await post("/files", { path });
        await this.load();
        return file;
    }

    async closeFile(id) {
        await remove(`/files/${encodeURIComponent(id)}`);
        this.schemas.delete(id);
        this.formerSchemas.delete(id);
        await this.load();
    }

    isWritable(id) { return this.state.write && (this.file(id)?.writable ?? false); }

    // Schemas

    /** The schema of a file, asked for once. */
    schema(id) {
        if (!this.schemas.has(id)) {
            const promise = get(filePath(id, "schema")).then((schema) => {
                promise.value = schema;
                for (const one of schema.classes) this.markEmbedded(schema, one.properties);
                this.emit("schema", id);
                return schema;
            });
            promise.catch(() => this.schemas.delete(id));
            this.schemas.set(id, promise);
        }
        return this.schemas.get(id);
    }

    /** Notes which properties hold embedded objects. */
    markEmbedded(schema, properties) {
        for (const property of properties) property.isEmbedded = schema.classes.some((one) => one.embedded && one.name === property.target);
    }

    /** The schema if it is here already; one that was forgotten, until the next one is here. */
    presentSchema(id) { return this.schemas.get(id)?.value ?? this.formerSchemas.get(id); }

    forgetSchema(id) {
        this.formerSchemas.set(id, this.presentSchema(id));
        this.schemas.delete(id);
        this.emit("schemaChanged", id);
    }

    classOf(id, name) { return this.presentSchema(id)?.classes.find((one) => one.name === name); }

    /** New counts of classes, from a commit. */
    setCounts(id, classes) {
        for (const { name, count } of classes) {
            const known = this.classOf(id, name);
            if (known) known.count = count;
        }
        this.emit("counts", id);
    }

    // Edits

    /** The staged edits of a file. They survive a reload of the page. */
    edits(id) {
        let edits = this.staged.get(id);
        if (!edits) {
            const place = `freehold-edits:${this.file(id)?.path ?? id}`;
            let kept = [];
            try {
                kept = JSON.parse(sessionStorage.getItem(place) ?? "[]");
            } catch { /* what is kept is not ours */ }
            edits = new StagedEdits(kept);
            edits.addEventListener("change", () => {
                sessionStorage.setItem(place, JSON.stringify(edits.list));
                this.emit("edits", id);
            });
            this.staged.set(id, edits);
        }
        return edits;
    }

    // Routes

    readAddress() {
        this.routes = parseFragment(location.hash);
        this.active = Math.min(this.active, this.routes.length - 1);
        this.emit("routes");
    }

    /** Shows a route in a pane. `replace` leaves no entry in the history. */
    go(pane, route, { replace = false } = {}) {
        const routes = [...this.routes];
        routes[pane] = route;
        this.setRoutes(routes, replace);
    }

    setRoutes(routes, replace = false) {
        const fragment = formatFragment(routes);
        if (fragment === location.hash) return;
        if (replace) history.replaceState(null, "", fragment);
        else history.pushState(null, "", fragment);
        this.readAddress();
    }

    /** Shows a route in the other pane. */
    openBeside(route) {
        const other = this.routes.length > 1 ? 1 - this.active : 1;
        this.active = other;
        this.go(other, route);
        this.emit("active");
    }

    /** Closes a pane; one stays. */
    closePane(pane) {
        if (this.routes.length < 2) return;
        this.active = 0;
        this.setRoutes(this.routes.filter((route, index) => index !== pane));
        this.emit("active");
    }

    formatRoute(route) { return formatRoute(route); }

    activate(pane) {
        if (pane === this.active || pane >= this.routes.length) return;
        this.active = pane;
        this.emit("active");
    }

    /** Shows a message at the lower edge for a while; `action` is a button's {text, title, press}. */
    notice(text, kind = "info", action = null) { this.emit("notice", { text, kind, action }); }
}

export const app = new App();

/** Settings of this browser, kept for later visits. */
export const settings = {
    read(name, fallback) {
        try {
            return JSON.parse(localStorage.getItem(`freehold:${name}`)) ?? fallback;
        } catch {
            return fallback;
        }
    },
    write(name, value) {
        try {
            localStorage.setItem(`freehold:${name}`, JSON.stringify(value));
        } catch { /* storage is full or forbidden: the setting lasts as long as the page */ }
    },
};
