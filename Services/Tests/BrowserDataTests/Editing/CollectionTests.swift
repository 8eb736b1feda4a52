import FreeholdEngine
import Testing

@testable import BrowserData

@Suite("Editing collections and embedded objects")
struct CollectionTests {
    @Test("Lists, sets, maps and collections within them are changed element by element, and undone")
    func elements() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        let before = try fixture.contents()
        let person: [JSON.Member] = [.init("class", "Person"), .init("key", "1")]
        func operation(_ verb: String, _ property: String, _ more: JSON) -> JSON {
            .object([.init("do", .string(verb)), .init("property", .string(property))] + person + more.members!)
        }
        let outcome = try fixture.commit(
            operation("insert", "scores", ["value": ["text": "1"]]), operation("insert", "scores", ["value": ["text": "3"]]),
            operation("insert", "scores", ["value": ["text": "2"], "at": 1]), operation("move", "scores", ["at": 0, "to": 2, "was": "1"]),
            operation("replace", "scores", ["at": 0, "value": ["text": "9"], "was": "2"]),
                operation("remove", "scores", ["at": 1, "was": "3"]),
            operation("insert", "labels", ["value": ["text": "b"]]), operation("insert", "labels", ["value": ["text": "a"]]),
            operation("remove", "labels", ["at": 1, "was": "b"]),
            operation("replace", "phones", ["at": "home", "value": ["text": "1"]]),
                operation("replace", "phones", ["at": "work", "value": ["null": true], "was": nil]),
            operation("replace", "phones", ["at": "home", "value": ["text": "2"], "was": "1"]),
            operation("insert", "matrix", ["value": ["list": [["text": "1"], ["text": "2"]]]]),
                operation("insert", "matrix", ["value": ["list": []], "at": 0]),
            operation("insert", "matrix", ["path": [1], "value": ["text": "7"], "at": 0]),
                operation("remove", "matrix", ["path": [1], "at": 2, "was": "2"]),
            operation("set", "any", ["value": ["list": [["map": ["a": ["mixed": "int", "text": "1"]]]]], "was": nil]),
            operation("replace", "any", ["path": [0], "at": "b", "value": ["link": "2", "class": "Person"]]),
            operation("insert", "friends", ["value": ["primaryKey": "2"]]), operation("insert", "friends", ["value": ["link": "2"]]))
        #expect(outcome.status == .committed, "\(outcome.json.text)")
        #expect(outcome.objects == 1 && outcome.properties == 6)
        let text = try #require(try fixture.contents()["Person 1"])
        for part in [
            "scores=[int 9, int 1]", "labels={string a}", "phones=<home: string 2, work: null>", "matrix=[[], [int 7, int 1]]",
                "any=[<a: int 1, b: →Person 2>]",
            "friends=[→Person 2, →Person 2]",
        ] { #expect(text.contains(part), "\(text)") }
        #expect(try fixture.editor.undo(try #require(outcome.undo)).status == .committed)
        #expect(try fixture.contents() == before)
    }

    @Test("What is at another place, or in the way, is a conflict")
    func elementConflicts() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(1)
        try fixture.database.write { transaction in
            let people = try transaction.table("Person")
            try transaction.set(ObjectKey(1), in: people, people.column("phones"), to: .map(["a": .string("1")]))
            try transaction.set(ObjectKey(1), in: people, people.column("matrix"), to: .list([.list([.int(1)])]))
            try transaction.embed([("street", .string("S"))], in: ObjectKey(1), of: people, people.column("home"))
            try transaction.map(of: ObjectKey(1), in: people, people.column("rooms")).embed([("name", .string("R"))], for: "r")
        }
        for operation: JSON in [
            ["do": "replace", "class": "Person", "key": "1", "property": "phones", "at": "a", "value": ["text": "2"]],
            ["do": "replace", "class": "Person", "key": "1", "property": "phones", "at": "b", "value": ["text": "2"], "was": "1"],
            ["do": "remove", "class": "Person", "key": "1", "property": "phones", "at": "b", "was": nil],
            ["do": "insert", "class": "Person", "key": "1", "property": "matrix", "path": [1], "value": ["text": "2"]],
            ["do": "move", "class": "Person", "key": "1", "property": "matrix", "path": [0], "at": 0, "to": 0, "was": "2"],
            ["do": "embed", "class": "Person", "key": "1", "property": "home", "values": ["street": ["text": "T"]]],
            ["do": "embed", "class": "Person", "key": "1", "property": "rooms", "at": "r", "values": ["name": ["text": "T"]]],
        ] {
            let outcome = try fixture.commit(operation)
            #expect(outcome.status == .conflict && outcome.conflicts.count == 1, "\(operation.text) \(outcome.json.text)")
        }
    }

    @Test("Embedded objects are created, replaced, moved and removed in their owners, and undone and redone")
    func embedded() throws {
        let fixture = try EditingFixture()
        try fixture.addPeople(3)
        func step(_ operations: JSON...) throws -> String {
            let outcome = try fixture.editor.commit(try fixture.request(operations))
            #expect(outcome.status == .committed, "\(outcome.json.text)")
            return try #require(outcome.undo)
        }
        func street(_ name: String, _ room: String) -> JSON {
            ["street": ["text": .string(name)], "room": ["embedded": ["values": ["name": ["text": .string(room)]]]], "of": ["link": "3"],
                "tags": ["list": [["text": "t"]]]]
        }
        var states = [try fixture.contents()], undos: [String] = []
        func did(_ undo: String) throws {
            undos.append(undo)
            states.append(try fixture.contents())
            #expect(states[states.count - 1] != states[states.count - 2])
        }
        try did(try step(["do": "embed", "class": "Person", "key": "1", "property": "home", "values": street("A", "a")]))
        try did(try step(
            ["do": "embed", "class": "Person", "key": "1", "property": "homes", "values": street("B", "b")],
            ["do": "embed", "class": "Person", "key": "1", "property": "homes", "at": 0, "values": street("C", "c")],
            ["do": "insert", "class": "Person", "key": "1", "property": "homes", "value": ["embedded": ["values": street("D", "d")]]],
            ["do": "embed", "class": "Person", "key": "1", "property": "rooms", "at": "x", "values": ["name": ["text": "X"]]]))
        #expect(states.last?["Person 1"]?.contains("homes=[(street=string C") == true, "\(states.last!)")
        let first = try fixture.value("Person", ObjectKey(1), "homes").links[0]
        try did(try step(["do": "set", "class": "Address", "key": .string(first.description), "property": "street",
            "value": ["text": "C2"], "was": "C"]))
        let cell = try fixture.cell("Person", ObjectKey(1), "homes")["items"]!.elements![0]
        try did(try step(
            ["do": "move", "class": "Person", "key": "1", "property": "homes", "at": 0, "to": 2],
            ["do": "remove", "class": "Person", "key": "1", "property": "homes", "at": 2, "was": cell]))
        try did(try step(["do": "move", "class": "Person", "key": "1", "property": "homes", "at": 0, "to": 1]))
        try did(try step(["do": "set", "class": "Person", "key": "1", "property": "plans", "was": ["map": 0, "items": []],
            "value": ["map": ["p": ["list": [
            ["embedded": ["values": ["name": ["text": "1"]]]], ["embedded": ["values": ["name": ["text": "2"]]]],
        ]], "q": ["list": []]]]]))
        let plan = try fixture.cell("Person", ObjectKey(1), "plans")["items"]!.elements![0].elements![1]["items"]!.elements![0]
        try did(try step(
            ["do": "remove", "class": "Person", "key": "1", "property": "plans", "path": ["p"], "at": 0, "was": plan],
            ["do": "embed", "class": "Person", "key": "1", "property": "plans", "path": ["q"], "values": ["name": ["text": "3"]]]))
        try did(try step(["do": "set", "class": "Person", "key": "1", "property": "home", "value": ["null": true],
            "was": try fixture.cell("Person", ObjectKey(1), "home")]))
        try did(try step(["do": "delete", "class": "Person", "key": "1"], ["do": "delete", "class": "Person", "key": "3"]))
        var redos: [String] = []
        for place in undos.indices.reversed() {
            let outcome = try fixture.editor.undo(undos[place])
            #expect(outcome.status == .committed, "\(place) \(outcome.json.text)")
            #expect(try fixture.contents() == states[place], "undo \(place)")
            redos.append(try #require(outcome.undo))
        }
        for place in undos.indices {
            let outcome = try fixture.editor.undo(redos[undos.count - 1 - place])
            #expect(outcome.status == .committed, "\(place) \(outcome.json.text)")
            #expect(try fixture.contents() == states[place + 1], "redo \(place)")
        }
    }
}
