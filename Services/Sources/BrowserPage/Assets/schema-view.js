// The schema as a graph: classes are boxes with their properties, links are arrows. Boxes lead to their objects.
import { h, fill, svg, button } from "./dom.js";
import { get, filePath } from "./requests.js";
import { countText } from "./cells.js";
import { live } from "./live.js";
import { app } from "./app.js";

const leastScale = 0.15, greatestScale = 2;

/** Pixels that a line is straight at its start, where its cardinality stands, and before its head. */
const startRun = 28, endRun = 14, loopReach = 24;
/** The scale below which the text of a picture cannot be read; a larger picture scrolls. */
const readableScale = 0.75;

/** A smooth line that leaves and reaches boxes horizontally; a loop at the right edge for a link to the own class. */
export function arrowPath(points) {
    const [[startX, startY]] = points, [endX, endY] = points.at(-1), isLoop = points.length === 2 && startX === endX;
    const direction = points[1][0] < startX ? -1 : 1, endDirection = isLoop ? -1 : points.at(-2)[0] > endX ? -1 : 1;
    const inner = [[startX + direction * startRun, startY], ...points.slice(1, -1), [endX - endDirection * endRun, endY]];
    let path = `M${startX} ${startY}H${inner[0][0]}`;
    for (let index = 1; index < inner.length; index += 1) {
        const [x, y] = inner[index - 1], [toX, toY] = inner[index];
        const reach = direction * Math.max(loopReach, Math.abs(toX - x) / 2);
        path += isLoop ? `C${x + loopReach} ${y} ${x + loopReach} ${toY} ${toX} ${toY}`
            : y === toY ? `H${toX}` : `C${x + reach} ${y} ${toX - reach} ${toY} ${toX} ${toY}`;
    }
    return `${path}H${endX}`;
}

class SchemaView extends HTMLElement {
    connectedCallback() {
        if (this.tools) return;
        this.lifetime = new AbortController();
        this.tools = h("div", { class: "tools" });
        this.stage = h("div", { class: "stage", tabindex: "0", role: "group", "aria-label": "Schema; arrows move, plus and minus zoom" });
        this.append(this.tools, this.stage);
        this.scale = 1;
        this.stage.addEventListener("wheel", (event) => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            this.zoom(Math.exp(-event.deltaY / 300));
        }, { passive: false });
        this.stage.addEventListener("keydown", (event) => {
            if (event.key === "+" || event.key === "=") this.zoom(1.2);
            else if (event.key === "-") this.zoom(1 / 1.2);
            else if (event.key === "0") this.fit();
            else return;
            event.preventDefault();
        });
        live.on("commit", (data) => { if (data.file === this.route?.file && data.schemaChanged) this.load(); }, this.lifetime.signal);
    }

    disconnectedCallback() { this.lifetime.abort(); }

    async show(route) {
        const isSame = this.route?.file === route.file;
        this.route = route;
        if (!isSame) await this.load();
    }

    async load() {
        fill(this.stage, h("p", { class: "quiet" }, "Drawing…"));
        try {
            const [picture] = await Promise.all([get(filePath(this.route.file, "picture")), app.schema(this.route.file)]);
            this.picture = picture;
            this.draw();
            this.fit(readableScale);
        } catch (error) {
            fill(
                this.stage,
                h(
                    "div", { class: "state" }, h("h2", {}, "The schema could not be drawn"), h("p", {}, error.message),
                    button({ text: "Try again", press: () => this.load() }),
                ),
            );
        }
    }

    draw() {
        const { picture } = this;
        this.drawing = svg("svg",
            { class: "schema", viewBox: `0 0 ${picture.width} ${picture.height}`, role: "group", "aria-label": "Classes and their links" },
            svg(
                "defs", {},
                svg(
                    "marker",
                    {
                        id: "arrowhead", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7,
                        orient: "auto-start-reverse",
                    },
                    svg("path", { d: "M1 1 7 4 1 7", class: "head" }),
                ),
            ),
            picture.arrows.map((arrow) => this.arrow(arrow)), picture.boxes.map((box) => this.box(box)),
            // Over all lines, so that none crosses a label.
            picture.arrows.map((arrow) => this.cardinality(arrow)));
        fill(this.stage, this.drawing);
        fill(this.tools, h(
            "p", { class: "result" }, h("strong", {}, `${countText(picture.boxes.length)} classes`),
            h("span", { class: "quiet" }, `, ${countText(picture.arrows.length)} links`),
        ), h("span", { class: "spring" }),
            button({ icon: "remove", quiet: true, title: "Smaller (−)", press: () => this.zoom(1 / 1.2) }),
            button({ icon: "add", quiet: true, title: "Larger (+)", press: () => this.zoom(1.2) }),
            button({ text: "Fit", quiet: true, title: "Show all (0)", press: () => this.fit() }));
    }

    arrow(arrow) {
        return svg("g", { class: "arrow", "data-from": arrow.from, "data-to": arrow.to }, svg(
            "path", { d: arrowPath(arrow.points), "marker-end": "url(#arrowhead)" },
            svg("title", {}, `${arrow.from}.${arrow.property} → ${arrow.to} ${arrow.cardinality ?? ""}`),
        ));
    }

    /** The cardinality of a link, over the straight start of its line. */
    cardinality({ points: [[x, y], [nextX]], cardinality }) {
        const isLeftward = nextX < x;
        return cardinality && svg(
            "text", { class: "cardinality", x: x + (isLeftward ? -5 : 5), y: y - 7, "text-anchor": isLeftward ? "end" : "start" },
            cardinality,
        );
    }

    box(box) {
        const { file } = this.route, known = app.classOf(file, box.class);
        const open = () => app.go(this.paneIndex, { view: "objects", file, class: box.class });
        const light = (isLit) => this.drawing.querySelectorAll(".arrow").forEach(
            (arrow) => arrow.classList.toggle("lit", isLit && (arrow.dataset.from === box.class || arrow.dataset.to === box.class))
        );
        return svg("g", {
            class: "box", transform: `translate(${box.x} ${box.y})`, role: "link", tabindex: "0",
            "aria-label": `${box.class}, ${countText(known?.count ?? 0)} objects, ${box.rows.map((row) => row.name).join(", ")}`,
            onclick: open, onkeydown: (event) => { if (event.key === "Enter") open(); }, onpointerenter: () => light(true),
            onpointerleave: () => light(false), onfocus: () => light(true), onblur: () => light(false),
        },
        svg("rect", { width: box.width, height: box.height, rx: 6, class: "frame" }),
        svg("path", { d: `M0 ${box.headHeight}h${box.width}`, class: "rule" }),
        svg("text", { x: 10, y: box.headHeight / 2, class: "class-name" }, box.class),
        svg(
            "text", { x: box.width - 10, y: box.headHeight / 2, class: "class-count", "text-anchor": "end" },
            box.remark || (known ? countText(known.count) : ""),
        ),
        box.rows.map((row, index) => {
            const y = box.headHeight + (index + 0.5) * box.rowHeight;
            return [svg("text", { x: 10, y, class: "row-name" }, row.name), svg("text",
                { x: box.width - 10, y, class: "row-type", "text-anchor": "end" },
                `${row.type}${row.remarks?.length ? ` · ${[row.remarks].flat().join(", ")}` : ""}`)];
        }));
    }

    zoom(factor) {
        this.scale = Math.max(leastScale, Math.min(greatestScale, this.scale * factor));
        this.drawing.style.width = `${this.picture.width * this.scale}px`;
        this.drawing.style.height = `${this.picture.height * this.scale}px`;
    }

    /** Shows all of the picture, at this scale or a larger one. */
    fit(least = leastScale) {
        const room = this.stage.getBoundingClientRect();
        const scale = Math.min(1.1, (room.width - 48) / this.picture.width, Math.max(0.5, (room.height - 48) / this.picture.height));
        this.scale = Math.max(least, scale);
        this.zoom(1);
    }
}

customElements.define("fh-schema", SchemaView);
