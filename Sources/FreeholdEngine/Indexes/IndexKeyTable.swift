/// The keys of a node, in order: the entries of a leaf, the separators of an inner node.
///
/// The common prefix of all keys of the node is stored once. Of the rest, the first four bytes are stored as a number
/// in an array of heads, which settles most comparisons, and what follows is stored in the heap:
///
/// ```
/// length u8 (253 at most) | 254, length u16 | 255, length u16, reference index u16     of the key after the prefix
/// bytes 4… of it
/// ```
/// 255 means that the key continues in the block of that reference.
///
/// Safe throughout: made from checked nodes (`IndexLeaf.complaint`, `IndexInner.complaint`) or ones this process
/// wrote, so directory, prefix and heap items lie inside the body; indexes are below `count`.
struct IndexKeyTable {
    let block: BlockView
    let body: UnsafeRawPointer
    let heads: UnsafeRawPointer
    let offsets: UnsafeRawPointer
    let count: Int
    let prefix: IndexKey

    @inline(__always) func head(_ index: Int) -> UInt32 {
        heads.load(fromByteOffset: index &* 4, as: UInt32.self)
    }

    /// The start of an entry's heap item.
    @inline(__always) func item(_ index: Int) -> UnsafeRawPointer {
        body + Int(offsets.load(fromByteOffset: index &* 2, as: UInt16.self))
    }

    /// The part of one key that is in the heap.
    struct Tail {
        /// The number of bytes of the key after the prefix that are in the node.
        var length: Int
        /// The bytes after the fourth.
        var rest: UnsafeRawPointer
        /// The address after the key.
        var end: UnsafeRawPointer
        /// The index of the reference at which the key continues, or -1.
        var reference: Int
    }

    @inline(__always) func tail(_ index: Int) -> Tail {
        let item = item(index)
        let byte = item.load(as: UInt8.self)
        if byte < IndexLayout.longLength {
            let length = Int(byte)
            return Tail(length: length, rest: item + 1, end: item + (1 &+ max(0, length &- IndexLayout.headBytes)),
                        reference: -1)
        }
        return longTail(item, hasRemainder: byte == IndexLayout.remainderLength)
    }

    @inline(never) private func longTail(_ item: UnsafeRawPointer, hasRemainder: Bool) -> Tail {
        let length = Int(item.loadUnaligned(fromByteOffset: 1, as: UInt16.self))
        let rest = item + (hasRemainder ? 5 : 3)
        let reference = hasRemainder ? Int(item.loadUnaligned(fromByteOffset: 3, as: UInt16.self)) : -1
        return Tail(length: length, rest: rest, end: rest + max(0, length - IndexLayout.headBytes), reference: reference)
    }

    /// Writes the part of a key that is in the node to `target`; returns its length.
    @inline(__always) func copyKey(_ index: Int, _ tail: Tail, to target: UnsafeMutableRawPointer) -> Int {
        target.copyMemory(from: prefix.start, byteCount: prefix.count)
        let place = target + prefix.count
        if tail.length >= 4 {
            place.storeBytes(of: head(index).bigEndian, as: UInt32.self)
            (place + 4).copyMemory(from: tail.rest, byteCount: tail.length &- 4)
        } else {
            let head = head(index)
            for byte in 0..<tail.length {
                place.storeBytes(of: UInt8(truncatingIfNeeded: head &>> UInt32(24 &- 8 &* byte)), toByteOffset: byte,
                                 as: UInt8.self)
            }
        }
        return prefix.count &+ tail.length
    }

    /// Whether two keys of the table are equal (keys with remainders never count as equal).
    func isSameKey(_ index: Int, _ other: Int) -> Bool {
        if head(index) != head(other) { return false }
        let one = tail(index), two = tail(other)
        if one.length != two.length || one.reference >= 0 || two.reference >= 0 { return false }
        return IndexKey.order(one.rest, two.rest, max(0, one.length - IndexLayout.headBytes)) == 0
    }
}
