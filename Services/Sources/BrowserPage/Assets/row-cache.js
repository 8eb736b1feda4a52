// Pages of rows around what is in view: at most so many are kept, and requests that are no longer needed are aborted.
// Pure: what fetches is given.

export class RowCache {
    /**
     * @param {(from: number, count: number, signal: AbortSignal) => Promise<{from, count, version, rows}>} fetch
     * @param {(answer: object, page: number, before: object[]|null) => void} arrived called with each page, and its rows before
     * @param {(error: Error) => void} failed
     */
    constructor(fetch, arrived, failed, { pageSize = 100, limit = 60 } = {}) {
        Object.assign(this, { fetch, arrived, failed, pageSize, limit });
        /** Page number to {rows, isStale}; the order of insertion is that of use. */
        this.pages = new Map();
        /** Page number to AbortController. */
        this.pending = new Map();
    }

    /** The row at an index, or undefined while it is not here. */
    row(index) {
        return this.pages.get(Math.floor(index / this.pageSize))?.rows[index % this.pageSize];
    }

    /** Makes the rows of a range come, and gives up requests outside it. */
    need(first, end) {
        if (end <= first) return;
        const from = Math.floor(first / this.pageSize), to = Math.floor((end - 1) / this.pageSize);
        for (const [page, controller] of this.pending) {
            if (page < from - 1 || page > to + 1) {
                controller.abort();
                this.pending.delete(page);
            }
        }
        for (let page = from; page <= to; page += 1) {
            const present = this.pages.get(page);
            if (present) {
                this.pages.delete(page);
                this.pages.set(page, present);
            }
            if ((!present || present.isStale) && !this.pending.has(page)) this.load(page);
        }
    }

    async load(page) {
        const controller = new AbortController();
        this.pending.set(page, controller);
        try {
            const answer = await this.fetch(page * this.pageSize, this.pageSize, controller.signal);
            if (this.pending.get(page) !== controller) return;
            this.pending.delete(page);
            const before = this.pages.get(page);
            this.pages.delete(page);
            this.pages.set(page, { rows: answer.rows, isStale: false });
            this.evict();
            this.arrived(answer, page, before?.rows ?? null);
        } catch (error) {
            if (this.pending.get(page) === controller) this.pending.delete(page);
            if (error.name !== "AbortError") this.failed(error);
        }
    }

    evict() {
        for (const page of this.pages.keys()) {
            if (this.pages.size <= this.limit) return;
            this.pages.delete(page);
        }
    }

    /** After a commit: pages are shown until newer ones arrive. Requests under way are asked again. */
    markStale() {
        for (const page of this.pages.values()) page.isStale = true;
        for (const [page, controller] of this.pending) {
            controller.abort();
            this.pending.delete(page);
        }
    }

    clear() {
        for (const controller of this.pending.values()) controller.abort();
        this.pending.clear();
        this.pages.clear();
    }
}
