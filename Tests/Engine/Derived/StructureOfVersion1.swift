@testable import FreeholdEngine

/// The structural checks of version 1 of the format for the blocks of which derived indexes consist, frozen. Older
/// programs check a file with them: as they open it for reading after a crash, as they check it, and as they copy it.
/// They are not to follow changes of `BlockStructure`.
enum StructureOfVersion1 {
    /// The error in a block, or nil.
    static func complaint(about view: BlockView) -> String? {
        switch view.kindByte {
        // Version 1 calls it the schema, and gives it no structure.
        case 2: nil
        case 3: tableRootComplaint(about: view)
        case 13: IndexInner.complaintOfVersion1(about: view)
        case 14: IndexLeaf.complaintOfVersion1(about: view)
        default: "its kind \(view.kindByte) is not one of a derived index"
        }
    }

    private static func tableRootComplaint(about view: BlockView) -> String? {
        guard view.referenceCount >= 5, view.bodyLength >= 16 + (view.referenceCount - 5) * 4 else { return "its parts do not fit" }
        guard view.body.load(fromByteOffset: 8, as: UInt64.self) <= 1 << 48 else { return "it counts more objects than a file can hold" }
        return nil
    }
}

extension IndexInner {
    static func complaintOfVersion1(about view: BlockView) -> String? {
        let count = view.count
        guard (1...IndexLayout.maximumLevel).contains(Int(view.variant)) else { return "its level \(view.variant) is unknown" }
        // Per child: postings 8, and per separator: object key 8, head 4; one offset more than separators.
        let directory = 8 * count + 12 * (count - 1) + 4 + 2 * count
        guard (1...IndexLayout.fanOut).contains(count), view.referenceCount >= count, directory <= view.bodyLength else {
            return "its \(count) children do not fit"
        }
        let inner = IndexInner(unchecked: view)
        for child in 0..<count where view.reference(child).isNull { return "its child \(child) is missing" }
        var sum = 0
        for child in 0..<count {
            let end = inner.keys.body.load(fromByteOffset: child * 8, as: UInt64.self)
            guard end > UInt64(sum), end < 1 << 62 else { return "its postings do not ascend" }
            sum = Int(end)
        }
        return inner.keys.complaintOfVersion1(itemsStart: directory + inner.keys.prefix.count, bodyLength: view.bodyLength,
                                    firstReference: count)
    }
}

extension IndexLeaf {
    static func complaintOfVersion1(about view: BlockView) -> String? {
        if view.variant == IndexLayout.remainderVariant {
            return view.referenceCount == 0 && view.bodyLength > 0 ? nil : "a key remainder holds bytes and no references"
        }
        guard view.variant == IndexLayout.leafVariant else { return "its variant \(view.variant) is unknown" }
        let count = view.count
        let directory = IndexLayout.leafFixedBytes + count * IndexLayout.leafSlotBytes
        guard count > 0, count <= BlockLayout.maximumGranules * BlockLayout.granule, directory <= view.bodyLength else {
            return "its \(count) entries do not fit"
        }
        let leaf = IndexLeaf(unchecked: view)
        if let complaint = leaf.keys.complaintOfVersion1(itemsStart: directory + leaf.keys.prefix.count,
                                               bodyLength: view.bodyLength, firstReference: 0) { return complaint }
        for index in 0..<count {
            if let complaint = leaf.chunkComplaintOfVersion1(index) { return complaint }
        }
        return leaf.postings(0, count) == leaf.postings ? nil : "its posting count differs from its entries"
    }

    private func chunkComplaintOfVersion1(_ index: Int) -> String? {
        var position = keys.tail(index).end
        let end = keys.item(index + 1)
        guard IndexVarint.readChecked(&position, end: end) != nil else { return "an entry has no first object" }
        let count = postings(index)
        if count > 1 {
            guard IndexVarint.readChecked(&position, end: end) != nil else { return "an entry has no last object" }
            // Exactly that many numbers end here, and no byte is left over: enough for readers to stay inside.
            // `verify`, which has time to read them, checks whether they ascend and sum up to the last object.
            guard end > position, (end - 1).load(as: UInt8.self) < 0x80,
                  IndexVarint.count(position, end) == count - 1 else { return "an entry's objects are cut off" }
            return nil
        }
        return position == end ? nil : "an entry is longer than its objects"
    }
}

extension IndexKeyTable {
    /// The error, or nil. `itemsStart` is where the heap must begin, counted from the body's start; `firstReference`
    /// the first of the block's references that belongs to a remainder.
    func complaintOfVersion1(itemsStart: Int, bodyLength: Int, firstReference: Int) -> String? {
        guard prefix.count <= IndexLayout.inlineKeyBytes, itemsStart <= bodyLength else {
            return "its key prefix of \(prefix.count) bytes does not fit"
        }
        var offset = itemsStart
        for index in 0...count {
            let next = Int(offsets.load(fromByteOffset: index * 2, as: UInt16.self))
            guard next >= offset, index > 0 || next == offset else { return "its key offsets do not ascend" }
            offset = next
        }
        guard offset == bodyLength else { return "its keys do not fill it" }
        var reference = firstReference
        for index in 0..<count {
            if let complaint = keyComplaintOfVersion1(index, &reference) { return complaint }
        }
        return reference == block.referenceCount ? nil : "it has references that no key uses"
    }

    private func keyComplaintOfVersion1(_ index: Int, _ reference: inout Int) -> String? {
        let item = item(index), end = self.item(index + 1)
        guard item < end else { return "a key has no bytes" }
        let byte = item.load(as: UInt8.self)
        let fixed = byte < IndexLayout.longLength ? 1 : byte == IndexLayout.longLength ? 3 : 5
        guard end - item >= fixed else { return "a key's length is cut off" }
        let tail = tail(index)
        guard tail.end <= end, prefix.count + tail.length <= IndexLayout.inlineKeyBytes else {
            return "a key of \(tail.length) bytes does not fit"
        }
        if tail.length < IndexLayout.headBytes, head(index) << UInt32(8 * tail.length) != 0 {
            return "a key's head goes beyond its length"
        }
        if tail.reference >= 0 {
            guard tail.reference == reference, reference < block.referenceCount,
                  prefix.count + tail.length == IndexLayout.inlineKeyBytes, !block.reference(reference).isNull
            else { return "a long key's remainder is not where it should be" }
            reference += 1
        }
        return nil
    }
}
