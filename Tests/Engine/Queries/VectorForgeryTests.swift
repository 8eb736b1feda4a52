@testable import FreeholdEngine
import TestKit
import Testing

/// Indexes of vectors with right checksums that no program writes.
@Suite("Forged indexes of vectors") struct VectorForgeryTests {
    private static let shape = VectorShape(dimensions: 64, elements: .int8)

    private static func vector(_ number: Int) -> [Float] {
        (0..<64).map { place in
            let direction: Int = (number % 40 + 2) * (place * place + 17) % 101 - 50, own: Int = number * (place + 3) % 31 - 15
            return Float(direction + own)
        }
    }

    /// Changes the root of the index, or its tree.
    enum Forgery: CaseIterable {
        case none, shortRoot, noTree, otherDimensions, noDimensions, lengthsNotANumber, lengthsInTheWrongOrder
        case shortKey, emptyGroup, rowTooMany, rowTooFew, groupTwice, unknownObjects

        /// Whether queries are answered.
        var isAnswered: Bool { self == .none || self == .unknownObjects || self == .otherDimensions }

        func apply(_ contents: inout DerivedContents, _ pending: PendingBlocks) throws {
            switch self {
            case .none: break
            case .shortRoot: contents.bytes.removeLast()
            case .noTree: contents.references = []
            case .otherDimensions: contents.bytes[8] = 65
            case .noDimensions: contents.bytes[8] = 0
            case .lengthsNotANumber: contents.bytes.replaceSubrange(20..<24, with: [0, 0, 0xc0, 0x7f])
            case .lengthsInTheWrongOrder: contents.bytes.replaceSubrange(20..<24, with: [0, 0, 0x80, 0])
            case .shortKey: try insert(SignShape.prefix(2_000) + [1], &contents, pending)
            case .emptyGroup: try insert(SignShape.prefix(2_000) + [UInt8](repeating: 0, count: 16), &contents, pending)
            case .rowTooMany: try insert(SignShape.prefix(2_000) + [1] + [UInt8](repeating: 0, count: 23), &contents, pending)
            case .rowTooFew: try insert(SignShape.prefix(2_000) + [3] + [UInt8](repeating: 0, count: 15), &contents, pending)
            case .groupTwice: try insert(SignShape.prefix(3) + [1] + [UInt8](repeating: 0, count: 15), &contents, pending)
            case .unknownObjects: try insert(SignShape.prefix(2_000) + [1] + [UInt8](repeating: 0, count: 15), &contents, pending)
            }
        }

        private func insert(_ key: [UInt8], _ contents: inout DerivedContents, _ pending: PendingBlocks) throws {
            let operations = IndexOperations()
            key.withUnsafeBytes { operations.insert($0, ObjectKey(0)) }
            contents.references[0] = try OrderedIndex.apply(operations, to: contents.references[0], table: 0, in: pending)
        }
    }

    @Test("check reports each, and a query gives the right answer or an error", arguments: Forgery.allCases)
    func forged(forgery: Forgery) throws {
        let machine = SimulatedSystem(seed: 1)
        defer { machine.discard() }
        let database = try Database.open("/forged.freehold", OpenOptions.simulated, on: machine.makeProcess())
        defer { database.close() }
        try database.write(durability: .full) { transaction in
            try transaction.createClass(ClassSchema("Item", [PropertySchema("embedding", .data)]))
            for number in 0..<2_300 {
                try transaction.insert(into: "Item", [("embedding", .data(VectorElements.int8.bytes(of: Self.vector(number))))])
            }
            try transaction.vectors.add("embedding", dimensions: 64, elements: .int8, to: "Item")
        }
        let nearest = QueryNearest(PropertyPath("embedding"), to: Self.vector(77), count: 3, elements: .int8)
        let query = ObjectQuery(.constant(true), [.nearest(nearest)])
        let wanted = try database.snapshot().table("Item").keys(matching: query)
        #expect(wanted.count == 3 && wanted[0] == ObjectKey(77))
        try database.write(durability: .full) { transaction in
            try transaction.insert(into: "Item", [("embedding", .data([]))])
            let writer = try transaction.writer(0), known = writer.state.root.auxiliary(.derived, StoredDerived.firstColumn)
            var root = try DerivedRoot(known, in: writer.pending.access)
            try forgery.apply(&root.contents, writer.pending)
            writer.pending.free(known)
            writer.state.root.setAuxiliary(.derived, StoredDerived.firstColumn, root.write(table: 0, in: writer.pending))
        }
        let table = try database.snapshot().table("Item")
        if forgery.isAnswered {
            #expect(try table.keys(matching: query) == wanted)
        } else {
            let error = #expect(throws: FreeholdError.self) { try table.keys(matching: query) }
            #expect(error?.code == .corrupt)
        }
        let problems = try database.check().problems
        #expect(problems.isEmpty == (forgery == .none), "\(problems.prefix(3))")
    }
}
