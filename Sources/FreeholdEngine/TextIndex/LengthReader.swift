/// Reads the lengths of documents in a field.
///
/// The last row is kept as it is stored, so documents in the order of their keys cost one descent for 256.
///
/// Safe throughout: `memory` has room for the longest key; places are below the length of the key that was read.
final class LengthReader {
    private let field: Int
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: LengthRow.longestKey, alignment: 8)
    // Safe (all exclusivity below): one thread uses the reader, and nothing here re-enters it.
    @exclusivity(unchecked) private var cursor: IndexCursor
    /// The group of the row in memory; no object has a key in the first one's.
    @exclusivity(unchecked) private var group = Int64.max
    /// The length of its key; 0 if the group has no document.
    @exclusivity(unchecked) private var length = 0

    /// - Parameter root: the tree of lengths; null for none.
    init(_ root: BlockReference, field: Int, _ access: BlockAccess) throws(FreeholdError) {
        self.field = field
        cursor = try OrderedIndex(root: root, access: access).cursor()
    }

    deinit { memory.deallocate() }

    /// The code of a document's length; 0 if the field has no word, or there is no such document.
    @inline(__always)
    func code(of object: ObjectKey) throws(FreeholdError) -> UInt8 {
        let group = LengthRow.group(of: object.rawValue)
        if self.group != group { try load(group) }
        let start = LengthRow.prefixBytes &+ 1, place = LengthRow.place(of: object.rawValue)
        if length == 0 { return 0 }
        if memory.load(fromByteOffset: LengthRow.prefixBytes, as: UInt8.self) != 0 {
            return start &+ place < length ? memory.load(fromByteOffset: start &+ place, as: UInt8.self) : 0
        }
        return pair(place)
    }

    /// The codes of documents, whose keys ascend.
    func codes(of objects: [ObjectKey]) throws(FreeholdError) -> [UInt8] {
        var codes = [UInt8](repeating: 0, count: objects.count)
        for place in objects.indices { codes[place] = try code(of: objects[place]) }
        return codes
    }

    /// The code of a key of a row of pairs.
    private func pair(_ place: Int) -> UInt8 {
        let start = LengthRow.prefixBytes + 1
        var low = 0, high = (length - start) / 2
        while low < high {
            let middle = (low + high) / 2, found = Int(memory.load(fromByteOffset: start + 2 * middle, as: UInt8.self))
            if found == place { return memory.load(fromByteOffset: start + 2 * middle + 1, as: UInt8.self) }
            if found < place { low = middle + 1 } else { high = middle }
        }
        return 0
    }

    @inline(never)
    private func load(_ group: Int64) throws(FreeholdError) {
        self.group = group
        length = 0
        let number = (UInt64(bitPattern: group) ^ 1 << 63).bigEndian
        memory.storeBytes(of: UInt8(field), as: UInt8.self)
        memory.storeBytes(of: number, toByteOffset: 1, as: UInt64.self)
        guard try cursor.seek(toKey: IndexKey(start: memory, count: LengthRow.prefixBytes)) else { return }
        let least = LengthRow.prefixBytes + 2
        guard let count = cursor.copyKey(to: memory, limit: LengthRow.longestKey), count >= least else { throw Self.damaged(field) }
        let isFound = memory.load(as: UInt8.self) == UInt8(field) && memory.loadUnaligned(fromByteOffset: 1, as: UInt64.self) == number
        if isFound { length = count }
    }

    /// The row of a group with the key it is stored under, or nil if it has no document.
    static func row(in index: OrderedIndex, field: Int, group: Int64) throws(FreeholdError) -> (row: LengthRow, key: [UInt8])? {
        var cursor = try index.cursor()
        let prefix = LengthRow.prefix(field: field, group: group)
        let isFound = try prefix.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try cursor.seek(toKey: IndexKey(bytes)) }
        guard isFound else { return nil }
        let key = try cursor.key()
        guard key.starts(with: prefix) else { return nil }
        guard let row = LengthRow(key: key) else { throw damaged(field) }
        return (row, key)
    }

    private static func damaged(_ field: Int) -> FreeholdError {
        FreeholdError(.corrupt, "a full-text index has lengths in field \(field) that no program writes; run `freehold check`")
    }
}
