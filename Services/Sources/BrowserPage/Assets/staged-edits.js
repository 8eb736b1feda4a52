// Edits of a file that wait for their commit. Pure: no DOM.
import { isSameCell } from "./cells.js";

const sameObject = (one, other) => one.class === other.class && one.key === other.key;

export class StagedEdits extends EventTarget {
    constructor(operations = []) {
        super();
        /** Operations as the program takes them, each with `show`: the cell that it will show as. */
        this.list = operations;
    }

    get count() { return this.list.length; }

    /** Sets a property; setting it back to what it was removes the edit. */
    set({ class: className, key, property, value, was, show }) {
        const index = this.list.findIndex(
            (one) => one.do === "set" && sameObject(one, { class: className, key }) && one.property === property
        );
        const first = index < 0 ? was : this.list[index].was;
        if (isSameCell(first ?? null, show ?? null)) {
            if (index >= 0) this.list.splice(index, 1);
        } else {
            const operation = { do: "set", class: className, key, property, value, was: first ?? null, show };
            if (index < 0) this.list.push(operation);
            else this.list[index] = operation;
        }
        this.changed();
    }

    /** Adds an operation of another kind. An object that is deleted loses its other edits. */
    push(operation) {
        if (operation.do === "delete") {
            if (this.isDeleted(operation.class, operation.key)) return;
            this.list = this.list.filter((one) => !sameObject(one, operation));
        }
        this.list.push(operation);
        this.changed();
    }

    /** A name for an object to be added. */
    newName() {
        let number = 1;
        while (this.list.some((one) => one.name === `new${number}`)) number += 1;
        return `new${number}`;
    }

    remove(index) {
        this.list.splice(index, 1);
        this.changed();
    }

    clear() {
        this.list = [];
        this.changed();
    }

    changed() { this.dispatchEvent(new Event("change")); }

    /** The staged value of a property: {cell} or null. */
    valueOf(className, key, property) {
        const found = this.list.findLast(
            (one) => one.key === key && one.class === className && one.property === property && one.do === "set"
        );
        return found ? { cell: found.show ?? null, was: found.was } : null;
    }

    /** Whether an object is to be deleted by an edit of its own. */
    isDeleted(className, key) {
        return this.list.some((one) => one.do === "delete" && one.class === className && one.key === key);
    }

    /** The staged operations on the elements of a collection. */
    elementEdits(className, key, property, path = []) {
        return this.list.filter((one) => ["insert", "replace", "remove", "move", "embed"].includes(one.do)
            && one.class === className && one.key === key && one.property === property
            && JSON.stringify(one.path ?? []) === JSON.stringify(path));
    }

    /** What the program takes: without what only the page needs. */
    operations() {
        return this.list.map(({ show, label, isNew, ...operation }) => operation);
    }

    /** What is staged: numbers of objects and properties, and bulk edits. */
    summary() {
        const objects = new Set(), properties = new Set();
        let added = 0, deleted = 0, bulk = 0;
        for (const one of this.list) {
            if (one.do === "add") added += 1;
            else if (one.do === "delete") deleted += 1;
            else if (one.do === "setAll" || one.do === "deleteAll") bulk += 1;
            else {
                objects.add(`${one.class}:${one.key}`);
                properties.add(`${one.class}:${one.key}:${one.property}`);
            }
        }
        return { objects: objects.size, properties: properties.size, added, deleted, bulk };
    }

    /** The summary in words. */
    text() {
        const { objects, properties, added, deleted, bulk } = this.summary();
        const part = (count, noun, plural = `${noun}s`) => `${count} ${count === 1 ? noun : plural}`;
        const parts = [];
        if (objects) parts.push(`${part(objects, "object")}, ${part(properties, "property", "properties")}`);
        if (added) parts.push(`${added} new`);
        if (deleted) parts.push(`${deleted} deleted`);
        if (bulk) parts.push(part(bulk, "bulk edit"));
        return parts.join(", ") || "No edits";
    }
}

/**
 * Where an element of a collection is after operations on it, in their order.
 * @param operations those of one collection
 * @param at the position in the file, or a map's key
 * @returns {{at: number|string|null, cell?: any}} null if it is removed; `cell` if it is replaced
 */
export function stagedElement(operations, at) {
    const element = { at };
    for (const operation of operations) {
        if (operation.do === "replace" && operation.at === element.at) element.cell = operation.show;
        else if (operation.do === "remove" && operation.at === element.at) return { at: null };
        else if (typeof at !== "number") continue;
        else if (operation.do === "remove" && operation.at < element.at) element.at -= 1;
        else if (operation.do === "insert" && operation.at !== undefined && operation.at <= element.at) element.at += 1;
        else if (operation.do === "move") {
            if (operation.at === element.at) element.at = operation.to;
            else if (operation.at < element.at && operation.to >= element.at) element.at -= 1;
            else if (operation.at > element.at && operation.to <= element.at) element.at += 1;
        }
    }
    return element;
}

/** What an operation does, in words. */
export function operationText(operation, cellText) {
    const object = `${operation.class} ${operation.label || operation.key}`;
    const { keys, query } = operation;
    const among = keys ? `${keys.length} objects of ${operation.class}` : `all of “${query || operation.class}”`;
    const value = operation.show !== undefined ? cellText(operation.show) : "";
    const at = operation.at === undefined ? "" : ` at ${operation.at}`;
    switch (operation.do) {
        case "set": return `${object}: ${operation.property} = ${value}`;
        case "add": return `Add ${operation.class} (${operation.name})`;
        case "delete": return `Delete ${object}`;
        case "setAll": return `Set ${operation.property} = ${value} of ${among}`;
        case "deleteAll": return `Delete ${among}`;
        case "insert": return `${object}: insert ${value} into ${operation.property}${at}`;
        case "replace": return `${object}: ${operation.property}[${operation.at}] = ${value}`;
        case "remove": return `${object}: remove ${operation.property}[${operation.at}]`;
        case "move": return `${object}: move ${operation.property}[${operation.at}] to ${operation.to}`;
        case "embed": return `${object}: new ${operation.property}${at}`;
        default: return operation.do;
    }
}

/** The cells of an object by property, as it was shown: its deletion is refused if it is not like that any more. */
export function shownCells(properties, cells) {
    return Object.fromEntries(properties.slice(0, cells.length).map((property, index) => [property.name, cells[index]]));
}
