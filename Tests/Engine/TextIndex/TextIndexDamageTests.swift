@testable import BlockKit
import TestKit
import Testing
@testable import FreeholdEngine

/// Wrong contents of intact trees: each is found by the checker, and none stops a process.
@Suite("The checker of a full-text index")
struct TextIndexDamageTests {
    private func model() throws -> TextIndexModel {
        var documents = RandomDocuments(seed: 3)
        let model = TextIndexModel()
        for _ in 0..<6 { try model.commit(documents.changes(20, of: model), merging: 0) }
        try model.step(merge: 0, limit: 60)
        #expect(model.root.merges.first?.position != nil)
        return model
    }

    /// The problems of an index of which one tree has other entries.
    private func problems(
        _ model: TextIndexModel, _ change: (inout TextIndexRoot) -> Void = { _ in },
        tree: WritableKeyPath<TextIndexRoot, BlockReference>, inserting: [([UInt8], Int64)] = [], removing: [([UInt8], Int64)] = []
    ) throws -> [String] {
        let pending = PendingBlocks(reading: model.access), operations = IndexOperations()
        for (key, object) in inserting { key.withUnsafeBytes { operations.insert($0, ObjectKey(object)) } }
        for (key, object) in removing { key.withUnsafeBytes { operations.remove($0, ObjectKey(object)) } }
        var root = model.root
        root[keyPath: tree] = try OrderedIndex.apply(operations, to: root[keyPath: tree], table: 9, in: pending)
        change(&root)
        return TextIndexChecker.problems(root, pending.access)
    }

    private func key(_ term: String, _ field: Int, _ number: UInt8, cancels: Bool = false) -> [UInt8] {
        EntryKey.bytes(Array(term.utf8), EntryTag(field: field, OccurrenceClass(number: number), cancels: cancels))
    }

    @Test("entries that sum to 2 or -1 are found, and terms without a length")
    func sums() throws {
        let model = try model(), newest = \TextIndexRoot.runs[0]
        #expect(try problems(model, tree: newest) == [])
        let (term, objects) = try #require(model.expected(0).first { $0.value.count > 2 && $0.key[0] > 0x77 })
        let object = try #require(objects.keys.first), number = OccurrenceClass(occurrences: objects[object] ?? 1).number
        let own = EntryKey.bytes(term, EntryTag(field: 0, OccurrenceClass(number: number)))
        let twice = try problems(model, tree: newest, inserting: [(own, object)])
        // It may be in that very run, and then nothing changes.
        #expect(twice.isEmpty || twice.contains { $0.contains("has 2 entries for object \(object) in field 0") })
        let lost = try problems(model, tree: newest, inserting: [(key("zzz", 0, 7, cancels: true), 4)])
        #expect(lost == ["'zzz' has -1 entries for object 4 in field 0, of 0 or 1"])
        let unknown = try problems(model, tree: newest, inserting: [(key("zzz", 1, 7), 100_000)])
        #expect(unknown == ["objects from 99840 on have terms in field 1, and no lengths"])
        #expect(try problems(model, tree: newest, inserting: [(key("zzz", 2, 7), 4)]).first == "the term 'zzz' is in field 2, of 2")
        let other = try problems(model, tree: newest, inserting: [(Array("zzz".utf8), 4)])
        #expect(other.count == 1 && other[0].contains("none of an entry"), "\(other)")
    }

    @Test("an output that has more or less than its inputs is found")
    func outputs() throws {
        let model = try model(), output = \TextIndexRoot.merges[0].output
        var cursor = try OrderedIndex(root: model.root.merges[0].output, access: model.access).cursor()
        #expect(try cursor.next())
        let first = (try cursor.key(), cursor.objectKey.rawValue)
        #expect(try problems(model, tree: output, removing: [first]).contains { $0.hasPrefix("output 0 differs") })
        #expect(try problems(model, tree: output, inserting: [(key("0", 0, 3), 4)]).contains { $0.hasPrefix("output 0 differs") })
        // Beyond the position, where the inputs are still read.
        #expect(try problems(model, tree: output, inserting: [(key("zzz", 0, 3), 4)]).contains { $0.hasPrefix("output 0 differs") })
        let moved = try problems(model, { $0.merges[0].position?.object += 1 }, tree: output)
        #expect(moved.contains { $0.hasPrefix("output 0 differs") } || moved.isEmpty && model.root.merges[0].position != nil)
        let start = MergePosition(term: [1], tag: EntryTag(byte: 0), object: 0)
        let back = try problems(model, { $0.merges[0].position = start }, tree: output)
        #expect(back.contains { $0.hasPrefix("output 0 differs") })
    }

    @Test("lengths and sums that are not those of the documents are found")
    func lengths() throws {
        let model = try model(), lengths = \TextIndexRoot.lengths
        var cursor = try OrderedIndex(root: model.root.lengths, access: model.access).cursor()
        #expect(try cursor.next())
        let first = try cursor.key(), row = try #require(LengthRow(key: first))
        #expect(try problems(model, tree: lengths, removing: [(first, 0)]).count > 1)
        var other = row
        other.set(try #require(row.codes.firstIndex { $0 == 0 }), 9)
        let more = try problems(model, tree: lengths, inserting: [(try #require(other.key), 0)], removing: [(first, 0)])
        #expect(more.contains { $0.contains("a length and no term in field 0") } && more.contains { $0.contains("field 0 counts") })
        #expect(try problems(model, tree: lengths, inserting: [(try #require(other.key), 0)]).contains { $0.contains("have two rows") })
        #expect(try problems(model, tree: lengths, inserting: [(first + [0], 0)]).contains("the lengths have an entry that is none"))
        #expect(try problems(model, { $0.fields[0].documents += 1 }, tree: lengths).count == 1)
        #expect(try problems(model, { $0.fields[1].words = 1 << 50 }, tree: lengths).count == 1)
    }

    @Test("a tree out of order is reported as such")
    func trees() throws {
        let model = try model()
        let problems = try problems(model, { $0.runs.swapAt(0, 1) ; $0.lengths = $0.runs[0] }, tree: \TextIndexRoot.runs[0])
        #expect(!problems.isEmpty)
    }

    @Test("a merge refuses entries that sum to 2, and to -1 where the oldest run is among its inputs")
    func unbalanced() throws {
        let file = IndexFile(), pending = PendingBlocks(reading: file.access)
        func run(_ keys: [UInt8]...) throws -> BlockReference {
            let operations = IndexOperations()
            for key in keys { key.withUnsafeBytes { operations.insert($0, ObjectKey(1)) } }
            return try OrderedIndex.apply(operations, to: .null, table: 9, in: pending)
        }
        func merge(_ runs: [BlockReference], _ inputs: Range<Int>) throws -> Int {
            var root = TextIndexRoot(fields: 1)
            root.runs = runs
            root.begin(inputs)
            return try RunMerge(root, merge: 0, limit: 100, pending.access).read
        }
        let gain = try run(key("a", 0, 7)), loss = try run(key("a", 0, 7, cancels: true)), other = try run(key("b", 0, 7))
        #expect(try merge([loss, gain], 0..<2) == 2 && merge([loss, other, gain], 0..<2) == 2)
        for (runs, inputs, sum) in [([loss, other], 0..<2, -1), ([gain, gain], 0..<2, 2), ([gain, gain, other], 0..<2, 2)] {
            let error = #expect(throws: FreeholdError.self) { try merge(runs, inputs) }
            #expect(error?.code == .corrupt && error?.message.contains("the term 'a' \(sum) times for the object 1") == true)
        }
    }

    @Test("a merge whose input cannot be read waits, and writing goes on")
    func postponed() throws {
        let file = IndexFile { $0.kind == .derivedRoot ? nil : OrderedIndex.complaint(about: $0) }
        let pending = PendingBlocks(reading: file.access)
        var root = TextIndexRoot(fields: 1)
        // Runs that are no trees of entries.
        for _ in 0..<4 {
            let operations = IndexOperations()
            [UInt8]([1, 2, 3]).withUnsafeBytes { operations.insert($0, ObjectKey(1)) }
            root.add(try OrderedIndex.apply(operations, to: .null, table: 9, in: pending))
        }
        var writer = TextIndexWriter(root, table: 9, in: pending)
        let batch = RunBatch(fields: 1, TextAnalyzer())
        for round in 0..<20 {
            batch.begin(ObjectKey(Int64(round)))
            Array("a b c".utf8).withUnsafeBytes { batch.add($0, field: 0, isNew: true) }
            batch.end()
            try writer.add(batch)
        }
        #expect(writer.root.runs.suffix(4).elementsEqual(root.runs))
        #expect(writer.root.runs.count < 20, "other merges go on")
        #expect(throws: FreeholdError.self) { while try !writer.compact(1_000) {} }
    }

    /// Entries of one run, as they are.
    private func entries(_ keys: [UInt8]..., in file: IndexFile) throws -> TermEntries {
        let pending = PendingBlocks(reading: file.access), operations = IndexOperations()
        for key in keys { key.withUnsafeBytes { operations.insert($0, ObjectKey(1)) } }
        var root = TextIndexRoot(fields: 1)
        root.add(try file.commit(OrderedIndex.apply(operations, to: .null, table: 9, in: pending), pending))
        return TermEntries(root, file.access)
    }

    @Test("a walk over terms that are no text ends with an error")
    func endless() throws {
        let file = IndexFile(), entries = try entries(key("tea", 0, 7), [0xFF, 0, 7], [0xFF, 0xFF, 0, 7], in: file)
        #expect(try entries.terms(prefix: [0xFF]).count == 2)
        let error = #expect(throws: FreeholdError.self) { try entries.terms(FuzzyWord(Array("teas".utf8), distance: 1)) }
        #expect(error?.code == .corrupt)
        let short = try self.entries([1], [2], in: file)
        #expect(throws: FreeholdError.self) { try short.terms(prefix: [1]) }
    }

    @Test("a merge over a run whose keys are out of order ends with an error")
    func disordered() throws {
        let pending = PendingBlocks(reading: IndexFile().access)
        func run(_ first: String) throws -> BlockReference {
            let operations = IndexOperations()
            for number in 0..<3000 {
                key("\(first)\(number + 10_000)", 0, 7).withUnsafeBytes { operations.insert($0, ObjectKey(1)) }
            }
            return try OrderedIndex.apply(operations, to: .null, table: 9, in: pending)
        }
        let one = try run("a"), other = try run("b"), view = try pending.access.view(one)
        let block = MutableBlock(start: UnsafeMutableRawPointer(mutating: view.start)), last = view.count - 1
        #expect(view.kind == .indexInner && last > 1)
        // Its last leaf is the first one again, and may have other counts.
        block.setReference(last, view.reference(0))
        var root = TextIndexRoot(fields: 1)
        root.runs = [one, other]
        root.begin(0..<2)
        #expect(throws: FreeholdError.self) { try RunMerge(root, merge: 0, limit: 1_000_000, pending.access) }
    }

    @Test("a root that counts fewer documents than are deleted is an error, and is never written")
    func missingSums() throws {
        let model = try model()
        for (documents, words) in [(0, 0), (1, 1)] {
            let pending = PendingBlocks(reading: model.access), batch = RunBatch(fields: 2, TextAnalyzer())
            var root = model.root
            root.fields[0] = TextFieldSums(documents: documents, words: words)
            var writer = TextIndexWriter(root, table: 9, in: pending)
            for key in 0..<2 {
                batch.begin(ObjectKey(Int64(key)))
                Array("green tea".utf8).withUnsafeBytes { batch.add($0, field: 0, isNew: false) }
                batch.end()
            }
            let error = #expect(throws: FreeholdError.self) { try writer.add(batch) }
            #expect(error?.code == .corrupt && error?.message.contains("fewer documents or words in field 0") == true)
        }
    }

    @Test("a root with a tree that it has twice is refused: its blocks would be freed twice")
    func twice() throws {
        let model = try model(), root = model.root
        #expect(try TextIndexRoot(references: root.references, bytes: root.bytes) == root)
        var references = root.references
        references[references.count - 1] = references[references.count - 2]
        let error = #expect(throws: FreeholdError.self) { try TextIndexRoot(references: references, bytes: root.bytes) }
        #expect(error?.message.contains("a tree that it has twice") == true)
    }
}
