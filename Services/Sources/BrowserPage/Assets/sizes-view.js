// What classes and their properties take in a file: values, indexes, and values stored apart.
import { h } from "./dom.js";
import { bytesText, countText } from "./cells.js";

const legend = [["used", "Values"], ["index", "Indexes"], ["long", "Long values, stored apart"]];

/**
 * @param sizes the answer of /sizes
 * @param again a button that reads the sizes anew
 */
export function sizesView(sizes, again) {
    const classes = [...sizes.classes].sort((one, other) => other.bytes - one.bytes), greatest = Math.max(1, classes[0]?.bytes ?? 1);
    return [
        h("p", { class: "quiet" }, `Version ${countText(sizes.version)}. Open a class to see its properties.`),
        h("ul", { class: "sizes" }, classes.map((one) => h("li", {}, classView(one, greatest)))),
        h("ul", { class: "legend" }, legend.map(([kind, text]) => h("li", {}, h("span", { class: `swatch ${kind}` }), text)),
            sizes.other > 0 && h("li", {}, h("span", {}, "Not of a class"), h("span", { class: "count" }, bytesText(sizes.other)))),
        again,
    ];
}

function classView(one, greatest) {
    const sum = (name) => one.properties.reduce((total, property) => total + (property[name] ?? 0), 0);
    const indexes = sum("index") + (one.indexes ?? 0), long = sum("long");
    const properties = [...one.properties].sort((first, second) => second.bytes - first.bytes);
    const rest = [
        ["Keys and trees", one.structure, 0], ["Objects inserted last", one.recent, 0],
        ["Indexes over several properties", one.indexes, one.indexes],
    ].filter(([, bytes]) => bytes > 0);
    return h("details", {},
        h("summary", {}, h("span", { class: "name" }, one.name), bar(one.bytes, indexes, long, greatest), size(one.bytes)),
        h("ul", {},
            properties.map((property) => h(
                "li", { title: describe(property) }, h("span", { class: "name" }, property.name),
                bar(property.bytes, property.index, property.long, greatest), size(property.bytes),
            )),
            rest.map(([name, bytes, index]) => h(
                "li", { class: "rest" }, h("span", { class: "name" }, name), bar(bytes, index, 0, greatest), size(bytes),
            ))));
}

const size = (bytes) => h("span", { class: "count" }, bytesText(bytes));

/** "76.9 kB, 4.1 kB of it the index". */
function describe({ bytes, index, long }) {
    return [
        bytesText(bytes), index > 0 && `${bytesText(index)} of it the index`, long > 0 && `${bytesText(long)} of it values stored apart`,
    ].filter(Boolean).join(", ");
}

/** A bar of the values, the indexes and the long values among so many bytes. */
function bar(bytes, index = 0, long = 0, greatest = 1) {
    const part = (kind, count) => {
        const element = h("span", { class: `part ${kind}` });
        element.style.width = `${(Math.max(0, count) / greatest * 100).toFixed(2)}%`;
        return element;
    };
    return h("span", { class: "share", "aria-hidden": "true" }, part("", bytes - index - long), part("index", index), part("long", long));
}
