import FreeholdEngine
import Testing

@testable import BrowserData

@Suite("Editing objects of other keys")
struct KeyTests {
    private func fixture() throws -> EditingFixture {
        let fixture = try EditingFixture()
        try fixture.database.write { transaction in
            try transaction.createClasses([
                ClassSchema("Seat", primaryKey: ["row", "place"], [
                    PropertySchema("tag", .string), PropertySchema("row", .int), PropertySchema("place", .int),
                        PropertySchema("next", linkTo: "Seat"),
                ]),
                ClassSchema("Item", primaryKey: "id", [PropertySchema("id", .uuid), PropertySchema("more", .int, isNullable: true)]),
            ])
            try transaction.insert(into: "Seat", [("tag", .string("a")), ("row", .int(1)), ("place", .int(1))])
        }
        return fixture
    }

    @Test("A primary key of several properties is given by these, and comes back")
    func several() throws {
        let fixture = try fixture()
        let first = try fixture.database.snapshot().table("Seat").keys()[0], key = JSON.string(first.description)
        let before = try fixture.contents()
        let add: (String, String) -> JSON = {
            ["do": "add", "class": "Seat", "values": ["tag": ["text": .string($0)], "row": ["text": "1"], "place": ["text": .string($1)],
                "next": ["link": key]]]
        }
        #expect(try fixture.commit(add("b", "1")).status == .refused)
        let added = try fixture.commit(add("b", "2"))
        #expect(added.status == .committed, "\(added.json.text)")
        let deleted = try fixture.commit(["do": "delete", "class": "Seat", "key": key])
        #expect(deleted.objects == 1 && deleted.deleted == 1)
        let link: JSON = ["do": "set", "class": "Seat", "key": key, "property": "next", "value": ["primaryKey": "1"], "was": nil]
        #expect(try fixture.commit(link).status == .conflict)
        #expect(try fixture.editor.undo(try #require(deleted.undo)).status == .committed)
        let undone = try fixture.editor.undo(try #require(added.undo))
        #expect(undone.status == .committed, "\(undone.json.text)")
        #expect(try fixture.contents() == before)
        let taken = try #require(try fixture.commit(["do": "deleteAll", "class": "Seat", "query": ""]).undo)
        try fixture.elsewhere { try $0.insert(into: "Seat", [("tag", .string("z")), ("row", .int(1)), ("place", .int(1))]) }
        #expect(try fixture.editor.undo(taken).status == .conflict)
        #expect(try fixture.count("Seat") == 1)
    }

    @Test("A primary key that the class does not number is needed, and unique")
    func uuid() throws {
        let fixture = try fixture(), id = "123e4567-e89b-12d3-a456-426614174000"
        #expect(try fixture.commit(["do": "add", "class": "Item"]).status == .refused)
        let add: JSON = ["do": "add", "class": "Item", "values": ["id": ["text": .string(id)]]]
        let added = try fixture.commit(add)
        #expect(added.status == .committed)
        #expect(try fixture.commit(add).status == .refused)
        let key = JSON.string(added.created[0].key.description)
        let undo = try #require(try fixture.commit(["do": "delete", "class": "Item", "key": key]).undo)
        #expect(try fixture.commit(["do": "delete", "class": "Item", "key": key]).conflicts.first?.isGone == true)
        #expect(try fixture.commit(add).status == .committed)
        let refused = try fixture.editor.undo(undo)
        #expect(refused.status == .conflict && refused.conflicts.count == 1)
    }

    @Test("Objects of hidden classes cannot be changed")
    func hidden() throws {
        let fixture = try fixture()
        try fixture.database.write { transaction in
            try transaction.createClass(ClassSchema("$import:1", [PropertySchema("tag", .string)]))
            try transaction.insert(into: "$import:1", [("tag", .string("x"))])
        }
        for operation: JSON in [
            ["do": "deleteAll", "class": "$import:1", "query": ""], ["do": "delete", "class": "$import:1", "key": "0"],
            ["do": "set", "class": "$import:1", "key": "0", "property": "tag", "value": ["text": "y"], "was": "x"],
            ["do": "set", "class": "Seat", "key": "0", "property": "next", "value": ["link": "0", "class": "$import:1"], "was": nil],
        ] {
            #expect(try fixture.commit(operation).status == .refused)
        }
    }

    @Test("A class of many objects is changed and deleted by a query")
    func many() throws {
        let fixture = try EditingFixture()
        try fixture.database.write { transaction in
            for number in 0..<50 { try transaction.insert(into: number % 2 == 0 ? "Dog" : "Cat",
                [("tag", .string("\(number)")), ("legs", .int(Int64(number % 5)))]) }
        }
        let before = try fixture.contents()
        let set = try fixture.commit(["do": "setAll", "class": "Animal", "query": "legs < 4", "property": "legs", "value": ["text": "3"]])
        // Ten of them have three already.
        #expect(set.objects == 30 && set.changes == [
            .init(className: "Dog", inserted: 0, deleted: 0, changed: 15), .init(className: "Cat", inserted: 0, deleted: 0, changed: 15),
        ], "\(set.json.text)")
        #expect(try fixture.commit(["do": "setAll", "class": "Animal", "query": "", "property": "barks",
            "value": ["bool": true]]).status == .refused)
        let barks = try fixture.commit(["do": "setAll", "class": "Dog", "query": "legs == 3 LIMIT(5)", "property": "barks",
            "value": ["bool": true]])
        #expect(barks.objects == 5)
        let deleted = try fixture.commit(["do": "deleteAll", "class": "Animal", "query": "legs == 3"])
        #expect(deleted.deleted == 40 && deleted.objects == 0)
        #expect(try fixture.count("Animal") == 10)
        for outcome in [deleted, barks, set] { #expect(try fixture.editor.undo(try #require(outcome.undo)).status == .committed) }
        #expect(try fixture.contents() == before)
    }
}
