/// Checks a key table that comes from a file.
///
/// Safe throughout: every position is compared with the body's end before it is read; the caller has checked that
/// the directory (heads, offsets) lies in the body.
extension IndexKeyTable {
    /// The error, or nil. `itemsStart` is where the heap must begin, counted from the body's start; `firstReference`
    /// the first of the block's references that belongs to a remainder.
    func complaint(itemsStart: Int, bodyLength: Int, firstReference: Int) -> String? {
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
            if let complaint = complaintAboutKey(index, &reference) { return complaint }
        }
        return reference == block.referenceCount ? nil : "it has references that no key uses"
    }

    private func complaintAboutKey(_ index: Int, _ reference: inout Int) -> String? {
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
