import FreeholdEngine
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@testable import BrowserData

/// Random requests against a naive model. `FREEHOLD_SEED` repeats one run, `FREEHOLD_LONG` makes as many times more of
/// them.
@Suite("Editing: random requests")
struct ModelTests {
    private static func variable(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    @Test("Previews change nothing, commits do what the model does or nothing, and undoing restores everything")
    func random() throws {
        if let seed = Self.variable("FREEHOLD_SEED") { return try run(seed) }
        for seed in 0..<8 * (Self.variable("FREEHOLD_LONG") ?? 1) { try run(seed) }
    }

    private func run(_ seed: UInt64) throws {
        var run = try ModelRun(seed)
        for _ in 0..<60 { guard try run.request() else { return } }
        try run.undoAll()
    }
}

/// One file and its model.
private struct ModelRun {
    let seed: UInt64
    let fixture: EditingFixture
    var requests: RandomRequests
    var model = ModelState()
    /// Commits that nothing of another program followed, with the state before each.
    var undos: [(id: String, before: [String: String], model: ModelState)] = []
    var round = 0
    /// Whether only small commits can be undone.
    let isNarrow: Bool

    init(_ seed: UInt64) throws {
        self.seed = seed
        isNarrow = seed % 4 == 3
        fixture = try EditingFixture(undo: isNarrow ? UndoLimits(objects: 6, bytes: 3000) : UndoLimits())
        requests = RandomRequests(seed: seed)
        try fixture.addPeople(4)
        for id in 1...4 { _ = model.add("Person \(id)", "Person", ModelState.person,
            ["id": .int(id), "name": .string("P\(id)"), "rank": .int(id)]) }
    }

    /// One request; false after a failure.
    mutating func request() throws -> Bool {
        round += 1
        let known = try Contents(try fixture.database.snapshot())
        guard same(known.objects, model.written, "before the request") else { return false }
        let steps = try requests.steps(model, known) { try fixture.cell($0, $1, $2) }
        let request = try fixture.request(steps.map(\.json)), isDisturbed = requests.chance(30)
        if isDisturbed { try disturb() }
        var after = model
        let expected = apply(steps, to: &after), before = try fixture.contents()
        let preview = try fixture.editor.preview(request)
        guard same(try fixture.contents(), before, "after the preview") else { return false }
        let versionBefore = try fixture.database.snapshot()
        let outcome = try fixture.editor.commit(request),
            text = "seed \(seed), round \(round): \(request.operations.count) \(steps.map(\.json.text)) \(outcome.json.text)"
        #expect(outcome.status == expected, "\(text)")
        #expect((preview.status == .previewed ? .committed : preview.status) == outcome.status, "\(text)")
        #expect(preview.numbers == outcome.numbers && preview.changes == outcome.changes, "\(preview.json.text) \(text)")
        #expect(isNarrow || preview.undoable == outcome.undoable, "\(preview.json.text) \(text)")
        // A preview promises no undo that a commit does not keep.
        #expect(!preview.undoable || outcome.undoable, "\(preview.json.text) \(text)")
        guard outcome.status == expected else { return false }
        if expected != .committed { return same(try fixture.contents(), before, "after a refusal \(text)") }
        let present = try fixture.database.snapshot()
        try compare(outcome, present.changes(since: versionBefore), text)
        guard same(try fixture.contents(), after.written, text) else { return false }
        let old = model
        model = after
        guard let undo = outcome.undo else {
            if isNarrow {
                undos = []
                return true
            }
            #expect(present.version == versionBefore.version && before == model.written, "\(text)")
            return present.version == versionBefore.version
        }
        undos.append((undo, before, old))
        return requests.chance(40) ? try undoLast(text) : true
    }

    private func same(_ one: [String: String], _ other: [String: String], _ what: String) -> Bool {
        if one == other { return true }
        let names = Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
        let differences = names.map { "\($0):\n  \(one[$0] ?? "-")\n  \(other[$0] ?? "-")" }.joined(separator: "\n")
        Issue.record("seed \(seed), round \(round), \(what):\n\(differences)")
        return false
    }

    private func apply(_ steps: [RandomRequests.Step], to model: inout ModelState) -> EditOutcome.Status {
        var results: [ModelState.Result] = [], start = 0
        model.before = model.objects
        while start < steps.count {
            var doomed: [String] = [], end = start
            while end < steps.count, let name = steps[end].deleted {
                results.append(steps[end].apply(&model))
                if results.last == .done { doomed.append(name) }
                end += 1
            }
            if end > start { results.append(model.delete(doomed)) } else {
                results.append(steps[start].apply(&model))
                end += 1
            }
            start = end
        }
        return results.contains(.conflict) ? .conflict : results.contains(.refused) ? .refused : .committed
    }

    /// Compares what an outcome says with what the change feed says.
    private func compare(_ outcome: EditOutcome, _ changes: DatabaseChanges, _ text: String) throws {
        var counts = ChangeCounts()
        for changes in changes.classes {
            let one = try changes.counts()
            counts.inserted += one.inserted
            counts.deleted += one.deleted
            counts.changed += one.changed
        }
        #expect(outcome.inserted == counts.inserted && outcome.deleted == counts.deleted, "\(counts) \(text)")
        #expect(outcome.isAtLeast || outcome.objects >= counts.changed, "\(counts) \(text)")
    }

    /// Another program commits something.
    private mutating func disturb() throws {
        undos = []
        let name = requests.pick(model.names("Person")), note = requests.pick(model.names("Note")), n = requests.number(1000),
            kind = requests.number(4)
        let keys = try Contents(try fixture.database.snapshot()).keys
        if kind == 0, let note {
            try fixture.elsewhere { try $0.delete(keys[note]!, from: $0.table("Note")) }
            _ = model.delete([note])
        } else if kind == 1, let note {
            try fixture.elsewhere { try $0.set(keys[note]!, in: $0.table("Note"), $0.table("Note").column("owner"), to: .null) }
            model.objects[note]!["owner"] = .null
        } else if kind == 2, let name {
            try fixture.elsewhere { try $0.list(of: keys[name]!, in: $0.table("Person"),
                $0.table("Person").column("scores")).insert(.int(Int64(n)), at: 0) }
            model.objects[name]!["scores"].elements.insert(.int(n), at: 0)
        } else if let name {
            try fixture.elsewhere { try $0.set(keys[name]!, in: $0.table("Person"), $0.table("Person").column("name"),
                to: .string("d\(n)")) }
            model.objects[name]!["name"] = .string("d\(n)")
        }
    }

    /// Undoes the last commit, perhaps after another program's, and perhaps undoes that again.
    private mutating func undoLast(_ text: String) throws -> Bool {
        guard let (id, before, old) = undos.popLast() else { return true }
        let present = try fixture.contents()
        if requests.chance(40) {
            let touched = model
            try disturb()
            let disturbed = try fixture.contents(), outcome = try fixture.editor.undo(id)
            let foreign = disturbed.keys.filter { disturbed[$0] != present[$0] } + present.keys.filter { disturbed[$0] == nil }
            let isApart = foreign.allSatisfy { before[$0] == present[$0] }
            if outcome.status == .committed {
                var expected = old
                for name in foreign { expected.objects[name] = try merged(name, old, touched, model) }
                model = expected
                return same(try fixture.contents(), expected.written, "undo after another commit, \(text)")
            }
            #expect(outcome.status == .conflict && !isApart || foreign.contains { disturbed[$0] == nil },
                "undo, \(outcome.json.text) \(text)")
            return same(try fixture.contents(), disturbed, "refused undo, \(text)")
        }
        let outcome = try fixture.editor.undo(id)
        #expect(outcome.status == .committed, "undo, \(outcome.json.text) \(text)")
        guard outcome.status == .committed, same(try fixture.contents(), before, "undo, \(text)") else { return false }
        guard requests.chance(50), let redo = outcome.undo else {
            model = old
            return true
        }
        let redone = try fixture.editor.undo(redo)
        #expect(redone.status == .committed, "redo, \(redone.json.text) \(text)")
        undos.append((redone.undo ?? "", before, old))
        return same(try fixture.contents(), present, "redo, \(text)")
    }

    /// An object as it was before the commit, with what another program changed in it since.
    private func merged(_ name: String, _ old: ModelState, _ then: ModelState, _ now: ModelState) throws -> ModelState.Object? {
        guard let present = now.objects[name], let known = then.objects[name] else { return nil }
        var object = try #require(old.objects[name])
        for (property, value) in present.values where value != known[property] { object[property] = value }
        return object
    }

    /// Undoes what can be undone, from the last commit back.
    mutating func undoAll() throws {
        while let (id, before, _) = undos.popLast() {
            let outcome = try fixture.editor.undo(id)
            #expect(outcome.status == .committed, "seed \(seed), \(outcome.json.text)")
            guard same(try fixture.contents(), before, "undoing all") else { return }
        }
    }
}
