import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// Indexes in a collation with right checksums that no program writes.
@Suite("Forged indexes in a collation") struct CollationForgeryTests {
    /// Changes the root of the index, or its tree.
    enum Forgery: CaseIterable {
        case none, shortRoot, noTree, twoTrees, otherCount, emptyEntry, unknownObject, entryTooMany, wrongEntry, otherTool, emptied

        /// Whether `check` has nothing to say: an emptied index, and one of another ICU, are no damage.
        var isAllowed: Bool { [.none, .otherTool, .emptied].contains(self) }

        /// The objects that a forged entry names: a query may give them at the wrong position, twice or not at all.
        var concerned: Set<ObjectKey> {
            switch self {
            case .emptyEntry, .entryTooMany, .wrongEntry: [ObjectKey(3)]
            case .unknownObject: [ObjectKey(99_999)]
            default: []
            }
        }

        /// Whether a query may be answered: an index whose root cannot be read, or that has not an entry for each object, is no
        /// reason to sort object by object unasked.
        var mayAnswer: Bool { ![.shortRoot, .noTree, .twoTrees, .emptyEntry, .unknownObject, .entryTooMany].contains(self) }
        var mustAnswer: Bool { mayAnswer && concerned.isEmpty }

        func apply(_ root: inout DerivedRoot, _ pending: PendingBlocks) throws {
            switch self {
            case .none: break
            case .shortRoot: root.contents.bytes.removeLast()
            case .noTree: root.contents.references = []
            case .twoTrees: root.contents.references.append(.null)
            case .otherCount: root.contents.bytes[0] ^= 1
            case .emptyEntry: try change(&root, pending) { $0.insert(UnsafeRawBufferPointer(start: nil, count: 0), ObjectKey(3)) }
            case .unknownObject: try insert([0], 99_999, &root, pending)
            case .entryTooMany: try insert([0], 3, &root, pending)
            case .wrongEntry:
                try change(&root, pending) { operations in
                    let order = try LanguageOrder("de", pending.access.system), entry = ByteBuffer(capacity: 64)
                    entry.setCollationEntry(CollationForgeryTests.name(3), by: order)
                    operations.remove(entry.bytes, ObjectKey(3))
                    [1, 0xFF].withUnsafeBytes { operations.insert($0, ObjectKey(3)) }
                }
            case .otherTool: root.versions = DerivedVersions(algorithm: 1, tables: 0, tool: 7)
            case .emptied:
                (root.state, root.position) = (.building, .min)
                root.contents = DerivedContents()
            }
        }

        private func insert(_ entry: [UInt8], _ key: Int64, _ root: inout DerivedRoot, _ pending: PendingBlocks) throws {
            try change(&root, pending) { operations in entry.withUnsafeBytes { operations.insert($0, ObjectKey(key)) } }
        }

        private func change(_ root: inout DerivedRoot, _ pending: PendingBlocks, _ body: (IndexOperations) throws -> Void) throws {
            let operations = IndexOperations()
            try body(operations)
            root.contents.references[0] = try OrderedIndex.apply(operations, to: root.contents.references[0], table: 0, in: pending)
        }
    }

    private static func name(_ number: Int) -> String { ["Zoo", "ähre", "Apfel", "b"][number % 4] + "\(number * 7919 % 1000)" }

    @Test("check reports each, and a query gives the right answer, an error, or one that the forged entry explains",
          arguments: Forgery.allCases)
    func forged(forgery: Forgery) throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.collation = .invented(2)
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let database = try Database.open("/forged.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Word", [PropertySchema("name", .string)]))
            for number in 0..<1000 { try transaction.insert(into: "Word", [("name", .string(Self.name(number)))]) }
            try transaction.collations.add("name", "de", to: "Word")
        }
        let queries = try ["", "DESC"].flatMap { direction in
            try ["", " LIMIT(5)"].map { try ObjectQuery("SORT(name \(direction) COLLATE 'de')\($0)") }
        }
        let wanted = try queries.map { try database.snapshot().table("Word").keys(matching: $0) }
        try database.write(durability: .full) { transaction in
            try transaction.insert(into: "Word", [("name", .string("c"))])
            let writer = try transaction.writer(0), known = writer.state.root.auxiliary(.derived, StoredDerived.firstColumn)
            var root = try DerivedRoot(known, in: writer.pending.access)
            try forgery.apply(&root, writer.pending)
            writer.pending.free(known)
            writer.state.root.setAuxiliary(.derived, StoredDerived.firstColumn, root.write(table: 0, in: writer.pending))
        }
        let table = try database.snapshot().table("Word"), added = ObjectKey(1000)
        for (query, wanted) in zip(queries, wanted) {
            do throws(FreeholdError) {
                let found = try table.keys(matching: query).filter { $0 != added }
                // A forged entry misplaces the object that it names, and no other.
                let rest = found.filter { !forgery.concerned.contains($0) }
                #expect(Array(wanted.filter { !forgery.concerned.contains($0) }.prefix(rest.count)) == rest, "\(query)")
                #expect(forgery.mayAnswer && (!forgery.mustAnswer || found.count >= wanted.count - 1), "\(query)")
            } catch {
                #expect(!forgery.mustAnswer && [.corrupt, .noSuchObject].contains(error.code), "\(query): \(error)")
            }
        }
        let problems = try database.check().problems.filter { $0.kind != .lostSpace }
        #expect(problems.isEmpty == forgery.isAllowed, "\(problems.prefix(3))")
    }
}
