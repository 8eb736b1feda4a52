// Cells as Services/API.md describes them: their kind, their text, and the text that edits them. Pure: no DOM.

/** null, bool, text, cut, data, link, list, set, map, embedded or mixed. */
export function kindOf(cell) {
    if (cell === null || cell === undefined) return "null";
    if (typeof cell === "boolean") return "bool";
    if (typeof cell === "string") return "text";
    if ("text" in cell) return "cut";
    for (const kind of ["data", "link", "list", "set", "map", "embedded", "mixed"]) {
        if (kind in cell) return kind;
    }
    return "text";
}

const numbers = new Set(["int", "float", "double", "decimal"]);

/** Whether a property's values stand at the right, in tabular figures. */
export const isNumeric = (property) => !property.collections?.length && numbers.has(property.type);

/** A number of bytes for people. */
export function bytesText(count) {
    if (count < 1000) return `${count} B`;
    const units = ["kB", "MB", "GB", "TB"];
    let value = count, unit = -1;
    do { value /= 1000; unit += 1; } while (value >= 999.5 && unit < units.length - 1);
    return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A number with at most seven significant digits; other texts as they are. */
export function shortNumber(text) {
    return /^-?\d*\.\d{5,}(e[-+]?\d+)?$/i.test(String(text)) ? String(Number(Number(text).toPrecision(7))) : String(text);
}

/** A whole number with separators. */
export const countText = (count) => (count ?? 0).toLocaleString("en");

/** "1 object", "2 objects". */
export const counted = (count, noun, plural = `${noun}s`) => `${countText(count)} ${count === 1 ? noun : plural}`;

/** Milliseconds for people. */
export function durationText(milliseconds) {
    if (milliseconds < 1) return "under 1 ms";
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
    if (milliseconds < 90_000) return `${(milliseconds / 1000).toFixed(1)} s`;
    if (milliseconds < 5_400_000) return `${Math.round(milliseconds / 60_000)} min`;
    return `${(milliseconds / 3_600_000).toFixed(1)} h`;
}

/** The time of day of a date's text. */
export const clockText = (date) => /T(\d\d:\d\d:\d\d)/.exec(date ?? "")?.[1] ?? date ?? "";

/** A cell in one line of text, for names, copying and comparing. */
export function cellText(cell) {
    switch (kindOf(cell)) {
        case "null": return "null";
        case "bool": return String(cell);
        case "text": return cell;
        case "cut": return `${cell.text}…`;
        case "data": return cell.data ? `${bytesText(cell.data)} ${cell.start}` : "no bytes";
        case "link": return cell.link.label || `${cell.link.class} ${cell.link.key}`;
        case "embedded": return cell.embedded.label || cell.embedded.class;
        case "list": case "set": return counted(cell.list ?? cell.set, "element");
        case "map": return counted(cell.map, "entry", "entries");
        case "mixed": return cellText(cell.value);
        default: return "";
    }
}

const pictures = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text with what would be invisible, or would turn other text around, made visible. In one line, line breaks and tabs
 * are signs too.
 */
export function visibleText(text, isOneLine) {
    const shown = text.replace(directions, (sign) => `⟨${sign.charCodeAt(0).toString(16).toUpperCase()}⟩`)
        .replace(pictures, (sign) => (sign === "\x7f" ? "␡" : String.fromCharCode(0x2400 + sign.charCodeAt(0))));
    return isOneLine ? shown.replace(/\n/g, "↵ ").replace(/\t/g, "⇥ ") : shown;
}

/** Whether two cells show the same. */
export const isSameCell = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

/** Types that are edited as text. */
const textTypes = new Set(["int", "float", "double", "decimal", "string", "date", "uuid", "objectId"]);
export const isTextType = (type) => textTypes.has(type);

/** What an editor begins with; null if the cell is null. */
export function editableText(cell) {
    const value = kindOf(cell) === "mixed" ? cell.value : cell;
    switch (kindOf(value)) {
        case "null": return null;
        case "bool": return String(value);
        case "text": return value;
        case "cut": return value.text;
        case "link": return value.link.key;
        default: return "";
    }
}

const wholeNumber = /^[-+]?\d+$/;
const number = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$|^[-+]?(infinity|inf|nan)$/i;

/** What is wrong with a text as a value of a type, or null. The program checks again. */
export function mistakeIn(type, text) {
    switch (type) {
        case "int": {
            if (!wholeNumber.test(text)) return "A whole number, such as -12.";
            const value = BigInt(text.replace("+", ""));
            return value >= -(2n ** 63n) && value < 2n ** 63n ? null : "An integer of 64 bits.";
        }
        case "float": case "double": case "decimal": return number.test(text) ? null : "A number, such as 1.5 or 1e-3.";
        case "date": return /^[-+]?\d{4,}-\d\d-\d\d([T@ ][\d:.]+(Z|[-+]\d\d:?\d\d)?)?$/.test(text) ? null
            : "A date, such as 2024-05-01T09:30:00Z.";
        case "uuid": return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? null : "A UUID: 8-4-4-4-12 hexadecimal digits.";
        case "objectId": return /^[0-9a-f]{24}$/i.test(text) ? null : "24 hexadecimal digits.";
        default: return null;
    }
}

/** The cell that a staged value will show as. `label` names a link's target. */
export function cellOfValue(property, value, label = "") {
    if (value.null) return null;
    if ("bool" in value) return value.bool;
    if ("link" in value) return { link: { class: property.target, key: value.link, label } };
    if ("primaryKey" in value) return { link: { class: property.target, key: "", label: value.primaryKey } };
    if ("new" in value) return { link: { class: property.target, key: "", label: `new: ${value.new}` } };
    if ("upload" in value) return { data: value.bytes ?? 0, start: "…" };
    if ("mixed" in value) return { mixed: value.mixed, value: value.text };
    if ("list" in value) return { list: value.list.length, items: [] };
    if ("map" in value) return { map: Object.keys(value.map).length, items: [] };
    if ("embedded" in value) return { embedded: { class: property.target, key: "", label: "new" } };
    return value.text;
}
