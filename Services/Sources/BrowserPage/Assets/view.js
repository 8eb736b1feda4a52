// A query whose answer the program keeps for this tab, and its rows.
import { get, post, remove, filePath, tab } from "./requests.js";
import { RowCache } from "./row-cache.js";
import { firstRows } from "./start.js";
import { isSameCell } from "./cells.js";

export class View extends EventTarget {
    /** Asks; throws the error of a mistake in the query. */
    static async open(file, className, query, section) {
        const answer = await post(filePath(file, "views"), { tab, class: className, query, section: section || undefined });
        const view = new View(file, className, query, section, answer);
        // The first rows are on their way while the grid is prepared.
        view.cache.need(0, Math.min(view.count, firstRows));
        return view;
    }

    constructor(file, className, query, section, answer) {
        super();
        Object.assign(this, { file, className, query, section });
        this.take(answer);
        this.cache = new RowCache(
            (from, count, signal) => this.fetch(from, count, signal),
            (answer, page, before) => this.arrived(answer, before !== null),
            (error) => this.emit("failed", error), { pageSize: firstRows });
        /** Key to {cells: Set of positions, isNew, commit, time}: what the last commits changed. */
        this.changes = new Map();
        this.before = null;
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    take(answer) {
        this.id = answer.view;
        this.version = answer.version;
        this.count = answer.count;
        this.isGrouped = answer.kind === "groups";
        this.columns = answer.columns;
        this.properties = answer.properties;
        this.sections = answer.sections ?? [];
        this.notes = answer.notes ?? [];
        this.milliseconds = answer.milliseconds;
    }

    async fetch(from, count, signal) {
        const path = () => `/views/${encodeURIComponent(this.id)}/rows`;
        try {
            return await get(path(), { tab, from, count }, signal);
        } catch (error) {
            // The program has forgotten the view: it was restarted, or the tab slept for long.
            if (error.status !== 404 || this.isClosed) throw error;
            await this.again();
            return get(path(), { tab, from, count }, signal);
        }
    }

    /** Asks for the view anew, once for all requests that need it. */
    again() {
        this.asking ??= post(filePath(this.file, "views"), {
            tab, class: this.className, query: this.query, section: this.section || undefined,
        })
            .then((answer) => {
                this.take(answer);
                this.emit("counted");
            })
            .finally(() => { this.asking = null; });
        return this.asking;
    }

    row(index) { return this.cache.row(index); }

    /** `isAgain`: the page was here before a commit, so differences are changes. */
    arrived(page, isAgain) {
        if (page.sections) this.sections = page.sections;
        if (page.count !== this.count || page.sections) {
            this.count = page.count;
            this.emit("counted");
        }
        this.version = page.version;
        if (this.before && isAgain) this.compare(page.rows);
        this.emit("rows");
    }

    /** Notes what is different from the rows before a commit. */
    compare(rows) {
        for (const row of rows) {
            if (!row.key) continue;
            const before = this.before.rows.get(row.key);
            if (!before) {
                if (this.before.mayHaveNew) this.changes.set(row.key, {
                    isNew: true, cells: new Set(), commit: this.before.commit, time: performance.now(),
                });
                continue;
            }
            const cells = new Set();
            row.cells.forEach((cell, index) => { if (!isSameCell(cell, before.cells[index])) cells.add(index); });
            if (cells.size) this.changes.set(row.key, { isNew: false, cells, commit: this.before.commit, time: performance.now() });
        }
        for (const [key, change] of this.changes) {
            if (performance.now() - change.time > 6000) this.changes.delete(key);
        }
    }

    /** A commit concerns this view: what is shown is asked again and compared. */
    refresh(count, commit, mayHaveNew) {
        const rows = new Map();
        for (const page of this.cache.pages.values()) {
            for (const row of page.rows) if (row.key) rows.set(row.key, row);
        }
        this.before = { rows, commit, mayHaveNew };
        this.cache.markStale();
        if (count !== undefined) this.count = count;
        this.emit("counted");
    }

    async positionOf(key) {
        const { position } = await get(`/views/${encodeURIComponent(this.id)}/position`, { tab, key });
        return position;
    }

    close() {
        this.isClosed = true;
        this.cache.clear();
        remove(`/views/${encodeURIComponent(this.id)}`, { tab }).catch(() => {});
    }
}
