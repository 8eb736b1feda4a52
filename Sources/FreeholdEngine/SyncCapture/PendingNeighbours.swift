/// Tree 62,007: the pending elements that stand beside a position, so that a position that goes finds them.
///
/// ```
/// object u64 · property u32 · position u64 · act u8        posting: the identity of the entry's first element
/// ```
/// Numbers are big-endian; those of objects have their sign bit flipped.
///
/// 1. The tree follows from the entries in tree 62,000: each entry of inserted or moved elements is under the position on its left and
///    under the one on its right.
/// 2. Nothing is under the ends of a list. Neither is what was inserted under the identity that follows the position on its left: that
///    identity finds it. So elements that are typed at the end of a list take nothing.
enum PendingNeighbours {
    static let listHead = 12, keyBytes = 21

    /// The position and the act in a key; nil for bytes that no writer produces.
    static func key(_ bytes: [UInt8]) -> (position: UInt64, act: SyncChange.Act)? {
        guard bytes.count == keyBytes, let act = SyncChange.Act(rawValue: bytes[keyBytes - 1]) else { return nil }
        return (IdentityKey.word(bytes, listHead, 8), act)
    }

    /// Calls `body` with each key that an entry has, and its posting.
    ///
    /// - Parameter key: holds the key during the call.
    static func forEach<Failure: Error>(of entry: PendingEntry, _ key: ByteBuffer,
                                        _ body: (UnsafeRawBufferPointer, ObjectKey) throws(Failure) -> Void) throws(Failure) {
        guard case .element(let property, let change) = entry.what else { return }
        for position in [change.searchedLeft, change.right] where position != .none {
            key.setList(of: entry.key, property)
            key.append(big: position.rawValue)
            key.append(change.act.rawValue)
            // Safe: the bytes are not changed before the call returns.
            try body(key.bytes, ObjectKey(Int64(bitPattern: change.first.rawValue)))
        }
    }
}

extension ElementChange {
    /// The position on the left, if the tree has the entry under it.
    fileprivate var searchedLeft: SyncIdentity {
        if left == .none || act == .inserted && position == first && position.follows(left) { return .none }
        return left
    }
}

// Safe: bytes of keys are copied before the call that takes them returns.
extension IndexOperations {
    func insertNeighbours(of entry: PendingEntry, _ key: ByteBuffer) {
        PendingNeighbours.forEach(of: entry, key) { bytes, first in insert(bytes, first) }
    }

    func removeNeighbours(of entry: PendingEntry, _ key: ByteBuffer) {
        PendingNeighbours.forEach(of: entry, key) { bytes, first in remove(bytes, first) }
    }
}
