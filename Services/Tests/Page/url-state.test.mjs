import { test } from "node:test";
import assert from "node:assert/strict";
import { parseFragment, formatFragment, followed, tokenOf } from "../../Sources/BrowserPage/Assets/url-state.js";

test("routes are read as they were written", () => {
    const routes = [
        { view: "start" },
        { view: "objects", file: "1" },
        { view: "objects", file: "1", class: "Person" },
        { view: "objects", file: "1", class: "Zoë/|?#%", query: "age > 18 && name == 'a|b' SORT(name ASC)", section: "city" },
        {
            view: "objects", file: "2", class: "Person", object: { class: "A:b,c|d", key: "-9223372036854775808" },
            trail: [{ class: "Dog", key: "3" }, { class: "A,b", key: "12" }],
        },
        { view: "schema", file: "1" },
        { view: "file", file: "12" },
        { view: "code", file: "1", class: "Dog", query: "a == 1", language: "cpp", kind: "snippet" },
    ];
    for (const route of routes) assert.deepEqual(parseFragment(formatFragment([route])), [route]);
    assert.deepEqual(parseFragment(formatFragment([routes[3], routes[4]])), [routes[3], routes[4]]);
});

test("a malformed address is the start, or leaves out what is malformed", () => {
    assert.deepEqual(parseFragment(""), [{ view: "start" }]);
    assert.deepEqual(parseFragment("#/x/1"), [{ view: "start" }]);
    assert.deepEqual(parseFragment("#/f/1/c/Dog?o=nonsense&b=,,x:y"), [{ view: "objects", file: "1", class: "Dog" }]);
    assert.deepEqual(parseFragment("#/f/1/c/%E0%A4%A"), [{ view: "objects", file: "1", class: "%E0%A4%A" }]);
    assert.equal(parseFragment("#/f/1|/f/2|/f/3").length, 2);
});

test("following keeps the way, and a step back on it shortens it", () => {
    const start = { view: "objects", file: "1", class: "Person", object: { class: "Person", key: "1" } };
    const dog = followed(start, { class: "Dog", key: "7" });
    assert.deepEqual(dog.trail, [{ class: "Person", key: "1" }]);
    const city = followed(dog, { class: "City", key: "3" });
    assert.deepEqual(city.trail.length, 2);
    assert.deepEqual(followed(city, { class: "Dog", key: "7" }).trail, [{ class: "Person", key: "1" }]);
    assert.deepEqual(followed(start, { class: "Person", key: "1" }).trail, []);
});

test("the token of the printed link", () => {
    assert.equal(tokenOf("#token=abc123"), "abc123");
    assert.equal(tokenOf("#/f/1"), null);
});
