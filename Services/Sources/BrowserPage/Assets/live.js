// Follows the program's events: commits, jobs, files and watched items.
import { address, forgetAsked, post, tab, get } from "./requests.js";
import { app, settings } from "./app.js";

const keptCommits = 60;

class Live extends EventTarget {
    constructor() {
        super();
        /** connecting, live, lost or ended */
        this.state = "connecting";
        this.isPaused = false;
        /** The newest first: {file, version, process, program, time, own, classes, with}. */
        this.commits = [];
        this.jobs = new Map();
        /** Id to {id, file, class, key, property, query, name, text, cell, count, gone, time}. */
        this.watched = new Map();
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
    on(type, action, signal) { this.addEventListener(type, (event) => action(event.detail), { signal }); }

    start() {
        this.restoreWatched();
        document.addEventListener("visibilitychange", () => this.sendTab());
        window.addEventListener("pagehide", () => {
            fetch("/api/tab/close", {
                method: "POST", keepalive: true, body: JSON.stringify({ tab }),
                headers: { "Content-Type": "application/json", "X-Freehold": "1" },
            }).catch(() => {});
        });
        window.addEventListener("pageshow", (event) => event.persisted && this.connect());
        this.connect();
    }

    connect() {
        clearTimeout(this.retry);
        this.source?.close();
        const source = new EventSource(address("/events", { tab }));
        this.source = source;
        const listen = (type, action) => source.addEventListener(type, (event) => action(JSON.parse(event.data)));
        source.addEventListener("open", () => this.opened());
        source.addEventListener("error", () => this.failed(source));
        listen("commit", (data) => this.committed(data));
        listen("job", (data) => {
            this.jobs.set(data.job, data);
            this.emit("job", data);
        });
        listen("file", (file) => app.setFiles(app.state.files.map((one) => (one.id === file.id ? file : one))));
        listen("files", ({ files }) => app.setFiles(files));
        listen("watch", ({ items }) => this.watchChanged(items));
        listen("end", () => {
            source.close();
            this.setState("ended");
        });
    }

    async opened() {
        const wasLost = this.state === "lost";
        this.setState("live");
        await this.sendTab();
        if (wasLost) {
            await app.load().catch(() => {});
            this.emit("again");
        }
    }

    failed(source) {
        if (this.state === "ended" || source !== this.source) return;
        this.setState("lost");
        if (source.readyState !== EventSource.CLOSED) return;
        this.retry = setTimeout(async () => {
            const isRefused = await get("/state").then(() => false, (error) => error.status === 401);
            if (isRefused) this.setState("ended");
            else this.connect();
        }, 2000);
    }

    setState(state) {
        if (state === this.state) return;
        this.state = state;
        this.emit("state");
    }

    /** `classes` is null if it is not known what changed: then everything may have. */
    committed(given) {
        forgetAsked();
        const data = { ...given, classes: given.classes ?? [], isUnknown: !given.classes }, last = data.commits.at(-1);
        for (const commit of data.commits) {
            const what = commit === last ? { classes: data.classes } : { classes: [], with: last.version };
            this.commits.unshift({ ...commit, ...what, file: data.file, own: data.own });
        }
        this.commits.length = Math.min(this.commits.length, keptCommits);
        if (data.schemaChanged || data.isUnknown) app.forgetSchema(data.file);
        else app.setCounts(data.file, data.classes);
        this.emit("commit", data);
    }

    setPaused(isPaused) {
        this.isPaused = isPaused;
        this.sendTab();
        this.emit("state");
    }

    /** Says what the tab shows. */
    sendTab() {
        const watch = [...this.watched.values()].filter((item) => app.file(item.file))
            .map(({ id, file, class: className, key, property, query }) => ({ id, file, class: className, key, property, query }));
        return post("/tab", { tab, visible: document.visibilityState === "visible", paused: this.isPaused, watch }).catch(() => {});
    }

    // The watch list

    /** What was watched before, of the files that are open; ids of files differ from run to run. */
    restoreWatched() {
        const kept = settings.read("watch", []);
        this.others = [];
        for (const item of kept) {
            const file = app.state.files.find((one) => one.path === item.path);
            if (file) this.watched.set(item.id, { ...item, file: file.id, seen: false });
            else this.others.push(item);
        }
    }

    watch(item) {
        const known = [...this.watched.values()].find((one) => one.file === item.file && one.class === item.class
            && one.key === item.key && one.property === item.property && one.query === item.query);
        if (known) return;
        const id = `w${Date.now().toString(36)}`;
        this.watched.set(id, { id, path: app.file(item.file)?.path, ...item });
        this.keepWatched();
    }

    unwatch(id) {
        this.watched.delete(id);
        this.keepWatched();
    }

    keepWatched() {
        settings.write("watch", [...this.others, ...this.watched.values()]);
        this.sendTab();
        this.emit("watch");
    }

    watchChanged(items) {
        for (const item of items) {
            const known = this.watched.get(item.id);
            if (!known) continue;
            const isFirst = known.seen !== true;
            Object.assign(known, item, { seen: true });
            if (!isFirst) known.time = this.commits[0]?.time ?? "";
        }
        this.emit("watch", items.map((item) => item.id));
    }
}

export const live = new Live();

/** A commit's program and process. */
export const committer = (commit) => [
    commit.program || "another program", commit.process && `(${commit.process})`,
].filter(Boolean).join(" ");
