// What the query bar offers at the cursor. Pure but for `values`, which asks for the values of a property.
import { contextAt, quoted, literal } from "./query-text.js";

const aggregates = ["@count", "@sum", "@min", "@max", "@avg"];
const numeric = new Set(["int", "float", "double", "decimal"]);

/** The class and property that names lead to, or null. */
export function resolve(schema, className, names) {
    let current = schema.classes.find((one) => one.name === className);
    let property = null;
    for (let index = 0; index < names.length; index += 1) {
        if (!current) return null;
        if (names[index] === "@links") {
            current = schema.classes.find((one) => one.name === names[index + 1]);
            property = current?.properties.find((one) => one.name === names[index + 2]) ?? null;
            if (names.length <= index + 2) return { class: current ?? null, property: null, links: names.slice(index + 1) };
            index += 2;
            property = property && { ...property, collections: ["list"], target: current.name };
            continue;
        }
        if (names[index].startsWith("@")) return {
            class: null, property: { name: names[index], type: "int", collections: [], nullable: false },
        };
        property = current.properties.find((one) => one.name === names[index]);
        if (!property) return null;
        current = property.target ? schema.classes.find((one) => one.name === property.target) : null;
    }
    return { class: current, property };
}

const item = (text, detail, kind, insert = text) => ({ text, detail, kind, insert });

function paths(schema, className, context) {
    const place = resolve(schema, className, context.path);
    if (!place) return [];
    if (place.links) {
        const [linking] = place.links;
        if (!linking) return schema.classes.filter((one) => !one.embedded).map(
            (one) => item(one.name, "class", "class", `${quoted(one.name)}.`)
        ).concat(item("@count", "number", "aggregate"));
        return (place.class?.properties ?? []).filter((one) => one.target).map(
            (one) => item(one.name, `to ${one.target}`, "property", quoted(one.name))
        );
    }
    const found = [];
    for (const property of place.class?.properties ?? []) {
        found.push(item(property.name, typeName(property), "property", quoted(property.name)));
    }
    if (context.path.length) {
        if (place.property?.collections.length) {
            found.push(...aggregates.map((name) => item(name, "of the elements", "aggregate")));
            if (place.property.collections[0] === "map") found.push(
                item("@keys", "of the map", "aggregate"), item("@values", "of the map", "aggregate")
            );
        }
        if (place.property?.type === "mixed") found.push(item("@type", "its type", "aggregate"));
    } else {
        found.push(item("@links", "objects that link here", "aggregate", "@links."));
    }
    return found;
}

function operators(schema, className, context) {
    const property = resolve(schema, className, context.path)?.property;
    if (!property) return ["==", "!=", "<", "<=", ">", ">=", "IN"].map((name) => item(name, "", "operator", `${name} `));
    const names = ["==", "!="];
    if (property.collections.length) return [
        item(".@count", "number of elements", "operator"), item("CONTAINS", "has this value", "operator", "CONTAINS "),
        item("==", "with ANY, ALL or NONE before", "operator", "== "),
    ];
    if (numeric.has(property.type) || property.type === "date") names.push("<", "<=", ">", ">=", "BETWEEN");
    if (property.type === "string") {
        names.push("BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "TEXT", "BEGINSWITH[c]", "CONTAINS[c]", "<", ">");
    }
    if (property.type === "mixed") names.push("<", ">", "BEGINSWITH");
    names.push("IN");
    return names.map(
        (name) => item(name, operatorDetails[name] ?? "", "operator", name === "IN" || name === "BETWEEN" ? `${name} {` : `${name} `)
    );
}

const operatorDetails = {
    "==": "equal", "!=": "not equal, true for null", "<": "less", "<=": "at most", ">": "greater", ">=": "at least", IN: "one of these",
    BETWEEN: "both ends included", LIKE: "with * and ?", TEXT: "words, in any order",
    "BEGINSWITH[c]": "in any case", "CONTAINS[c]": "in any case",
};

const stepItems = [
    item("SORT", "order", "step", "SORT("), item("DISTINCT", "first of each value", "step", "DISTINCT("),
    item("LIMIT", "at most so many", "step", "LIMIT("),
    item("OFFSET", "leave out the first", "step", "OFFSET("), item("GROUP", "aggregates by value", "step", "GROUP("),
];

/** A property's type as people read it: `[Dog]`, `string?`. */
export function typeName(property) {
    const base = property.type === "link" ? property.target ?? "link" : property.type;
    let name = property.nullable && property.type !== "link" ? `${base}?` : base;
    for (const kind of [...(property.collections ?? [])].reverse()) {
        name = kind === "map" ? `{${name}}` : kind === "set" ? `<${name}>` : `[${name}]`;
    }
    return name;
}

function ranked(items, prefix) {
    const wanted = prefix.replace(/^[`#'"]/, "").toLowerCase();
    if (!wanted) return items;
    const begins = [], contains = [];
    for (const one of items) {
        const text = one.text.toLowerCase().replace(/^['"]/, "");
        if (text.startsWith(wanted)) begins.push(one);
        else if (text.includes(wanted) && one.kind !== "operator") contains.push(one);
    }
    return [...begins, ...contains];
}

/**
 * The offers at a cursor.
 * @param values (class, property, prefix) => Promise<{text, literal, count}[]>
 * @returns {Promise<{from: number, to: number, items: {text, detail, kind, insert}[]}>}
 */
export async function complete(schema, className, text, cursor, values) {
    const context = contextAt(text, cursor);
    const { from, to, prefix } = context;
    let items = [];
    switch (context.expects) {
        case "path":
            items = paths(schema, className, context);
            if (!context.path.length && !context.step) {
                items.push(
                    ...["NOT", "ANY", "ALL", "NONE"].map(
                        (word) => item(word, word === "NOT" ? "negates" : "of the elements", "keyword", `${word} `)
                    )
                );
                if (context.isAtStart) items.push(...stepItems);
            }
            break;
        case "operator": items = operators(schema, className, context); break;
        case "order": items = [item("ASC", "ascending", "keyword"), item("DESC", "descending", "keyword")]; break;
        case "conjunction": items = [item("AND", "both", "keyword", "AND "), item("OR", "either", "keyword", "OR "), ...stepItems]; break;
        case "value": items = await valueItems(schema, className, context, values); break;
        default: break;
    }
    items = ranked(items, prefix);
    if (items.length === 1 && items[0].insert.trimEnd() === prefix) items = [];
    return { from, to, items: items.slice(0, 60), expects: context.expects };
}

async function valueItems(schema, className, context, values) {
    const place = resolve(schema, className, context.path);
    const owner = resolve(schema, className, context.path.slice(0, -1));
    const property = place?.property;
    if (!property) return [];
    const items = [];
    if (property.type === "bool") items.push(item("true", "", "value"), item("false", "", "value"));
    else if (property.type !== "link" && !property.name.startsWith("@") && owner?.class) {
        const prefix = context.prefix.replace(/^['"]/, "");
        const found = await values(owner.class.name, property.name, prefix).catch(() => []);
        for (const value of found) {
            const written = value.literal ?? literal(property.type, value.text);
            if (written) items.push(item(written, value.count > 1 ? value.count.toLocaleString("en") : "", "value", written));
        }
    }
    if (property.nullable) items.push(item("NULL", "no value", "value"));
    return items;
}
