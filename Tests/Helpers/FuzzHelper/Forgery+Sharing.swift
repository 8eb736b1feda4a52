@testable import FreeholdEngine
import TestKit

/// Trees whose every node names one and the same child many times: a handful of blocks, all of them well-formed and
/// with right checksums, that a walk from parents to children would take years to come to the end of.
extension Forgery {
    mutating func shareChildren() {
        let isSchema = random.oneIn(2), isConfirmed = random.oneIn(2)
        let roots = (map.volatile.values.map(\.root) + map.durable.values.map(\.root)).sorted { $0.version < $1.version }
        var seen: Set<UInt64> = []
        for root in roots where seen.insert(root.top.location).inserted {
            let top = Int(root.top.byteOffset)
            if isSchema { shareBelow(top, slot: TopBlock.schema, birth: root.version) }
            for slot in TopBlock.firstTable..<max(TopBlock.firstTable, references(top)) where !isSchema && !reference(top, slot).isNull {
                shareBelow(Int(reference(top, slot).byteOffset), slot: 0, birth: root.version)
            }
        }
        setRootLength(bytes.count)
        seal()
        // Whoever opens it has to look at everything that is younger than the last flush.
        if !isConfirmed { bytes.replaceSubrange(FileLayout.confirmed..<FileLayout.confirmed + FileLayout.sector, with: [UInt8](repeating: 0, count: FileLayout.sector)) }
        note("\(isSchema ? "schema" : "clusters") shared\(isConfirmed ? "" : ", unconfirmed")")
    }

    /// Puts nodes that share their children between the block at `parent` and what its reference leads to.
    private mutating func shareBelow(_ parent: Int, slot: Int, birth: UInt64) {
        var child = reference(parent, slot)
        guard !child.isNull else { return }
        while kind(child) == BlockKind.clusterInner.rawValue { child = reference(Int(child.byteOffset), 0) }
        let isCluster = kind(child) == BlockKind.cluster.rawValue
        let keysAscend = random.oneIn(2)
        let length = [UInt64(1) << 40, 1 << 20, UInt64(bytes.count), 61_441].randomElement(using: &random)!
        for level in 1...(isCluster ? 12 : 3) {
            child = isCluster ? addInner(over: child, level: level, keysAscend, birth) : addIndex(over: child, length, birth)
        }
        bytes.set(child, at: parent + BlockLayout.references + slot * BlockReference.byteCount)
    }

    private mutating func addInner(over child: BlockReference, level: Int, _ keysAscend: Bool, _ birth: UInt64) -> BlockReference {
        let count = ClusterInner.fanOut
        var body: [UInt8] = []
        for index in 0..<count { body.append(contentsOf: little(UInt64(keysAscend ? index : 0))) }
        for _ in 0..<count { body.append(contentsOf: little(1 << 20)) }
        return add(.clusterInner, variant: UInt8(level), count: count, children: Array(repeating: child, count: count), body, birth)
    }

    private mutating func addIndex(over child: BlockReference, _ length: UInt64, _ birth: UInt64) -> BlockReference {
        let children = Array(repeating: child, count: LargeValue.fanOut)
        return add(.largeValueIndex, variant: 0, count: children.count, children: children, little(length), birth)
    }

    /// Appends a block in pages of its own.
    private mutating func add(
        _ kind: BlockKind, variant: UInt8, count: Int, children: [BlockReference], _ body: [UInt8], _ birth: UInt64
    ) -> BlockReference {
        let start = bytes.count
        let granules = BlockLayout.granules(references: children.count, body: body.count)
        bytes += [UInt8](repeating: 0, count: (granules + 63) / 64 * BlockLayout.page)
        bytes.set(kind.rawValue, at: start + BlockLayout.kind)
        bytes.set(variant, at: start + BlockLayout.variant)
        bytes.set(UInt16(children.count), at: start + BlockLayout.referenceCount)
        bytes.set(UInt32(count), at: start + BlockLayout.count)
        bytes.set(UInt32(body.count), at: start + BlockLayout.bodyLength)
        for (index, child) in children.enumerated() {
            bytes.set(child, at: start + BlockLayout.references + index * BlockReference.byteCount)
        }
        let place = start + BlockLayout.references + children.count * BlockReference.byteCount
        bytes.replaceSubrange(place..<place + body.count, with: body)
        return BlockReference(location: UInt64(start / BlockLayout.granule) << 16 | UInt64(granules), birth: birth, check: 0, tag: 0)
    }

    private func little(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

    private func kind(_ reference: BlockReference) -> UInt8 { bytes[Int(reference.byteOffset)] }

    private func references(_ block: Int) -> Int { Int(bytes.integer(UInt16.self, at: block + BlockLayout.referenceCount)) }

    private func reference(_ block: Int, _ slot: Int) -> BlockReference {
        bytes.reference(at: block + BlockLayout.references + slot * BlockReference.byteCount)
    }
}
