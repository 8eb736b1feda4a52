// The panel of a column: its order, its histogram and its most frequent values, each a filter.
import { h, fill, button, svg } from "./dom.js";
import { get, filePath } from "./requests.js";
import { cellText, countText, counted, shortNumber } from "./cells.js";
import { typeName } from "./completion.js";
import { quoted, sortOf, withSort, withCondition, toggledDistinct } from "./query-text.js";
import { openPanel, closePanel } from "./menu.js";

const width = 288, height = 72;

/**
 * @param {{file, className, query, run: (query: string) => void, section: (property: string) => void,
 *          hide: () => void, present: string}} context
 */
export function openColumnPanel(anchor, column, context) {
    const { file, className, query, run } = context, path = quoted(column.name), { property } = column;
    const act = (action) => () => {
        closePanel();
        action();
    };
    const isCollection = property.collections?.length > 0;
    const sort = sortOf(query).find((key) => key.path === path);
    const order = (descending) => button({
        icon: descending ? "descend" : "ascend", text: descending ? "Descending" : "Ascending", quiet: true,
        "aria-pressed": String(sort?.descending === descending),
        press: act(() => run(withSort(query, sort?.descending === descending ? [] : [{ path, descending }]))),
    });
    const isSortable = !isCollection && !["link", "data", "mixed"].includes(property.type);
    const profile = h("div", { class: "profile", "aria-live": "polite" }, h("p", { class: "quiet" }, "Counting…"));
    openPanel(anchor, [
        h("header", {}, h("strong", {}, column.name), h("span", { class: "type" }, typeName(property))),
        h("div", { class: "actions" },
            isSortable && [order(false), order(true)],
            isSortable && button({
                text: "Sections", quiet: true, "aria-pressed": String(context.present === column.name),
                press: act(() => context.section(context.present === column.name ? "" : column.name)),
            }),
            !isCollection && button({ text: "Distinct", quiet: true, press: act(() => run(toggledDistinct(query, path))) }),
            button({ text: "Hide", quiet: true, press: act(context.hide) })),
        profile,
    ], { label: `Column ${column.name}`, className: "column-panel" });
    load(profile, { file, className, query, property, filter: (condition) => act(() => run(withCondition(query, condition)))() });
}

async function load(element, { file, className, query, property, filter }) {
    try {
        const answer = await get(filePath(file, "profile"), { class: className, query, property: property.name });
        const facts = [
            counted(answer.count, "object"), answer.nulls > 0 && `${countText(answer.nulls)} null`,
            answer.distinct !== undefined && answer.distinct !== null && counted(answer.distinct, "value"),
        ].filter(Boolean).join(" · ");
        const range = [["Minimum", answer.minimum], ["Average", answer.average], ["Maximum", answer.maximum]]
            .filter(([, value]) => value !== undefined && value !== null);
        const greatest = Math.max(1, ...answer.top.map((one) => one.count));
        fill(element, h("p", { class: "facts" }, facts, answer.sampled && h("span", { class: "tag" }, "of a sample")),
            answer.buckets.length > 0 && histogram(answer.buckets, filter),
            range.length > 0 && h(
                "dl", { class: "range" },
                range.map(
                    ([name, value]) => h(
                        "div", {}, h("dt", {}, name), h("dd", {}, shortNumber(cellText(typeof value === "number" ? String(value) : value)))
                    )
                ),
            ),
            answer.top.length > 0 && h("ul", { class: "top", "aria-label": "Most frequent values" }, answer.top.map((one) => h("li", {},
                h("button", {
                type: "button", title: one.condition, disabled: !one.condition, onclick: () => filter(one.condition),
            }, bar(one.count / greatest), h(
                "span", { class: "name" }, one.cell === "" ? "“”" : cellText(one.cell)
            ), h("span", { class: "count" }, countText(one.count)))))),
            !answer.buckets.length && !answer.top.length && h("p", { class: "quiet" }, "There is no histogram of this type."));
    } catch (error) {
        fill(element, h("p", { class: "mistake" }, error.message));
    }
}

function bar(share) {
    const element = h("span", { class: "bar", "aria-hidden": "true" });
    element.style.width = `${(share * 100).toFixed(1)}%`;
    return element;
}

/** A histogram whose bars filter. One Tab stop; arrows move between bars. */
function histogram(buckets, filter) {
    const greatest = Math.max(1, ...buckets.map((one) => one.count)), step = width / buckets.length;
    const caption = h("p", { class: "caption", "aria-live": "polite" }, "\u00a0");
    const show = (bucket) => fill(caption, `${shortNumber(bucket.from)} – ${shortNumber(bucket.to)}: ${countText(bucket.count)}`);
    const bars = buckets.map((bucket, index) => {
        const tall = bucket.count ? Math.max(1.5, (bucket.count / greatest) * (height - 2)) : 0;
        const group = svg("g", {
            role: "button", tabindex: index === 0 ? "0" : "-1",
            "aria-label": `${shortNumber(bucket.from)} to ${shortNumber(bucket.to)}: ${counted(bucket.count, "object")}`,
            onclick: () => bucket.condition && filter(bucket.condition), onpointerenter: () => show(bucket), onfocus: () => show(bucket),
            onkeydown: (event) => {
                const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: buckets.length - 1 }[event.key];
                if (next !== undefined) bars[Math.max(0, Math.min(buckets.length - 1, next))].focus();
                else if ((event.key === "Enter" || event.key === " ") && bucket.condition) filter(bucket.condition);
                else return;
                event.preventDefault();
            },
        },
        svg("rect", { x: index * step, y: 0, width: step, height, class: "hit" }),
        svg("rect", { x: index * step + 0.5, y: height - tall, width: Math.max(1, step - 1), height: tall, class: "fill" }));
        return group;
    });
    return h(
        "div", { class: "histogram" },
        svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Histogram", preserveAspectRatio: "none" }, bars),
        caption,
    );
}
