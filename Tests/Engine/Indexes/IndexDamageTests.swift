@testable import BlockKit
import TestKit
import Testing
@testable import FreeholdEngine

/// Bytes of leaves and inner nodes changed at random: either the validator complains, or every accessor stays inside
/// the block and comes to an end.
@Suite struct IndexDamageTests {
    @Test(arguments: KeyDistribution.allCases)
    func damagedNodesAreToldOrHarmless(_ keys: KeyDistribution) throws {
        var generator = SeededRandom(seed: 31)
        let model = IndexModel()
        for step in 0..<(keys == .hugeKeysAlike ? 60 : 2_500) { model.insert(keys.posting(&generator, step: step)) }
        try model.commit()
        var refused = 0, accepted = 0
        for location in model.file.live.sorted().prefix(12) {
            let bytes = Int(location & 0xffff) * BlockLayout.granule
            let original = UnsafeRawBufferPointer(start: model.file.access.base + Int((location >> 16) << 6), count: bytes)
            for _ in 0..<120 {
                // A block of its own, so that address sanitizers see each byte read behind its end.
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 64)
                defer { copy.deallocate() }
                copy.copyMemory(from: original)
                damage(copy, &generator)
                let view = BlockView(start: UnsafeRawPointer(copy.baseAddress!))
                guard [.indexInner, .indexLeaf].contains(view.kind), BlockVerifier.complaint(about: view, byteLength: bytes) == nil,
                      OrderedIndex.complaint(about: view) == nil else {
                    refused += 1
                    continue
                }
                accepted += 1
                readAll(view, model.file.access, &generator)
            }
        }
        #expect(refused > 0 && accepted > 0, "\(refused) refused, \(accepted) accepted")
    }

    /// Nodes are trusted to be in order where they are read; one that is not may be an error or be written as it is, and no more.
    @Test("writing to a tree with a damaged node is an error or comes to an end", arguments: KeyDistribution.allCases)
    func writingToADamagedTreeEnds(_ keys: KeyDistribution) throws {
        var generator = SeededRandom(seed: 37)
        let model = IndexModel()
        for number in 0..<(keys == .hugeKeysAlike ? 60 : 4_000) { model.insert(keys.posting(&generator, step: number)) }
        try model.commit()
        var damaged = 0, errors = 0
        for location in model.file.live.sorted().suffix(24) {
            let bytes = Int(location & 0xffff) * BlockLayout.granule
            let start = UnsafeMutableRawPointer(mutating: model.file.access.base + Int((location >> 16) << 6))
            let node = UnsafeMutableRawBufferPointer(start: start, count: bytes)
            let original = [UInt8](node)
            for _ in 0..<20 {
                defer { node.copyBytes(from: original) }
                damage(node, &generator)
                let view = BlockView(start: UnsafeRawPointer(node.baseAddress!))
                guard [.indexInner, .indexLeaf].contains(view.kind), BlockVerifier.complaint(about: view, byteLength: bytes) == nil,
                      OrderedIndex.complaint(about: view) == nil else { continue }
                damaged += 1
                let operations = IndexOperations()
                for _ in 0..<40 {
                    let posting = keys.posting(&generator, step: .random(in: 0..<4_000, using: &generator))
                    let object = ObjectKey(posting.object), isInsertion = Bool.random(using: &generator)
                    posting.key.withUnsafeBytes {
                        if isInsertion { operations.insert($0, object) } else { operations.remove($0, object) }
                    }
                }
                do throws(FreeholdError) {
                    _ = try OrderedIndex.apply(operations, to: model.root, table: 7, in: PendingBlocks(reading: model.file.access))
                } catch {
                    errors += 1
                    #expect(error.code.band == .damaged, "\(error)")
                }
            }
        }
        #expect(damaged > 0, "\(errors) errors")
    }

    private func damage(_ bytes: UnsafeMutableRawBufferPointer, _ generator: inout SeededRandom) {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            // Headers and directories more often than the rest.
            let end = Bool.random(using: &generator) ? min(bytes.count, 80) : bytes.count
            let place = Int.random(in: 0..<end, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = .random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= [1, 2, 4, 8, 16, 32, 64, 128].randomElement(using: &generator)!
            case 2: bytes[place] = [0, 255, 254, 128, 127].randomElement(using: &generator)!
            default: bytes[place] &+= 1
            }
        }
    }

    /// Calls everything that reads a node; what comes out does not matter, errors are fine.
    private func readAll(_ view: BlockView, _ access: BlockAccess, _ generator: inout SeededRandom) {
        let sought = (0..<Int.random(in: 0...12, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: IndexLayout.inlineKeyBytes, alignment: 1)
        defer { buffer.deallocate() }
        let keys: IndexKeyTable
        if view.kind == .indexInner {
            let inner = IndexInner(unchecked: view)
            keys = inner.keys
            for child in 0..<inner.count { #expect(inner.postings(child) > 0 && !inner.reference(child).isNull) }
            sought.withUnsafeBytes { bytes in _ = try? inner.child(for: IndexKey(bytes), 3, access) }
            for rank in [0, 1, inner.postings / 2, inner.postings - 1, .max] { #expect(inner.child(atRank: rank).child < inner.count) }
        } else {
            guard view.variant == IndexLayout.leafVariant else { return }
            let leaf = IndexLeaf(unchecked: view)
            keys = leaf.keys
            for entry in 0..<leaf.count {
                let chunk = leaf.chunk(entry)
                #expect(chunk.rank(of: chunk.last).before <= chunk.count)
                _ = chunk.ascends
                #expect(leaf.first(entry) == chunk.first)
            }
            #expect(leaf.postings(0, leaf.count) == leaf.postings)
        }
        for index in 0..<keys.count {
            #expect(keys.copyKey(index, keys.tail(index), to: buffer) <= IndexLayout.inlineKeyBytes)
            if index > 0 { _ = keys.isSameKey(index, index - 1) }
        }
        sought.withUnsafeBytes { bytes in
            guard let (lower, upper) = try? keys.range(of: IndexKey(bytes), access) else { return }
            #expect(lower <= upper && upper <= keys.count)
        }
    }

    /// A child of the wrong kind or level is an error, not a walk without end.
    @Test func aNodeThatRefersToItselfIsCorrupt() throws {
        let pending = PendingBlocks(reading: IndexModel().file.access)
        let operations = IndexOperations()
        for number in 0..<4_000 as Range<UInt64> {
            withUnsafeBytes(of: number.bigEndian) { operations.insert($0, ObjectKey(Int64(number))) }
        }
        let root = try OrderedIndex.apply(operations, to: .null, table: 1, in: pending)
        let block = MutableBlock(start: UnsafeMutableRawPointer(mutating: try pending.access.view(root).start))
        #expect(block.view.kind == .indexInner)
        for child in 0..<block.view.count { block.setReference(child, root) }
        let index = OrderedIndex(root: root, access: pending.access)
        #expect(throws: FreeholdError.self) { try index.count([0]) }
        #expect(throws: FreeholdError.self) { try index.first([0]) }
        #expect(throws: FreeholdError.self) { try index.all() }
        #expect(throws: FreeholdError.self) { try OrderedIndex.apply(operations, to: root, table: 1, in: pending) }
        #expect(!index.verify().isEmpty)
    }

    @Test func verifyTellsWrongCountsAndOrder() throws {
        let model = IndexModel()
        for number in 0..<4_000 as Range<UInt64> { model.insert(Posting(key: KeyDistribution.ascending.bigEndian(number), object: 1)) }
        try model.apply()
        let view = try model.index.access.view(model.root)
        let block = MutableBlock(start: UnsafeMutableRawPointer(mutating: view.start))
        let first = view.reference(0), second = view.reference(1)
        block.setReference(0, second)
        block.setReference(1, first)
        #expect(!model.index.verify().isEmpty, "swapped children")
        block.setReference(0, first)
        block.setReference(1, second)
        #expect(model.index.verify().isEmpty)
        block.body.storeBytes(of: view.body.load(as: UInt64.self) - 1, as: UInt64.self)
        #expect(!model.index.verify().isEmpty, "a count one too low")
    }

    @Test("seeking stays within an entry whose head says a last object that its postings do not reach")
    func seekingStaysWithinAnEntryWhosePostingsEndBeforeItsLast() throws {
        let pending = PendingBlocks(reading: IndexModel().file.access), operations = IndexOperations()
        for object in [0, 1, 2] as [Int64] { [UInt8](repeating: 7, count: 3).withUnsafeBytes { operations.insert($0, ObjectKey(object)) } }
        let root = try OrderedIndex.apply(operations, to: .null, table: 1, in: pending)
        let leaf = IndexLeaf(unchecked: try pending.access.view(root)), chunk = leaf.chunk(0)
        // The byte before the differences is that of the last object.
        UnsafeMutableRawPointer(mutating: chunk.deltas - 1).storeBytes(of: 100, as: UInt8.self)
        #expect(leaf.chunk(0).last == 100 && OrderedIndex.complaint(about: leaf.block) == nil)
        var cursor = try OrderedIndex(root: root, access: pending.access).cursor()
        #expect(try cursor.next())
        _ = try cursor.seek(to: ObjectKey(50))
        #expect(cursor.place == 2 && cursor.rank == 2 && cursor.objectKey == ObjectKey(2))
    }

    @Test("an inner node that counts more than a file holds is refused: sums of counts stay within 64 bits")
    func anInnerNodeThatCountsMoreThanAFileHoldsIsRefused() throws {
        let model = IndexModel()
        for number in 0..<4_000 as Range<UInt64> { model.insert(Posting(key: KeyDistribution.ascending.bigEndian(number), object: 1)) }
        try model.apply()
        let view = try model.index.access.view(model.root), block = MutableBlock(start: UnsafeMutableRawPointer(mutating: view.start))
        #expect(view.kind == .indexInner && OrderedIndex.complaint(about: view) == nil)
        block.body.storeBytes(of: IndexLayout.mostPostings, toByteOffset: 8 * (view.count - 1), as: UInt64.self)
        #expect(OrderedIndex.complaint(about: view) == "its postings do not ascend")
    }
}
