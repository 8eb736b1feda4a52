import Dispatch
import FreeholdEngine
import Testing

@testable import BrowserData

@Suite("Editing objects")
struct EditingTests {
    @Test("A property is set if it still is what the tab knew")
    func set() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(2)
        let outcome = try fixture.commit(["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": " Ada "],
            "was": "P1"])
        #expect(outcome.status == .committed && outcome.objects == 1 && outcome.properties == 1 && outcome.inserted == 0
            && outcome.deleted == 0)
        #expect(outcome.changes == [.init(className: "Person", inserted: 0, deleted: 0, changed: 1)])
        #expect(outcome.undoable && outcome.undo != nil)
        #expect(try outcome.version == fixture.database.snapshot().version)
        #expect(try fixture.value("Person", ObjectKey(1), "name") == .string(" Ada "))
    }

    @Test("A value that another program has changed is not overwritten, and shown")
    func conflict() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(2)
        try fixture.elsewhere { try $0.set(ObjectKey(1), in: $0.table("Person"), $0.table("Person").column("name"), to: .string("Eve")) }
        let before = try fixture.contents()
        let outcome = try fixture.commit(
            ["do": "set", "class": "Person", "key": "2", "property": "name", "value": ["text": "Bob"], "was": "P2"],
            ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "Ada"], "was": "P1"])
        #expect(outcome.status == .conflict && outcome.errors.isEmpty && outcome.version == nil)
        #expect(outcome.conflicts == [
            EditConflict(operation: 1, className: "Person", key: "1", property: "name", was: "P1", now: "Eve", isGone: false),
        ])
        #expect(try fixture.contents() == before)
    }

    @Test("All conflicts are listed: changed, deleted, and a list's other element")
    func allConflicts() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(4)
        try fixture.elsewhere { transaction in
            let people = try transaction.table("Person")
            try transaction.set(ObjectKey(1), in: people, people.column("rank"), to: .int(77))
            try transaction.delete(ObjectKey(2), from: people)
            try transaction.set(ObjectKey(3), in: people, people.column("scores"), to: .list([.int(5), .int(6)]))
        }
        let operations: [JSON] = [
            ["do": "set", "class": "Person", "key": "1", "property": "rank", "value": ["text": "9"], "was": "1"],
            ["do": "set", "class": "Person", "key": "2", "property": "rank", "value": ["text": "8"], "was": "2"],
            ["do": "delete", "class": "Person", "key": "2"],
            ["do": "replace", "class": "Person", "key": "3", "property": "scores", "at": 0, "value": ["text": "8"], "was": "6"],
            ["do": "remove", "class": "Person", "key": "3", "property": "scores", "at": 2, "was": "6"],
            ["do": "setAll", "class": "Person", "keys": ["2", "4"], "property": "name", "value": ["text": "x"]],
            ["do": "set", "class": "Person", "key": "4", "property": "friend", "value": ["link": "2"], "was": nil],
        ]
        for outcome in [try fixture.editor.preview(try fixture.request(operations)),
            try fixture.editor.commit(try fixture.request(operations))] {
            #expect(outcome.status == .conflict)
            #expect(outcome.conflicts.map(\.operation) == [0, 1, 2, 3, 4, 5, 6])
            #expect(outcome.conflicts.map(\.isGone) == [false, true, true, false, true, true, true])
        }
        #expect(try fixture.value("Person", ObjectKey(4), "name") == .string("P4"))
    }

    @Test("A preview does everything and changes nothing")
    func preview() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        let before = try fixture.contents(), version = try fixture.database.snapshot().version
        let outcome = try fixture.preview(
            ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "Ada"], "was": "P1"],
            ["do": "add", "class": "Note", "values": ["tag": ["text": "n"]], "name": "n"], ["do": "delete", "class": "Person", "key": "3"])
        #expect(outcome.status == .previewed && outcome.objects == 1 && outcome.inserted == 1 && outcome.deleted == 1 && outcome.undoable)
        #expect(try fixture.contents() == before)
        #expect(try fixture.database.snapshot().version == version)
    }

    @Test("New objects are linked by the names that operations give them, and can be changed")
    func add() throws {
        let fixture = try EditingFixture()
        let outcome = try fixture.commit(
            ["do": "add", "class": "Person", "values": ["id": ["text": "7"], "name": ["text": "Ada"]], "name": "ada"],
            ["do": "add", "class": "Note", "values": ["tag": ["text": "a"], "owner": ["new": "ada"], "any": ["new": "ada"]],
                "name": "note"],
            ["do": "add", "class": "Note", "values": ["tag": ["text": "b"], "owner": ["primaryKey": "7"], "next": ["new": "note"]]],
            ["do": "set", "class": "Person", "key": ["new": "ada"], "property": "friend", "value": ["new": "ada"]],
            ["do": "insert", "class": "Person", "key": ["new": "ada"], "property": "scores", "value": ["text": "3"]])
        #expect(outcome.status == .committed && outcome.inserted == 3 && outcome.objects == 0, "\(outcome.json.text)")
        #expect(outcome.created.map(\.operation) == [0, 1, 2])
        let contents = try fixture.contents()
        #expect(contents["Note a"] == "tag=string a text=string  owner=→Person 7 about={} next=null byName=<> any=→Person 7")
        #expect(contents["Note b"] == "tag=string b text=string  owner=→Person 7 about={} next=→Note a byName=<> any=null")
        #expect(contents["Person 7"]?.contains("friend=→Person 7") == true && contents["Person 7"]?.contains("scores=[int 3]") == true)
    }

    @Test("Mistakes name the operation and say what is expected")
    func refusals() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        try fixture.database.write { try $0.insert(into: "Animal", [("tag", .string("a"))]) }
        let cases: [(JSON, String)] = [
            (["do": "set", "class": "Person", "key": "1", "property": "nme", "value": ["text": "x"], "was": "P1"],
                "class 'Person' has no property 'nme'"),
            (["do": "set", "class": "Persn", "key": "1", "property": "name", "value": ["text": "x"], "was": "P1"],
                "there is no class 'Persn'"),
            (["do": "set", "class": "Person", "key": "1", "property": "rank", "value": ["text": "1.5"], "was": "1"],
                "'1.5' is not an int: a whole number"),
            (["do": "set", "class": "Person", "key": "1", "property": "rank", "value": ["null": true], "was": "1"],
                "null was given, and it is required"),
            (["do": "set", "class": "Person", "key": "1", "property": "rank", "value": ["text": "2"], "was": "1"], "2"),
            (["do": "set", "class": "Person", "key": "1", "property": "id", "value": ["text": "5"], "was": "1"], "primary key"),
            (["do": "set", "class": "Person", "key": "1", "property": "friend", "value": ["text": "5"], "was": nil],
                "text was given; expected is a link"),
            (["do": "set", "class": "Person", "key": "1", "property": "friend", "value": ["primaryKey": "9"], "was": nil],
                "no object whose 'id' is '9'"),
            (["do": "set", "class": "Person", "key": "1", "property": "friend", "value": ["new": "x"], "was": nil],
                "no operation before this one"),
            (["do": "set", "class": "Person", "key": "1", "property": "scores", "value": ["text": "5"], "was": ["list": 0, "items": []]],
                "a list was expected"),
            (["do": "set", "class": "Person", "key": "1", "property": "any", "value": ["text": "5"], "was": nil],
                "expected is a mixed value"),
            (["do": "set", "class": "Person", "key": "1", "property": "any", "value": ["link": "2"], "was": nil], "names the class"),
            (["do": "set", "class": "Animal", "key": "0", "property": "barks", "value": ["bool": true], "was": false],
                "no property 'barks'"),
            (["do": "add", "class": "Person", "values": ["id": ["text": "1"]]], "1"),
            (["do": "add", "class": "Address"], "is embedded"),
            (["do": "add", "class": "$import:x"], "there is no class"),
            (["do": "setAll", "class": "Person", "query": "age >", "property": "name", "value": ["text": "x"]], "column"),
            (["do": "setAll", "class": "Person", "query": "", "property": "rank", "value": ["text": "7"]], "7"),
            (["do": "deleteAll", "class": "Person", "query": "GROUP(name) SELECT(@count)"], "groups objects"),
            (["do": "insert", "class": "Person", "key": "1", "property": "name", "value": ["text": "x"]], "is not a collection"),
            (["do": "insert", "class": "Person", "key": "1", "property": "scores", "at": 3, "value": ["text": "1"]], "3"),
            (["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["upload": "x"], "was": "P1"], "no upload 'x'"),
        ]
        let animal = try fixture.database.snapshot().table("Animal").keys()[0]
        for (operation, part) in cases {
            let text = operation.text.replacing("\"key\":\"0\"", with: "\"key\":\"\(animal)\"")
            let outcome = try fixture.commit(["do": "delete", "class": "Person", "key": "3"], try JSON(parsing: text))
            #expect(outcome.status == .refused && outcome.errors.count == 1, "\(text): \(outcome.json.text)")
            #expect(outcome.errors.first?.operation == 1)
            #expect(outcome.errors.first?.message.contains(part) == true, "\(outcome.errors)")
            #expect(try fixture.count("Person") == 3)
        }
    }

    @Test("A malformed request names the operation")
    func malformed() throws {
        let good: JSON = ["do": "delete", "class": "Person", "key": "1"]
        for bad: JSON in [
            ["do": "drop"], ["class": "Person"], ["do": "delete", "class": "Person", "key": 1],
                ["do": "delete", "class": "Person", "key": "01"],
            ["do": "delete", "class": "Person", "key": "1", "kye": 2],
                ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "x"]],
            ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["txt": "x"], "was": nil],
            ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "x", "null": true], "was": nil],
            ["do": "set", "class": "Person", "key": "1", "property": "name", "value": "x", "was": nil],
            ["do": "setAll", "class": "Person", "query": "", "keys": [], "property": "name", "value": ["text": "x"]],
            ["do": "remove", "class": "Person", "key": "1", "property": "scores", "at": 0],
                ["do": "remove", "class": "P", "key": "1", "property": "s", "at": -1, "was": nil],
            ["do": "set", "class": "Person", "key": "1", "property": "any", "value": ["mixed": "integer", "text": "1"], "was": nil],
            "delete", nil,
        ] {
            let error = #expect(throws: FreeholdError.self, "\(bad.text)") { try EditRequest(["stamp": "x", "operations": [good, bad]]) }
            #expect(error?.code == .malformedInput)
            #expect(error?.message.hasPrefix("operation 1: ") == true)
        }
    }

    @Test("A request for other classes is refused; changes of classes it does not concern do not matter")
    func stamps() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(1)
        let request = try fixture.request([["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "x"],
            "was": "P1"]])
        fixture.editor.noteShown(try fixture.database.snapshot().classes)
        try fixture.elsewhere { try $0.addProperty(PropertySchema("more", .int), to: "Kinds") }
        #expect(try fixture.editor.commit(request).status == .committed)
        let again = try fixture.request([["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "y"],
            "was": "x"]])
        try fixture.elsewhere { try $0.addProperty(PropertySchema("more", .int), to: "Person") }
        #expect(try fixture.editor.commit(again).status == .schemaChanged)
        #expect(try fixture.value("Person", ObjectKey(1), "name") == .string("x"))
        #expect(try fixture.editor.commit(try EditRequest(["stamp": "other", "operations": []])).status == .schemaChanged)
    }

    @Test("A long string is compared in full if the tab sends all of it")
    func longStrings() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(1)
        let long = String(repeating: "a", count: 300), same = long.dropLast() + "b"
        try fixture.database.write { try $0.set(ObjectKey(1), in: $0.table("Person"), $0.table("Person").column("name"),
            to: .string(String(same))) }
        let set: (String) -> JSON = { ["do": "set", "class": "Person", "key": "1", "property": "name", "value": ["text": "x"],
            "was": .string($0)] }
        #expect(try fixture.commit(set(long)).status == .conflict)
        #expect(try fixture.commit(set(String(same))).status == .committed)
    }

    @Test("Deletions count what goes with the objects, and what loses a link")
    func deletions() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        try fixture.database.write { transaction in
            let one = try transaction.insert(into: "Note", [("tag", .string("1")), ("owner", .link(ObjectKey(1)))])
            let two = try transaction.insert(into: "Note", [("tag", .string("2")), ("next", .link(one))])
            try transaction.insert(into: "Team", key: .string("T"), [("notes", .list([.link(one)])), ("lead", .link(ObjectKey(2)))])
            try transaction.embed([("street", .string("S"))], in: ObjectKey(1), of: transaction.table("Person"),
                transaction.table("Person").column("home"))
            _ = two
        }
        let team = try Contents(try fixture.database.snapshot()).keys["Team T"]!
        let refused = try fixture.preview(["do": "delete", "class": "Team", "key": .string(team.description)])
        #expect(refused.status == .refused && refused.errors.first?.message.contains("deny") == true)
        let outcome = try fixture.preview(
            ["do": "delete", "class": "Person", "key": "1"], ["do": "delete", "class": "Person", "key": "2"],
            ["do": "delete", "class": "Team", "key": .string(team.description)])
        #expect(outcome.status == .previewed, "\(outcome.json.text)")
        // Two people, an address, the team and its note; the other note loses its link.
        #expect(outcome.deleted == 5 && outcome.objects == 1 && outcome.properties == 1, "\(outcome.json.text)")
    }

    @Test("A commit that would do something else than its preview is refused")
    func expectation() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(2)
        let operation: JSON = ["do": "setAll", "class": "Person", "query": "rank < 10", "property": "name", "value": ["text": "x"]]
        let preview = try fixture.preview(operation)
        #expect(preview.objects == 2)
        try fixture.elsewhere { try $0.insert(into: "Person", key: .int(9), [("rank", .int(9))]) }
        let expected: JSON = ["objects": .integer(preview.objects), "inserted": 0, "deleted": 0]
        let request = try EditRequest(["stamp": .string(try fixture.stamp), "operations": [operation], "expected": expected])
        #expect(try fixture.editor.commit(request).status == .conflict)
        #expect(try fixture.value("Person", ObjectKey(1), "name") == .string("P1"))
    }

    @Test("A busy file is waited for briefly; one open for reading is refused")
    func refusedFiles() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(1)
        let request = try fixture.request([["do": "delete", "class": "Person", "key": "1"]])
        let other = fixture.other, begun = DispatchSemaphore(value: 0), end = DispatchSemaphore(value: 0),
            ended = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            let writing = try? other.beginWrite()
            begun.signal()
            end.wait()
            writing?.rollback()
            ended.signal()
        }
        begun.wait()
        let busy = #expect(throws: FreeholdError.self) { try fixture.editor.commit(request) }
        #expect(busy?.code == .busy)
        end.signal()
        ended.wait()
        let readOnly = Editor(try Database.open(fixture.path, .readOnly), TestCells.reading)
        let error = #expect(throws: FreeholdError.self) { try readOnly.commit(request) }
        #expect(error?.code == .readOnly)
        #expect(throws: FreeholdError.self) { try readOnly.beginUpload(expecting: 3) }
        #expect(try fixture.editor.commit(request).status == .committed)
    }

    @Test("With the version that the tab shows, what a cell does not show is compared, too")
    func seen() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        let long = String(repeating: "a", count: 300)
        try fixture.database.write { transaction in
            let people = try transaction.table("Person")
            try transaction.set(ObjectKey(1), in: people, people.column("name"), to: .string(long))
            try transaction.set(ObjectKey(1), in: people, people.column("scores"), to: .list((0..<10).map { .int($0) }))
            try transaction.embed([("street", .string("S")), ("of", .link(ObjectKey(3)))], in: ObjectKey(1), of: people,
                people.column("home"))
            try transaction.list(of: ObjectKey(1), in: people, people.column("homes")).embed([("street", .string("S"))])
        }
        let home = try fixture.value("Person", ObjectKey(1), "home").links[0],
            homes = try fixture.value("Person", ObjectKey(1), "homes").links[0]
        func set(_ property: String, _ value: JSON) throws -> JSON {
            [
                "do": "set", "class": "Person", "key": "1", "property": .string(property), "value": value,
                "was": try fixture.cell("Person", ObjectKey(1), property),
            ]
        }
        let element = try fixture.cell("Person", ObjectKey(1), "homes")["items"]!.elements![0]
        let cases: [(JSON, (WriteTransaction) throws -> Void)] = [
            (try set("name", ["text": "x"]), { transaction in
                let people = try transaction.table("Person")
                try transaction.set(ObjectKey(1), in: people, people.column("name"), to: .string(long.dropLast() + "b"))
            }),
            (try set("scores", ["list": []]), { transaction in
                let people = try transaction.table("Person")
                try transaction.list(of: ObjectKey(1), in: people, people.column("scores")).replace(at: 9, with: .int(77))
            }),
            (try set("home", ["null": true]), { transaction in
                let addresses = try transaction.table("Address")
                try transaction.set(home, in: addresses, addresses.column("street"), to: .string("T"))
            }),
            (["do": "remove", "class": "Person", "key": "1", "property": "homes", "at": 0, "was": element], { transaction in
                let addresses = try transaction.table("Address")
                try transaction.set(homes, in: addresses, addresses.column("street"), to: .string("T"))
            }),
            (["do": "delete", "class": "Person", "key": "2"], { transaction in
                let people = try transaction.table("Person")
                try transaction.set(ObjectKey(2), in: people, people.column("rank"), to: .int(70))
            }),
        ]
        for (operation, change) in cases {
            let seen = try fixture.database.snapshot()
            #expect(try fixture.editor.preview(try fixture.request([operation]), seen: seen).status == .previewed)
            try fixture.elsewhere(change)
            let outcome = try fixture.editor.commit(try fixture.request([operation]), seen: seen)
            #expect(outcome.status == .conflict && outcome.conflicts.count == 1, "\(operation.text) \(outcome.json.text)")
            #expect(try fixture.editor.preview(try fixture.request([operation]), seen: fixture.database.snapshot()).status == .previewed)
        }
        // What the request itself changes is no conflict.
        let own = try fixture.request([
            ["do": "insert", "class": "Person", "key": "1", "property": "scores", "value": ["text": "5"], "at": 9],
            ["do": "delete", "class": "Person", "key": "3"], try set("home", ["null": true]),
            ["do": "set", "class": "Person", "key": "1", "property": "friend", "value": ["link": "2"], "was": nil],
            ["do": "delete", "class": "Person", "key": "2"], ["do": "delete", "class": "Person", "key": "1"],
        ])
        let outcome = try fixture.editor.commit(own, seen: try fixture.database.snapshot())
        #expect(outcome.status == .committed, "\(outcome.json.text)")
    }
}
