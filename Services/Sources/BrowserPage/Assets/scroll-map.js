// Maps a scroll bar to rows when all rows together are higher than an element can be. Pure: no DOM.
//
// Up to `limit` pixels the scroll position is the position. Beyond, the scroll bar is proportional: dragging it jumps,
// and small movements (a wheel, keys, touch) move by their own pixels, so that no row is skipped.

export class ScrollMap {
    /**
     * @param {number} rowHeight
     * @param {number} limit the greatest height of an element; 8 million works in all browsers
     */
    constructor(rowHeight, limit = 8_000_000) {
        this.rowHeight = rowHeight;
        this.limit = limit;
        this.count = 0;
        this.viewport = 0;
        /** The position of the view's upper edge, in pixels of the rows. */
        this.top = 0;
        /** The scroll bar's position that belongs to it, as last seen or set. */
        this.scrollTop = 0;
    }

    get height() { return this.count * this.rowHeight; }
    get isScaled() { return this.height > this.limit; }
    /** The height that the scrolled element gets. */
    get elementHeight() { return Math.min(this.height, this.limit); }
    get greatestTop() { return Math.max(0, this.height - this.viewport); }
    get greatestScrollTop() { return Math.max(0, this.elementHeight - this.viewport); }

    resize(count, viewport) {
        this.count = count;
        this.viewport = viewport;
        this.top = Math.min(this.top, this.greatestTop);
        return this.synchronise();
    }

    /** The scroll bar moved, by the person. */
    scrolled(scrollTop) {
        const moved = scrollTop - this.scrollTop;
        this.scrollTop = scrollTop;
        if (!this.isScaled) this.top = scrollTop;
        else if (scrollTop <= 0) this.top = 0;
        else if (scrollTop >= this.greatestScrollTop) this.top = this.greatestTop;
        else if (Math.abs(moved) <= this.viewport) this.top = this.bounded(this.top + moved);
        else this.top = this.bounded((scrollTop / this.greatestScrollTop) * this.greatestTop);
        return this.top;
    }

    /** Moves by pixels of the rows; the answer is where the scroll bar belongs. */
    moveBy(pixels) {
        return this.moveTo(this.top + pixels);
    }

    /** Moves to a position; the answer is where the scroll bar belongs. */
    moveTo(top) {
        this.top = this.bounded(top);
        return this.synchronise();
    }

    /** Moves so far that a row is in view. `margin` rows stay free above and below. */
    reveal(row, margin = 0) {
        const least = (row - margin) * this.rowHeight;
        const greatest = (row + 1 + margin) * this.rowHeight - this.viewport;
        if (this.top > least) return this.moveTo(least);
        if (this.top < greatest) return this.moveTo(greatest);
        return this.scrollTop;
    }

    /** Puts a row into the middle. */
    centre(row) {
        return this.moveTo(row * this.rowHeight - (this.viewport - this.rowHeight) / 2);
    }

    /** Where the scroll bar belongs for the present position. */
    synchronise() {
        this.scrollTop = this.isScaled
            ? Math.round((this.top / this.greatestTop) * this.greatestScrollTop)
            : this.top;
        return this.scrollTop;
    }

    /** The rows in view: from the first that shows a pixel up to behind the last. */
    visible() {
        const first = Math.min(Math.floor(this.top / this.rowHeight), Math.max(0, this.count - 1));
        const end = Math.min(this.count, Math.ceil((this.top + this.viewport) / this.rowHeight));
        return { first: Math.max(0, first), end };
    }

    /** A row's distance from the view's upper edge. */
    offset(row) {
        return Math.round(row * this.rowHeight - this.top);
    }

    bounded(top) {
        return Math.max(0, Math.min(top, this.greatestTop));
    }
}

/**
 * Rows and the headings of sections between them: heading i stands before the row `sections[i].from`.
 * Positions count both.
 */
export class SectionMap {
    constructor(sections = [], count = 0) {
        this.starts = sections.map((section) => section.from);
        this.count = count + sections.length;
    }

    /** What stands at a position: {section: i} or {row: n}. */
    at(position) {
        if (!this.starts.length) return { row: position };
        let low = 0, high = this.starts.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.starts[middle] + middle <= position) low = middle + 1;
            else high = middle;
        }
        const section = low - 1;
        if (section >= 0 && this.starts[section] + section === position) return { section };
        return { row: position - low };
    }

    /** The position of a row. */
    positionOf(row) {
        let low = 0, high = this.starts.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.starts[middle] <= row) low = middle + 1;
            else high = middle;
        }
        return row + low;
    }
}
