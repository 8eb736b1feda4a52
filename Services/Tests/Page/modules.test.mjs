// The modules that the page needs at first are all named in its head, so that none waits for another one to be read.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";

const folder = new URL("../../Sources/BrowserPage/Assets/", import.meta.url);
const text = (name) => readFileSync(new URL(name, folder), "utf8");

function imported(name, found = new Set()) {
    if (found.has(name)) return found;
    found.add(name);
    for (const [, next] of text(name).matchAll(/^import[^;]*?"\.\/([\w-]+\.js)";/gm)) imported(next, found);
    return found;
}

test("every module of the start is preloaded", () => {
    const named = [...text("index.html").matchAll(/(?:href|src)="([\w-]+\.js)"/g)].map((match) => match[1]).sort();
    assert.deepEqual(named, [...imported("main.js")].sort());
});

test("assets are embedded, and small", () => {
    const names = readdirSync(folder), embedded = readFileSync(new URL("../page.c", folder), "utf8");
    for (const name of names) assert.ok(embedded.includes(`"Assets/${name}"`), `${name}: run embed.sh`);
    assert.ok(names.reduce((bytes, name) => bytes + readFileSync(new URL(name, folder)).length, 0) <= 400 * 1024);
    for (const name of names.filter((one) => one.endsWith(".js"))) {
        const lines = text(name).split("\n");
        assert.ok(lines.length <= 400, name);
        assert.deepEqual(lines.filter((line) => line.length > 140), [], name);
    }
});
