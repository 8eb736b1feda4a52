@testable import FreeholdEngine
import Testing

/// The parts of a table writer, each by itself.
@Suite("The parts of a table writer")
struct TablesPartsTests {
    @Test("an open tail goes from state to state as drawn")
    func openTailStates() {
        let root = BlockReference(location: 4096, birth: 1, check: 0, tag: 0)
        var tail = OpenTail(at: root)
        #expect(!tail.isChanged && tail.represents(root) && !tail.represents(.null))
        #expect(tail.change(keepingRows: true) == .closed && tail.phase == .open && !tail.represents(root))
        #expect(tail.change(keepingRows: false) == .open && tail.phase == .ready)
        tail.expectPreparation()
        #expect(tail.phase == .open)
        tail.askForSealing()
        #expect(tail.phase == .asked && tail.change(keepingRows: true) == .asked && tail.phase == .asked)
        #expect(tail.change(keepingRows: false) == .asked && tail.phase == .ready)
        tail.settle(tails: 1)
        tail.askForSealing()
        tail.expectPreparation()
        #expect(tail.phase == .settled && tail.isChanged && !tail.represents(root))
        #expect(tail.finished.tails == 1 && tail.finished.root == .null)
        tail.finish(root)
        #expect(tail.finished.root == root)
        tail.keep(as: root, holdingRows: true)
        #expect(tail.phase == .held && !tail.isChanged && tail.represents(root))
        tail.askForSealing()
        #expect(tail.phase == .held)
        tail.leave()
        #expect(tail.change(keepingRows: false) == .gone && tail.phase == .gone && tail.isChanged)
        for saved in [OpenTail.Phase.ready, .asked, .open] {
            tail.rollBack(to: saved)
            #expect(tail.phase == .open)
        }
        for saved in [OpenTail.Phase.closed, .held] {
            tail.rollBack(to: saved)
            #expect(tail.phase == saved)
        }
    }

    @Test("a settled table has every object in blocks before its root is written, and settling again does nothing")
    func settled() throws {
        let scratch = Scratch(), writer = try scratch.writer(storedClass([PropertySchema("n", .int, isIndexed: true)]))
        for key in Int64(0)..<300 { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        try writer.seal()
        for key in Int64(300)..<310 { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        #expect(try writer.delete(7))
        try writer.settle()
        let blocks = scratch.pending.count
        try writer.settle()
        #expect(scratch.pending.count == blocks && writer.tail.phase == .settled)
        let state = try TableState(writer.stored, root: writer.state.root, buffer: nil, in: scratch.pending.access)
        #expect(state.root.sealedCount == 299 && state.tailCount == 10 && state.count == 309)
        #expect(try state.find(7) == nil && state.find(305) != nil)
        let tree = OrderedIndex(root: state.root.auxiliary(.index, 0), access: scratch.pending.access)
        #expect(try tree.count() == 299 && tree.verify().isEmpty)
        #expect(try scratch.problems(TableState(writer.stored, root: TableRoot(writer.writeRoot(), in: scratch.pending.access), buffer: nil,
                                                in: scratch.pending.access)).isEmpty)
    }

    @Test("operations merged or added since a mark are as they were when it is gone back to")
    func queueMarks() throws {
        let scratch = Scratch(), writer = try scratch.writer(storedClass([PropertySchema("n", .int, isIndexed: true)])), queue = writer.indexes
        for key in Int64(0)..<10 { try queue.record(insert: .int(key), column: 0, key: key) }
        let outer = queue.mark()
        try queue.record(insert: .int(10), column: 0, key: 10)
        let inner = queue.mark()
        try queue.record(insert: .int(11), column: 0, key: 11)
        try queue.merge(0)
        #expect(queue.plain[0]?.isEmpty == true && !writer.state.root.auxiliary(.index, 0).isNull)
        queue.rollBack(to: inner)
        #expect(queue.plain[0]?.count == 11)
        try queue.merge(0)
        outer.inherit(inner)
        queue.rollBack(to: outer)
        #expect(queue.plain[0]?.count == 10 && queue.hasInserts(0))
    }

    @Test("clusters with deleted rows are named until they are compacted, and wait to be recorded where there are trees", arguments: [false, true])
    func tombstones(isIndexed: Bool) throws {
        let scratch = Scratch(), writer = try scratch.writer(storedClass([PropertySchema("n", .int, isIndexed: isIndexed)]))
        for key in Int64(0)..<1024 { try writer.fill(writer.insert(key: key), 0, with: .int(key)) }
        try writer.seal()
        for key in stride(from: Int64(0), to: 512, by: 3) { #expect(try writer.delete(key)) }
        #expect(writer.tombstones.clusters == [0, 256])
        #expect(writer.tombstones.unrecorded == (isIndexed ? [0, 256] : []))
        #expect(writer.tombstones.marking?.firstKey == 256)
        try writer.tombstones.record(in: writer.indexes)
        #expect(writer.tombstones.unrecorded.isEmpty && !writer.tombstones.isEmpty)
        #expect((writer.tombstones.marking == nil) == isIndexed)
        #expect(try writer.delete(1) && !writer.delete(1))
        #expect(writer.tombstones.unrecorded == (isIndexed ? [0] : []))
        try writer.compact()
        #expect(writer.tombstones.isEmpty && writer.state.root.sealedCount == 1024 - 172)
        #expect(try scratch.problems(scratch.finished(writer)).isEmpty)
    }

    @Test("rows in memory own their unique values until they are removed, sealed ones by the tree")
    func uniqueClaims() throws {
        let scratch = Scratch(), writer = try scratch.writer(storedClass([PropertySchema("n", .int, isUnique: true)]))
        try writer.fill(writer.insert(key: 1), 0, with: .int(7))
        let second = try writer.insert(key: 2)
        #expect { try writer.fill(second, 0, with: .int(7)) } throws: { ($0 as? FreeholdError)?.code == .duplicateKey }
        writer.withdraw(second)
        #expect(try writer.claims.find(.int(7), column: 0, in: writer) == 1)
        try writer.set(1, 0, to: .int(8))
        #expect(try writer.claims.find(.int(7), column: 0, in: writer) == nil)
        try writer.seal()
        #expect(writer.claims.owners.isEmpty)
        #expect(try writer.claims.find(.int(8), column: 0, in: writer) == 1)
    }

    @Test("rows appended to a buffer are removed again, in whatever order their keys came", arguments: [[], [7], [7, 3]])
    func removingRows(first: [Int64]) throws {
        let scratch = Scratch(), writer = try scratch.writer(storedClass([PropertySchema("name", .string)])), buffer = writer.buffer
        func append(_ key: Int64) { buffer.set(buffer.append(key: key, writer.template), 0, writer.layout, to: .string("row \(key)")) }
        for key in first { append(key) }
        let used = buffer.used, longest = buffer.longestRow, isAscending = buffer.isAscending
        for round in 0..<2 {
            let end = buffer.end
            for key: Int64 in [20, 1, 30] { append(key) }
            #expect(buffer.find(1) != nil && !buffer.isAscending)
            buffer.removeRows(after: end)
            #expect(buffer.keys == first && buffer.used == used && buffer.longestRow == longest, "round \(round)")
            #expect(buffer.isAscending == isAscending && buffer.checkInvariants(fully: true))
            for key: Int64 in [20, 1, 30] { #expect(buffer.find(key) == nil) }
        }
    }
}
