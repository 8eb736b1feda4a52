import FreeholdEngine

@testable import BrowserData

/// Composes random operations, each with what it does to the model.
struct RandomRequests {
    struct Step {
        let json: JSON
        /// The object that a deletion names: neighbouring deletions are made together.
        var deleted: String?
        let apply: (inout ModelState) -> ModelState.Result
    }

    var random: SeededGenerator
    private var lastNumber = 100

    init(seed: UInt64) { random = SeededGenerator(seed) }

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { number(100) < percent }

    mutating func fresh() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// The operations of a request, as a tab composes it that knows a state and the keys of its objects.
    mutating func steps(_ state: ModelState, _ contents: Contents, cells: (String, ObjectKey, String) throws -> JSON) rethrows -> [Step] {
        var steps: [Step] = [], known = state
        for _ in 0..<1 + number(4) {
            // Later operations know what the ones before them did, as long as that can be told without a file:
            // additions and deletions.
            guard let step = try step(known, contents, cells) else { continue }
            steps.append(step)
            if step.deleted != nil { continue }
            // One property is set once in a request: its cell is that of the file.
            let before = known.written
            _ = step.apply(&known)
            for (name, text) in known.written where before[name] != nil && before[name] != text { known.objects[name] = nil }
        }
        return steps
    }

    private mutating func step(_ state: ModelState, _ contents: Contents,
        _ cells: (String, ObjectKey, String) throws -> JSON) rethrows -> Step? {
        let people = state.names("Person").filter { contents.keys[$0] != nil },
            notes = state.names("Note").filter { contents.keys[$0] != nil }
        func key(_ name: String) -> JSON { .string(contents.keys[name]!.description) }
        func link(_ name: String) -> JSON { ["link": key(name)] }
        guard let person = pick(people), let other = pick(people) else { return addPerson() }
        let known = state.objects[person]!
        func on(_ verb: String, _ property: String, _ more: [JSON.Member]) -> JSON {
            .object([.init("do", .string(verb)), .init("class", "Person"), .init("key", key(person)),
                .init("property", .string(property))] + more)
        }
        func set(_ name: String, _ className: String, _ property: String, _ json: JSON, _ value: ModelValue) throws -> Step {
            let was = state.objects[name]![property], cell = try cells(className, contents.keys[name]!, property)
            let operation: JSON = ["do": "set", "class": .string(className), "key": key(name), "property": .string(property),
                "value": json, "was": cell]
            return Step(json: operation) { $0.set(name, property, value, was: was) }
        }
        let n = number(1000)
        switch number(24) {
        case 0: return try set(person, "Person", "name", ["text": .string("n\(n)")], .string("n\(n)"))
        case 1: return try set(person, "Person", "rank", ["text": .string("\(n % 20)")], .int(n % 20))
        case 2: return try set(person, "Person", "nick", n % 3 == 0 ? ["null": true] : ["text": .string("k\(n % 6)")],
            n % 3 == 0 ? .null : .string("k\(n % 6)"))
        case 3: return try set(person, "Person", "friend", link(other), .link(other))
        case 4: return try set(person, "Person", "any", ["link": key(other), "class": "Person"], .link(other))
        case 5: return addPerson()
        case 6, 7: return addNote(owner: other, next: pick(notes), link)
        case 8: return addTeam(notes: notes, lead: other, link)
        case 9:
            let name = "Dog d\(fresh())", tag = name.dropFirst(4)
            return Step(json: ["do": "add", "class": "Dog", "values": ["tag": ["text": .string(String(tag))], "barks": ["bool": true]]]) {
                $0.add(name, "Dog", ModelState.dog, ["tag": .string(String(tag)), "barks": .text("bool true")])
            }
        case 10, 11, 12:
            guard let name = pick(state.objects.keys.sorted().filter { contents.keys[$0] != nil }) else { return nil }
            let className = state.objects[name]!.className == "Dog" ? "Animal" : state.objects[name]!.className
            var step = Step(json: ["do": "delete", "class": .string(className),
                "key": key(name)]) { $0.objects[name] == nil ? .conflict : .done }
            step.deleted = name
            return step
        case 13: return listStep("scores", known["scores"].elements, on, person, ["text": .string("\(n)")],
            .int(n)) { ["text": .string($0)] }
        case 14: return listStep("friends", known["friends"].elements, on, person, link(other), .link(other)) { _ in [:] }
        case 15:
            let text = "l\(n % 5)"
            return Step(json: on("insert", "labels", [.init("value", ["text": .string(text)])])) { model in
                guard var object = model.objects[person] else { return .conflict }
                if !object["labels"].members.contains(.string(text)) { object["labels"].members.append(.string(text)) }
                model.objects[person] = object
                return .done
            }
        case 16: return mapStep("phones", known["phones"].entries, on, person, "p\(n % 3)", ["text": .string("\(n)")], .string("\(n)"))
        case 17, 18: return try embedHome(person, other, known["home"], on, link(other), cells("Person", contents.keys[person]!, "home"))
        case 19: return embedded("homes", known["homes"].elements, on, person, other, link(other),
            try cells("Person", contents.keys[person]!, "homes"))
        case 20: return mapStep("rooms", known["rooms"].entries, on, person, "r\(n % 3)",
            ["embedded": ["values": ["name": ["text": .string("m\(n)")]]]],
                                .embedded([("name", .string("m\(n)"))]), onlyNew: true)
        case 21:
            guard let note = pick(notes) else { return nil }
            return try set(note, "Note", "owner", link(other), .link(other))
        case 22:
            guard let note = pick(notes) else { return nil }
            return try set(note, "Note", "about", ["list": [link(person), link(other)]],
                .set(person == other ? [.link(person)] : [.link(person), .link(other)]))
        default:
            guard let note = pick(notes), let next = pick(notes) else { return nil }
            return try set(note, "Note", "byName", ["map": ["a": link(next), "b": link(note)]], .map(["a": .link(next), "b": .link(note)]))
        }
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.isEmpty ? nil : elements[number(elements.count)] }

    private mutating func addPerson() -> Step {
        let id = fresh(), name = "Person \(id)"
        return Step(json: ["do": "add", "class": "Person", "values": ["id": ["text": .string("\(id)")],
            "rank": ["text": .string("\(id)")]]]) {
            $0.add(name, "Person", ModelState.person, ["id": .int(id), "rank": .int(id)])
        }
    }

    private mutating func addNote(owner: String, next: String?, _ link: (String) -> JSON) -> Step {
        let tag = "t\(fresh())", name = "Note \(tag)"
        var values: [JSON.Member] = [.init("tag", ["text": .string(tag)]), .init("owner", link(owner))]
        if let next { values.append(.init("next", link(next))) }
        return Step(json: ["do": "add", "class": "Note", "values": .object(values), "name": .string(name)]) { model in
            if model.objects[owner] == nil || next.map({ model.objects[$0] == nil }) ?? false { return .conflict }
            return model.add(name, "Note", ModelState.note,
                ["tag": .string(tag), "owner": .link(owner), "next": next.map(ModelValue.link) ?? .null])
        }
    }

    private mutating func addTeam(notes: [String], lead: String, _ link: (String) -> JSON) -> Step {
        let id = "T\(fresh())", name = "Team \(id)", hasLead = chance(30)
        let few = (0..<number(3)).compactMap { _ in notes.isEmpty ? nil : notes[number(notes.count)] }
        var values: [JSON.Member] = [.init("name", ["text": .string(id)]), .init("notes", ["list": .array(few.map(link))])]
        values.append(.init(hasLead ? "lead" : "captain", link(lead)))
        return Step(json: ["do": "add", "class": "Team", "values": .object(values)]) { model in
            if model.objects[lead] == nil || few.contains(where: { model.objects[$0] == nil }) { return .conflict }
            return model.add(name, "Team", ModelState.team, [
                "name": .string(id), "notes": .list(few.map(ModelValue.link)), hasLead ? "lead" : "captain": .link(lead),
            ])
        }
    }

    /// A change of an element of a list of ints or links.
    private mutating func listStep(
        _ property: String, _ known: [ModelValue], _ on: (String, String, [JSON.Member]) -> JSON, _ name: String, _ json: JSON,
            _ value: ModelValue,
        _ cell: (String) -> JSON
    ) -> Step {
        func change(_ body: @escaping (inout [ModelValue]) -> ModelState.Result) -> (inout ModelState) -> ModelState.Result {
            { model in
                guard model.objects[name] != nil else { return .conflict }
                if value.targets.contains(where: { model.objects[$0] == nil }) { return .conflict }
                return body(&model.objects[name]![property].elements)
            }
        }
        func was(_ value: ModelValue) -> JSON? {
            if case .text(let text) = value { .string(String(text.dropFirst(4))) } else { nil }
        }
        let at = known.isEmpty ? 0 : number(known.count), kind = number(4)
        if kind > 0, !known.isEmpty, let cell = was(known[at]) {
            let expected = known[at], to = number(known.count)
            if kind == 1 {
                return Step(json: on("replace", property, [.init("at", .integer(at)), .init("value", json), .init("was", cell)]),
                    apply: change {
                    guard at < $0.count, $0[at] == expected else { return .conflict }
                    $0[at] = value
                    return .done
                })
            }
            if kind == 2 {
                return Step(json: on("remove", property, [.init("at", .integer(at)), .init("was", cell)]), apply: change {
                    guard at < $0.count, $0[at] == expected else { return .conflict }
                    $0.remove(at: at)
                    return .done
                })
            }
            return Step(json: on("move", property, [.init("at", .integer(at)), .init("to", .integer(to)), .init("was", cell)]),
                apply: change {
                guard at < $0.count, $0[at] == expected else { return .conflict }
                guard to < $0.count else { return .refused }
                $0.insert($0.remove(at: at), at: to)
                return .done
            })
        }
        return Step(json: on("insert", property, [.init("at", .integer(at)), .init("value", json)]), apply: change {
            guard at <= $0.count else { return .refused }
            $0.insert(value, at: at)
            return .done
        })
    }

    private mutating func mapStep(
        _ property: String, _ known: [String: ModelValue], _ on: (String, String, [JSON.Member]) -> JSON, _ name: String, _ key: String,
            _ json: JSON,
        _ value: ModelValue, onlyNew: Bool = false
    ) -> Step? {
        let present = known[key], remove = present != nil && chance(50)
        var cell: JSON = nil
        if let present {
            guard !onlyNew, case .text(let text) = present else { return nil }
            cell = .string(String(text.dropFirst(7)))
        }
        let more: [JSON.Member] = [.init("at", .string(key)), .init("was", cell)] + (remove ? [] : [.init("value", json)])
        return Step(json: on(remove ? "remove" : "replace", property, more)) { model in
            guard model.objects[name] != nil, model.objects[name]![property].entries[key] == present else { return .conflict }
            model.objects[name]![property].entries[key] = remove ? nil : value
            return .done
        }
    }

    private mutating func embedHome(
        _ name: String, _ other: String, _ known: ModelValue, _ on: (String, String, [JSON.Member]) -> JSON, _ link: JSON, _ cell: JSON
    ) -> Step {
        let n = fresh(), isGone = known != .null && chance(40)
        let value: ModelValue = isGone ? .null : ModelState.address("s\(n)", room: "r\(n)", of: other)
        return Step(json: on("set", "home", [.init("value", isGone ? ["null": true] : ["embedded": ["values": address(n, link)]]),
            .init("was", cell)])) { model in
            guard model.objects[name] != nil, model.objects[name]!["home"].shown == known.shown else { return .conflict }
            if !isGone, model.objects[other] == nil { return .conflict }
            model.objects[name]!["home"] = value
            return .done
        }
    }

    private func address(_ n: Int, _ link: JSON) -> JSON {
        ["street": ["text": .string("s\(n)")], "room": ["embedded": ["values": ["name": ["text": .string("r\(n)")]]]], "of": link]
    }

    private mutating func embedded(
        _ property: String, _ known: [ModelValue], _ on: (String, String, [JSON.Member]) -> JSON, _ name: String, _ other: String,
            _ link: JSON, _ cell: JSON
    ) -> Step {
        let n = fresh(), at = known.isEmpty ? 0 : number(known.count), cells = cell["items"]?.elements ?? [], kind = number(4)
        if kind < 3, at < min(3, cells.count) {
            let expected = known[at], to = number(known.count)
            var more: [JSON.Member] = [.init("at", .integer(at)), .init("was", cells[at])]
            if kind == 0 { more.append(.init("to", .integer(to))) }
            if kind == 1 { more.append(.init("value", ["embedded": ["values": address(n, link)]])) }
            return Step(json: on(["move", "replace", "remove"][kind], property, more)) { model in
                guard model.objects[name] != nil, at < model.objects[name]![property].elements.count else { return .conflict }
                guard model.objects[name]![property].elements[at].shown == expected.shown else { return .conflict }
                if kind == 1, model.objects[other] == nil { return .conflict }
                let element = model.objects[name]![property].elements.remove(at: at)
                if kind == 0 { model.objects[name]![property].elements.insert(element, at: to) }
                if kind == 1 { model.objects[name]![property].elements.insert(ModelState.address("s\(n)", room: "r\(n)", of: other),
                    at: at) }
                return .done
            }
        }
        return Step(json: on("embed", property, [.init("at", .integer(at)), .init("values", address(n, link))])) { model in
            guard model.objects[name] != nil, model.objects[other] != nil else { return .conflict }
            guard at <= model.objects[name]![property].elements.count else { return .refused }
            model.objects[name]![property].elements.insert(ModelState.address("s\(n)", room: "r\(n)", of: other), at: at)
            return .done
        }
    }
}

/// SplitMix64: the same numbers for a seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
