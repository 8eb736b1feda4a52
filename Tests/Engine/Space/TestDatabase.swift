import CShims
import TestKit
@testable import BlockKit
@testable import FreeholdEngine

/// A version as a test keeps it: enough to read and reload it.
struct TestVersion {
    var version: UInt64
    var top: BlockReference
    var length: UInt64
}

/// A tree of blocks like a table's (top → table root → nodes → clusters → leaves) in a memory file, with a space map
/// and the versions somebody holds.
final class TestDatabase {
    let file: MemoryFile
    var map: SpaceMap
    var writer: CommitWriter
    var newest: TestVersion
    var held: [TestVersion] = []
    var random: SeededRandom
    var trims = true
    let leafGranules: [Int]
    let fanOut: Int

    init(seed: UInt64, clusters: Int, leafGranules: [Int] = [6, 3, 9, 1, 2], fanOut: Int = 16, pageLimit: Int = 1 << 14)
        throws {
        file = MemoryFile(pageLimit: pageLimit)
        map = SpaceMap(path: "memory")
        writer = CommitWriter(map: map)
        newest = TestVersion(version: 0, top: .null, length: file.length)
        random = SeededRandom(seed: seed)
        self.leafGranules = leafGranules
        self.fanOut = fanOut
        try fill(clusters: clusters)
    }

    /// Ascending versions that count as held: those of `held`, and the newest.
    var heldVersions: [UInt64] { Array(Set(held.map(\.version) + [newest.version])).sorted() }

    func transaction() -> PendingBlocks { PendingBlocks(reading: file.access()) }

    @discardableResult
    func commit(_ pending: PendingBlocks, top: BlockReference, skip: UInt64 = 0) throws
        -> CommitOutcome {
        let version = newest.version + 1 + skip
        do {
            let outcome = try writer.write(pending, top: top, version: version, held: heldVersions, trimming: trims,
                                           into: file)
            map.apply()
            newest = TestVersion(version: version, top: outcome.top, length: outcome.length)
            return outcome
        } catch {
            map.discard()
            throw error
        }
    }

    func spaceRoot(of version: TestVersion) throws -> BlockReference {
        version.top.isNull ? .null : try file.access().view(version.top).reference(CommitWriter.spaceRootSlot)
    }

    func load(_ version: TestVersion) throws -> SpaceMap {
        try SpaceMap.load(version: version.version, root: try spaceRoot(of: version), length: version.length,
                          access: file.access(), path: "memory")
    }

    /// Reads every block of a version anew and compares it with its checksum: true if all is as it was written.
    func isIntact(_ version: TestVersion) throws -> Bool {
        if version.top.isNull { return true }
        var open = [version.top]
        while let reference = open.popLast() {
            let bytes = file.copyBytes(reference.byteOffset, reference.byteLength)
            guard freehold_shim_checksum(bytes, bytes.count) == reference.check else { return false }
            bytes.withUnsafeBytes {
                let view = BlockView(start: $0.baseAddress!)
                for slot in 0..<view.referenceCount where !view.reference(slot).isNull {
                    open.append(view.reference(slot))
                }
            }
        }
        return true
    }

    // MARK: the tree

    private func makeLeaf(_ pending: PendingBlocks, granules: Int) -> BlockReference {
        let (reference, block) = pending.make(.integerLeaf, body: granules * 64 - BlockLayout.references)
        block.body.storeBytes(of: random.next(), as: UInt64.self)
        return reference
    }

    private func makeNode(_ pending: PendingBlocks, _ kind: BlockKind, _ children: [BlockReference]) -> BlockReference {
        let (reference, block) = pending.make(kind, references: children.count, body: 16)
        for (slot, child) in children.enumerated() { block.setReference(slot, child) }
        return reference
    }

    private func fill(clusters: Int) throws {
        let pending = transaction()
        var nodes = (0..<clusters).map { _ in
            makeNode(pending, .cluster, leafGranules.map { makeLeaf(pending, granules: $0) })
        }
        repeat {
            nodes = stride(from: 0, to: nodes.count, by: fanOut).map {
                makeNode(pending, .clusterInner, Array(nodes[$0..<min($0 + fanOut, nodes.count)]))
            }
        } while nodes.count > 1
        let table = pending.make(.tableRoot, references: 2, body: 512)
        table.1.setReference(0, nodes[0])
        let top = pending.make(.top, references: 3, body: 8)
        top.1.setReference(2, table.0)
        try commit(pending, top: top.0)
    }

    /// Opens the newest version for changes: its pending top and table root.
    func edit(_ pending: PendingBlocks) throws -> (top: BlockReference, table: MutableBlock) {
        var top = newest.top
        let block = try pending.edit(&top)
        var table = block.view.reference(2)
        let tableBlock = try pending.edit(&table)
        block.setReference(2, table)
        return (top, tableBlock)
    }

    /// Replaces one random leaf (or one leaf of cluster `path`) below `parent`.
    func changeLeaf(below parent: MutableBlock, slot: Int = 0, _ pending: PendingBlocks, granules: Int? = nil) throws {
        var child = parent.view.reference(slot)
        let view = try pending.access.view(child)
        if view.referenceCount == 0 {
            let wanted = granules ?? child.granuleCount
            if wanted == child.granuleCount {
                let block = try pending.edit(&child)
                block.body.storeBytes(of: random.next(), as: UInt64.self)
            } else {
                pending.free(child)
                child = makeLeaf(pending, granules: wanted)
            }
            parent.setReference(slot, child)
            return
        }
        let block = try pending.edit(&child)
        parent.setReference(slot, child)
        let present = (0..<view.referenceCount).filter { !block.view.reference($0).isNull }
        try changeLeaf(below: block, slot: present.randomElement(using: &random)!, pending, granules: granules)
    }

    /// Puts a new tail (a block that each commit replaces) in the table root.
    func replaceTail(_ table: MutableBlock, _ pending: PendingBlocks, granules: Int) {
        let old = table.view.reference(1)
        pending.free(old)
        let (reference, block) = pending.make(.tail, body: granules * 64 - BlockLayout.references)
        block.body.storeBytes(of: random.next(), as: UInt64.self)
        table.setReference(1, reference)
    }

    /// Commits `changes` random leaf updates.
    @discardableResult
    func update(_ changes: Int, resizing: Bool = false, skip: UInt64 = 0) throws -> CommitOutcome {
        let pending = transaction()
        let (top, table) = try edit(pending)
        for _ in 0..<changes {
            try changeLeaf(below: table, pending, granules: resizing ? Int.random(in: 1...20, using: &random) : nil)
        }
        return try commit(pending, top: top, skip: skip)
    }

    func hold() { held.append(newest) }
}

/// A map in a form that can be compared.
struct MapPicture: Equatable {
    var marks: [UInt8]
    var intervals: [PageInterval]
    var usedPages: Int
    var liveGranules: Int
    var runs: [Range<Int>]

    init(_ map: SpaceMap, held: [UInt64]) {
        map.waiting.settle(held: held)
        marks = (0..<map.table.count).map { map.table.mark($0) }
        intervals = (0..<map.table.count).map {
            map.table.mark($0) <= PageMark.full ? map.table.interval($0) : PageInterval(birth: 0, death: 0)
        }
        usedPages = map.usedPages
        liveGranules = map.liveGranules
        runs = map.runs.allRuns()
    }
}
