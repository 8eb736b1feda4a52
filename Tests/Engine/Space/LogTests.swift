import CShims
import Testing
@testable import BlockKit
@testable import FreeholdEngine

@Suite("The log and the fold")
struct LogTests {
    private func expectReload(_ database: TestDatabase) throws {
        let held = database.heldVersions
        #expect(MapPicture(try database.load(database.newest), held: held) == MapPicture(database.map, held: held))
        let audit = SpaceWalk.audit(top: database.newest.top, access: database.file.access(), map: database.map)
        #expect(audit.problems == [])
    }

    @Test("A commit that frees thousands of ranges records them in chunks of their own")
    func manyRanges() throws {
        let database = try TestDatabase(seed: 5, clusters: 6000, leafGranules: [1, 2], pageLimit: 1 << 15)
        let pending = database.transaction()
        let (top, table) = try database.edit(pending)
        try changeEveryLeaf(database, table, 0, pending)
        try database.commit(pending, top: top)
        let root = try database.file.access().view(database.spaceRoot(of: database.newest))
        #expect(root.referenceCount > 3)
        try expectReload(database)
        for _ in 0..<40 { try database.update(2) }
        try expectReload(database)
    }

    private func changeEveryLeaf(_ database: TestDatabase, _ parent: MutableBlock, _ slot: Int, _ pending: PendingBlocks)
        throws {
        var child = parent.view.reference(slot)
        let block = try pending.edit(&child)
        parent.setReference(slot, child)
        // Only the first of the two leaves of each cluster, so that nothing freed is a neighbour of the next.
        let slots = block.view.kind == .cluster ? 0..<1 : 0..<block.view.referenceCount
        for below in slots { try changeEveryLeaf(database, block, below, pending) }
    }

    @Test("Folds keep the log short, and the tree grows a level with the file")
    func foldLevels() throws {
        let database = try TestDatabase(seed: 8, clusters: 100, pageLimit: 1 << 17)
        database.trims = false
        for pages in [0, 5_000, 80_000] {
            if pages > 0 {
                database.newest.length = UInt64(pages * 4096)
                database.file.extend(to: database.newest.length)
                database.map = try database.load(database.newest)
                database.writer = CommitWriter(map: database.map)
            }
            for _ in 0..<700 { try database.update(4, resizing: true) }
            #expect(database.map.log.chunkCount <= 17)
            #expect(database.map.log.foldVersion > 1)
            let fold = try database.file.access().view(database.map.log.fold)
            let level = fold.kind == .spaceInner ? Int(fold.variant) : 0
            #expect(SpaceFold.pages(level: level) >= database.map.table.count)
            #expect(level == [0: 0, 5_000: 1, 80_000: 2][pages])
            try expectReload(database)
        }
    }

    @Test("After a trim nothing is lost, and the file can grow again", arguments: UInt64(1)...4)
    func trimming(seed: UInt64) throws {
        let database = try TestDatabase(seed: seed, clusters: 800)
        for _ in 0..<30 { try database.update(2) }
        var other = try database.load(database.newest)
        let before = database.newest.length
        try dropMost(database)
        for step in 0..<200 {
            try database.update(1)
            if step % 20 == 0 { try expectReload(database) }
        }
        #expect(database.newest.length < before * 2 / 3, "\(database.newest.length) of \(before)")
        database.file.truncate(to: database.newest.length)
        #expect(try database.isIntact(database.newest))
        // Beyond the old end again, with other contents.
        while database.newest.length < before { try database.update(40, resizing: true); database.hold() }
        database.held = []
        try expectReload(database)
        let caughtUp = try other.catchUp(to: database.newest.version, root: try database.spaceRoot(of: database.newest),
                                         length: database.newest.length, access: database.file.access())
        if !caughtUp { other = try database.load(database.newest) }
        let held = database.heldVersions
        #expect(MapPicture(other, held: held) == MapPicture(database.map, held: held))
    }

    /// Frees all below the root node but one child.
    private func dropMost(_ database: TestDatabase) throws {
        let pending = database.transaction()
        let (top, table) = try database.edit(pending)
        var node = table.view.reference(0)
        let block = try pending.edit(&node)
        table.setReference(0, node)
        for slot in 1..<block.view.referenceCount {
            try pending.freeTree(block.view.reference(slot))
            block.setReference(slot, .null)
        }
        try database.commit(pending, top: top)
    }

    @Test("Numbers are read as they were written, and never past the end")
    func numbers() {
        let numbers: [UInt64] = [0, 1, 127, 128, 300, 1 << 21, 1 << 42, UInt64(Int64.max)]
        withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { memory in
            var writer = NumberWriter(at: memory.baseAddress!)
            for number in numbers { writer.append(number) }
            let used = writer.next - memory.baseAddress!
            var reader = NumberReader(UnsafeRawBufferPointer(rebasing: memory[0..<used]))
            for number in numbers { #expect(reader.read() == Int(number)) }
            #expect(reader.isAtEnd)
            #expect(reader.read() == nil)
            var short = NumberReader(UnsafeRawBufferPointer(rebasing: memory[used - 2..<used - 1]))
            #expect(short.read() == nil)
        }
    }
}
