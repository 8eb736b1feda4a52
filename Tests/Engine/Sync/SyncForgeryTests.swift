import DatabaseKit
@testable import FreeholdEngine
import TestKit
import Testing

/// What no writer makes in the trees of sync is found by the checker.
@Suite struct SyncForgeryTests {
    private func check(_ message: String, class number: Int = 0, _ forge: (inout Forger) throws -> Void) throws {
        try SyncCaptureTests.withFile { database, _, _ in
            try SyncFileTests.change(database)
            #expect(try database.check().isClean)
            let transaction = try database.beginWrite()
            transaction.capturesSync = false
            var forger = Forger(try transaction.writer(number))
            try forger.writer.open(keepingRows: true)
            forger.trees = PendingTrees(forger.writer.state.root)
            try forge(&forger)
            forger.trees.store(in: &forger.writer.state.root)
            try transaction.commit()
            let problems = try database.check().problems
            #expect(!problems.isEmpty && problems.allSatisfy { $0.kind == .brokenSync }, "\(problems)")
            #expect(problems.contains { message.isPart(of: $0.message) }, "\(problems)")
        }
    }

    /// Puts what no writer makes into the trees of a class.
    private struct Forger {
        let writer: TableWriter
        var trees = PendingTrees()
        let key = ByteBuffer()
        let now = SyncStamp(rawValue: 5), open = PendingOrigin(slot: 0, epoch: 1)

        init(_ writer: TableWriter) { self.writer = writer }

        func put(_ root: inout BlockReference, _ posting: Int64) throws {
            let operations = IndexOperations()
            operations.insert(key.bytes, ObjectKey(posting))
            root = try OrderedIndex.apply(operations, to: root, table: 0, in: writer.pending)
        }

        mutating func change(_ object: Int64, _ what: PendingEntry.What, _ origin: PendingOrigin? = nil, _ stamp: SyncStamp? = nil) throws {
            key.setKey(of: PendingEntry(key: object, what: what, stamp: stamp ?? now, origin: origin ?? open))
            try put(&trees.changes, Int64((stamp ?? now).rawValue))
        }

        mutating func sum(_ object: Int64, _ property: UInt32, _ increments: UInt32, _ began: SyncStamp? = nil) throws {
            let sum = PendingSum(key: object, property: property, origin: open, amount: 1, increments: increments, began: began ?? now)
            key.setKey(of: sum)
            try put(&trees.sums, 1)
        }

        mutating func element(_ act: SyncChange.Act, _ number: UInt64, left: UInt64 = 0) throws {
            let run = IdentityRun(SyncIdentity(replica: 1, count: number), count: 1)
            let place = ElementChange(act, run, left: SyncIdentity(rawValue: left), right: .none)
            try change(0, .element(6, act == .inserted || act == .moved ? place : ElementChange(act, run.identities)))
        }

        /// Replaces the identities of a list of object 0.
        mutating func identify(_ property: UInt32, _ runs: [IdentityRun]) throws {
            let access = writer.pending.access, operations = IndexOperations()
            for part in try IdentityReader(trees: trees, access: access).list(of: 0, property).parts() {
                part.key.withUnsafeBytes { operations.remove($0, ObjectKey(Int64(part.count))) }
            }
            var bytes: [UInt8] = [], expected: UInt64 = 0
            for run in runs { IdentityChunk.append(run, &expected, to: &bytes) }
            key.setList(of: 0, property)
            if !runs.isEmpty {
                let part = IdentityKey.part(key.array, 9, bytes[...])
                part.withUnsafeBytes { operations.insert($0, ObjectKey(Int64(runs.elements))) }
            }
            trees.identities = try OrderedIndex.apply(operations, to: trees.identities, table: 0, in: writer.pending)
        }
    }

    @Test("the checker finds entries that cannot be")
    func entries() throws {
        try check("object 9999 is changed, and does not exist") { try $0.change(9999, .property(1)) }
        try check("property number 77, which does not exist") { try $0.change(1, .property(77)) }
        for number in [4, 6] as [UInt32] { try check("is of another kind than the property") { try $0.change(1, .property(number)) } }
        try check("of epoch 3 of replica 0, whose last one is 2") { try $0.change(1, .property(1), PendingOrigin(slot: 0, epoch: 3)) }
        try check("of epoch 1 of replica 4, whose last one is 0") { try $0.change(1, .property(1), PendingOrigin(slot: 4, epoch: 1)) }
        try check("which is after the clock") { try $0.change(1, .property(1), nil, SyncStamp(rawValue: 1 << 62)) }
        try check("has two entries of one change") { try $0.change(0, .property(1), PendingOrigin(slot: 0, epoch: 2)) }
        try check("object 10 is created twice") { try $0.change(10, .created(through: 10)) }
        try check("object 703 is created, and does not exist") { try $0.change(703, .created(through: 703)) }
        try check("object 9998 is deleted, and its primary key is lost") { try $0.change(9998, .deleted) }
        try check("object 9997 has the primary key of a deleted one, and is not deleted") { forger in
            forger.key.removeAll()
            forger.key.append(77 as UInt8)
            try forger.put(&forger.trees.deletions, 9997)
        }
        try check("it is not synced, and has a tree 62000 of sync", class: 3) { try $0.change(0, .property(1)) }
        try check("it has a tree 62009 that is none of sync") { forger in
            forger.key.append(1 as UInt8)
            var other = BlockReference.null
            try forger.put(&other, 1)
            forger.writer.state.root.setAuxiliary(.sync, 62_009, other)
        }
    }

    @Test("the checker finds sums that cannot be")
    func sums() throws {
        try check("has a sum of no increments") { try $0.sum(1, 3, 0) }
        try check("has two sums of one epoch") { try $0.sum(0, 3, 7) }
        try check("has a sum of property number 1, which is no counter") { try $0.sum(1, 1, 1) }
    }

    @Test("the checker finds entries of elements that cannot be")
    func elements() throws {
        try check("an element of a list of object 0 is changed, and not there") { try $0.element(.changed, 77) }
        try check("an element of a list of object 0 is deleted, and there") { try $0.element(.deleted, 1) }
        try check("has two entries of one act") { try $0.element(.inserted, 2) }
        try check("stands beside a position that does not show") { try $0.element(.inserted, 1, left: 1 << 40 | 88) }
        try check("pending elements of object 0 are not found by their neighbour") { try $0.element(.inserted, 1, left: 1 << 40 | 2) }
        try check("neighbours to be found by, and") { forger in
            forger.key.setList(of: 0, 6)
            forger.key.append(big: 1 << 40 | 1 as UInt64)
            forger.key.append(SyncChange.Act.inserted.rawValue)
            try forger.put(&forger.trees.neighbours, 1 << 40 | 2)
        }
        try check("a moved element of a list of object 0 stands elsewhere") { forger in
            let run = IdentityRun(first: SyncIdentity(replica: 1, count: 1), position: SyncIdentity(replica: 1, count: 3), count: 1)
            try forger.change(0, .element(6, ElementChange(.moved, run, left: .none, right: .none)))
        }
    }

    @Test("the checker finds identities that cannot be")
    func identities() throws {
        func run(_ replica: Int, _ count: UInt64, _ elements: Int) -> IdentityRun {
            IdentityRun(SyncIdentity(replica: replica, count: count), count: elements)
        }
        try check("2 lists have elements, and 1 have identities") { try $0.identify(6, []) }
        try check("'list' of object 0 has 2 elements and 1 identities") { try $0.identify(6, [run(1, 1, 1)]) }
        try check("two elements of a list of object 0 have one identity") { try $0.identify(6, [run(1, 1, 1), run(1, 1, 1)]) }
        try check("two elements of a list of object 0 have one position") { forger in
            let second = IdentityRun(first: SyncIdentity(replica: 1, count: 2), position: SyncIdentity(replica: 1, count: 1), count: 1)
            try forger.identify(6, [run(1, 1, 1), second])
        }
        try check("has an identity of replica 9, which is not in the table") { try $0.identify(6, [run(9, 1, 2)]) }
        try check("has the identity 5001, and 3 were given") { try $0.identify(6, [run(1, 5000, 2)]) }
        try check("object 0 has identities of property number 1, which is no list") { try $0.identify(1, [run(1, 2, 1)]) }
        try check("0 objects are embedded, and 1 have identities") { forger in
            forger.key.setEmbedded(1...1)
            try forger.put(&forger.trees.embedded, 1 << 40 | 1)
        }
        try check("the numbers of its replicas have gaps") { forger in
            forger.key.setNumber(5, ReplicaIdentity(high: 1, low: 2))
            try forger.put(&forger.trees.replicas, 0)
        }
        try check("replica 2 is not found by its identity") { forger in
            forger.key.setNumber(2, ReplicaIdentity(high: 1, low: 2))
            try forger.put(&forger.trees.replicas, 0)
        }
    }
}

extension String {
    /// Whether it is found in another string.
    fileprivate func isPart(of other: String) -> Bool {
        let own = Array(utf8), all = Array(other.utf8)
        return all.count >= own.count && (0...all.count - own.count).contains { Array(all[$0..<$0 + own.count]) == own }
    }
}
