/// The lengths of a field for 256 neighbouring object keys, as the key of one entry of the tree of lengths.
///
/// ```
/// field u8 | object key / 256, rounded down: sign bit flipped, big-endian u64 | form u8 | contents
/// form 0   pairs, ascending: object key modulo 256, code
/// form 1   the codes of keys 0… up to the last document, 0 for none
/// ```
/// The shorter form is written, the row if both are as long. A row without a document is not written.
///
/// Safe throughout: `codes` has 256 bytes; contents are read below the key's length.
struct LengthRow: Equatable {
    let field: Int
    /// The object keys, divided by 256 and rounded down.
    let group: Int64
    /// The code of each of the 256 object keys, 0 for none.
    private(set) var codes = [UInt8](repeating: 0, count: keysPerRow)
    private(set) var documents = 0

    static let keysPerRow = 256
    static let prefixBytes = 9
    /// The maximum length of a key: a row of 256 codes.
    static let longestKey = prefixBytes + 1 + keysPerRow

    init(field: Int, group: Int64) {
        self.field = field
        self.group = group
    }

    @inline(__always) static func group(of object: Int64) -> Int64 { object >> 8 }
    @inline(__always) static func place(of object: Int64) -> Int { Int(truncatingIfNeeded: object & 255) }

    /// The object key of a place in the row.
    func object(_ place: Int) -> Int64 { group << 8 | Int64(place) }

    mutating func set(_ place: Int, _ code: UInt8) {
        documents += (code == 0 ? 0 : 1) - (codes[place] == 0 ? 0 : 1)
        codes[place] = code
    }

    /// What the keys of all forms of the row begin with.
    static func prefix(field: Int, group: Int64) -> [UInt8] {
        let number = UInt64(bitPattern: group) ^ 1 << 63
        return [UInt8(field)] + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    /// The key of the row; nil if it has no document.
    var key: [UInt8]? {
        guard documents > 0, let last = codes.lastIndex(where: { $0 != 0 }) else { return nil }
        var key = Self.prefix(field: field, group: group)
        if 2 * documents < last + 1 {
            key.append(0)
            for place in 0...last where codes[place] != 0 { key += [UInt8(place), codes[place]] }
        } else {
            key.append(1)
            key += codes[...last]
        }
        return key
    }

    /// Reads a key; nil if it is none of a row, or not in the form that would be written.
    init?(key: [UInt8]) {
        guard key.count > Self.prefixBytes + 1, key.count <= Self.longestKey, key[0] < EntryTag.fieldLimit else { return nil }
        let number = key[1..<Self.prefixBytes].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let group = Int64(bitPattern: number ^ 1 << 63)
        guard group >= Int64.min >> 8, group <= Int64.max >> 8 else { return nil }
        self.init(field: Int(key[0]), group: group)
        let contents = key[(Self.prefixBytes + 1)...]
        if key[Self.prefixBytes] == 0 {
            guard contents.count % 2 == 0 else { return nil }
            for place in stride(from: contents.startIndex, to: contents.endIndex, by: 2) { set(Int(contents[place]), contents[place + 1]) }
        } else {
            for (place, code) in contents.enumerated() { set(place, code) }
        }
        guard self.key == key else { return nil }
    }
}
