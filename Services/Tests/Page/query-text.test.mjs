import { test } from "node:test";
import assert from "node:assert/strict";
import * as query from "../../Sources/BrowserPage/Assets/query-text.js";
import { complete } from "../../Sources/BrowserPage/Assets/completion.js";

const corpus = [
    "", "age > 18", "name BEGINSWITH[c] 'f' SORT(name ASC) LIMIT(10)", "`odd#name` == 1", "x == \"unterminated",
    "a == uuid('12') && !(b < -1.5e-3f)",
    "joined >= 2024-05-01T09:30:00.25Z", "ANY dogs.name IN {'a', 'b'}", "SUBQUERY(dogs, $d, $d.age > 1).@count > 2",
    "@links.Person.dogs.@count > 1", "ü == 'é' 🙂", "x\\ y == 1", "$0 %@",
];

test("tokens together are the text", () => {
    for (const text of corpus) assert.equal(query.tokenize(text).map((token) => token.text).join(""), text);
});

test("kinds of tokens", () => {
    const kinds = (text) => query.tokenize(text).filter((token) => token.type !== "space").map((token) => token.type).join(" ");
    assert.equal(kinds("age > 18 AND name == 'x'"), "name symbol number keyword name symbol string");
    assert.equal(kinds("d >= 2024-05-01T09:30:00Z"), "name symbol date");
    assert.equal(kinds("a.text == 1"), "name symbol name symbol number");
    assert.equal(kinds("`limit` == 1"), "name symbol number");
});

test("names and strings as a query writes them", () => {
    assert.equal(query.quoted("name"), "name");
    assert.equal(query.quoted("limit"), "`limit`");
    assert.equal(query.quoted("odd name"), "`odd name`");
    assert.equal(query.stringLiteral("it's\n"), "'it\\'s\\n'");
    assert.equal(query.literal("uuid", "1"), "uuid('1')");
});

test("steps are found outside of parentheses and strings", () => {
    const { condition, steps } = query.splitQuery("name == 'SORT(x)' AND (a > 1) SORT(name DESC, b) LIMIT(3)");
    assert.equal(condition, "name == 'SORT(x)' AND (a > 1)");
    assert.deepEqual(steps.map((step) => [step.name, step.inside]), [["SORT", "name DESC, b"], ["LIMIT", "3"]]);
});

test("a header sorts ascending, descending, and not at all", () => {
    let text = "age > 3 LIMIT(5)";
    text = query.toggledSort(text, "name");
    assert.equal(text, "age > 3 SORT(name ASC) LIMIT(5)");
    text = query.toggledSort(text, "name");
    assert.equal(text, "age > 3 SORT(name DESC) LIMIT(5)");
    assert.equal(query.toggledSort(text, "age", true), "age > 3 SORT(name DESC, age ASC) LIMIT(5)");
    assert.equal(query.toggledSort(text, "name"), "age > 3 LIMIT(5)");
    assert.equal(query.toggledSort("", "name"), "SORT(name ASC)");
    assert.equal(query.withSort("GROUP(a) SELECT(@count)", [{ path: "a" }]), "GROUP(a) SELECT(@count)");
    assert.deepEqual(query.sortOf("SORT(a) SORT(b.c DESC, `d e`)"), [
        { path: "b.c", descending: true }, { path: "`d e`", descending: false },
    ]);
});

test("conditions and DISTINCT are added", () => {
    assert.equal(query.withCondition("", "a == 1"), "a == 1");
    assert.equal(query.withCondition("a == 1 OR b == 2 SORT(a)", "c == 3"), "(a == 1 OR b == 2) AND c == 3 SORT(a)");
    assert.equal(query.toggledDistinct("a == 1 LIMIT(2)", "a"), "a == 1 DISTINCT(a) LIMIT(2)");
    assert.equal(query.toggledDistinct("a == 1 DISTINCT(a)", "a"), "a == 1");
});

test("what the cursor is about", () => {
    const about = (text) => {
        const { expects, path, prefix, step } = query.contextAt(text, text.length);
        return [expects, path.join("."), prefix, step].join("|");
    };
    assert.equal(about(""), "path|||");
    assert.equal(about("na"), "path||na|");
    assert.equal(about("dogs.na"), "path|dogs|na|");
    assert.equal(about("name "), "operator|name||");
    assert.equal(about("name BEG"), "operator|name|BEG|");
    assert.equal(about("name == "), "value|name||");
    assert.equal(about("name == 'F"), "value|name|'F|");
    assert.equal(about("name BEGINSWITH[c] 'f"), "value|name|'f|");
    assert.equal(about("name IN {'a', "), "value|name||");
    assert.equal(about("name == 'a' "), "conjunction|||");
    assert.equal(about("name == 'a' AND "), "path|||");
    assert.equal(about("age > 18"), "value|age|18|");
    assert.equal(about("SORT(na"), "path||na|SORT");
    assert.equal(about("SORT(name "), "order|||SORT");
    assert.equal(about("ANY dogs.name == "), "value|dogs.name||");
});

const property = (name, type, more = {}) => ({ name, type, nullable: false, collections: [], target: null, ...more });
const schema = { classes: [
    {
        name: "Person",
        properties: [
            property("name", "string"), property("age", "int", { nullable: true }), property("ok", "bool"),
            property("dogs", "link", { target: "Dog", collections: ["list"] }),
        ],
    },
    { name: "Dog", properties: [property("name", "string"), property("odd name", "string")] },
] };

test("completion offers names, operators and values", async () => {
    const offers = async (text) => {
        const { items } = await complete(schema, "Person", text, text.length, async (className, name, prefix) => [
            { text: `${className}.${name}`, literal: `'${prefix}!'`, count: 2 }
        ]);
        return items.map((item) => item.insert);
    };
    assert.deepEqual((await offers("na"))[0], "name");
    assert.deepEqual(await offers("dogs.odd"), ["`odd name`"]);
    assert.ok((await offers("age ")).includes("BETWEEN {"));
    assert.ok(!(await offers("ok ")).includes("BEGINSWITH "));
    assert.deepEqual(await offers("ok == "), ["true", "false"]);
    assert.deepEqual(await offers("name == 'F"), ["'F!'"]);
    assert.deepEqual(await offers("age == "), ["'!'", "NULL"]);
    assert.deepEqual((await offers("@links.")).includes("Person."), true);
    assert.deepEqual(await offers("@links.Person."), ["dogs"]);
    assert.ok((await offers("dogs.@")).includes("@count"));
});

test("columns count characters", () => {
    assert.equal(query.indexOfColumn("🙂a == 1", 2), 2);
    assert.equal(query.indexOfColumn("abc", 1), 0);
    assert.equal(query.indexOfColumn("abc", 9), 3);
});
