import CShims

extension LargeValue {
    /// Whether two values hold the same bytes; blocks shared by both are not read.
    ///
    /// Safe: bodies of one length are compared within it.
    static func areEqual(_ left: BlockReference, _ right: BlockReference, in access: BlockAccess) throws(FreeholdError) -> Bool {
        // Every block has one parent: a walk that meets more blocks than exist follows blocks that share children.
        var left = [(left, right)], budget = Int(clamping: access.fileLength) / BlockLayout.granule
        while let (before, after) = left.popLast() {
            if before.location == after.location && before.birth == after.birth { continue }
            let one = try access.view(before), other = try access.view(after)
            guard one.kindByte == other.kindByte, one.referenceCount == other.referenceCount, one.bodyLength == other.bodyLength,
                  freehold_shim_compare(one.body, other.body, one.bodyLength) == 0 else { return false }
            budget -= 1
            guard budget >= 0 else {
                throw FreeholdError(.corrupt, "the block at byte \(after.byteOffset) should hold part of a large value")
            }
            for index in 0..<one.referenceCount { left.append((one.reference(index), other.reference(index))) }
        }
        return true
    }
}
