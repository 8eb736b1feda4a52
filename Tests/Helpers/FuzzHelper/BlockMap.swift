@testable import FreeholdEngine

/// The blocks and roots of an undamaged file, found by the generic layout alone.
struct BlockMap {
    struct Block {
        var offset: Int
        var length: Int
        var references: Int
    }

    private(set) var blocks: [Block] = []
    private(set) var durable: [Int: DurableRecord] = [:]
    private(set) var volatile: [Int: VolatileRecord] = [:]
    private(set) var confirmed: ConfirmedRecord?
    /// Every reference that is not null.
    private(set) var references: [BlockReference] = []

    init(_ bytes: [UInt8]) {
        var known: Set<UInt64> = []
        // Safe: all offsets lie in the header pages, and every file has those.
        let roots = bytes.withUnsafeBytes { file -> [Root] in
            let start = file.baseAddress!
            for offset in FileLayout.durableSlots { durable[offset] = DurableRecord.read(at: start + offset) }
            for offset in FileLayout.volatileSlots { volatile[offset] = VolatileRecord.read(at: start + offset) }
            confirmed = ConfirmedRecord.read(at: start + FileLayout.confirmed)
            return durable.values.map(\.root) + volatile.values.map(\.root)
        }
        for root in roots.sorted(by: { $0.version < $1.version }) { visit(root.top, bytes, &known) }
    }

    /// Where nobody can tell blocks without the key, each page counts as one.
    init(pagesOf bytes: [UInt8]) {
        for offset in stride(from: FileLayout.firstData, to: bytes.count, by: FileLayout.page) {
            blocks.append(Block(offset: offset, length: FileLayout.page, references: 0))
        }
    }

    private mutating func visit(_ reference: BlockReference, _ bytes: [UInt8], _ known: inout Set<UInt64>) {
        // An older root may lead into pages that were used again since, where anything may stand in a reference's place.
        guard !reference.isNull, (1...BlockLayout.maximumGranules).contains(reference.granuleCount) else { return }
        references.append(reference)
        let offset = Int(reference.byteOffset)
        guard offset + reference.byteLength <= bytes.count, known.insert(reference.location).inserted else { return }
        let count = bytes.integer(UInt16.self, at: offset + BlockLayout.referenceCount)
        blocks.append(Block(offset: offset, length: reference.byteLength, references: Int(count)))
        for index in 0..<Int(count) {
            let place = offset + BlockLayout.references + index * BlockReference.byteCount
            guard place + BlockReference.byteCount <= offset + reference.byteLength else { return }
            visit(bytes.reference(at: place), bytes, &known)
        }
    }
}

extension [UInt8] {
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number {
        // Safe: loading checks the range itself.
        Number(littleEndian: withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
    }

    mutating func set<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
        // Safe: storing checks the range itself.
        withUnsafeMutableBytes { $0.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Number.self) }
    }

    func reference(at offset: Int) -> BlockReference {
        BlockReference(location: integer(UInt64.self, at: offset), birth: integer(UInt64.self, at: offset + 8),
                       check: integer(UInt64.self, at: offset + 16), tag: integer(UInt64.self, at: offset + 24))
    }

    mutating func set(_ reference: BlockReference, at offset: Int) {
        set(reference.location, at: offset)
        set(reference.birth, at: offset + 8)
        set(reference.check, at: offset + 16)
        set(reference.tag, at: offset + 24)
    }
}
