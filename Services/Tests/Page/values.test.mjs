import { test } from "node:test";
import assert from "node:assert/strict";
import * as cells from "../../Sources/BrowserPage/Assets/cells.js";
import { StagedEdits, operationText, stagedElement } from "../../Sources/BrowserPage/Assets/staged-edits.js";
import { RowCache } from "../../Sources/BrowserPage/Assets/row-cache.js";

test("kinds of cells", () => {
    const kinds = [
        null, true, "", { text: "a", bytes: 300 }, { data: 3, start: "00" }, { link: {} }, { list: 0, items: [] }, { set: 1, items: [] },
        { map: 1, items: [] }, { embedded: {} }, { mixed: "int", value: "1" },
    ].map(cells.kindOf);
    assert.deepEqual(kinds, ["null", "bool", "text", "cut", "data", "link", "list", "set", "map", "embedded", "mixed"]);
});

test("numbers for people", () => {
    assert.equal(cells.bytesText(999), "999 B");
    assert.equal(cells.bytesText(1500), "1.5 kB");
    assert.equal(cells.bytesText(999_900), "1.0 MB");
    assert.equal(cells.bytesText(412_000_000), "412 MB");
    assert.equal(cells.durationText(0.2), "under 1 ms");
    assert.equal(cells.durationText(932_000), "16 min");
    assert.equal(cells.counted(1, "entry", "entries"), "1 entry");
});

test("mistakes in entered values", () => {
    for (const [type, text] of [
        ["int", "-12"], ["int", "9223372036854775807"], ["double", "1e-3"], ["double", "nan"], ["date", "2024-05-01T09:30:00.25Z"],
        ["date", "-0044-03-15T00:00:00Z"], ["uuid", "12345678-1234-1234-1234-123456789abc"], ["objectId", "0123456789abcdef01234567"],
        ["string", ""],
    ]) {
        assert.equal(cells.mistakeIn(type, text), null, `${type} ${text}`);
    }
    for (const [type, text] of [
        ["int", "1.5"], ["int", "9223372036854775808"], ["int", ""], ["double", "x"], ["date", "tomorrow"], ["uuid", "1"],
        ["objectId", "xyz"],
    ]) {
        assert.notEqual(cells.mistakeIn(type, text), null, `${type} ${text}`);
    }
});

test("edits of one property are one operation, and setting it back removes it", () => {
    const edits = new StagedEdits();
    const set = (show) => edits.set({ class: "Dog", key: "1", property: "age", value: { text: show }, was: "3", show });
    set("4");
    set("5");
    assert.deepEqual(edits.operations(), [{ do: "set", class: "Dog", key: "1", property: "age", value: { text: "5" }, was: "3" }]);
    assert.equal(edits.text(), "1 object, 1 property");
    assert.equal(edits.valueOf("Dog", "1", "age").cell, "5");
    set("3");
    assert.equal(edits.count, 0);
});

test("a later edit keeps what the first one saw", () => {
    const edits = new StagedEdits();
    edits.set({ class: "Dog", key: "1", property: "age", value: { text: "4" }, was: "3", show: "4" });
    edits.set({ class: "Dog", key: "1", property: "age", value: { text: "5" }, was: "99", show: "5" });
    assert.equal(edits.operations()[0].was, "3");
});

test("deleting drops an object's other edits", () => {
    const edits = new StagedEdits();
    let changes = 0;
    edits.addEventListener("change", () => { changes += 1; });
    edits.set({ class: "Dog", key: "1", property: "age", value: { text: "4" }, was: "3", show: "4" });
    edits.push({ do: "delete", class: "Dog", key: "1" });
    edits.push({ do: "delete", class: "Dog", key: "1" });
    edits.push({ do: "deleteAll", class: "Dog", query: "age > 3" });
    edits.push({ do: "add", class: "Dog", values: {}, name: edits.newName() });
    assert.equal(edits.newName(), "new2");
    assert.equal(edits.text(), "1 new, 1 deleted, 1 bulk edit");
    assert.equal(changes, 4);
    assert.deepEqual(edits.list.map((one) => operationText(one, cells.cellText)), [
        "Delete Dog 1", "Delete all of “age > 3”", "Add Dog (new1)",
    ]);
});

function cacheOf(log) {
    const cache = new RowCache((from, count, signal) => new Promise((resolve, reject) => {
        log.push(from);
        signal.addEventListener("abort", () => reject(Object.assign(new Error("aborted"), { name: "AbortError" })));
        setTimeout(() => resolve({ from, count, rows: Array.from({ length: count }, (_, index) => ({ key: String(from + index) })) }), 1);
    }), () => {}, (error) => log.push(error), { pageSize: 10, limit: 3 });
    return cache;
}
const later = () => new Promise((resolve) => { setTimeout(resolve, 10); });

test("pages are asked for once, and the oldest are forgotten", async () => {
    const log = [], cache = cacheOf(log);
    cache.need(0, 15);
    cache.need(0, 15);
    await later();
    assert.deepEqual(log, [0, 10]);
    assert.equal(cache.row(12).key, "12");
    assert.equal(cache.row(25), undefined);
    cache.need(20, 40);
    await later();
    assert.deepEqual([...cache.pages.keys()], [1, 2, 3]);
});

test("requests that scrolled away are aborted, and stale pages are asked again", async () => {
    const log = [], cache = cacheOf(log);
    cache.need(0, 10);
    cache.need(500, 510);
    await later();
    assert.equal(cache.row(0), undefined);
    assert.equal(cache.row(505).key, "505");
    cache.markStale();
    assert.equal(cache.row(505).key, "505");
    cache.need(500, 510);
    await later();
    assert.deepEqual(log, [0, 500, 500]);
});

test("where elements are after staged operations", () => {
    const operations = [
        { do: "remove", at: 0 }, { do: "remove", at: 0 }, { do: "insert", at: 0 }, { do: "insert" }, { do: "move", at: 1, to: 3 },
        { do: "replace", at: 2, show: "x" },
    ];
    const places = [0, 1, 2, 3, 4, 5].map((at) => stagedElement(operations, at));
    // [a b c d e f] → [c d e f] → [n c d e f] → [n d e c f]; the third is replaced.
    assert.deepEqual(places, [{ at: null }, { at: null }, { at: 3 }, { at: 1 }, { at: 2, cell: "x" }, { at: 4 }]);
    assert.deepEqual(stagedElement([{ do: "remove", at: "a" }], "b"), { at: "b" });
    assert.deepEqual(stagedElement([{ do: "replace", at: "b", show: "1" }], "b"), { at: "b", cell: "1" });
});

test("nothing in a text is invisible or turns other text around", () => {
    assert.equal(cells.visibleText("a\nb\tc", true), "a↵ b⇥ c");
    assert.equal(cells.visibleText("a\nb", false), "a\nb");
    assert.equal(cells.visibleText("\u202egnp.exe\u0000", true), "⟨202E⟩gnp.exe␀");
});
