import FreeholdEngine
import Testing

@testable import BrowserData

@Suite("Undoing edits")
struct UndoTests {
    /// A team whose notes go with it, a person whom notes, a set, a map and mixed values link to.
    private func linked(_ fixture: EditingFixture) throws {
        try fixture.addPeople(3)
        try fixture.database.write { transaction in
            let one = try transaction.insert(into: "Note", [("tag", .string("1")), ("owner", .link(ObjectKey(1))),
                ("about", .set([.link(ObjectKey(1)), .link(ObjectKey(2))]))])
            let people = try transaction.table("Person"), notes = try transaction.table("Note")
            let two = try transaction.insert(into: "Note", [
                ("tag", .string("2")), ("next", .link(one)), ("byName", .map(["x": .link(one), "y": .null])),
                ("any", .list([.object(people.reference(to: ObjectKey(1))), .int(5), .map(["n": .object(notes.reference(to: one))])])),
            ])
            try transaction.set(one, in: notes, notes.column("next"), to: .link(two))
            try transaction.set(ObjectKey(2), in: people, people.column("friends"), to: .list([1, 3, 1].map { .link(ObjectKey($0)) }))
            try transaction.insert(into: "Team", key: .string("T"),
                [("notes", .list([.link(one), .link(one), .link(two)])), ("captain", .link(ObjectKey(1)))])
            try transaction.insert(into: "Dog", [("tag", .string("d")), ("barks", .bool(true)), ("tricks", .list([.string("sit")]))])
        }
    }

    private func key(_ fixture: EditingFixture, _ name: String) throws -> JSON {
        .string(try #require(try Contents(try fixture.database.snapshot()).keys[name]).description)
    }

    @Test("Deleted objects come back with what went with them and every link to them, again and again")
    func deletion() throws {
        let fixture = try EditingFixture()
        try linked(fixture)
        let before = try fixture.contents()
        var outcome = try fixture.commit(
            ["do": "delete", "class": "Team", "key": try key(fixture, "Team T")], ["do": "delete", "class": "Person", "key": "1"],
            ["do": "delete", "class": "Animal", "key": try key(fixture, "Dog d")])
        #expect(outcome.status == .committed && outcome.deleted == 5, "\(outcome.json.text)")
        let after = try fixture.contents()
        #expect(after.count == before.count - 5)
        for _ in 0..<3 {
            outcome = try fixture.editor.undo(try #require(outcome.undo))
            #expect(outcome.status == .committed && outcome.inserted == 5, "\(outcome.json.text)")
            #expect(try fixture.contents() == before)
            outcome = try fixture.editor.undo(try #require(outcome.undo))
            #expect(outcome.status == .committed && outcome.deleted == 5, "\(outcome.json.text)")
            #expect(try fixture.contents() == after)
        }
    }

    @Test("Earlier commits can still be undone when their objects have new keys")
    func renamed() throws {
        let fixture = try EditingFixture()
        try linked(fixture)
        let before = try fixture.contents()
        let set = try fixture.commit(
            ["do": "set", "class": "Note", "key": try key(fixture, "Note 1"), "property": "text", "value": ["text": "new"], "was": ""],
            ["do": "add", "class": "Note", "values": ["tag": ["text": "3"], "next": ["link": try key(fixture, "Note 1")]]])
        let delete = try fixture.commit(["do": "deleteAll", "class": "Note", "query": ""])
        #expect(delete.status == .committed && delete.deleted == 3)
        #expect(try fixture.editor.undo(try #require(delete.undo)).status == .committed)
        let outcome = try fixture.editor.undo(try #require(set.undo))
        #expect(outcome.status == .committed, "\(outcome.json.text)")
        #expect(try fixture.contents() == before)
    }

    @Test("What was changed since is not overwritten")
    func conflicts() throws {
        let changes: [(String, (WriteTransaction) throws -> Void)] = [
            ("the value", { try $0.set(ObjectKey(2), in: $0.table("Person"), $0.table("Person").column("name"), to: .string("z")) }),
            ("the changed object", { try $0.delete(ObjectKey(2), from: $0.table("Person")) }),
            ("the created object", { try $0.set(ObjectKey(9), in: $0.table("Person"), $0.table("Person").column("rank"), to: .int(70)) }),
            ("the created object is gone", { try $0.delete(ObjectKey(9), from: $0.table("Person")) }),
            ("a new link to the created object", { try $0.set(ObjectKey(3), in: $0.table("Person"), $0.table("Person").column("friend"),
                to: .link(ObjectKey(9))) }),
            ("a mixed link to it", { try $0.set(ObjectKey(3), in: $0.table("Person"), $0.table("Person").column("any"),
                to: .object($0.table("Person").reference(to: ObjectKey(9)))) }),
            ("the deleted object's key is taken", { try $0.insert(into: "Person", key: .int(1), [("rank", .int(80))]) }),
            ("its unique value is taken", { try $0.set(ObjectKey(3), in: $0.table("Person"), $0.table("Person").column("rank"),
                to: .int(1)) }),
            ("a list that it was in", { try $0.set(ObjectKey(2), in: $0.table("Person"), $0.table("Person").column("friends"),
                to: .list([])) }),
        ]
        for (what, change) in changes {
            let fixture = try EditingFixture()
            try linked(fixture)
            let outcome = try fixture.commit(
                ["do": "set", "class": "Person", "key": "2", "property": "name", "value": ["text": "x"], "was": "P2"],
                ["do": "delete", "class": "Person", "key": "1"],
                    ["do": "add", "class": "Person", "values": ["id": ["text": "9"], "rank": ["text": "9"]]])
            let undo = try #require(outcome.undo, "\(outcome.json.text)")
            try fixture.elsewhere(change)
            let then = try fixture.contents(), refused = try fixture.editor.undo(undo)
            #expect(refused.status == .conflict && refused.conflicts.count + refused.errors.count > 0
                && (!what.contains("key") || !refused.conflicts.isEmpty), "\(what)")
            #expect(try fixture.contents() == then, "\(what)")
        }
    }

    @Test("Objects that exchanged unique values get their own back")
    func exchange() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        try fixture.database.write { transaction in
            for id in 1...3 { try transaction.set(ObjectKey(Int64(id)), in: transaction.table("Person"),
                transaction.table("Person").column("nick"), to: .string("n\(id)")) }
            for id in 1...2 { try transaction.insert(into: "Team", key: .string("T\(id)"), [("captain", .link(ObjectKey(Int64(id))))]) }
        }
        let teams = try Contents(try fixture.database.snapshot()).keys
        let before = try fixture.contents()
        func set(_ className: String, _ key: ObjectKey, _ property: String, _ value: JSON, _ was: JSON) -> JSON {
            ["do": "set", "class": .string(className), "key": .string(key.description), "property": .string(property), "value": value,
                "was": was]
        }
        let (one, two) = (ObjectKey(1), ObjectKey(2)), (first, second) = (teams["Team T1"]!, teams["Team T2"]!)
        func captain(_ id: String) -> JSON { ["link": ["class": "Person", "key": .string(id)]] }
        var outcome = try fixture.commit(
            set("Person", one, "rank", ["text": "50"], "1"), set("Person", two, "rank", ["text": "1"], "2"),
                set("Person", one, "rank", ["text": "2"], "50"),
            set("Person", one, "nick", ["null": true], "n1"), set("Person", two, "nick", ["text": "n1"], "n2"),
                set("Person", one, "nick", ["text": "n2"], nil),
            set("Team", first, "captain", ["null": true], captain("1")), set("Team", second, "captain", ["link": "1"], captain("2")),
            set("Team", first, "captain", ["link": "2"], nil))
        #expect(outcome.status == .committed, "\(outcome.json.text)")
        let after = try fixture.contents()
        for _ in 0..<2 {
            outcome = try fixture.editor.undo(try #require(outcome.undo))
            #expect(outcome.status == .committed, "\(outcome.json.text)")
            #expect(try fixture.contents() == before)
            outcome = try fixture.editor.undo(try #require(outcome.undo))
            #expect(try fixture.contents() == after)
        }
    }

    @Test("Undoing an addition takes nothing along that was there before")
    func addition() throws {
        let fixture = try EditingFixture()
        try linked(fixture)
        let before = try fixture.contents()
        let note = try key(fixture, "Note 1")
        let outcome = try fixture.commit(["do": "add", "class": "Team",
            "values": ["name": ["text": "U"], "notes": ["list": [["link": note]]], "lead": ["link": "2"]]])
        #expect(outcome.status == .committed, "\(outcome.json.text)")
        #expect(try fixture.editor.undo(try #require(outcome.undo)).status == .committed)
        #expect(try fixture.contents() == before)
    }

    @Test("An object that was deleted and created anew under its key gets its values back in place")
    func replaced() throws {
        let fixture = try EditingFixture()
        try linked(fixture)
        let before = try fixture.contents()
        let outcome = try fixture.commit(
            ["do": "delete", "class": "Person", "key": "1"],
                ["do": "add", "class": "Person", "values": ["id": ["text": "1"], "rank": ["text": "40"]], "name": "p"],
            ["do": "set", "class": "Note", "key": try key(fixture, "Note 1"), "property": "owner", "value": ["new": "p"], "was": nil])
        #expect(outcome.status == .committed, "\(outcome.json.text)")
        let undone = try fixture.editor.undo(try #require(outcome.undo))
        #expect(undone.status == .committed, "\(undone.json.text)")
        #expect(try fixture.contents() == before)
    }

    @Test("What is too much to keep is not undoable, and the preview says so")
    func limits() throws {
        let fixture = try EditingFixture(undo: UndoLimits(objects: 10, bytes: 20_000))
        try fixture.addPeople(30)
        let all: JSON = ["do": "setAll", "class": "Person", "query": "", "property": "name", "value": ["text": "x"]]
        #expect(try !fixture.preview(all).undoable)
        let outcome = try fixture.commit(all)
        #expect(outcome.status == .committed && !outcome.undoable && outcome.undo == nil && outcome.objects == 30)
        let big: JSON = ["do": "set", "class": "Person", "key": "1", "property": "name",
            "value": ["text": .string(String(repeating: "x", count: 30_000))], "was": "x"]
        #expect(try !fixture.preview(big).undoable)
        #expect(try !fixture.preview(["do": "deleteAll", "class": "Person", "query": ""]).undoable)
        let few: JSON = ["do": "setAll", "class": "Person", "query": "rank <= 9", "property": "name", "value": ["text": "y"]]
        #expect(try fixture.preview(few).undoable)
        let first = try #require(try fixture.commit(few).undo)
        // Ten links become null: the objects with them are too many.
        try fixture.database.write { transaction in
            for id in 11...25 { try transaction.set(ObjectKey(Int64(id)), in: transaction.table("Person"),
                transaction.table("Person").column("friend"), to: .link(ObjectKey(10))) }
        }
        #expect(try !fixture.preview(["do": "delete", "class": "Person", "key": "10"]).undoable)
        // All commits together keep within the bytes: the first one is forgotten.
        for name in ["b", "c"] {
            let long = String(repeating: name, count: 8000)
            let was: JSON = name == "b" ? "y" : ["text": .string(String(repeating: "b", count: 200)), "bytes": 8000]
            let outcome = try fixture.commit(["do": "set", "class": "Person", "key": "1", "property": "name",
                "value": ["text": .string(long)], "was": was])
            #expect(outcome.status == .committed && outcome.undoable, "\(outcome.json.text)")
        }
        let error = #expect(throws: FreeholdError.self) { try fixture.editor.undo(first) }
        #expect(error?.code == .notFound)
    }

    @Test("An undo is refused if its classes have changed, and can be made once")
    func once() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(2)
        let undo = try #require(try fixture.commit(["do": "delete", "class": "Person", "key": "1"]).undo)
        #expect(try fixture.editor.undo(undo).status == .committed)
        #expect(throws: FreeholdError.self) { try fixture.editor.undo(undo) }
        let again = try #require(try fixture.commit(["do": "delete", "class": "Person", "key": "1"]).undo)
        try fixture.elsewhere { try $0.addProperty(PropertySchema("more", .int), to: "Person") }
        #expect(try fixture.editor.undo(again).status == .schemaChanged)
        #expect(try fixture.count("Person") == 1)
    }
}
