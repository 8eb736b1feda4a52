"""Valid requests of every kind, and what random mutations make of them."""

import json
import random
import urllib.parse

TAB = "fuzz" * 5

#: Texts that have broken parsers before.
ODD = [
    "", " ", "\0", "\r\n", "%", "%0", "%zz", "%00", "%0d%0aX: y", "\xff", "é", "😀", "\ud800", "-1", "0", "1", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "99999999999999999999999", "1e999", "NaN", "nan", "0x10", "null", "true", "[]", "{}",
    "[[[[[", "a" * 300, "a" * 5000, "../../etc/passwd", "'", "\"", "\\", "$", "@count", "TRUEPREDICATE", "TRUEPREDICATE SORT(", "SELF",
    "Kinds", "Target", "Plain", "Row", "id", "text", "any", "nested", "byName", "id == 1", "text CONTAINS 'a'",
    "GROUP(flag) SELECT(@count)", "SORT(id DESC) LIMIT(3)", "ANY numbers > 3", "links.@count > 1", "text MATCHES '(a+)+$'",
    "id == " + "(" * 200 + "1" + ")" * 200, "NOT " * 300 + "TRUE", " AND ".join(
        ["id == 1"] * 200), "text LIKE '" + "*" * 200 + "'", "csv", "json", "swift", "python", "1", "2", "v1", "v2", "v999",
    "id IN {" + ",".join(map(str, range(500))) + "}", "SUBQUERY(links, $x, $x.id > 1).@count > 0", "at > 2024-01-01", "FUNCTION(1)",
]
CLASSES = ["Kinds", "Target", "Plain", "Address"]
PROPERTIES = [
    "id", "whole", "flag", "small", "real", "exact", "text", "bytes_", "at", "unique", "mark", "link", "home", "any", "numbers", "words",
    "counts", "links", "homes", "maybe", "nested", "byName", "anything", "name", "street", "number"
]
QUERIES = [
    "", "id > 3", "text != null", "SORT(id DESC)", "text CONTAINS[c] 'a' SORT(text)", "GROUP(flag) SELECT(@count, id.@max)", "LIMIT(3)",
    "ANY numbers == 2", "link.name BEGINSWITH 'target'", "any == 5", "whole < 0 OR real > 0", "DISTINCT(text)", "id IN {1, 2, 3}"
]
GETS = {
    "/api/state": [], "/": [], "/app.js": [], "/api/files/1/schema": [], "/api/files/1/sizes": [], "/api/files/1/picture": [],
    "/api/files/1/information": [], "/api/files/1/object": ["class", "key"], "/api/files/1/elements": [
        "class", "key", "property", "path", "from", "count"
    ], "/api/files/1/backlinks": ["class", "key", "fromClass", "property", "from", "count"], "/api/files/1/find": [
        "class", "text", "limit"
    ], "/api/files/1/text": ["class", "key", "property", "from", "length"], "/api/files/1/data": ["class", "key", "property"],
    "/api/files/1/values": ["class", "property", "prefix", "limit"], "/api/files/1/explain": ["class", "query", "run"],
    "/api/files/1/profile": ["class", "query", "property"], "/api/files/1/export": ["class", "query", "format"], "/api/files/1/models": [
        "language"
    ], "/api/files/1/snippet": ["language", "class", "query"], "/api/views/v1/rows": ["tab", "from",
                                                                                      "count"], "/api/views/v1/position": ["tab", "key"],
}
POSTS = [
    "/api/login", "/api/files", "/api/tab", "/api/tab/close", "/api/files/1/views", "/api/files/1/edits/preview",
    "/api/files/1/edits/commit", "/api/files/1/edits/undo", "/api/files/1/uploads", "/api/files/1/import", "/api/files/1/check",
    "/api/files/1/salvage"
]


class Maker:
    """Makes requests from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        # Of the file's classes, as the schema says it.
        self.stamp = "0"

    def parameter(self, name):
        choose = self.random.choice
        return {
            "class": lambda: choose(CLASSES), "fromClass": lambda: choose(CLASSES), "key": lambda: str(self.random.randrange(0, 40)),
            "property": lambda: choose(PROPERTIES), "query": lambda: choose(QUERIES), "from": lambda: str(self.random.randrange(0, 600)),
            "count": lambda: str(self.random.randrange(0, 600)), "length": lambda: str(self.random.randrange(0, 600)),
            "limit": lambda: str(self.random.randrange(0, 60)), "path": lambda: choose(["", "[0]", "[1]", "[\"p\"]", "[6,1]", "[0,0]"]),
            "text": lambda: choose(["", "t", "1", "target"]), "prefix": lambda: choose(["", "t", "1"]), "run": lambda: choose(["0", "1"]),
            "format": lambda: choose(["csv", "tsv", "json", "jsonl"]), "language": lambda: choose(["swift", "c", "cpp", "python"]),
            "tab": lambda: TAB,
        }[name]()

    def value(self, depth=0):
        """A value of an edit."""
        choose = self.random.choice
        kind = self.random.randrange(10 if depth < 3 else 7)
        return [
            lambda: {"text": choose(ODD)}, lambda: {"null": True}, lambda: {"bool": choose([True, False])},
            lambda: {"link": str(self.random.randrange(5))}, lambda: {"primaryKey": choose(ODD)}, lambda: {"new": choose(["n1", "n2"])},
            lambda: {"mixed": choose(["int", "string", "link", "list"]), "text": choose(ODD)},
            lambda: {"list": [self.value(depth + 1)
                              for _ in range(self.random.randrange(3))]}, lambda: {"map": {choose(ODD): self.value(depth + 1)}},
            lambda: {"embedded": {"class": "Address", "values": {"street": self.value(depth + 1)}}},
        ][kind]()

    FIELDS = {
        "set": ["class", "key", "property", "value", "was"], "add": ["class", "values", "name"], "delete": ["class", "key"], "setAll": [
            "class", "query", "property", "value"
        ], "deleteAll": ["class", "keys"], "insert": ["class", "key", "property", "path", "at", "value"],
        "replace": ["class", "key", "property", "path", "at", "value", "was"], "remove": ["class", "key", "property", "path", "at", "was"],
        "move": ["class", "key", "property", "path", "at", "to"], "embed": ["class", "key", "property", "path", "at", "values"],
    }
    #: Values that fit the properties of `Kinds`, and what an empty object of it shows for them.
    FITTING = {
        "id": ("500", "2"), "whole": ("7", None), "small": ("1.5", None), "real": ("2.5", None), "exact": ("3.5", None),
        "text": ("new", None), "at": ("2024-01-01T00:00:00Z", None), "unique": ("12345678-9abc-def0-1234-56789abcdef0", None),
        "mark": ("0123456789abcdef01234567", None),
    }

    def operation(self):
        """An edit with the members that it needs; about half of them can be done."""
        choose = self.random.choice
        verb = choose(list(self.FIELDS))
        name = choose(list(self.FITTING) if self.random.random() < 0.5 else PROPERTIES)
        value, was = self.FITTING.get(name, ("1", None))
        collection = choose(["numbers", "words", "counts", "links", "homes", "maybe", "nested", "byName", "anything"])
        given = {
            "class": "Kinds" if self.random.random() < 0.7 else choose(CLASSES), "key": str(self.random.randrange(
                0, 40)), "property": name if verb in ("set", "setAll") else collection,
            "value": {"text": value} if self.random.random() < 0.6 else self.value(),
            "was": was if self.random.random() < 0.7 else choose([None, "", "1", True, {"list": 0, "items": []}]), "path": choose(
                [[], [], [], [0], ["p"], [6, 1]]), "at": choose([0, 0, 1, "p", -1, 2**70]), "to": choose(
                    [0, 1, 2, -1]), "name": "n1", "query": choose(QUERIES[:5] + QUERIES), "values": {
                        "id": {"text": str(self.random.randrange(10**9))}, name: {"text": value}
                    }, "keys": [str(self.random.randrange(40))],
        }
        made = {"do": verb, **{field: given[field] for field in self.FIELDS[verb]}}
        for field in ("path", "at", "name"):
            if field in made and self.random.random() < 0.4:
                del made[field]
        if self.random.random() < 0.1:
            made.pop(choose(list(made)))
        return made

    def body(self, path):
        choose = self.random.choice
        name = path.rsplit("/", 1)[1]
        if name == "login":
            return {"token": "x" * 64}
        if name == "files":
            return {"path": choose(["/nowhere", "/", "/etc/passwd", "", "/tmp"])}
        if name == "tab":
            return {
                "tab": TAB, "visible": choose([True, False]), "paused": choose([True, False]),
                "watch": [{"id": "w1", "file": "1", "class": "Kinds", "key": "1", "property": choose(PROPERTIES)},
                          {"id": "w2", "file": "1", "class": "Kinds", "query": choose(QUERIES)}]
            }
        if name == "views":
            return {
                "tab": TAB, "class": choose(CLASSES), "query": choose(QUERIES),
                **({"section": choose(PROPERTIES)} if self.random.random() < 0.3 else {})
            }
        if name in ("preview", "commit"):
            return {"tab": TAB, "stamp": self.stamp, "operations": [self.operation() for _ in range(self.random.randrange(1, 4))]}
        if name == "undo":
            return {"tab": TAB, "undo": choose(["u1", "1", ""])}
        return {"tab": TAB}

    def json(self, value):
        """A structured mutation of a JSON value."""
        choose, chance = self.random.choice, self.random.random()
        if chance < 0.1:
            return choose([None, True, 0, -1, 2**63, 2**64, 1e308, "", [], {}, [[]], choose(ODD)])
        if isinstance(value, dict):
            made = dict(value)
            for name in list(made):
                roll = self.random.random()
                if roll < 0.06:
                    del made[name]
                elif roll < 0.25:
                    made[name] = self.json(made[name])
            if chance > 0.95:
                made[choose(ODD)] = choose(ODD)
            return made
        if isinstance(value, list):
            made = [self.json(item) if self.random.random() < 0.3 else item for item in value]
            return made * choose([1, 1, 1, 2, 50]) if chance > 0.9 else made
        if isinstance(value, str) and chance < 0.6:
            return self.text(value)
        return value

    def text(self, value):
        """A mutated text."""
        choose, chance = self.random.choice, self.random.random()
        if chance < 0.5 or not value:
            return choose(ODD)
        place = self.random.randrange(len(value) + 1)
        return value[:place] + choose(ODD)[:20] + value[place + self.random.randrange(3):]

    def bytes(self, data):
        """Mutated bytes."""
        made = bytearray(data)
        for _ in range(self.random.randrange(1, 6)):
            place = self.random.randrange(len(made) + 1)
            roll = self.random.randrange(6)
            if roll == 0:
                made[place:place] = bytes([self.random.randrange(256)])
            elif roll == 1:
                del made[place:place + self.random.randrange(1, 9)]
            elif roll == 2 and place < len(made):
                made[place] ^= 1 << self.random.randrange(8)
            elif roll == 3:
                made[place:place] = self.random.choice(
                    [b"\r\n", b"\n", b"\0", b"\r\n\r\n", b"%", b"\xff\xfe", b"\"", b"{", b"[" * 100, b": ", b"0" * 20, b"-"])
            elif roll == 4:
                other = self.random.randrange(len(made) + 1)
                made[place:place] = made[other:other + 20]
            elif place < len(made):
                made[place] = self.random.randrange(256)
        return bytes(made)

    # requests: method, path with parameters, headers, body

    def valid(self):
        if self.random.random() < 0.6:
            path = self.random.choice(list(GETS))
            values = {name: self.parameter(name) for name in GETS[path]}
            if self.random.random() < 0.1 and "/files/" in path:
                values["tab"] = TAB
            if "/views/" in path:
                path = path.replace("v1", f"v{self.random.randrange(1, 400)}")
            return "GET", path, values, [], b""
        if self.random.random() < 0.05:
            return "DELETE", f"/api/views/v{self.random.randrange(1, 400)}", {"tab": TAB}, [], b""
        path = self.random.choice(POSTS)
        # Jobs take long.
        if path.endswith(("check", "salvage")) and self.random.random() < 0.95:
            path = "/api/files/1/views"
        values = {}
        if path.endswith("import"):
            values = {"class": "New", "format": self.random.choice(["csv", "json"]), "primaryKey": "id", "tab": TAB}
        if path.endswith("uploads"):
            values = {"tab": TAB}
        return "POST", path, values, [], json.dumps(self.body(path)).encode()

    def mutated(self):
        method, path, values, headers, body = self.valid()
        choose = self.random.choice
        for _ in range(self.random.randrange(1, 4)):
            roll = self.random.randrange(10)
            if roll < 3 and values:
                name = choose(list(values))
                values = {**values, name: self.text(values[name])}
            elif roll < 6 and body:
                try:
                    body = json.dumps(self.json(json.loads(body))).encode()
                except (ValueError, RecursionError):
                    pass
            elif roll == 6:
                path = self.text(path) if self.random.random() < 0.5 else path.replace("/1/", f"/{choose(ODD)[:40]}/")
                if not path.startswith("/"):
                    path = "/" + path
            elif roll == 7:
                headers = headers + [(choose(["Cookie", "Accept", "Range", "Expect", "Content-Encoding", "Origin", "If-None-Match", "X-A"
                                              ]), choose(ODD)[:200])]
            elif roll == 8 and body:
                body = self.bytes(body)
            elif values and self.random.random() < 0.4:
                values = {name: value for name, value in values.items() if self.random.random() < 0.7}
        return method, path, values, headers, body

    def encoded(self, server, request):
        """A request as bytes."""
        method, path, values, headers, body = request
        query = urllib.parse.urlencode(values, errors="surrogatepass")
        target = urllib.parse.quote(path, safe="/%?&=.;:-_~$'", errors="surrogatepass") + ("?" + query if query else "")
        given = [(name, value) for name, value in headers if all(" " <= letter <= "~" for letter in value)]
        if method != "GET":
            given += [("X-Freehold", "1"), ("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        return server.head(method, target, given) + b"\r\n" + (body if method != "GET" else b"")
