// The query language as text: tokens for colouring and completion, and rewriting of steps. Pure: no DOM.
// The engine parses queries; this only needs to know where names, values and steps are. See docs/queries.md.

const steps = ["SORT", "DISTINCT", "LIMIT", "OFFSET", "NEAREST", "FUSE", "GROUP", "SELECT"];
const words = new Set([
    ...steps, "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE",
    "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "FALSE", "INFINITY", "NAN", "SELF", "SUBQUERY", "ASC", "DESC",
    "TEXT", "GEOWITHIN", "FIRST", "LAST", "SIZE",
]);
const operatorWords = new Set(["IN", "BETWEEN", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "TEXT"]);
const operatorSymbols = new Set(["==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>"]);
const valueWords = new Set(["NULL", "NIL", "TRUE", "FALSE", "INFINITY", "NAN"]);

const patterns = [
    ["space", /\s+/y],
    ["string", /"(?:\\.|[^"\\])*("|$)|'(?:\\.|[^'\\])*('|$)/ysu],
    ["date", /[-+]?\d{4,}-\d\d-\d\d(?:[T@][\d:.]*(?:Z|[-+]\d\d:?\d\d)?)?/y],
    ["number", /0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?f?/yi],
    ["name", /`[^`]*`?|#?[\p{L}_][\p{L}\p{M}\p{N}_]*(?:\\\s[\p{L}\p{M}\p{N}_]*)*/yu],
    ["at", /@\p{L}*/yu],
    ["argument", /[$%][\p{L}\p{N}_@]*/yu],
    ["symbol", /==|!=|<>|<=|=<|>=|=>|&&|\|\||[=<>!(){}[\],.+\-*/:]/y],
    ["bad", /./ysu],
];

/**
 * Splits a text into tokens {type, text, from, to}; nothing is left out, so the texts together are the text.
 * Types: space, string, date, number, name, keyword, at, argument, symbol, bad.
 */
export function tokenize(text) {
    const tokens = [];
    let place = 0;
    while (place < text.length) {
        for (const [type, pattern] of patterns) {
            pattern.lastIndex = place;
            const match = pattern.exec(text);
            if (!match) continue;
            const word = match[0];
            const isKeyword = type === "name" && words.has(word.toUpperCase()) && tokens.at(-1)?.text !== ".";
            tokens.push({ type: isKeyword ? "keyword" : type, text: word, from: place, to: place + word.length });
            place += word.length;
            break;
        }
    }
    return tokens;
}

/** The name that a token writes: without backquotes, `#` and backslashes. */
function nameOf(token) {
    const text = token.text;
    if (text.startsWith("`")) return text.replaceAll("`", "");
    return text.replace(/^#/, "").replace(/\\(\s)/g, "$1");
}

/** A name as a query writes it. */
export function quoted(name) {
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !words.has(name.toUpperCase()) ? name : `\`${name}\``;
}

/** A string literal. */
export function stringLiteral(text) {
    const escapes = { "\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };
    return `'${text.replace(/[\\'\n\r\t\0]/g, (letter) => escapes[letter])}'`;
}

/** The text of a value of a type, as a query writes it; null if there is no such literal. */
export function literal(type, text) {
    if (text === null) return "NULL";
    if (typeof text === "boolean") return String(text);
    switch (type) {
        case "string": return stringLiteral(text);
        case "uuid": return `uuid('${text}')`;
        case "objectId": return `oid('${text}')`;
        case "decimal": return `decimal('${text}')`;
        case "int": case "double": case "float": case "date": return text;
        default: return null;
    }
}

/**
 * The condition and the steps of a query.
 * @returns {{condition: string, steps: {name: string, text: string, inside: string, from: number, to: number}[]}}
 */
export function splitQuery(text) {
    const tokens = tokenize(text).filter((token) => token.type !== "space");
    const found = [];
    let depth = 0;
    tokens.forEach((token, index) => {
        if ("({[".includes(token.text)) depth += 1;
        else if (")}]".includes(token.text)) depth -= 1;
        else if (depth === 0 && token.type === "keyword" && steps.includes(token.text.toUpperCase()) && tokens[index + 1]?.text === "(") {
            found.push({ name: token.text.toUpperCase(), from: token.from, open: index + 1 });
        }
    });
    const parts = found.map(({ name, from, open }) => {
        let level = 0, close = open;
        for (; close < tokens.length; close += 1) {
            if (tokens[close].text === "(") level += 1;
            if (tokens[close].text === ")" && (level -= 1) === 0) break;
        }
        const last = tokens[Math.min(close, tokens.length - 1)];
        const insideEnd = close < tokens.length ? last.from : text.length;
        return { name, from, to: last.to, text: text.slice(from, last.to), inside: text.slice(tokens[open].to, insideEnd).trim() };
    });
    return { condition: text.slice(0, parts[0]?.from ?? text.length).trim(), steps: parts };
}

function joined(condition, parts) {
    return [condition, ...parts.map((part) => part.text)].filter(Boolean).join(" ");
}

/** The order that a query's last SORT gives: [{path, descending}]. */
export function sortOf(text) {
    const sort = splitQuery(text).steps.findLast((step) => step.name === "SORT");
    if (!sort) return [];
    const keys = [[]];
    for (const token of tokenize(sort.inside)) {
        if (token.text === ",") keys.push([]);
        else keys.at(-1).push(token);
    }
    return keys.map((tokens) => {
        const meant = tokens.filter((token) => token.type !== "space");
        const last = meant.at(-1)?.text.toUpperCase();
        const isOrder = last === "ASC" || last === "DESC";
        const path = (isOrder ? meant.slice(0, -1) : meant).map((token) => token.text).join("");
        return { path, descending: last === "DESC" };
    }).filter((key) => key.path);
}

/** The query with another order; an empty one removes SORT. */
export function withSort(text, keys) {
    const { condition, steps: parts } = splitQuery(text);
    if (parts.some((part) => part.name === "GROUP")) return text;
    const sort = { name: "SORT", text: `SORT(${keys.map((key) => `${key.path} ${key.descending ? "DESC" : "ASC"}`).join(", ")})` };
    const at = parts.findLastIndex((part) => part.name === "SORT");
    const rest = parts.filter((part) => part.name !== "SORT");
    if (!keys.length) return joined(condition, rest);
    if (at >= 0) return joined(
        condition, parts.map((part, index) => (index === at ? sort : part)).filter((part) => part === sort || part.name !== "SORT")
    );
    const limit = rest.findIndex((part) => part.name === "LIMIT" || part.name === "OFFSET");
    rest.splice(limit < 0 ? rest.length : limit, 0, sort);
    return joined(condition, rest);
}

/** The order after pressing a column's header: ascending, descending, none; `isAdded` keeps the other columns. */
export function toggledSort(text, path, isAdded = false) {
    const keys = sortOf(text);
    const present = keys.find((key) => key.path === path);
    const others = isAdded ? keys.filter((key) => key.path !== path) : [];
    if (!present) return withSort(text, [...others, { path, descending: false }]);
    if (!present.descending) return withSort(
        text, isAdded ? keys.map((key) => (key === present ? { path, descending: true } : key)) : [{ path, descending: true }]
    );
    return withSort(text, others);
}

/** The query with DISTINCT by a path, or without if it has just that. */
export function toggledDistinct(text, path) {
    const { condition, steps: parts } = splitQuery(text);
    const isPresent = parts.some((part) => part.name === "DISTINCT" && part.inside === path);
    const rest = parts.filter((part) => part.name !== "DISTINCT");
    if (!isPresent) {
        const limit = rest.findIndex((part) => part.name === "LIMIT" || part.name === "OFFSET");
        rest.splice(limit < 0 ? rest.length : limit, 0, { text: `DISTINCT(${path})` });
    }
    return joined(condition, rest);
}

/** The query with one more condition. */
export function withCondition(text, added) {
    const { condition, steps: parts } = splitQuery(text);
    if (!condition || condition.toUpperCase() === "TRUEPREDICATE") return joined(added, parts);
    const wrap = (part) => (tokenize(part).some((token) => token.text.toUpperCase() === "OR" || token.text === "||") ? `(${part})` : part);
    return joined(`${wrap(condition)} AND ${wrap(added)}`, parts);
}

/**
 * What completion is about at a cursor.
 * @returns {{from: number, to: number, prefix: string, expects: "path"|"operator"|"value"|"order"|"conjunction"|"none",
 *            path: string[], step: string|null, isAtStart: boolean}}
 *  `path`: the names before the cursor's own, of the path that is written ("path"), or of the property that a value or
 *  operator is for.
 */
export function contextAt(text, cursor) {
    const tokens = tokenize(text).filter((token) => token.from < cursor);
    const current = tokens.at(-1);
    const result = { from: cursor, to: cursor, prefix: "", expects: "path", path: [], step: null, isAtStart: false };
    if (current && current.type !== "space" && current.type !== "symbol" && cursor <= current.to) {
        result.from = current.from;
        result.to = current.to;
        result.prefix = text.slice(current.from, cursor);
        tokens.pop();
    }
    const before = tokens.filter((token) => token.type !== "space");
    result.step = enclosingStep(before);
    const last = before.at(-1);
    result.isAtStart = !last;
    if (current && /^[\d-]/.test(result.prefix) && !isOperator(last)) return { ...result, expects: "none" };
    if (!last) return result;
    if (last.text === ".") return { ...result, path: pathBefore(before, before.length - 1) };
    if (isOperator(last)) return { ...result, expects: "value", path: pathBefore(before, before.length - 1) };
    if (last.text === "{" || last.text === ",") {
        const list = openBrace(before);
        if (list > 0 && isOperator(before[list - 1])) return { ...result, expects: "value", path: pathBefore(before, list - 1) };
        return result;
    }
    if (last.text === "]" && isOperator(before.at(-4))) return { ...result, expects: "value", path: pathBefore(before, before.length - 4) };
    const isValue = ["string", "number", "date", "argument"].includes(last.type) || valueWords.has(last.text.toUpperCase())
        || last.text === "}";
    if (last.type === "keyword" && !isValue && last.text.toUpperCase() !== "SELF") {
        if (["ASC", "DESC"].includes(last.text.toUpperCase())) return { ...result, expects: "none" };
        return {
            ...result, expects: /PREDICATE$/i.test(last.text) ? "conjunction" : steps.includes(last.text.toUpperCase()) ? "none" : "path"
        };
    }
    if (last.type === "name" || last.type === "at" || last.text === "]" || /^self$/i.test(last.text)) {
        if (result.step === "SORT") return { ...result, expects: "order" };
        if (result.step) return { ...result, expects: "none" };
        const path = pathBefore(before, before.length);
        return { ...result, expects: isComparedBefore(before) ? "conjunction" : "operator", path };
    }
    if (isValue || last.text === ")") return { ...result, expects: result.step ? "none" : "conjunction" };
    return result;
}

function isOperator(token) {
    return token && (operatorSymbols.has(token.text) || operatorWords.has(token.text.toUpperCase()));
}

/** Whether the comparison at the end of these tokens has its operator already, so that a name after it is its right side. */
function isComparedBefore(tokens) {
    for (let index = tokens.length - 1; index >= 0; index -= 1) {
        const token = tokens[index];
        if (isOperator(token)) return true;
        if (token.text === "(" || /^(AND|OR|NOT)$|^(&&|\|\||!)$/i.test(token.text)) return false;
    }
    return false;
}

/** The names of the path that ends before a position. */
function pathBefore(tokens, end) {
    const names = [];
    let index = end - 1;
    if (tokens[index]?.text === ")" ) return names;
    while (index >= 0) {
        if (tokens[index].text === "]") {
            while (index >= 0 && tokens[index].text !== "[") index -= 1;
            index -= 1;
            continue;
        }
        if (!["name", "at", "keyword"].includes(tokens[index].type)) break;
        names.unshift(tokens[index].type === "at" ? tokens[index].text : nameOf(tokens[index]));
        if (tokens[index - 1]?.text !== ".") break;
        index -= 2;
    }
    return names.filter((name) => name.toUpperCase() !== "SELF");
}

function openBrace(tokens) {
    let depth = 0;
    for (let index = tokens.length - 1; index >= 0; index -= 1) {
        if (tokens[index].text === "}") depth += 1;
        else if (tokens[index].text === "{" && (depth -= 1) < 0) return index;
        else if (tokens[index].text === "(") return -1;
    }
    return -1;
}

/** The step within whose parentheses the end of these tokens is. */
function enclosingStep(tokens) {
    let depth = 0;
    for (let index = tokens.length - 1; index > 0; index -= 1) {
        if (tokens[index].text === ")") depth += 1;
        else if (tokens[index].text === "(" && (depth -= 1) < 0) {
            const word = tokens[index - 1].text.toUpperCase();
            // The rankings of FUSE are conditions and steps.
            if (word === "FUSE") return null;
            if (steps.includes(word)) return word;
            depth = 0;
        }
    }
    return null;
}


/** The index in a string of a column that counts characters from 1. */
export function indexOfColumn(text, column) {
    return Array.from(text).slice(0, Math.max(0, column - 1)).join("").length;
}
