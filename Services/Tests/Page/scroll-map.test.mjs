import { test } from "node:test";
import assert from "node:assert/strict";
import { ScrollMap, SectionMap } from "../../Sources/BrowserPage/Assets/scroll-map.js";

test("few rows are not scaled", () => {
    const map = new ScrollMap(28);
    map.resize(1000, 700);
    assert.equal(map.elementHeight, 28000);
    map.scrolled(1400);
    assert.deepEqual(map.visible(), { first: 50, end: 75 });
    assert.equal(map.offset(50), 0);
});

test("ten million rows: both ends are reached, and every row between", () => {
    const map = new ScrollMap(28);
    map.resize(10_000_000, 700);
    assert.equal(map.elementHeight, 8_000_000);
    assert.equal(map.visible().first, 0);
    map.scrolled(map.greatestScrollTop);
    assert.equal(map.visible().end, 10_000_000);
    map.moveTo(0);
    let last = -1;
    for (let step = 0; step < 2000; step += 1) {
        const { first } = map.visible();
        assert.ok(first - last <= 4, "no row is skipped");
        last = first;
        map.moveBy(100);
    }
    assert.equal(Math.round(map.top), 200_000);
});

test("a small movement of a scaled bar moves by its pixels, a large one is proportional", () => {
    const map = new ScrollMap(28);
    map.resize(10_000_000, 700);
    map.moveTo(140_000_000);
    const before = map.top, bar = map.scrollTop;
    map.scrolled(bar + 60);
    assert.equal(map.top, before + 60);
    map.scrolled(2_000_000);
    assert.ok(Math.abs(map.visible().first - 2_500_000) < 1000);
});

test("revealing moves no more than it must", () => {
    const map = new ScrollMap(28);
    map.resize(10_000_000, 700);
    map.reveal(10);
    assert.equal(map.top, 0);
    map.reveal(25);
    assert.equal(map.top, 28);
    map.reveal(9_999_999);
    assert.equal(map.visible().end, 10_000_000);
    map.centre(5_000_000);
    const { first, end } = map.visible();
    assert.ok(first < 5_000_000 && end > 5_000_000);
});

test("fewer rows than before bring the view back", () => {
    const map = new ScrollMap(28);
    map.resize(10_000, 700);
    map.moveTo(200_000);
    map.resize(10, 700);
    assert.equal(map.top, 0);
    map.resize(0, 700);
    assert.deepEqual(map.visible(), { first: 0, end: 0 });
});

test("headings of sections stand before their rows", () => {
    const sections = new SectionMap([{ from: 0 }, { from: 3 }, { from: 4 }], 6);
    assert.equal(sections.count, 9);
    const shown = Array.from({ length: 9 }, (_, position) => sections.at(position));
    assert.deepEqual(shown, [
        { section: 0 }, { row: 0 }, { row: 1 }, { row: 2 }, { section: 1 }, { row: 3 }, { section: 2 }, { row: 4 }, { row: 5 },
    ]);
    for (let row = 0; row < 6; row += 1) assert.deepEqual(sections.at(sections.positionOf(row)), { row });
    assert.deepEqual(new SectionMap([], 5).at(3), { row: 3 });
});
